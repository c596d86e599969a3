/* SPDX-License-Identifier: GPL-2.0-only */
#include "overload/overload.h"

#include <stdio.h>
#include <string.h>

#include "decide.h"
#include "base/parse.h"
#include "figures/figures.h"

static bool stands_over(const struct rxaqm_queue *q, __u64 now_ns)
{
	if (!rxaqm_queue_stands(q, now_ns) || q->policy.mode == RXAQM_MODE_OFF)
		return false;
	/* Unenforced, it stands only if it is over its goal, which may be below the target. */
	if (!rxaqm_policy_enforced(&q->policy, now_ns))
		return q->stood_sojourn_ns;
	return q->stood_sojourn_ns > RXAQM_OVERLOAD_SLACK * q->target_ns;
}

unsigned int rxaqm_overload_exempt_percent(const struct rxaqm_queue *q, __u64 now_ns)
{
	const __u32 *seen = q->law.seen;
	__u64 all = 0;
	unsigned int i;

	for (i = 0; i < RXAQM_NR_CLASSES; i++)
		all += seen[i];
	/* law=auto, enforced, drops of it what takes more than a quarter of the CPU. */
	if (q->policy.law == RXAQM_LAW_AUTO || !stands_over(q, now_ns) ||
	    seen[RXAQM_CLASS_EXEMPT] <= all / 2)
		return 0;
	return (unsigned int)(100ULL * seen[RXAQM_CLASS_EXEMPT] / all);
}

void rxaqm_overload_look(const struct rxaqm_queue *q, __u64 now_ns,
			 struct rxaqm_overload_look *look)
{
	memset(look, 0, sizeof(*look));
	look->enforced = rxaqm_policy_enforced(&q->policy, now_ns);
	look->target_ns = q->target_ns;
	look->stands = rxaqm_queue_stands(q, now_ns);
	look->over = stands_over(q, now_ns);
	if (!look->stands)
		return;
	look->sojourn_ns = q->stood_sojourn_ns;
	look->stood_ns = rxaqm_ns_since(now_ns, q->stood_since_ns);
	look->waiting = q->flags & RXAQM_QUEUE_WAITING && !(q->flags & RXAQM_QUEUE_STANDING);
	look->exempt_percent = rxaqm_overload_exempt_percent(q, now_ns);
	if (look->exempt_percent)
		rxaqm_exempt_words(&q->policy, look->exempt);
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
		 rxaqm_duration(look->sojourn_ns),
		 look->enforced ? ", although it is enforced" : "");
	len = strlen(text);
	if (look->exempt_percent)
		snprintf(text + len, RXAQM_OVERLOAD_TEXT - len,
			 "; exempt traffic holds it (%u %% of its packets), and law=codel cannot "
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

	if (overload->raised && look->over && look->sojourn_ns > overload->worst_ns)
		overload->worst_ns = look->sojourn_ns;
	if (!gather(overload, look->over != overload->raised, enough_ns, now_ns))
		return RXAQM_OVERLOAD_NOTHING;
	for_ns = overload->for_ns;
	overload->for_ns = 0;
	overload->raised = !overload->raised;
	if (overload->raised) {
		report_began(look, for_ns, text);
		overload->worst_ns = look->sojourn_ns;
		overload->since_ns = now_ns;
		return RXAQM_OVERLOAD_BEGAN;
	}
	snprintf(text, RXAQM_OVERLOAD_TEXT, "no longer over target, after %s of up to %s",
		 rxaqm_duration(rxaqm_ns_since(now_ns, overload->since_ns)),
		 rxaqm_duration(overload->worst_ns));
	overload->since_ns = now_ns;
	return RXAQM_OVERLOAD_ENDED;
}
