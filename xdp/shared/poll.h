/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * NAPI polls as the queue sees them.
 *
 * A queue can only stand if polls stop draining it, so a queue that does not stand
 * is looked at once a poll: its first packet opens the poll and sets skip, the rest
 * count skip down. The end of the poll comes from the napi_poll tracepoint.
 *
 * Two numbers say what a poll left: the packets that XDP saw, and the work that the
 * driver says it did. work == budget means "not done" and may be Tx, a failed refill or
 * another ring of the NAPI; fewer packets than the budget may be all that descriptors
 * without packets, a program in front, or a ring's share of the budget let XDP see. So
 * a drain is known only if both say so. If they disagree, the queue stands where stamps
 * tell how long its packets really waited; where only polls tell, the packets do.
 */
#ifndef RXAQM_POLL_H
#define RXAQM_POLL_H

#include "cpu_map.h"
#include "decide.h"
#include "iface.h"
#include "sample.h"

/* Fewer packets say nothing of a ring's share: most numbers below are one. */
#define RXAQM_POLL_SHARE_MIN 8

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
static inline void rxaqm_poll_skip_rest(struct rxaqm_queue *q)
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

/* Follow @value by a sixteenth of @typical at most: the target goes by this, and a poll in which
 * the CPU was taken away must not move it. Begins at the first value.
 */
rxaqm_always_inline __u32 rxaqm_poll_follow(__u32 typical, __u64 value)
{
	__u32 step = (typical >> 4) + 1;

	if (value > 0x7fffffffULL)
		value = 0x7fffffffULL;
	if (!typical)
		return (__u32)value;
	if (value > typical + step)
		return typical + step;
	return value + step < typical ? typical - step : (__u32)value;
}

/* Packets do not wait here any more: the law forgets that they did, unless they wait behind it, in
 * a socket's ring.
 */
rxaqm_always_inline void rxaqm_poll_forget(struct rxaqm_queue *q)
{
	if (!(q->flags & RXAQM_QUEUE_WAITING))
		rxaqm_decide_drained(q);
}

/* What is known of a poll that ended. */
struct rxaqm_poll {
	__u64 now_ns;
	__u32 work, budget; /* as napi:napi_poll says */
	__u32 limit; /* packets that it may take of this queue */
	bool shared; /* XDP does not see all that is in this queue */
	bool counts_all; /* work counts all packets of it, which others get, too */
};

/* Is @packets what a ring may take if @budget is divided among up to 8 rings? No driver says among
 * how many, and those that have no packets are not seen.
 */
static inline bool rxaqm_poll_is_share(__u32 packets, __u32 budget)
{
	__u32 rings;

	if (packets < RXAQM_POLL_SHARE_MIN)
		return false;
	rings = budget / packets;
	return rings && rings <= RXAQM_CPU_QUEUES && budget / rings == packets;
}

/* Did the poll, which took @packets, leave some, as far as polls alone can tell? */
static inline bool rxaqm_poll_left(const struct rxaqm_poll *poll, __u32 packets)
{
	if (packets >= poll->limit)
		return true;
	if (poll->work < poll->budget)
		return false;
	return poll->shared ||
	       (poll->limit == poll->budget && rxaqm_poll_is_share(packets, poll->budget));
}

/* The poll drained the queue, which nothing that came before @empty_ns is in any more; @known: for
 * certain.
 */
static inline void rxaqm_poll_drained(struct rxaqm_queue *q, bool known, __u64 empty_ns)
{
	q->stat[RXAQM_STAT_POLLS_DRAINED]++;
	q->flags &= ~(RXAQM_QUEUE_STANDING | RXAQM_QUEUE_DRAINED_BEFORE);
	if (known) {
		q->empty_ns = empty_ns;
		q->flags |= RXAQM_QUEUE_DRAINED_BEFORE | RXAQM_QUEUE_DRAIN_KNOWN;
	}
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

/* Of a queue that stood, at @now_ns: true if no poll of it has ended for so long that nothing known
 * of it is of use, as after the link was down, or when nobody tells ends of polls any more. Then it
 * is not taken to stand, but was not seen empty either.
 */
rxaqm_always_inline bool rxaqm_poll_resumes(struct rxaqm_queue *q, __u64 now_ns)
{
	if (rxaqm_ns_since(now_ns, q->poll_end_ns) <= RXAQM_AGE_MAX_NS)
		return false;
	q->stat[RXAQM_STAT_PASS_STALE]++;
	q->flags &= ~(RXAQM_QUEUE_STANDING | RXAQM_QUEUE_SAMPLED | RXAQM_QUEUE_DRAIN_KNOWN);
	q->drained_ns = now_ns;
	rxaqm_poll_forget(q);
	return true;
}

/* Time the round of a poll that took @packets of a queue that stood before it and after it; @left:
 * that surely left some. Drops make a round cheap; a target that followed such rounds would chase
 * itself.
 */
static inline void rxaqm_poll_time(struct rxaqm_queue *q, const struct rxaqm_poll *poll,
				   __u32 packets, bool left)
{
	__u64 round_ns = poll->now_ns - q->poll_end_ns;

	if (q->poll_drops || !packets)
		return;
	if (round_ns > 0xffffffffULL)
		round_ns = 0xffffffffULL;
	q->round_ns = rxaqm_poll_follow(q->round_ns, round_ns);
	rxaqm_sample_update_age(q);
	if (!left)
		return;
	if (poll->counts_all && poll->work > packets)
		packets = poll->work;
	q->packet_ns = rxaqm_poll_follow(q->packet_ns, (__u32)round_ns / packets);
	/* What a packet took while GRO had more of its flow to merge it with: for status. */
	if (q->law.smooth_ns > 2 * q->target_ns)
		q->long_packet_ns = q->packet_ns;
}

/* A poll ended. Returns true if the queue does not stand. */
static inline bool rxaqm_poll_end(struct rxaqm_queue *q, const struct rxaqm_poll *poll)
{
	bool was_standing = q->flags & RXAQM_QUEUE_STANDING;
	/* Packets may have come since the poll looked last, while it went on with what it had, or
	 * refilled the ring, which takes milliseconds on a slow CPU.
	 */
	__u64 empty_ns = q->begin_ns ? q->begin_ns : q->poll_end_ns;
	__u32 packets = rxaqm_poll_close(q);
	bool left = rxaqm_poll_left(poll, packets);
	bool done = poll->work < poll->budget;

	/* A queue met standing is taken to stand since its first poll. */
	if (!left || !(q->flags & RXAQM_QUEUE_POLLED))
		q->drained_ns = poll->now_ns;
	if (!left && (done || !rxaqm_sample_usable(q, poll->now_ns))) {
		rxaqm_poll_drained(q, done, empty_ns);
	} else {
		q->stat[RXAQM_STAT_POLLS_BUSY]++;
		if (was_standing)
			rxaqm_poll_time(q, poll, packets, left);
		q->clock_mask = rxaqm_poll_clock_mask(q->packet_ns, q->target_ns);
		q->flags |= RXAQM_QUEUE_STANDING;
		q->flags &= ~RXAQM_QUEUE_DRAINED_BEFORE;
	}
	q->flags |= RXAQM_QUEUE_POLLED;
	q->poll_end_ns = poll->now_ns;
	q->poll_drops = 0;
	return !(q->flags & RXAQM_QUEUE_STANDING);
}

#endif /* RXAQM_POLL_H */
