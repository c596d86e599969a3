/* SPDX-License-Identifier: GPL-2.0-only */
/* What a queue and its interface say, in numbers and words. */
#pragma once

#include "state/state.h"
#include "base/out.h"
#include "policy/target_explain.h"

/* Sojourn below which @permille of the @hist's packets lie, interpolated within its bucket
 * (at most 1/8 off); 0 if it is under 1 us, or there are none. @since (may be NULL) is subtracted.
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
	RXAQM_MODE_NOW_LAPSED, /* enforce, but the lease is over: it observes */
	RXAQM_NR_MODES_NOW
};
/* By their values: "hint", "stamp", "busy", "none"; "off", "observe", "enforce", ... */
extern const char *const rxaqm_signal_now_names[RXAQM_NR_SIGNALS_NOW];
extern const char *const rxaqm_mode_now_names[RXAQM_NR_MODES_NOW];

/* The state of law=auto as the next packet would find it: once no packet was judged for an
 * interval, no flow is held. All 0 under another law.
 */
struct rxaqm_law_figures {
	bool bad; /* stood over target for an interval, and has stood since */
	bool holds; /* there is a limit that may hold a flow */
	__u64 limit_pps; /* what a flow may send; 0: no limit */
	__u64 capacity_pps; /* what the CPU can do, as far as was seen */
	__u32 flows[RXAQM_NR_FLOW_KINDS]; /* known, of the interval before or the one going on */
	__u32 over[RXAQM_NR_FLOW_KINDS]; /* of these over the limit */
	__u32 thin; /* share of redundant ACKs that are dropped, of RXAQM_LAW_ONE */
	__u64 goal_ns, smooth_ns;
};
extern const char *const rxaqm_flow_kind_names[RXAQM_NR_FLOW_KINDS];

/* All that is known of a queue. Whatever shows a queue takes its figures from here. */
struct rxaqm_figures {
	unsigned int number; /* of the queue */
	__u64 now_ns; /* of all of it */
	struct rxaqm_queue queue; /* a copy: the packet path goes on */
	struct rxaqm_policy policy; /* in force; queue.policy is what the last packet came under */
	bool polled; /* packets have come */
	bool standing; /* rxaqm_queue_stands() */
	bool sampled; /* queue.sample_sojourn_ns is the newest sample: one packet's */
	enum rxaqm_mode_now mode;
	enum rxaqm_signal_now signal; /* what the queue goes by */
	const char *distrust; /* why stamps are not believed, in words; NULL if they are */
	bool unstamped; /* packets have come for over a second, but no stamp with them */
	__u64 sojourn_ns; /* the average, which laws go by */
	__u64 target_ns, interval_ns; /* in use; the policy's while no packet came under it */
	struct rxaqm_target derived; /* floor, ceiling, what follows from them, and why */
	struct rxaqm_law_figures law;
};

/* Fill in @figures of queue @number of @iface at @now_ns. */
void rxaqm_figures_take(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
			unsigned int number, __u64 now_ns, struct rxaqm_figures *figures);

/* The fields that name the queue: its number, and its CPU. */
void rxaqm_figures_name_out(struct rxaqm_out *out, const struct rxaqm_figures *figures);

/* Where its stamps come from: "hint", "hwtstamp", "tstamp", "none". */
const char *rxaqm_iface_stamps(const struct rxaqm_iface *iface);

/* Name of the interface now, in @buf; its name at attach if it is not in this namespace.
 * Sets *@ret_here, unless that is NULL.
 */
const char *rxaqm_iface_name(const struct rxaqm_iface *iface, char buf[RXAQM_IFNAMSIZ],
			     bool *ret_here);

/* What is wrong with the attachment; NULL: nothing. @here: the interface is in this network
 * namespace.
 */
const char *rxaqm_status_trouble(const struct rxaqm_iface *iface, bool here);
/* Do packets pass untouched because of that? No, if the interface is in another namespace, or a
 * command is changing the attachment now.
 */
bool rxaqm_status_unguarded(const struct rxaqm_iface *iface, bool here);

/* Has a poll of @q ended within the second before @now_ns? */
bool rxaqm_queue_polled_lately(const struct rxaqm_queue *q, __u64 now_ns);

/* Does @q stand at @now_ns, as far as one look tells? It does if its last poll left packets behind
 * and polls have gone on since.
 */
bool rxaqm_queue_stands(const struct rxaqm_queue *q, __u64 now_ns);

/* Has the queue anything to show? Small interfaces show all of theirs. */
bool rxaqm_queue_shows(const struct rxaqm_iface *iface, const struct rxaqm_queue *q);

/* A level (flow.h) as packets a second, under the law @vars. */
__u64 rxaqm_level_pps(const struct rxaqm_law_vars *vars, __u32 level);

/* @share in parts of @one, rounded. */
static inline __u64 rxaqm_law_parts(__u32 share, __u32 one)
{
	return ((__u64)share * one + RXAQM_LAW_ONE / 2) / RXAQM_LAW_ONE;
}
