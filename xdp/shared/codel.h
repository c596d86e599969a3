/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * CoDel (RFC 8289) as pure functions of (state, parameters, sojourn, now).
 *
 * A queue is bad when packets have stood in it for longer than target during a
 * whole interval: a burst drains sooner. Then one packet is signalled (dropped
 * or marked) and further ones at gaps of interval / sqrt(count): the n-th signal
 * comes about 2 * interval * sqrt(n) after the first. With an interval of 10 ms
 * that is 100 signals/s at first, 1,000/s after 100 signals (0.2 s).
 *
 * Where this differs from include/net/codel_impl.h, and why:
 *  - It is asked once a packet and signals at most one: an overdue signal falls on
 *    the next packet, where the kernel drops several in one dequeue.
 *  - Not every packet may be signalled (exempt ones, ACKs, a full cap), so asking
 *    (rxaqm_codel_update) and signalling (rxaqm_codel_signal) are two steps. A due
 *    signal waits for the next eligible packet, but no longer than one interval's
 *    worth of signals is ever owed: a queue full of ACKs must not make every
 *    data packet pay for them.
 *  - "Less than one MTU of backlog" is "a poll drained the ring", told by the
 *    caller: with the packet when it knows, else by rxaqm_codel_drained().
 *  - 1/sqrt(count) is kept in 32 bits, where the kernel rounds it to 16, and gets
 *    more than one Newton step where one is not enough. No table, no cap.
 *  - first_above_time is reached at equality, as in the RFC.
 *  - Times are 64-bit nanoseconds.
 *
 * Cost: no division; four multiplications a signal, none for other packets.
 */
#ifndef RXAQM_CODEL_H
#define RXAQM_CODEL_H

#include "ns.h"

/* Set rarely. */
struct rxaqm_codel_params {
	__u64 target_ns;
	__u64 interval_ns; /* below 2^32 */
};

/* Per queue, hot. Names as in include/net/codel.h. All zero is the initial state. */
struct rxaqm_codel_vars {
	__u64 first_above_time_ns; /* when sojourn will have been over target for an interval */
	__u64 drop_next_ns; /* when the next signal is due, while dropping */
	__u64 ldelay_ns; /* sojourn of the last packet asked about */
	__u32 count; /* signals since dropping began */
	__u32 lastcount; /* count when dropping last began */
	__u32 rec_inv_sqrt; /* 1/sqrt(count) in Q32; 2^32 - 1 stands for 1 */
	__u8 dropping;
	__u8 above; /* first_above_time_ns is valid: 0 is a believable time */
	__u8 pad[2];
};
RXAQM_ASSERT_SIZE(struct rxaqm_codel_vars, 40);

/* Signals are remembered across episodes at most this many intervals apart
 * (RFC 8289, 5.5 and codel_impl.h).
 */
#define RXAQM_CODEL_MEMORY_INTERVALS 16

/* One step of y' = y * (3 - count * y^2) / 2 towards 1/sqrt(count), from below. The order
 * of the products keeps count * y^2, which is about 1, exact to 2^-30: y^2 alone has few
 * bits left when count is large.
 */
static inline void rxaqm_codel_newton_step(struct rxaqm_codel_vars *vars)
{
	__u64 y = vars->rec_inv_sqrt;
	__u64 count_y2 = (((vars->count * y) >> 2) * y) >> 30;
	__u64 val = (3ULL << 32) - count_y2;

	val >>= 2; /* the product below must fit 64 bits */
	val = (val * y) >> (32 - 2 + 1);
	vars->rec_inv_sqrt = (__u32)(val > 0xffffffffULL ? 0xffffffffULL : val);
}

/* Start 1/sqrt(@count) afresh: from a power of two below the true value, from
 * where the Newton steps converge quadratically.
 */
