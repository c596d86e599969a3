/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * ACK thinning: which pure ACKs of a standing queue are redundant.
 *
 * A cumulative ACK says all that the ones before it said, so of a train of them only
 * some need to arrive. XDP sees the oldest first and cannot wait for a newer one, so
 * it bets on the train going on. An ACK is redundant if it acknowledges more than any of its
 * flow that was seen, and if one that did so passed a moment ago, the gap. The price of a lost bet
 * is a tail loss probe of the sender.
 *
 * Never redundant is what tells more than "the next bytes arrived":
 * - a duplicate, an old one, SACK or any option but timestamps and AccECN;
 * - one whose sequence number is not that of the last that passed. So neither is one that
 *   repeats what a data segment acknowledged, a keep-alive, a window probe, or the first of another
 *   connection: nothing but ACKs needs to be noted for it. (A segment sent anew moves no sequence
 *   number: an ACK after it may count as redundant though it repeats what that segment
 *   acknowledged.)
 * - another ECE or CWR (RFC 3168), and with AccECN (RFC 9768) a counter of CE packets that has
 *   moved by half of what wraps it, or one that is not backed by byte counters: there the sender
 *   takes the worst for true if an ACK is for many packets.
 * A changed window is no reason: the next ACK says it again, one that closes or opens a window
 * without acknowledging more is a duplicate, and senders that tune their buffers change it with
 * each.
 *
 * Not told from new are a duplicate whose number passed unasked about, if the first ACK after that
 * had been overtaken, and what was said above of segments sent anew.
 *
 * Flows live in a direct-mapped table per CPU; a collision or a move to another CPU
 * only makes an ACK the first of its flow, which passes.
 */
#ifndef RXAQM_ACK_H
#define RXAQM_ACK_H

#include "headers.h"

#define RXAQM_ACK_FLOWS 1024
#define RXAQM_ACK_OPTIONS 10 /* that are looked at, padding included */
#define RXAQM_ACK_MAX \
	48 /* bytes of a TCP header that are: timestamps and AccECN take 24 beyond 20 */

#define RXAQM_TCPOPT_END 0
#define RXAQM_TCPOPT_NOP 1
#define RXAQM_TCPOPT_TIMESTAMP 8
#define RXAQM_TCPOPT_ACCECN0 172
#define RXAQM_TCPOPT_ACCECN1 174

/* The three bits of RFC 9768's ACE field: ECE, CWR, AE. */
#define RXAQM_ACE_MASK 7
#define RXAQM_ACE_SAFE 3 /* further may be one that wrapped */

struct rxaqm_ack_flow {
	__u64 passed_ns; /* when one with news last passed; CLOCK_MONOTONIC */
	__u32 id; /* flow_id.h; 0: free */
	__u32 ack; /* newest acknowledgement number seen */
	__u32 seq; /* newest sequence number of those that passed */
	__u8 ace; /* of the newest that passed */
	__u8 accecn; /* enum rxaqm_ack_accecn */
	__u8 pad[2];
};
RXAQM_ASSERT_SIZE(struct rxaqm_ack_flow, 24);

/* What is known of the peer. */
enum rxaqm_ack_accecn {
	RXAQM_ACCECN_NOT_SEEN,
	RXAQM_ACCECN_ONCE, /* a counter that RFC 3168 does not know, but its CWR may look like */
	RXAQM_ACCECN_COUNTS, /* two in a row */
	RXAQM_ACCECN_BYTES, /* its option was seen */
};

/* What matters of an ACK. */
struct rxaqm_ack_news {
	__u32 id; /* of its flow */
	__u32 seq, number;
	__u8 ace;
	__u8 options; /* enum rxaqm_ack_options */
};

enum rxaqm_ack_options {
	RXAQM_ACK_OPTIONS_PLAIN, /* none, timestamps, padding */
	RXAQM_ACK_OPTIONS_ACCECN, /* these and AccECN's */
	RXAQM_ACK_OPTIONS_OTHER, /* or cut short */
};

/* What options there are in the header of @hlen bytes at @tcp. */
rxaqm_always_inline enum rxaqm_ack_options rxaqm_ack_options(const __u8 *tcp, __u32 hlen)
{
	enum rxaqm_ack_options found = RXAQM_ACK_OPTIONS_PLAIN;
	__u32 off = RXAQM_TCP_HLEN;
	int i;

	RXAQM_ROLLED
	for (i = 0; i < RXAQM_ACK_OPTIONS; i++) {
		__u8 kind, len;

		if (off == hlen)
			return found;
		RXAQM_HIDE(off);
		if (off > hlen || off > RXAQM_ACK_MAX - 2)
			break;
		kind = tcp[off];
		if (kind == RXAQM_TCPOPT_END)
			return found;
		if (kind == RXAQM_TCPOPT_NOP) {
			off++;
			continue;
		}
		len = tcp[off + 1];
		if (kind == RXAQM_TCPOPT_ACCECN0 || kind == RXAQM_TCPOPT_ACCECN1)
			found = RXAQM_ACK_OPTIONS_ACCECN;
		else if (kind != RXAQM_TCPOPT_TIMESTAMP)
			break;
		if (len < 2)
			break;
		off += len;
	}
	return RXAQM_ACK_OPTIONS_OTHER;
}

