/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The daemon, "rxaqm run". It does what a careful operator would: attaches what the
 * configuration names, follows what becomes of the interfaces, and keeps leases and clocks
 * up to date. The data plane does not need it: whenever it dies, packets go on
 * being treated as the maps say, and the next one takes over from there.
 *
 * One thread, one event loop (loop.c). What is to be done is written down as flags of
 * links and done by rxaqm_run_sync(), which looks at how things are, not at how they came
 * to be so: a lost or doubled event does no harm.
 */
#ifndef RXAQM_RUN_H
#define RXAQM_RUN_H

#include <stdbool.h>
#include <syslog.h>
#include <systemd/sd-event.h>
#include <time.h>

#include "attach/plane.h"
#include "clock/phc.h"
#include "config/config.h"
#include "state/state.h"
#include "report/metrics.h"

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
	time_t due_at; /* the same as a time of day, if that is an attempt after a failure */
	__u64 retry_ns; /* pause before the attempt after the next */
	__u64 tried_ns; /* when it failed last */
	bool blocked; /* another command holds the lock: tried again in a moment */
	bool seen; /* in the listing going on */
	bool configure; /* the policy is to be brought in line: start, reload, new name */
	bool reapply; /* even if the section was applied before: reload */
	bool found; /* it was there when the daemon was started */
	bool verify; /* is the program still there? */
	unsigned int nr_queues; /* that it needs, if it is WAITING */
	__u64 refreshed_ns; /* when it was last attached anew because they had */
	/* What is attached: the entry in the registry, and its program. */
	int slot;
	__u32 prog_id;
	char *complaint; /* the failure that was logged last */
	__u64 lease_until_ns; /* as set by us; 0: not by us */
	/* Policies to be had again after an attachment anew; NULL: those of the section. */
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

/* metrics.c */
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
	sd_event_source *sync_timer;
	struct mnl_socket *rtnl, *genl; /* NULL: none */
	sd_event_source *rtnl_source, *genl_source;
	unsigned int ethtool_family; /* generic netlink; 0: changes are polled for */
	unsigned long ticks;
	bool ready; /* and has said so */
	__u64 ready_by_ns; /* and is by then, whoever holds the lock */
	bool begun; /* the interfaces have been listed once */
	bool reapply; /* the next listing is for a reload */
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