static inline void rxaqm_codel_set_count(struct rxaqm_codel_vars *vars, __u32 count)
{
	__u32 half_bits = 0;
	int i;

	vars->count = count;
	vars->rec_inv_sqrt = 0xffffffffU;
	if (count <= 1)
		return;
	for (i = 0; i < 16; i++)
		if (count >> (2 * i))
			half_bits = i + 1;
	vars->rec_inv_sqrt = (__u32)((1ULL << 32) >> half_bits);
	for (i = 0; i < 5; i++)
		rxaqm_codel_newton_step(vars);
}

/* One signal more. A single Newton step errs by 1.5 / (2 * count)^2: 0.15 % at 16,
 * but 30 % at 2, so small counts start afresh.
 */
static inline void rxaqm_codel_count_up(struct rxaqm_codel_vars *vars)
{
	if (vars->count < 16) {
		rxaqm_codel_set_count(vars, vars->count + 1);
		return;
	}
	if (vars->count == 0xffffffffU)
		return;
	vars->count++;
	rxaqm_codel_newton_step(vars);
}

/* Time of the signal after one at @t_ns (RFC 8289, 5.5: control_law). */
static inline __u64 rxaqm_codel_control_law(const struct rxaqm_codel_vars *vars,
					    const struct rxaqm_codel_params *params, __u64 t_ns)
{
	__u64 gap_ns = (params->interval_ns * vars->rec_inv_sqrt) >> 32;

	/* A gap of zero would stall the law: it must always move on. */
	return t_ns + (gap_ns ? gap_ns : 1);
}

/* The queue has been empty: leave dropping, forget how long it was above. */
rxaqm_always_inline void rxaqm_codel_drained(struct rxaqm_codel_vars *vars)
{
	vars->above = 0;
	vars->dropping = 0;
}

/* Take note of a packet that stood @sojourn_ns and leaves now. @drained says that it
 * leaves the queue empty. Returns true if a signal is due, on this packet or, if that
 * can't be, on the next one that can. Call rxaqm_codel_signal() once it is given.
 */
rxaqm_always_inline bool rxaqm_codel_update(struct rxaqm_codel_vars *vars,
					    const struct rxaqm_codel_params *params,
					    __u64 sojourn_ns, bool drained, __u64 now_ns)
{
	vars->ldelay_ns = sojourn_ns;
	if (sojourn_ns < params->target_ns || drained) {
		rxaqm_codel_drained(vars);
		return false;
	}
	if (!vars->above) {
		vars->above = 1;
		vars->first_above_time_ns = now_ns + params->interval_ns;
		vars->dropping = 0;
		return false;
	}
	if (!rxaqm_ns_reached(now_ns, vars->first_above_time_ns)) {
		vars->dropping = 0;
		return false;
	}
	return !vars->dropping || rxaqm_ns_reached(now_ns, vars->drop_next_ns);
}

/* The due signal was given at @now_ns: move on to the next one. */
static inline void rxaqm_codel_signal(struct rxaqm_codel_vars *vars,
				      const struct rxaqm_codel_params *params, __u64 now_ns)
{
	__u64 owed_since_ns = now_ns - params->interval_ns;

	if (vars->dropping) {
		rxaqm_codel_count_up(vars);
		if (rxaqm_ns_after(owed_since_ns, vars->drop_next_ns))
			vars->drop_next_ns = owed_since_ns;
		vars->drop_next_ns = rxaqm_codel_control_law(vars, params, vars->drop_next_ns);
		return;
	}

	/* Dropping begins. Soon after the last episode, begin at the rate that
	 * controlled the queue then; lastcount keeps that from ratcheting up.
	 */
	__u32 delta = vars->count - vars->lastcount;
	__u64 memory_ns = RXAQM_CODEL_MEMORY_INTERVALS * params->interval_ns;

	vars->dropping = 1;
	if (delta > 1 && (__s64)(now_ns - vars->drop_next_ns) < (__s64)memory_ns)
		rxaqm_codel_set_count(vars, delta);
	else
		rxaqm_codel_set_count(vars, 1);
	vars->lastcount = vars->count;
	vars->drop_next_ns = rxaqm_codel_control_law(vars, params, now_ns);
}

#endif /* RXAQM_CODEL_H */
