/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What each flow sent of late: a table per CPU, in sets of four flows that fill a cache line.
 * Contract of flow_map. Written by XDP; read by "rxaqm top --flows".
 *
 * Rates are levels: each packet adds RXAQM_PACKET, and half is forgotten each half-life. A flow of
 * r packets a second has a level of r times 1.44 half-lives. Stamps count 1/65536 of a half-life.
 * The slow level is of 16 half-lives: the mean of bursts, and of packets that come seldom.
 *
 * A flow that is not in its set takes the place of one of the four that has sent one packet or none
 * of late. If all four go on, the least of them loses a packet of its level. So a flow that goes on
 * gets in sooner or later, and flows of one packet do not push out a flow that goes on.
 *
 * Where so many flows send once that an entry would be gone before its flow sends again, only a few
 * of them are entered, so that they stay for some intervals. A flow that sends again meanwhile has
 * come back, and is kept for longer. So a client that sends little is known after a while; a
 * spoofed flood never comes back.
 */
#ifndef RXAQM_FLOW_H
#define RXAQM_FLOW_H

#include "types.h"

#define RXAQM_PACKET 256U /* in a level */
#define RXAQM_FLOW_WAYS 4
#define RXAQM_FLOW_SETS 4096
#define RXAQM_FLOW_EPOCH_BITS 17 /* an epoch of stamps: two half-lives */
#define RXAQM_FLOW_KEPT 32 /* epochs for which a flow that came back is kept */
#define RXAQM_FLOW_AWAY 16 /* so many at most count, where a flow was away */
#define RXAQM_SLOW_BITS 4 /* the slow level is of 16 half-lives, and counts sixteenths */
#define RXAQM_SLOW_MAX 0xffff
#define RXAQM_SLOW_MOST 0xe000 /* from there on it may have been more, and says nothing */

struct rxaqm_level {
	__u32 level;
	__u32 stamp; /* when it had that level */
};

#define RXAQM_FLOW_TCP (1U << 0)
#define RXAQM_FLOW_MARKED (1U << 1) /* packets of the current run are marked */
#define RXAQM_FLOW_OVER (1U << 2) /* it was over the limit in the interval */
#define RXAQM_FLOW_BACK (1U << 3) /* it was seen in more than one interval */
#define RXAQM_FLOW_NO_PSH (1U << 4) /* the other four bits count packets without PSH (merge.h) */

#define RXAQM_FLOW_RUN_BITS 5 /* of run are packets; three are a poll's number */

struct rxaqm_flow {
	__u32 id; /* flow_id.h; 0: free */
	struct rxaqm_level rate;
	__u16 slow; /* level of 16 half-lives, as of the first packet of an epoch */
	__u8 run; /* packets of the run still to come, and above them the last poll's number */
	__u8 flags; /* RXAQM_FLOW_* */
};

struct rxaqm_flow_set {
	struct rxaqm_flow flow[RXAQM_FLOW_WAYS];
};
RXAQM_ASSERT_SIZE(struct rxaqm_flow_set, 64);

/* Identity of the flow with @hash of the queue at @index; never 0. */
rxaqm_always_inline __u32 rxaqm_flow_of(__u32 hash, __u32 index)
{
	hash ^= index * 2654435761U;
	return hash ? hash : 1;
}

/* Index of the set of flow @id. */
rxaqm_always_inline __u32 rxaqm_flow_set_of(__u32 id)
{
	return (id >> 8) & (RXAQM_FLOW_SETS - 1);
}

/* @level after @age, in 1/65536 of half-lives: halved each half-life; in between by the parabola
 * through 1, 0.7064 and 1/2, at most 0.3 % off. Without a branch, for the verifier's sake.
 */
rxaqm_always_inline __u32 rxaqm_level_after(__u32 level, __u32 age)
{
	__u32 whole = age >> 16, part = age & 0xffff;
	__u32 rest = 65536 - ((part * (44204 - ((part * 11436) >> 16))) >> 16);
	__u32 gone = (31 - whole) >> 31; /* 1: after 32 half-lives nothing is left */

	level = (level & (gone - 1)) >> (whole & 31);
	return (__u32)(((__u64)level * rest) >> 16);
}

