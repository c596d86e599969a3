/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The condition of all queues for monitoring: one line and an exit status, by the conventions of
 * Nagios plugins (status, text, "|", performance data).
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

/* The result of two looks at a queue. */
struct rxaqm_check_queue {
	unsigned int queue;
	struct rxaqm_overload_look look; /* the second one */
	const char *distrust; /* why its stamps are not believed; NULL if they are */
	bool unstamped; /* its policy uses stamps, but there are none */
};

/* An interface while its queues are added. All zero at first, except for the name. */
struct rxaqm_check_iface {
	char name[RXAQM_IFNAMSIZ];
	unsigned int nr_queues, nr_standing;
	__u64 worst_ns; /* largest averaged sojourn of queues that stand */
	__u64 stood_ns; /* longest time that one of them stood */
	__u64 unseen; /* rxaqm_arrivals_unseen() */
	bool overflow_known;
	__u64 overflow; /* packets lost between the looks, since a queue was full */
};

/* The result, worst first, and after it the figures of each interface. All zero at first, except
 * for the times that a queue may stand over its target.
 */
#define RXAQM_CHECK_TEXT 512
struct rxaqm_check_sum {
	__u64 warn_ns;
	__u64 crit_ns; /* if it is not enforced */
	enum rxaqm_check_level level;
	unsigned int nr_ifaces, nr_queues, nr_standing;
	unsigned int nr_findings;
	char text[RXAQM_CHECK_TEXT]; /* the first finding of the worst level */
	struct rxaqm_check_iface iface[RXAQM_MAX_IFACES]; /* of nr_ifaces */
};

/* Packets that were lost because a queue was full, by the kernel's counters, modulo 2^32; or
 * -errno. This one: at the rings of the interface called @ifname in the network namespace entered,
 * which drivers count as missed, over or fifo errors; -ENODEV if there is none.
 */
__s64 rxaqm_check_ring_drops(const char *ifname);
/* At the queues of @iface, called @here in the network namespace entered; NULL: it is elsewhere. */
__s64 rxaqm_check_overflow(const struct rxaqm_iface *iface, const char *here);

/* Note a finding about @iface (NULL: about none); the first of the worst level is printed. */
void rxaqm_check_find(struct rxaqm_check_sum *sum, enum rxaqm_check_level level,
		      const struct rxaqm_check_iface *iface, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Add a queue. */
void rxaqm_check_add_queue(struct rxaqm_check_sum *sum, struct rxaqm_check_iface *iface,
			   const struct rxaqm_check_queue *queue);

/* Add an interface, after all of its queues. */
void rxaqm_check_add_iface(struct rxaqm_check_sum *sum, const struct rxaqm_check_iface *iface);

/* Print the line, or JSON. Returns the exit status: UNKNOWN if it cannot be written. */
int rxaqm_check_print(const struct rxaqm_check_sum *sum, FILE *file, bool json);