/* log.c: one line to the journal or the terminal, @level as in syslog.h. */
void rxaqm_run_log_init(void);
void rxaqm_run_log(int level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Tell systemd how things are, if that has changed, and whether the start, or a reload, ends. */
void rxaqm_run_notify(struct rxaqm_run *run, bool becomes_ready);

/* lock.c: take the lock that makes this the only daemon, until the process ends. */
int rxaqm_run_lock(struct rxaqm_error *error);

/* loop.c: run until told to stop. Returns an exit code. */
int rxaqm_run_loop(struct rxaqm_run *run);
/* Have rxaqm_run_sync() called at @due_ns (CLOCK_MONOTONIC), or before. */
void rxaqm_run_sync_by(struct rxaqm_run *run, __u64 due_ns);

/* netlink.c: what the kernel says of interfaces, rings and channels. */
int rxaqm_run_netlink_open(struct rxaqm_run *run, struct rxaqm_error *error);
/* Listen again after an error. */
void rxaqm_run_netlink_resume(struct rxaqm_run *run);

/* links.c: the interfaces that the configuration names; do what is due. */
void rxaqm_run_sync(struct rxaqm_run *run);
/* The interface is gone, whatever comes in its place. */
void rxaqm_run_link_removed(struct rxaqm_link *link);
struct rxaqm_link *rxaqm_run_link_find(const struct rxaqm_run *run, unsigned int ifindex);
/* A new configuration: every link is looked at again. @old is freed. */
void rxaqm_run_links_reconfigure(struct rxaqm_run *run, struct rxaqm_config *old);
/* It is attached, as @iface. */
void rxaqm_run_attached(struct rxaqm_link *link, const struct rxaqm_iface *iface);
/* An operator has taken it off, which is logged as @why. */
void rxaqm_run_release(struct rxaqm_link *link, const char *why);
/* Reconcile @link after a pause; 0: at once. */
void rxaqm_run_try_again(struct rxaqm_link *link, __u64 after_ns);
/* Log @error, unless it is what was logged last, and note when to try again. */
void rxaqm_run_failed(struct rxaqm_link *link, const struct rxaqm_error *error);
/* The kernel says that the interface has changed: try again what failed, if not too often. */
void rxaqm_run_changed(struct rxaqm_link *link);

/* reconcile.c: take @iface off @link, which others then may attach again. */
int rxaqm_run_detach(struct rxaqm_link *link, struct rxaqm_iface *iface, struct rxaqm_error *error);
/* Bring @link in line with its section (none: detach it), or note when to try
 * again.
 */
void rxaqm_run_reconcile(struct rxaqm_link *link);
/* Before @iface is detached, with what an operator has set: if that was to end enforcing, a daemon
 * that starts later is to leave it off.
 */
void rxaqm_run_note_detached(const struct rxaqm_link *link, const struct rxaqm_iface *iface);

/* room.c: is there room for @nr_queues queues of @link, which is not attached? One that has a
 * section of its own has it made: those that have not give way, the newest first, but for what an
 * operator has set. Needs the lock. If not, @link is WAITING.
 */
bool rxaqm_run_room(struct rxaqm_link *link, unsigned int nr_queues);
/* Has it a section of its own, rather than a wildcard's? */
static inline bool rxaqm_run_is_own(const struct rxaqm_link *link)
{
	return link->section && !link->section->glob;
}
/* Have those that wait tried for which there is room now. */
void rxaqm_run_waiting(struct rxaqm_run *run);

/* plan.c: how the section says to attach. */
int rxaqm_run_plan(const struct rxaqm_config_iface *section, const char *ifname,
		   struct rxaqm_plan *plan, struct rxaqm_error *error);
/* Can the profile be read that @section (NULL: none) names, and does its policy hold together with
 * the profile of @ifname?
 */
int rxaqm_run_check(const struct rxaqm_config_iface *section, const char *ifname,
		    struct rxaqm_error *error);
/* Must what is attached as @iface be attached anew to be as planned? Why, or NULL. */
const char *rxaqm_run_differs(const struct rxaqm_config_iface *section,
			      const struct rxaqm_iface *iface, const struct rxaqm_plan *plan);

/* state.c: the pinned state, as it comes and goes. Open it if there is one; find out if it went or
 * another one came. True if it is open.
 */
bool rxaqm_run_state_check(struct rxaqm_run *run);
/* After a call that may have made or removed it. */
void rxaqm_run_state_changed(struct rxaqm_run *run);
/* The entry of @link, if it is still what it was; else NULL. */
struct rxaqm_iface *rxaqm_run_entry(const struct rxaqm_link *link);
/* See whether @link is still attached. */
void rxaqm_run_verify(struct rxaqm_link *link);

/* lease.c: keep leases from running out; part of rxaqm_run_sync(). */
void rxaqm_run_leases(struct rxaqm_run *run);

/* status.c: write the status file if it is time, remove it at the end. */
void rxaqm_run_status(struct rxaqm_run *run);
void rxaqm_run_status_remove(const struct rxaqm_config *config);

/* clock.c: read the PHCs of what is attached, publish the mappings; part of rxaqm_run_sync(). */
void rxaqm_run_clocks(struct rxaqm_run *run);
/* Withdraw what @link has published, if its entry is still there. */
void rxaqm_run_clock_free(struct rxaqm_link *link);

/* overload.c: overload, automatic enforcement, what ECT(0) means. */
void rxaqm_run_overload(struct rxaqm_run *run);
void rxaqm_run_overload_free(struct rxaqm_link *link);

/* diagnose.c: have doctor look for the cause of an overload, if that was not done lately. */
void rxaqm_run_diagnose(struct rxaqm_run *run);
/* Has it ended? */
void rxaqm_run_diagnosis_look(struct rxaqm_run *run);

/* metrics.c: write the metrics if it is time; at once after a new configuration; remove them at the
 * end, so that nobody takes them for current.
 */
void rxaqm_run_metrics(struct rxaqm_run *run);
void rxaqm_run_metrics_changed(struct rxaqm_run *run);
void rxaqm_run_metrics_remove(void);

/* Families of clock, overload and diagnosis, for metrics.c. */
void rxaqm_run_clock_metrics(struct rxaqm_metrics_text *text, const struct rxaqm_run *run);
void rxaqm_run_overload_metrics(struct rxaqm_metrics_text *text, const struct rxaqm_run *run);
void rxaqm_run_diagnosis_metrics(struct rxaqm_metrics_text *text, const struct rxaqm_run *run);

#endif /* RXAQM_RUN_H */
