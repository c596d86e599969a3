/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * ACK thinning: which pure ACKs of a standing queue are redundant.
 *
 * A cumulative ACK says all that the ones before it said, so of a train of them only
 * some need to arrive. XDP sees the oldest first and cannot wait for a newer one, so
 * it bets on the train going on, and hedges: of RXAQM_ACK_RUN ACKs in a row one always
 * passes, so does one that comes an eighth of the queue's delay after the last that passed
 * (within RXAQM_ACK_GAP_MIN_NS and _MAX_NS: to a sender whose ACKs have waited for a second,
 * 50 ms are little, but a pause must stay well below its timers), and so does any that tells more than "the next bytes arrived": a duplicate, another
 * window, SACK or any option but a timestamp, another ECE or CWR, the first of a flow.
 * The price of a lost bet is a tail loss probe of the sender; hence opt-in.
 *
 * Flows live in a direct-mapped table per CPU; a collision or a move to another CPU
 * only makes an ACK the first of its flow, which passes.
 */
#ifndef RXAQM_ACK_H
#define RXAQM_ACK_H

#include "packet.h"

#define RXAQM_ACK_FLOWS 1024
#define RXAQM_ACK_RUN 4
#define RXAQM_ACK_GAP_MIN_NS (5 * RXAQM_NSEC_PER_MSEC)
#define RXAQM_ACK_GAP_MAX_NS (50 * RXAQM_NSEC_PER_MSEC)

struct rxaqm_ack_flow {
	__u64 id; /* 64-bit hash of the flow; 0: free */
	__u64 passed_ns; /* when one last passed; CLOCK_MONOTONIC */
	__u32 ack; /* newest acknowledgement number seen */
	__u16 window;
	__u8 ecn_flags; /* ECE, CWR, AccECN's AE as bit 0 */
	__u8 run; /* dropped since one passed */
};
RXAQM_ASSERT_SIZE(struct rxaqm_ack_flow, 24);

/* splitmix64's finalizer. */
rxaqm_always_inline __u64 rxaqm_ack_mix(__u64 h)
{
	h ^= h >> 30;
	h *= 0xbf58476d1ce4e5b9ULL;
	h ^= h >> 27;
	h *= 0x94d049bb133111ebULL;
	return h ^ (h >> 31);
}

/* Identity of the TCP flow of @pkt on @queue; 0 if its headers cannot be read. */
rxaqm_always_inline __u64 rxaqm_ack_flow_id(const struct rxaqm_packet *pkt, __u32 queue,
					    const void *data, const void *data_end)
{
	const __u8 *ip = (const __u8 *)data + pkt->ip_off;
	__u64 h = ((__u64)queue << 32) | ((__u32)pkt->sport << 16) | pkt->dport;
	int i;

	if (pkt->ip_off > RXAQM_ETH_HLEN + RXAQM_MAX_VLAN * RXAQM_VLAN_HLEN)
		return 0;
	h = rxaqm_ack_mix(h + pkt->ip_version);
	if (pkt->ip_version == 4) {
		if (ip + 20 > (const __u8 *)data_end)
			return 0;
		h = rxaqm_ack_mix(
			h ^ (((__u64)rxaqm_get_be32(ip + 12) << 32) | rxaqm_get_be32(ip + 16)));
	} else {
		if (ip + 40 > (const __u8 *)data_end)
			return 0;
		for (i = 8; i < 40; i += 8)
			h = rxaqm_ack_mix(h ^ (((__u64)rxaqm_get_be32(ip + i) << 32) |
					       rxaqm_get_be32(ip + i + 4)));
	}
	return h ? h : 1;
}

/* True if the only TCP options of the header at @tcp are a timestamp and padding, in the
 * one layout that senders use (RFC 7323, appendix A).
 */
rxaqm_always_inline bool rxaqm_ack_plain(const struct rxaqm_packet *pkt, const __u8 *tcp,
					 const __u8 *data_end)
{
	if (pkt->tcp_hlen == 20)
		return true;
	if (pkt->tcp_hlen != 32 || tcp + 32 > data_end)
		return false;
	return tcp[20] == 1 && tcp[21] == 1 && tcp[22] == 8 && tcp[23] == 10;
}

/* How long a flow may go without an ACK while its queue stands @sojourn_ns. */
rxaqm_always_inline __u64 rxaqm_ack_gap_ns(__u64 sojourn_ns)
{
	__u64 gap_ns = sojourn_ns / 8;

	if (gap_ns < RXAQM_ACK_GAP_MIN_NS)
		return RXAQM_ACK_GAP_MIN_NS;
	return gap_ns < RXAQM_ACK_GAP_MAX_NS ? gap_ns : RXAQM_ACK_GAP_MAX_NS;
}

/* Is the pure ACK @pkt of flow @id redundant? @flow is that flow's slot in the table and
 * is brought up to date; rxaqm_ack_kept() must follow if it passes all the same.
 */
static inline bool rxaqm_ack_redundant(struct rxaqm_ack_flow *flow, __u64 id,
				       const struct rxaqm_packet *pkt, const void *data,
				       const void *data_end, __u64 gap_ns, __u64 now_ns)
{
	/* No chain of headers is as long as the mask; it is there for the verifier. */
	const __u8 *tcp = (const __u8 *)data + (pkt->l4_off & RXAQM_L4_OFF_MASK);
	bool fresh, newer, redundant;
	__u8 ecn_flags;
	__u16 window;
	__u32 ack;

	if (tcp + 20 > (const __u8 *)data_end)
		return false;
	ack = rxaqm_get_be32(tcp + 8);
	window = rxaqm_get_be16(tcp + 14);
	/* With the bit below the data offset these are AccECN's counter (RFC 9768). */
	ecn_flags = (pkt->tcp_flags & (RXAQM_TCP_ECE | RXAQM_TCP_CWR)) | (tcp[12] & 1);
	fresh = flow->id != id || rxaqm_ns_since(now_ns, flow->passed_ns) >= gap_ns;
	newer = (__s32)(ack - flow->ack) > 0;
	redundant = !fresh && newer && window == flow->window && ecn_flags == flow->ecn_flags &&
		    flow->run + 1 < RXAQM_ACK_RUN &&
		    rxaqm_ack_plain(pkt, tcp, (const __u8 *)data_end);
	flow->id = id;
	/* An old one that was overtaken must not make a duplicate look new. */
	if (fresh || newer)
		flow->ack = ack;
	flow->window = window;
	flow->ecn_flags = ecn_flags;
	if (redundant)
		flow->run++;
	return redundant;
}

/* ACKs of the queue have passed unasked about until @since_ns (those under target do):
 * what a slot says from before may be old, so its flow's next ACK passes.
 */
rxaqm_always_inline void rxaqm_ack_forget(struct rxaqm_ack_flow *flow, __u64 since_ns)
{
	if (rxaqm_ns_after(since_ns, flow->passed_ns))
		flow->id = 0;
}

/* The ACK just asked about passes at @now_ns. */
static inline void rxaqm_ack_kept(struct rxaqm_ack_flow *flow, __u64 now_ns)
{
	flow->run = 0;
	flow->passed_ns = now_ns;
}

#endif /* RXAQM_ACK_H */
