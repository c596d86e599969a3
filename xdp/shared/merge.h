/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * merge=on: whose PSH is cleared, so that GRO merges more packets.
 *
 * GRO hands a flow's packets up at each PSH (tcp_gro_receive()), and Linux sets PSH at the end of
 * each TSO frame (5.4 on, tcp_write_xmit()), so an skb is as large as the sender's frames. In a
 * queue that is kept short these are small, since windows are: each packet costs more. PSH of full
 * segments is cleared there. docs/law.md says what PSH means to receivers, and why this is safe.
 */
#ifndef RXAQM_MERGE_H
#define RXAQM_MERGE_H

#include "flow.h"

#define RXAQM_MERGE_PAYLOAD 1024 /* bytes of a full segment, at least: a short one ends a message */
#define RXAQM_MERGE_LEVEL (4 * RXAQM_PACKET) /* of a flow: a lone request is never delayed */
#define RXAQM_MERGE_RUN 8 /* packets of a flow without PSH, after which it stays */

/* What a packet's header says of PSH. */
enum rxaqm_psh {
	RXAQM_PSH_NONE, /* it is not set, or the packet is not TCP */
	RXAQM_PSH_KEPT, /* it is set, and not to be touched */
	RXAQM_PSH_FULL, /* it is set in a full segment, without other flags than ACK */
};

/* A packet of @flow, counted already, passes. Returns true if its PSH is to be cleared. */
rxaqm_always_inline bool rxaqm_merge_clears(struct rxaqm_flow *flow, __u32 psh)
{
	__u32 since = flow->flags / RXAQM_FLOW_NO_PSH;

	if (psh == RXAQM_PSH_KEPT || (psh == RXAQM_PSH_FULL && since >= RXAQM_MERGE_RUN)) {
		flow->flags &= RXAQM_FLOW_NO_PSH - 1;
		return false;
	}
	if (psh == RXAQM_PSH_FULL && flow->rate.level < RXAQM_MERGE_LEVEL + RXAQM_PACKET)
		return false;
	if (since < RXAQM_MERGE_RUN)
		flow->flags += RXAQM_FLOW_NO_PSH;
	return psh == RXAQM_PSH_FULL;
}

#endif /* RXAQM_MERGE_H */