/* The same for where its code is too long. */
rxaqm_seldom int rxaqm_level_seldom(__u32 level, __u32 age)
{
	return (int)rxaqm_level_after(level, age);
}

/* @level at @stamp. */
static inline __u32 rxaqm_level_at(const struct rxaqm_level *level, __u32 stamp)
{
	return (__u32)rxaqm_level_seldom(level->level, stamp - level->stamp);
}

/* Count a packet at @stamp. Returns the level before it. */
rxaqm_always_inline __u32 rxaqm_level_count(struct rxaqm_level *level, __u32 stamp)
{
	__u32 before = rxaqm_level_after(level->level, stamp - level->stamp);

	level->level = before + RXAQM_PACKET;
	level->stamp = stamp;
	return before;
}

/* Epochs from the last packet of @flow to @stamp; 0: the same. */
rxaqm_always_inline __u32 rxaqm_flow_epochs(const struct rxaqm_flow *flow, __u32 stamp)
{
	return ((stamp >> RXAQM_FLOW_EPOCH_BITS) - (flow->rate.stamp >> RXAQM_FLOW_EPOCH_BITS)) &
	       (~0U >> RXAQM_FLOW_EPOCH_BITS);
}

/* Count a packet, after @epochs, in the slow level. Returns the level with half of the packet. */
rxaqm_always_inline __u32 rxaqm_flow_count_slow(struct rxaqm_flow *flow, __u32 epochs)
{
	const __u32 packet = RXAQM_PACKET >> RXAQM_SLOW_BITS;
	__u32 slow = flow->slow;

	if (epochs)
		slow = (__u32)rxaqm_level_seldom(slow, epochs << (RXAQM_FLOW_EPOCH_BITS -
								  RXAQM_SLOW_BITS));
	slow += packet;
	flow->slow = (__u16)(slow < RXAQM_SLOW_MAX ? slow : RXAQM_SLOW_MAX);
	return slow - packet / 2;
}

/* The flow @id, not 0, in its @set; NULL: not there. */
rxaqm_always_inline struct rxaqm_flow *rxaqm_flow_find(struct rxaqm_flow_set *set, __u32 id)
{
	__u32 i;

	RXAQM_ROLLED
	for (i = 0; i < RXAQM_FLOW_WAYS; i++)
		if (set->flow[i].id == id)
			return &set->flow[i];
	return NULL;
}

/* Note a packet, at @stamp, of a flow that is not in @set. The flow gets an entry if one is to be
 * had, with @slow and @flags. In a @crowd, flows that came back are kept.
 */
rxaqm_always_inline void rxaqm_flow_note(struct rxaqm_flow_set *set, __u32 id, __u8 flags,
					 __u16 slow, __u32 stamp, bool crowd)
{
	const __u32 kept = 1U << 31;
	__u32 least = ~0U, at = 0, i;
	struct rxaqm_flow *flow;

	RXAQM_ROLLED
	for (i = 0; i < RXAQM_FLOW_WAYS; i++) {
		__u32 level = rxaqm_level_at(&set->flow[i].rate, stamp);

		if (crowd && set->flow[i].flags & RXAQM_FLOW_BACK &&
		    rxaqm_flow_epochs(&set->flow[i], stamp) < RXAQM_FLOW_KEPT)
			level |= kept;
		if (level < least) {
			least = level;
			at = i;
		}
	}
	flow = &set->flow[at & (RXAQM_FLOW_WAYS - 1)];
	if ((least & ~kept) > RXAQM_PACKET) {
		flow->rate.level = (least & ~kept) - RXAQM_PACKET;
		flow->rate.stamp = stamp;
	} else {
		flow->id = id;
		flow->rate.level = RXAQM_PACKET;
		flow->rate.stamp = stamp;
		flow->slow = slow;
		flow->run = 0;
		flow->flags = flags;
	}
}

#endif /* RXAQM_FLOW_H */
