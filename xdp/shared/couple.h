/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Drops for Not-ECT packets that fit the marks which ECT packets get.
 *
 * DCTCP takes a mark for a small thing, CUBIC and Reno take a drop for a big one: at a share m of
 * packets marked, the former send 2 / m packets a round trip, and the latter as many if a share
 * (m / 2)^2 of theirs is lost (RFC 9332, 2.1, with its k = 2). CoDel beside a step at its own target
 * does not keep that relation: the step holds the queue where no interval passes without a dip
 * below target, and what is not marked takes the CPU from what is.
 *
 * m is the share of time that the queue is over the threshold. Only packets that meet it there are
 * asked about, which are that share of all: so one in 4 / m of these is dropped.
 *
 * m is averaged over about two intervals: as it is squared, one that swings costs more drops than
 * its mean says. Windows of a quarter of an interval, so that neither needs a division.
 *
 * That is at most a quarter of the packets. Senders of which more has to go do not respond to it,
 * or cannot: the queue stays over the threshold for window after window, and there is no share of
 * marks to keep in step with. Then a further share is dropped, which grows while that lasts, as the
 * probability of BLUE does (Feng et al., "The BLUE active queue management algorithms", 2002), and
 * goes when the queue is often enough under the threshold without it.
 *
 * Pure functions of (state, interval, time).
 */
#ifndef RXAQM_COUPLE_H
#define RXAQM_COUPLE_H

#include "ns.h"

/* Per queue. All zero is the initial state. */
struct rxaqm_couple_vars {
	__u64 noted_ns; /* when rxaqm_couple_note() was called last */
	__u64 window_ns; /* when the window going on began */
	__u64 credit_ns; /* an interval's worth is a drop */
	__u32 over_ns; /* time over the threshold in the window going on */
	__u32 share_ns; /* the same, averaged over about 8 windows: at most a whole one */
	__u32 extra_ns; /* further drops, on the scale of share_ns: at most three whole ones */
	__u32 pad;
};
RXAQM_ASSERT_SIZE(struct rxaqm_couple_vars, 40);

/* From the first window over the threshold it takes 22, 5.5 intervals, until the share is 15/16: a
 * burst that a ring takes does not come to that, nor do TCP's first rounds. From then on an interval
 * adds a sixteenth of the packets. It is given up four times as fast: what is left of a flood is no
 * reason to starve who comes after it.
 */
rxaqm_always_inline void rxaqm_couple_adapt(struct rxaqm_couple_vars *vars, __u64 whole_ns)
{
	__u32 more_ns = (__u32)(whole_ns >> 4), less_ns = (__u32)(whole_ns >> 2);

	if (vars->share_ns >= whole_ns - more_ns) {
		if (vars->extra_ns + more_ns <= 3 * whole_ns)
			vars->extra_ns += more_ns;
	} else if (vars->share_ns < whole_ns >> 1) {
		vars->extra_ns = vars->extra_ns > less_ns ? vars->extra_ns - less_ns : 0;
	}
}

/* The window of @whole_ns going on is over at @now_ns. Returns 0. */
rxaqm_global int rxaqm_couple_turn(struct rxaqm_couple_vars *vars, __u64 whole_ns, __u32 over,
				   __u64 now_ns)
{
	if (!vars)
		return 0;
	if (rxaqm_ns_since(now_ns, vars->window_ns) < 2 * whole_ns) {
		vars->share_ns += (__s32)(vars->over_ns - vars->share_ns) >> 3;
		rxaqm_couple_adapt(vars, whole_ns);
	} else {
		/* What was before a window that passed without a packet says nothing about now. */
		vars->share_ns = over ? vars->over_ns : 0;
		vars->extra_ns = over ? vars->extra_ns : 0;
	}
	vars->window_ns = now_ns;
	vars->over_ns = 0;
	return 0;
}

/* At @now_ns the queue has been over the threshold (@over), or not, since the call before. */
rxaqm_always_inline void rxaqm_couple_note(struct rxaqm_couple_vars *vars, __u64 interval_ns,
					   bool over, __u64 now_ns)
{
	__u64 whole_ns = interval_ns >> 2, since_ns = rxaqm_ns_since(now_ns, vars->noted_ns);

	vars->noted_ns = now_ns;
	if (over) {
		since_ns += vars->over_ns;
		vars->over_ns = (__u32)(since_ns < whole_ns ? since_ns : whole_ns);
	}
	if (rxaqm_ns_since(now_ns, vars->window_ns) >= whole_ns)
		rxaqm_couple_turn(vars, whole_ns, over, now_ns);
}

/* A Not-ECT packet that meets the queue over the threshold: true if it is to be dropped. */
rxaqm_always_inline bool rxaqm_couple_drop(struct rxaqm_couple_vars *vars, __u64 interval_ns)
{
	vars->credit_ns += vars->share_ns + vars->extra_ns;
	if (vars->credit_ns < interval_ns)
		return false;
	vars->credit_ns -= interval_ns;
	return true;
}

#endif /* RXAQM_COUPLE_H */
