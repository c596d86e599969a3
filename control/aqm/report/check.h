/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is all well, as monitoring wants to know it: one line and an exit status by the
 * conventions of Nagios plugins (status, text, "|", performance data).
 */
#pragma once

#include <stdio.h>

#include "iface.h"
#include "overload/overload.h"

/* Exit codes of plugins, which are not those of log.h. */
enum rxaqm_check_level {
	RXAQM_CHECK_OK,
	RXAQM_CHECK_WARNING,
	RXAQM_CHECK_CRITICAL,
	RXAQM_CHECK_UNKNOWN
};

/* What was seen of a queue, twice. */
struct rxaqm_check_queue {
	unsigned int queue;
	struct rxaqm_overload_look look; /* the second look, compared with the first */
	const char *distrust; /* why its stamps are not believed; NULL if they are */
	bool unstamped; /* it wants stamps, and gets none */
};

/* An interface as it is gone through. All zero at first, but for the name. */
struct rxaqm_check_iface {
	char name[RXAQM_IFNAMSIZ];
	unsigned int nr_queues, nr_over;
	__u64 worst_ns; /* largest averaged sojourn of queues that stand over target */
	__u64 stood_ns; /* longest time that one has */
	bool overflow_known;
	__u64 overflow; /* packets lost between the looks, because a queue was full */
};

/* The result, worst first, and what is told of each interface behind it. All zero at first, but for
 * how long a queue may stand over its target.
 */
#define RXAQM_CHECK_TEXT 512
struct rxaqm_check_sum {
	__u64 warn_ns;
	__u64 crit_ns; /* without being enforced */
	enum rxaqm_check_level level;
	unsigned int nr_ifaces, nr_queues;
	unsigned int nr_findings;
	char text[RXAQM_CHECK_TEXT]; /* the first of the worst findings */
	struct rxaqm_check_iface iface[RXAQM_MAX_IFACES]; /* of nr_ifaces */
};

/* Packets that were lost because a queue was full, by the kernel's counters, modulo 2^32; or
 * -errno. Of the rings of the interface called @ifname in the network namespace entered, what the
 * driver counts as missed, over or fifo errors; -ENODEV if there is none.
 */
__s64 rxaqm_check_ring_drops(const char *ifname);
/* Of the CPUs' backlogs, of all interfaces together. -EINVAL if @path has not the form of this. */
#define RXAQM_CHECK_BACKLOGS "/proc/net/softnet_stat"
__s64 rxaqm_check_backlog_drops(const char *path);
/* Of the queues of @iface, called @here in the network namespace entered; NULL: it is elsewhere. */
__s64 rxaqm_check_overflow(const struct rxaqm_iface *iface, const char *here);

/* Note what is wrong, of @iface (NULL: of none); the first of the worst level is told. */
void rxaqm_check_find(struct rxaqm_check_sum *sum, enum rxaqm_check_level level,
		      const struct rxaqm_check_iface *iface, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Take a queue into account. */
void rxaqm_check_add_queue(struct rxaqm_check_sum *sum, struct rxaqm_check_iface *iface,
			   const struct rxaqm_check_queue *queue);

/* And, after all of its queues, the interface. */
void rxaqm_check_add_iface(struct rxaqm_check_sum *sum, const struct rxaqm_check_iface *iface);

/* Print the line, or JSON. Returns the exit status: UNKNOWN if it cannot be written. */
int rxaqm_check_print(const struct rxaqm_check_sum *sum, FILE *file, bool json);
