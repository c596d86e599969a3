/* SPDX-License-Identifier: GPL-2.0-only */
/* State of a queue and its interface, in numbers and words. */
#pragma once

#include "state/state.h"
#include "base/out.h"
#include "policy/target_explain.h"

/* The sojourn in ns that @permille of @hist's packets are below, interpolated within its bucket (at
 * most 1/8 off); 0 if it is under 1 us or there are no packets. @since (may be NULL) is subtracted.
 */
__u64 rxaqm_hist_quantile_ns(const __u64 *hist, const __u64 *since, unsigned int permille);

/* Packets counted in @hist since @since (may be NULL). */
__u64 rxaqm_hist_packets(const __u64 *hist, const __u64 *since);

enum rxaqm_signal_now {
	RXAQM_SIGNAL_NOW_HINT,
	RXAQM_SIGNAL_NOW_STAMP,
	RXAQM_SIGNAL_NOW_BUSY,
	RXAQM_SIGNAL_NOW_NONE,
	RXAQM_NR_SIGNALS_NOW
};
enum rxaqm_mode_now {
	RXAQM_MODE_NOW_OFF,
	RXAQM_MODE_NOW_OBSERVE,
	RXAQM_MODE_NOW_ENFORCE,
	RXAQM_MODE_NOW_LAPSED, /* enforce, but the lease has expired: it observes */
	RXAQM_NR_MODES_NOW
};
/* Names by value: "hint", "stamp", "busy", "none"; "off", "observe", "enforce", ... */
extern const char *const rxaqm_signal_now_names[RXAQM_NR_SIGNALS_NOW];
extern const char *const rxaqm_mode_now_names[RXAQM_NR_MODES_NOW];

/* The state of law=auto as the next packet would find it: if no packet was judged for an interval,
 * no flow is limited. All 0 under another law.
 */
struct rxaqm_law_figures {
	bool holds; /* there is a limit that may hold a flow */
	__u64 limit_pps; /* what a flow may send; 0: no limit */
	__u64 capacity_pps; /* what the CPU can do, as far as has been seen */
	__u32 flows[RXAQM_NR_FLOW_KINDS]; /* known flows, of the last interval or the current one */
	__u32 over[RXAQM_NR_FLOW_KINDS]; /* of these, over the limit */
	__u32 thin; /* share of redundant ACKs that are dropped, of RXAQM_LAW_ONE */
	__u64 goal_ns, smooth_ns;
};
extern const char *const rxaqm_flow_kind_names[RXAQM_NR_FLOW_KINDS];

/* All that is known of a queue. Everything that shows a queue takes its figures from here. */
struct rxaqm_figures {
	unsigned int number; /* of the queue */
	__u64 now_ns; /* when all of this was read */
	struct rxaqm_queue queue; /* a copy: the packet path goes on */
	struct rxaqm_policy policy; /* in force; queue.policy is that of the last packet */
	bool polled; /* packets have come */
	bool standing; /* rxaqm_queue_stands() */
	bool sampled; /* queue.sample_sojourn_ns is the newest sample: one packet's */
	enum rxaqm_mode_now mode;
	enum rxaqm_signal_now signal; /* the signal that the queue uses */
	const char *distrust; /* why stamps are not believed, in words; NULL if they are */
	bool unstamped; /* packets have come for over a second, but none with a stamp */
	__u64 stood_ns; /* if it stands: for so long */
	__u64 sojourn_ns; /* averaged: if it stands over the last second, else over some packets */
	__u64 target_ns, interval_ns; /* in use; the policy's until a packet comes under it */
	struct rxaqm_target derived; /* floor, ceiling, the target they give, and why */
	struct rxaqm_law_figures law;
};

/* Fill in @figures for queue @number of @iface at @now_ns. */
void rxaqm_figures_take(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
			unsigned int number, __u64 now_ns, struct rxaqm_figures *figures);

/* Print the fields that identify the queue: its number and its CPU. */
void rxaqm_figures_name_out(struct rxaqm_out *out, const struct rxaqm_figures *figures);

/* What its queues are, as in "attach --key": "queue" or "cpu". */
static inline const char *rxaqm_iface_key(const struct rxaqm_iface *iface)
{
	return iface->flags & RXAQM_IFACE_BY_CPU ? "cpu" : "queue";
}

/* The source of its stamps: "hint", "hwtstamp", "tstamp", "none". */
const char *rxaqm_iface_stamps(const struct rxaqm_iface *iface);

/* Current name of the interface, in @buf; its name at attach if it is not in this namespace, or if
 * that is not known. Sets *@ret_here, unless that is NULL.
 */
const char *rxaqm_iface_name(const struct rxaqm_iface *iface, char buf[RXAQM_IFNAMSIZ],
			     bool *ret_here);

/* What is wrong with the attachment; NULL: nothing. @here: the interface is in this network
 * namespace.
 */
const char *rxaqm_status_trouble(const struct rxaqm_iface *iface, bool here);
/* Do packets pass untouched for that reason, as far as is known? Not if the interface is in another
 * namespace, or while a command changes the attachment.
 */
bool rxaqm_status_unguarded(const struct rxaqm_iface *iface, bool here);

/* Has a poll of @q ended within the second before @now_ns? */
bool rxaqm_queue_polled_lately(const struct rxaqm_queue *q, __u64 now_ns);

/* Does @q stand at @now_ns? The verdict of stand.h, while polls go on. */
bool rxaqm_queue_stands(const struct rxaqm_queue *q, __u64 now_ns);

/* No packet has come to it for this long, or none at all: text hides it, unless --all is given. */
#define RXAQM_IDLE_NS (10 * RXAQM_NSEC_PER_SEC)
bool rxaqm_figures_idle(const struct rxaqm_figures *figures);
/* Say that @nr queues are hidden for that; nothing if none is. */
void rxaqm_hidden_print(struct rxaqm_out *out, __u64 nr);

/* Has the queue anything to show? Small interfaces show all queues. */
bool rxaqm_queue_shows(const struct rxaqm_iface *iface, const struct rxaqm_queue *q);

/* A level (flow.h) as packets a second, under the law @vars. */
__u64 rxaqm_level_pps(const struct rxaqm_law_vars *vars, __u32 level);

/* @share in parts of @one, rounded. */
static inline __u64 rxaqm_law_parts(__u32 share, __u32 one)
{
	return ((__u64)share * one + RXAQM_LAW_ONE / 2) / RXAQM_LAW_ONE;
}