/* Read the segment of @frame that is of class ACK and of flow @id, whose TCP header begins
 * at @l4_off. False if it is cut short.
 */
rxaqm_always_inline bool rxaqm_ack_read(struct rxaqm_ack_news *ack, const struct rxaqm_frame *frame,
					__u32 id, __u32 l4_off)
{
	__u8 tcp[RXAQM_ACK_MAX] __attribute__((aligned(8))) = {};
	__u32 hlen;

	if (!rxaqm_frame_read(frame, l4_off, tcp, RXAQM_TCP_HLEN))
		return false;
	ack->id = id;
	ack->seq = rxaqm_get_be32(tcp + 4);
	ack->number = rxaqm_get_be32(tcp + 8);
	ack->ace = (__u8)(((tcp[12] & 1) << 2) | (tcp[13] >> 6));
	ack->options = RXAQM_ACK_OPTIONS_PLAIN;
	hlen = (tcp[12] >> 4) * 4U;
	RXAQM_HIDE(hlen);
	if (hlen > RXAQM_TCP_HLEN) {
		ack->options = RXAQM_ACK_OPTIONS_OTHER;
		/* Linux 6.1 knows no range from the one test that bounds it both ways. */
		RXAQM_HIDE(hlen);
		if (hlen <= RXAQM_ACK_MAX && rxaqm_frame_read(frame, l4_off, tcp, hlen))
			ack->options = rxaqm_ack_options(tcp, hlen);
	}
	return true;
}

/* Does @ace tell what the next ACK may not? */
rxaqm_always_inline bool rxaqm_ack_ecn_news(const struct rxaqm_ack_flow *flow, __u8 ace)
{
	if (flow->accecn == RXAQM_ACCECN_BYTES)
		return ((ace - flow->ace) & RXAQM_ACE_MASK) > RXAQM_ACE_SAFE;
	return flow->accecn || ace != flow->ace;
}

/* Is @ack redundant by @flow, the slot of its flow? If not it passes, which is noted. One passes
 * that comes @gap_ns after the last, so with 0 each does; until @since_ns packets of the queue have
 * passed unasked about.
 */
rxaqm_always_inline bool rxaqm_ack_thin(struct rxaqm_ack_flow *flow,
					const struct rxaqm_ack_news *ack, __u64 gap_ns,
					__u64 since_ns, __u64 now_ns)
{
	/* ACKs that passed unasked about may have said more than the slot. */
	bool same = flow->id == ack->id;
	bool known = same && rxaqm_ns_after(flow->passed_ns, since_ns), newer;

	/* One that was overtaken must not make a duplicate look new, but in another connection
	 * the numbers are others.
	 */
	newer = (__s32)(ack->number - flow->ack) > 0 || !(known || (same && flow->seq == ack->seq));
	if (!same)
		flow->accecn = RXAQM_ACCECN_NOT_SEEN;
	/* RFC 3168 has ECE alone in an ACK: more than that is AccECN's counter. */
	if (ack->options == RXAQM_ACK_OPTIONS_ACCECN)
		flow->accecn = RXAQM_ACCECN_BYTES;
	else if (flow->accecn < RXAQM_ACCECN_COUNTS)
		flow->accecn = ack->ace > 1 ? flow->accecn + 1 : RXAQM_ACCECN_NOT_SEEN;
	if (known && newer && ack->seq == flow->seq && ack->options != RXAQM_ACK_OPTIONS_OTHER &&
	    !rxaqm_ack_ecn_news(flow, ack->ace) &&
	    rxaqm_ns_since(now_ns, flow->passed_ns) < gap_ns) {
		flow->ack = ack->number;
		return true;
	}
	if (!known || (__s32)(ack->seq - flow->seq) > 0)
		flow->seq = ack->seq;
	if (newer) {
		flow->ack = ack->number;
		flow->passed_ns = now_ns;
	}
	/* One that was overtaken has an older counter. */
	if (ack->number == flow->ack)
		flow->ace = ack->ace;
	flow->id = ack->id;
	return false;
}

#endif /* RXAQM_ACK_H */
