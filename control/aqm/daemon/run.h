/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The daemon, "rxaqm run". It does what a careful operator would: it attaches the interfaces that
 * the configuration names, follows their changes, and keeps leases and clocks up to date. The data
 * plane does not need it: if the daemon dies, packets are still treated as the maps say, and the
 * next daemon continues from there.
 *
 * One thread, one event loop (loop.c). Events only set flags of links. rxaqm_run_sync() then
 * compares the actual with the wanted condition, so a lost or doubled event does no harm. Each part
 * notes when it is due next, and the loop sleeps until the earliest of these times.
 */
#pragma once

#include <stdbool.h>
#include <systemd/sd-event.h>
#include <time.h>

#include "clock/phc.h"
#include "config/config.h"
#include "report/arrivals.h"
#include "state/state.h"

/* Pause before the next attempt: another command works; the state is lost. */
#define RXAQM_RUN_LOCKED_NS (200 * RXAQM_NSEC_PER_MSEC)
#define RXAQM_RUN_LOST_NS (10 * RXAQM_NSEC_PER_SEC)

enum rxaqm_link_state {
	RXAQM_LINK_NEW, /* nothing done yet */
	RXAQM_LINK_ATTACHED,
	RXAQM_LINK_FAILED, /* attach failed; tried again at due_ns, if that is set */
	RXAQM_LINK_RELEASED, /* someone else took it off; left alone until the next reload */
	RXAQM_LINK_LOST, /* its program runs on, but the pinned state is gone */
	RXAQM_LINK_DISABLED, /* enable=no, and detached */
};

struct rxaqm_run;
struct rxaqm_run_overload;

/* Its PHC (clock.c). */
struct rxaqm_run_clock {
	struct rxaqm_phc phc;
	struct rxaqm_phc_fit fit;
	bool open;
	__u64 next_ns; /* when to read it, or to try to open it, again */
	__u64 attached_ns; /* of the attachment that it belongs to */
	__u32 resets_before; /* of the entry in clock_phc_map, by clocks before this one */
	__u32 outliers_before;
	int complained; /* the -errno that was logged */
};

/* An interface with a section in the configuration. */
struct rxaqm_link {
	struct rxaqm_run *run;
	struct rxaqm_link *next;
	unsigned int ifindex;
	char name[RXAQM_IFNAMSIZ];
	const struct rxaqm_config_iface *section; /* NULL: there is none any more */
	enum rxaqm_link_state state;
	bool removed; /* will be freed */
	__u64 due_ns; /* when there is something to do; 0: nothing */
	time_t due_at; /* due_ns as a time of day, for an attempt after a failure */
	__u64 retry_ns; /* pause before the attempt after the next */
	__u64 tried_ns; /* when it failed last */
	bool blocked; /* another command holds the lock: try again in a moment */
	bool seen; /* in the current listing */
	bool configure; /* bring the policy in line: start, reload, new name */
	bool reapply; /* even if the section was applied before: reload */
	bool found; /* it existed when the daemon started */
	bool verify; /* check whether the program is still there */
	/* Do packets reach its program? The last look, */
	struct rxaqm_arrivals arrivals;
	unsigned int blind; /* how often it was said that they do not, with none seen in between, */
	bool revive; /* and whether to attach it anew */
	__u64 refreshed_ns; /* when it was last attached again because its queues had changed */
	/* The attachment: entry in the registry, and program. */
	int slot;
	__u32 prog_id;
	char *complaint; /* the failure that was logged last */
	__u64 lease_until_ns; /* as the daemon set it; 0: it did not */
	/* The policies to set when it is attached again; NULL: those of the section. */
	struct rxaqm_policy *kept;
	unsigned int nr_kept;
	struct rxaqm_run_clock clock;
	struct rxaqm_run_overload *overload;
};

/* Diagnosis of an overload (diagnose.c). */
struct rxaqm_run_diagnosis {
	pid_t pid; /* 0: none runs */
	int fd; /* its output */
	__u64 begun_ns;
	__u64 done_ns; /* when the last one succeeded; 0: never */
	char id[64], place[32]; /* of its primary cause; "": none was found */
	__u64 done, failed;
};

/* Metrics files (status_and_metrics.c). */
struct rxaqm_run_metrics {
	__u64 due_ns; /* when they are written next */
	bool own_failed, text_failed; /* the last attempt failed, for each of the two files */
};

struct rxaqm_run {
	const char *config_path;
	struct rxaqm_config config;
	struct rxaqm_state state; /* open while there is one; locked only within a call */
	__u32 state_id; /* id of the meta_map by which it was opened */
	bool bpffs_lost;
	struct rxaqm_link *links;
	bool rescan; /* the list of links may be out of date */
	unsigned int recover; /* remaining tries to drop entries of interfaces that are gone */
	/* By slot: the kernel said that its interface was deleted. */
	bool deleted[RXAQM_MAX_IFACES], any_deleted;
	sd_event *event;
	sd_event_source *sync_timer; /* fires at due_ns */
	sd_event_source *rtnl_source, *genl_source; /* NULL: none */
	unsigned int ethtool_family; /* generic netlink; 0: changes are polled for */
	unsigned long ticks;
	bool ready; /* reported to systemd */
	__u64 ready_by_ns; /* reported then at the latest, even if another holds the lock */
	bool begun; /* the interfaces have been listed once */
	bool reapply; /* the next listing belongs to a reload */
	__u64 due_ns; /* when to call rxaqm_run_sync(); 0: at the next tick */
	int exit_code;
	/* Reloads. */
	__u64 reloads_ok, reloads_failed;
	bool reload_failed; /* the last one failed: the file is not what is in effect */
	char reload_text[256];
	char status_text[256]; /* the last one sent */
	/* Chores. */
	__u64 status_due_ns;
	bool status_failed, status_text_failed, status_text_written;
	struct rxaqm_run_metrics metrics;
	struct rxaqm_run_diagnosis diagnosis;
};

/* Have rxaqm_run_sync() called at @due_ns (CLOCK_MONOTONIC) or earlier. */
static inline void rxaqm_run_sync_by(struct rxaqm_run *run, __u64 due_ns)
{
	if (!run->due_ns || rxaqm_ns_after(run->due_ns, due_ns))
		run->due_ns = due_ns;
}

/* Is its section for this interface alone, not for a pattern? */
static inline bool rxaqm_run_is_own(const struct rxaqm_link *link)
{
	return link->section && !link->section->glob;
}
