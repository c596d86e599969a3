/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The daemon, "rxaqm run". It does what a careful operator would: attaches what the configuration
 * names, follows what becomes of the interfaces, and keeps leases and clocks up to date. The data
 * plane does not need it: whenever it dies, packets go on being treated as the maps say, and the
 * next one takes over from there.
 *
 * One thread, one event loop (loop.c). Events only set flags of links. rxaqm_run_sync() then
 * compares how things are with how they should be, so a lost or doubled event does no harm. Each
 * part notes when it is due next, and the loop sleeps until the earliest of these times.
 */
#pragma once

#include <stdbool.h>
#include <systemd/sd-event.h>
#include <time.h>

#include "clock/phc.h"
#include "config/config.h"
#include "state/state.h"

/* Until the next attempt: another command is at work; the state is lost. */
#define RXAQM_RUN_LOCKED_NS (200 * RXAQM_NSEC_PER_MSEC)
#define RXAQM_RUN_LOST_NS (10 * RXAQM_NSEC_PER_SEC)

enum rxaqm_link_state {
	RXAQM_LINK_NEW, /* nothing done yet */
	RXAQM_LINK_ATTACHED,
	RXAQM_LINK_WAITING, /* for room in the registry */
	RXAQM_LINK_FAILED, /* attach failed; tried again at due_ns, if that is set */
	RXAQM_LINK_RELEASED, /* someone else took it off: theirs until the next reload */
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
	__u64 next_ns; /* when to read it again, or to try again to open it */
	__u64 attached_ns; /* of the attachment that it is for */
	__u32 resets_before; /* of the entry in clock_phc_map, from clocks before this one */
	__u32 outliers_before;
	int complained; /* of this -errno */
};

/* An interface that a section of the configuration is for. */
struct rxaqm_link {
	struct rxaqm_run *run;
	struct rxaqm_link *next;
	unsigned int ifindex;
	char name[RXAQM_IFNAMSIZ];
	const struct rxaqm_config_iface *section; /* NULL: none any more */
	enum rxaqm_link_state state;
	bool removed; /* to be forgotten */
	__u64 due_ns; /* something is to be done then; 0: nothing */
	time_t due_at; /* due_ns as a time of day, for an attempt after a failure */
	__u64 retry_ns; /* pause before the attempt after the next */
	__u64 tried_ns; /* when it failed last */
	bool blocked; /* another command holds the lock: tried again in a moment */
	bool seen; /* in the listing going on */
	bool configure; /* the policy is to be brought in line: start, reload, new name */
	bool reapply; /* even if the section was applied before: reload */
	bool found; /* it was there when the daemon was started */
	bool verify; /* is the program still there? */
	unsigned int nr_queues; /* that it needs, if it is WAITING */
	__u64 refreshed_ns; /* when it was last attached anew because its queues had changed */
	/* What is attached: the entry in the registry, and its program. */
	int slot;
	__u32 prog_id;
	char *complaint; /* the failure that was logged last */
	__u64 lease_until_ns; /* as set by us; 0: not by us */
	/* The policies to set when it is attached anew; NULL: those of the section. */
	struct rxaqm_policy *kept;
	unsigned int nr_kept;
	struct rxaqm_run_clock clock;
	struct rxaqm_run_overload *overload;
};

/* Of the cause of an overload (diagnose.c). */
struct rxaqm_run_diagnosis {
	pid_t pid; /* 0: none runs */
	int fd; /* what it prints */
	__u64 begun_ns;
	__u64 done_ns; /* the last one that said something; 0: none has */
	char id[64], place[32]; /* of its primary cause; "": nothing was found */
	__u64 done, failed;
};

/* Metrics files (status_and_metrics.c). */
struct rxaqm_run_metrics {
	__u64 due_ns; /* they are written then */
	bool own_failed, text_failed; /* the last attempt at either file */
};

struct rxaqm_run {
	const char *config_path;
	struct rxaqm_config config;
	struct rxaqm_state state; /* open while there is one; locked only within a call */
	__u32 state_id; /* of the meta_map that it was opened by */
	bool bpffs_lost;
	struct rxaqm_link *links;
	bool rescan; /* the list of links may be out of date */
	bool full; /* it was said that there is no room for more */
	unsigned int recover; /* tries left to drop entries of interfaces that are gone */
	sd_event *event;
	sd_event_source *sync_timer; /* goes off at due_ns */
	sd_event_source *rtnl_source, *genl_source; /* NULL: none */
	unsigned int ethtool_family; /* generic netlink; 0: changes are polled for */
	unsigned long ticks;
	bool ready; /* and systemd was told so */
	__u64 ready_by_ns; /* it says so then at the latest, even if another holds the lock */
	bool begun; /* the interfaces have been listed once */
	bool reapply; /* the next listing is for a reload */
	__u64 due_ns; /* rxaqm_run_sync() is to be called then; 0: with the next tick */
	int exit_code;
	/* Reloads. */
	__u64 reloads_ok, reloads_failed;
	bool reload_failed; /* the last one: the file is not what is in effect */
	char reload_text[256];
	char status_text[256]; /* as it was last */
	/* Chores. */
	__u64 status_due_ns;
	bool status_failed;
	struct rxaqm_run_metrics metrics;
	struct rxaqm_run_diagnosis diagnosis;
};

/* Have rxaqm_run_sync() called at @due_ns (CLOCK_MONOTONIC), or before. */
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
