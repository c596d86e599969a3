/* SPDX-License-Identifier: GPL-2.0-only */
/* What law=auto makes of a queue, as figures. */
#ifndef RXAQM_LAW_FIGURES_H
#define RXAQM_LAW_FIGURES_H

#include "queue.h"

/* What is done to a share of the packets of a class. */
enum rxaqm_law_share {
	RXAQM_SHARE_MARK_ECT0,
	RXAQM_SHARE_MARK_ECT1,
	RXAQM_SHARE_DROP_ACK,
	RXAQM_SHARE_DROP_SYN,
	RXAQM_SHARE_DROP_ECT,
	RXAQM_SHARE_DROP_TCP, /* Not-ECT, as the next */
	RXAQM_SHARE_DROP_OTHER,
	RXAQM_SHARE_THIN_ACK, /* of the redundant ones */
	RXAQM_NR_SHARES
};
extern const struct rxaqm_law_share_name {
	const char *action, *packets;
} rxaqm_law_share_names[RXAQM_NR_SHARES];

/* Shares of RXAQM_LAW_ONE. */
struct rxaqm_law_figures {
	__u32 p;
	__u32 share[RXAQM_NR_SHARES];
	bool bad; /* stood over target for an interval, and was not brought down since */
	__u64 goal_ns, smooth_ns;
};

/* As the next packet would find it at @now_ns: p falls while none is judged. All 0 but for
 * law=auto.
 */
void rxaqm_law_figures(const struct rxaqm_queue *q, __u32 ring_entries, __u64 now_ns,
		       struct rxaqm_law_figures *figures);

/* @share in parts of @one, rounded. */
static inline __u64 rxaqm_law_parts(__u32 share, __u32 one)
{
	return ((__u64)share * one + RXAQM_LAW_ONE / 2) / RXAQM_LAW_ONE;
}

#endif /* RXAQM_LAW_FIGURES_H */
