/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * NAPI polls as the queue sees them.
 *
 * A queue can only stand if polls stop draining it, so a queue that does not stand
 * is looked at once a poll: its first packet opens the poll and sets skip, the rest
 * count skip down. The end of the poll comes from the napi_poll tracepoint.
 *
 * Drained is decided by the packets that XDP saw: fewer than the poll might take.
 * "work == budget" also means unfinished Tx, failed refills or other rings of the same
 * NAPI; only for a CPU's backlog, which other interfaces share, work is the better word.
 */
#ifndef RXAQM_POLL_H
#define RXAQM_POLL_H

#include "decide.h"
#include "iface.h"
#include "sample.h"

/* Another packet of a poll that needs no look at the rest. */
rxaqm_always_inline bool rxaqm_poll_skip(struct rxaqm_queue *q)
{
	__u32 skip = q->skip;

	if (!skip)
		return false;
	q->skip = skip - 1;
	return true;
}

/* Packets of the poll going on. */
rxaqm_always_inline __u32 rxaqm_poll_packets(const struct rxaqm_queue *q)
{
	return q->taken + (q->skipped_from - q->skip);
}

/* True if packets have passed without a poll ever ending. */
rxaqm_always_inline bool rxaqm_poll_lost(const struct rxaqm_queue *q)
{
	return rxaqm_poll_packets(q) >= RXAQM_POLL_PACKETS_MAX;
}

/* Let the rest of the poll pass unlooked at. */
rxaqm_always_inline void rxaqm_poll_skip_rest(struct rxaqm_queue *q)
{
	__u32 left = 0;

	if (q->taken < RXAQM_POLL_PACKETS_MAX)
		left = RXAQM_POLL_PACKETS_MAX - q->taken;
	q->skip = left;
	q->skipped_from = left;
}

/* Account for the poll's packets and forget them. */
static inline __u32 rxaqm_poll_close(struct rxaqm_queue *q)
{
	__u32 packets = rxaqm_poll_packets(q);

	/* Two CPUs at one queue, against all rules, must not make it four billion. */
	if (packets > RXAQM_POLL_PACKETS_MAX)
		packets = RXAQM_POLL_PACKETS_MAX;
	q->stat[RXAQM_STAT_PACKETS] += packets;
	/* While the queue stands, each packet has been counted with a sojourn of its own. */
	if (q->poll_bucket && !(q->flags & RXAQM_QUEUE_STANDING))
		rxaqm_sample_count(q, q->poll_bucket - 1, packets);
	q->poll_bucket = 0;
	q->taken = 0;
	q->skip = 0;
	q->skipped_from = 0;
	q->begin_ns = 0;
	return packets;
}

/* Exponential average of weight 1/8 that starts at the first value. */
rxaqm_always_inline __u32 rxaqm_poll_smooth(__u32 avg, __u64 value)
{
	if (value > 0xffffffffULL)
		value = 0xffffffffULL;
	if (!avg)
		return (__u32)value;
	return (__u32)((__s64)avg + (((__s64)value - (__s64)avg) >> 3));
}

/* Packets do not wait here any more: the law forgets that they did, unless they wait behind it, in
 * a socket's ring.
 */
rxaqm_always_inline void rxaqm_poll_forget(struct rxaqm_queue *q)
{
	if (!(q->flags & RXAQM_QUEUE_WAITING))
		rxaqm_decide_drained(q);
}

/* The queue's ring was seen empty between @empty_ns and @now_ns. */
static inline void rxaqm_poll_drained(struct rxaqm_queue *q, __u64 empty_ns, __u64 now_ns)
{
	q->stat[RXAQM_STAT_POLLS_DRAINED]++;
	q->drained_ns = now_ns;
	q->empty_ns = empty_ns;
	q->flags |= RXAQM_QUEUE_DRAINED_BEFORE | RXAQM_QUEUE_DRAIN_KNOWN;
	q->flags &= ~RXAQM_QUEUE_STANDING;
	rxaqm_poll_forget(q);
}

/* While the queue stands, how many packets may share one reading of the clock and one stamp: 8
 * (mask 7) if they take no more than a sixteenth of the target, else 1 (mask 0). At millions
 * of packets a second a reading for each would be a tenth of the CPU's time.
 */
rxaqm_always_inline __u32 rxaqm_poll_clock_mask(__u32 packet_ns, __u64 target_ns)
{
	return packet_ns && packet_ns * 8ULL * 16 <= target_ns ? 7 : 0;
}

/* At the first packet of a poll of a queue that stood, at @now_ns: true if it has not been polled
 * for longer than a sample is good for. Then its last poll was missed (a ring of several on
 * one NAPI, a link that went down) or the CPU had no time for it, which looks the same: it is
 * not taken to stand, but was not seen empty either, and nothing known of it is of use.
 */
rxaqm_always_inline bool rxaqm_poll_resumes(struct rxaqm_queue *q, __u64 now_ns)
{
	if (q->taken != 1 || rxaqm_ns_since(now_ns, q->poll_end_ns) <=
				     rxaqm_sample_max_age_ns(q->policy.interval_ns))
		return false;
	q->flags &= ~(RXAQM_QUEUE_STANDING | RXAQM_QUEUE_SAMPLED | RXAQM_QUEUE_DRAIN_KNOWN);
	q->drained_ns = now_ns;
	rxaqm_poll_forget(q);
	return true;
}

/* A poll ended at @now_ns that might have taken @limit packets of this queue. @left says
 * that it left packets behind whatever the count. @served is what it took off a queue that
 * others fill, too; 0 if all packets are ours. Returns true if the queue was drained.
 */
static inline bool rxaqm_poll_end(struct rxaqm_queue *q, __u32 limit, bool left, __u32 served,
				  __u64 now_ns)
{
	bool was_standing = q->flags & RXAQM_QUEUE_STANDING;
	__u64 begin_ns = q->begin_ns;
	__u32 packets = rxaqm_poll_close(q);
	__u64 round_ns = now_ns - q->poll_end_ns;
	bool drained = packets < limit && !left;

	if (drained) {
		/* Packets may have come since the poll looked last, while it went on with what it
		 * had, or refilled the ring, which takes milliseconds on a slow CPU.
		 */
		rxaqm_poll_drained(q, begin_ns ? begin_ns : q->poll_end_ns, now_ns);
	} else {
		q->stat[RXAQM_STAT_POLLS_BUSY]++;
		/* A queue met standing is taken to stand since its first poll. */
		if (!(q->flags & RXAQM_QUEUE_POLLED))
			q->drained_ns = now_ns;
		/* Drops make a round cheap; a target that followed such rounds would
		 * chase itself.
		 */
		if (was_standing && !q->poll_drops && packets) {
			if (round_ns > 0xffffffffULL)
				round_ns = 0xffffffffULL;
			q->round_ns = rxaqm_poll_smooth(q->round_ns, round_ns);
			if (served < packets)
				served = packets;
			q->packet_ns = rxaqm_poll_smooth(q->packet_ns, (__u32)round_ns / served);
		}
		q->clock_mask = rxaqm_poll_clock_mask(q->packet_ns, q->target_ns);
		q->flags |= RXAQM_QUEUE_STANDING;
		q->flags &= ~RXAQM_QUEUE_DRAINED_BEFORE;
	}
	q->flags |= RXAQM_QUEUE_POLLED;
	q->poll_end_ns = now_ns;
	q->poll_drops = 0;
	return drained;
}

#endif /* RXAQM_POLL_H */
