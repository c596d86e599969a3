/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * ACK thinning: which pure ACKs of a standing queue are redundant.
 *
 * A cumulative ACK repeats all that the ones before it said, so only some of a train of them need
 * to arrive. XDP sees the oldest first and cannot wait for a newer one, so it bets that the train
 * goes on. An ACK is redundant if it acknowledges more than any ACK of its flow seen so far, and
 * another one that did so passed less than the gap ago. If the bet is lost, the sender needs a tail
 * loss probe.
 *
 * An ACK that says more than "the next bytes arrived" is never redundant:
 * - a duplicate, an old one, one with SACK or any option but timestamps and AccECN;
 * - one whose sequence number differs from that of the last that passed. So an ACK that repeats
 *   what a data segment acknowledged, a keep-alive, a window probe and the first ACK of another
 *   connection are not redundant either, and only ACKs need to be noted. (A retransmitted segment
 *   moves no sequence number: an ACK after it may count as redundant though it repeats what that
 *   segment acknowledged.)
 * - one with another ECE or CWR (RFC 3168); with AccECN (RFC 9768), one whose counter of CE packets
 *   has moved by half of its range, or any without byte counters: there the sender assumes the
 *   worst if an ACK is for many packets.
 * A changed window does not save an ACK: the next ACK repeats it. An ACK that closes or opens a
 * window without acknowledging more is a duplicate, and senders that tune their buffers change the
 * window with each ACK.
 *
 * Two ACKs are wrongly taken for new: a duplicate whose number passed without being noted, if the
 * first ACK after that had been overtaken; and the ACK after a retransmitted segment above.
 *
 * Flows live in a direct-mapped table per CPU. A collision, or a move to another CPU, only makes an
 * ACK the first of its flow, which passes.
 */
#ifndef RXAQM_ACK_H
#define RXAQM_ACK_H

#include "headers.h"

#define RXAQM_ACK_FLOWS 1024
#define RXAQM_ACK_OPTIONS 10 /* options looked at, padding included */
#define RXAQM_ACK_MAX \
	48 /* bytes of a TCP header that are read: timestamps and AccECN take 24 after the 20 */

#define RXAQM_TCPOPT_END 0
#define RXAQM_TCPOPT_NOP 1
#define RXAQM_TCPOPT_TIMESTAMP 8
#define RXAQM_TCPOPT_ACCECN0 172
#define RXAQM_TCPOPT_ACCECN1 174

/* The three bits of RFC 9768's ACE field: ECE, CWR, AE. */
#define RXAQM_ACE_MASK 7
#define RXAQM_ACE_SAFE 3 /* a larger difference may be a counter that wrapped */

struct rxaqm_ack_flow {
	__u64 passed_ns; /* when an ACK with news last passed; CLOCK_MONOTONIC */
	__u32 id; /* flow_id.h; 0: free */
	__u32 ack; /* newest acknowledgement number seen */
	__u32 seq; /* newest sequence number of the ACKs that passed */
	__u8 ace; /* of the newest ACK that passed */
	__u8 accecn; /* enum rxaqm_ack_accecn */
	__u8 pad[2];
};
RXAQM_ASSERT_SIZE(struct rxaqm_ack_flow, 24);

/* What is known of the peer's AccECN. */
enum rxaqm_ack_accecn {
	RXAQM_ACCECN_NOT_SEEN,
	RXAQM_ACCECN_ONCE, /* one ACK with more than ECE; a CWR of RFC 3168 looks the same */
	RXAQM_ACCECN_COUNTS, /* two such ACKs in a row */
	RXAQM_ACCECN_BYTES, /* its option was seen */
};

/* The fields of an ACK that matter here. */
struct rxaqm_ack_news {
	__u32 id; /* of its flow */
	__u32 seq, number;
	__u8 ace;
	__u8 options; /* enum rxaqm_ack_options */
};

enum rxaqm_ack_options {
	RXAQM_ACK_OPTIONS_PLAIN, /* none, timestamps, padding */
	RXAQM_ACK_OPTIONS_ACCECN, /* those and AccECN's */
	RXAQM_ACK_OPTIONS_OTHER, /* any other, or cut short */
};

/* Which options the header of @hlen bytes at @tcp has. */
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

/* Read the ACK of flow @id in @frame; its TCP header begins at @l4_off. False if it is cut short.
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
		/* The verifier of Linux 6.1 learns no range from one test that bounds both ends. */
		RXAQM_HIDE(hlen);
		if (hlen <= RXAQM_ACK_MAX && rxaqm_frame_read(frame, l4_off, tcp, hlen))
			ack->options = rxaqm_ack_options(tcp, hlen);
	}
	return true;
}

/* Does @ace say something that the next ACK may not repeat? */
rxaqm_always_inline bool rxaqm_ack_ecn_news(const struct rxaqm_ack_flow *flow, __u8 ace)
{
	if (flow->accecn == RXAQM_ACCECN_BYTES)
		return ((ace - flow->ace) & RXAQM_ACE_MASK) > RXAQM_ACE_SAFE;
	return flow->accecn || ace != flow->ace;
}

/* Is @ack redundant, given @flow, the slot of its flow? If not, note that it passes. It passes if
 * the last one passed @gap_ns ago or earlier, so with 0 each does. Until @since_ns packets of the
 * queue passed without being noted.
 */
rxaqm_always_inline bool rxaqm_ack_thin(struct rxaqm_ack_flow *flow,
					const struct rxaqm_ack_news *ack, __u64 gap_ns,
					__u64 since_ns, __u64 now_ns)
{
	/* ACKs that passed without being noted may have said more than the slot knows. */
	bool same = flow->id == ack->id;
	bool known = same && rxaqm_ns_after(flow->passed_ns, since_ns), newer;

	/* An overtaken ACK must not make a duplicate look new; but another connection has other
	 * numbers.
	 */
	newer = (__s32)(ack->number - flow->ack) > 0 || !(known || (same && flow->seq == ack->seq));
	if (!same)
		flow->accecn = RXAQM_ACCECN_NOT_SEEN;
	/* RFC 3168 sets ECE alone in an ACK: anything more is AccECN's counter. */
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
	/* An overtaken ACK has an older counter. */
	if (ack->number == flow->ack)
		flow->ace = ack->ace;
	flow->id = ack->id;
	return false;
}

#endif /* RXAQM_ACK_H */
