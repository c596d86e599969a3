/* SPDX-License-Identifier: GPL-2.0-only */
#include "overload/overload.h"

#include <stdio.h>
#include <string.h>

#include "decide.h"
#include "base/parse.h"
#include "figures/figures.h"

/* A standing queue is drained now and then, when a sender pauses; a flowing queue has busy polls
 * now and then, by bursts. One such poll among this many of the other kind changes nothing.
 */
#define POLLS_LET_PASS 8

/* How long packets have been over target, as the law saw it: polls that drain the NIC's queue say
 * nothing about the ring behind it.
 */
static __u64 waited_ns(const struct rxaqm_queue *q, __u64 now_ns)
{
	if (q->policy.law == RXAQM_LAW_AUTO)
		return q->law.above_ns ? rxaqm_ns_since(now_ns, q->law.above_ns) : 0;
	if (!q->codel.above)
		return 0;
	return rxaqm_ns_since(now_ns, q->codel.first_above_time_ns - q->interval_ns);
}

unsigned int rxaqm_overload_exempt_percent(const struct rxaqm_queue *q, __u64 now_ns)
{
	const __u32 *seen = q->law.seen;
	__u64 limit_ns = q->target_ns, all = 0;
	unsigned int i;

	/* An enforced queue is over target now and then. */
	if (rxaqm_policy_enforced(&q->policy, now_ns))
		limit_ns *= RXAQM_OVERLOAD_SLACK;
	for (i = 0; i < RXAQM_NR_CLASSES; i++)
		all += seen[i];
	if (!rxaqm_queue_stands(q, now_ns) || q->law.smooth_ns <= limit_ns ||
	    seen[RXAQM_CLASS_EXEMPT] <= all / 2)
		return 0;
	return (unsigned int)(100ULL * seen[RXAQM_CLASS_EXEMPT] / all);
}

void rxaqm_overload_look(struct rxaqm_overload_seen *seen, const struct rxaqm_queue *q,
			 __u64 now_ns, struct rxaqm_overload_look *look)
{
	__u64 judged = q->stat[RXAQM_STAT_JUDGED];
	__u64 busy = q->stat[RXAQM_STAT_POLLS_BUSY];
	__u64 drained = q->stat[RXAQM_STAT_POLLS_DRAINED];
	bool standing = rxaqm_queue_stands(q, now_ns);
	bool waits = (q->flags & RXAQM_QUEUE_WAITING) && rxaqm_queue_polled_lately(q, now_ns);

	memset(look, 0, sizeof(*look));
	/* Counters that went back belong to another attachment. */
	look->judged = seen->valid && judged >= seen->judged && busy >= seen->polls_busy &&
		       drained >= seen->polls_drained;
	look->smooth_ns = q->law.smooth_ns;
	look->target_ns = q->target_ns;
	look->enforced = rxaqm_policy_enforced(&q->policy, now_ns);
	if (standing)
		look->stood_ns = rxaqm_ns_since(now_ns, q->drained_ns);
	if (waits) {
		__u64 ns = waited_ns(q, now_ns);

		look->stood_ns = ns > look->stood_ns ? ns : look->stood_ns;
	}
	if (look->judged) {
		__u64 new_busy = busy - seen->polls_busy;
		__u64 new_drained = drained - seen->polls_drained;
		bool kept = standing && new_drained <= new_busy / POLLS_LET_PASS;

		/* Without a judged packet smooth_ns is outdated. */
		look->over = (kept || waits) && q->policy.mode != RXAQM_MODE_OFF &&
			     judged > seen->judged && q->law.smooth_ns > q->target_ns;
		look->waiting = waits && !kept;
		if (look->over)
			look->exempt_percent = rxaqm_overload_exempt_percent(q, now_ns);
		if (look->exempt_percent)
			rxaqm_exempt_words(&q->policy, look->exempt);
	}
	*seen = (struct rxaqm_overload_seen){ true, judged, busy, drained };
}

/* Add the time since the last look as evidence for (@pro) a change, or against it. True if there is
 * enough.
 */
static bool gather(struct rxaqm_overload *overload, bool pro, __u64 enough_ns, __u64 now_ns)
{
	__u64 past_ns = overload->started ? rxaqm_ns_since(now_ns, overload->look_ns) : 0;

	if (past_ns > RXAQM_OVERLOAD_TICK_MAX_NS)
		past_ns = RXAQM_OVERLOAD_TICK_MAX_NS;
	overload->started = true;
	overload->look_ns = now_ns;
	if (pro) /* no more than enough, or old evidence would outweigh new */
		overload->for_ns += overload->for_ns < enough_ns ? past_ns : 0;
	else if (overload->for_ns > RXAQM_OVERLOAD_AGAINST * past_ns)
		overload->for_ns -= RXAQM_OVERLOAD_AGAINST * past_ns;
	else
		overload->for_ns = 0;
	return pro && overload->for_ns >= enough_ns;
}

static void report_began(const struct rxaqm_overload_look *look, __u64 for_ns,
			 char text[RXAQM_OVERLOAD_TEXT])
{
	size_t len;

	snprintf(text, RXAQM_OVERLOAD_TEXT, "%s over target %s for %s, now %s%s",
		 look->waiting ? "the application behind its socket had it" : "stood",
		 rxaqm_duration(look->target_ns), rxaqm_duration(for_ns),
		 rxaqm_duration(look->smooth_ns),
		 look->enforced ? ", although it is enforced" : "");
	len = strlen(text);
	if (look->exempt_percent)
		snprintf(text + len, RXAQM_OVERLOAD_TEXT - len,
			 "; exempt traffic holds it (%u %% of its packets), and the law cannot "
			 "help; exempt are %s",
			 look->exempt_percent, look->exempt);
}

enum rxaqm_overload_event rxaqm_overload_update(struct rxaqm_overload *overload,
						const struct rxaqm_overload_config *config,
						const struct rxaqm_overload_look *look,
						__u64 now_ns, char text[RXAQM_OVERLOAD_TEXT])
{
	__u64 enough_ns = overload->raised ? config->clear_ns : config->raise_ns;
	__u64 for_ns;

	if (overload->raised && look->over && look->smooth_ns > overload->worst_ns)
		overload->worst_ns = look->smooth_ns;
	/* An unknown look is evidence against a change. */
	if (!gather(overload, look->judged && look->over != overload->raised, enough_ns, now_ns))
		return RXAQM_OVERLOAD_NOTHING;
	for_ns = overload->for_ns;
	overload->for_ns = 0;
	overload->raised = !overload->raised;
	if (overload->raised) {
		report_began(look, for_ns, text);
		overload->worst_ns = look->smooth_ns;
		overload->since_ns = now_ns;
		return RXAQM_OVERLOAD_BEGAN;
	}
	snprintf(text, RXAQM_OVERLOAD_TEXT, "no longer over target, after %s of up to %s",
		 rxaqm_duration(rxaqm_ns_since(now_ns, overload->since_ns)),
		 rxaqm_duration(overload->worst_ns));
	overload->since_ns = now_ns;
	return RXAQM_OVERLOAD_ENDED;
}
