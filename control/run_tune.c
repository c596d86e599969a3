/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looking at the queues once a second: overload is told, and, where the configuration
 * says so, targets follow the measured floor and overload is enforced. All changes of an
 * interface go in at once, since each makes its control laws begin anew.
 */
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "run_chores.h"
#include "run_tune.h"
#include "status_target.h"

#define TOLD_MAX 4 /* queues of an interface that are told one by one, in one tick */

void rxaqm_run_tune_free(struct rxaqm_link *link)
{
	free(link->tune);
	link->tune = NULL;
}

/* By @policy, which was set a moment ago and has kept what was enforced. */
static void adopt(const struct rxaqm_link *link, const struct rxaqm_policy *policy)
{
	unsigned int i, adopted = 0;

	for (i = 0; i < link->tune->nr_queues; i++) {
		if (policy[i].mode != RXAQM_MODE_ENFORCE)
			continue;
		rxaqm_autoenforce_adopt(&link->tune->queue[i].autoenforce, rxaqm_now_ns());
		adopted++;
	}
	if (adopted)
		rxaqm_run_log(LOG_NOTICE,
			      "%s: %u queue(s) enforced already, and so until they have drained",
			      link->name, adopted);
}

/* Begin, or go on after the interface was attached anew, maybe with more queues: what was said and
 * done about a queue holds, since its policy was kept (run_bring.c).
 */
static void begin(struct rxaqm_link *link, const struct rxaqm_iface *iface)
{
	const struct rxaqm_policy *policy = rxaqm_state_policy(&link->run->state, iface, 0);
	struct rxaqm_run_tune *tune = link->tune;
	unsigned int known = tune ? tune->nr_queues : 0, i;
	__u64 target_ns = known ? tune->facts.default_target_ns : policy->target_ns;
	__u64 interval_ns = known ? tune->facts.default_interval_ns : policy->interval_ns;

	tune = realloc(tune, sizeof(*tune) + iface->nr_queues * sizeof(tune->queue[0]));
	if (!tune) {
		rxaqm_run_tune_free(link);
		return;
	}
	link->tune = tune;
	if (!known)
		memset(tune, 0, sizeof(*tune));
	for (i = known; i < iface->nr_queues; i++)
		memset(&tune->queue[i], 0, sizeof(tune->queue[i]));
	tune->nr_queues = iface->nr_queues;
	tune->attached_ns = iface->attached_ns;
	rxaqm_status_target_facts(iface, &tune->facts);
	tune->facts.default_target_ns = target_ns;
	tune->facts.default_interval_ns = interval_ns;
	if (link->adopt)
		adopt(link, policy);
	link->adopt = false;
}

/* One line a queue, but not thousands. */
static bool may_tell(struct rxaqm_link *link)
{
	return link->tune->told++ < TOLD_MAX;
}

static void tell_overload(struct rxaqm_link *link, unsigned int queue,
			  enum rxaqm_overload_event event, const char *text)
{
	if (event == RXAQM_OVERLOAD_NOTHING)
		return;
	if (event == RXAQM_OVERLOAD_BEGAN)
		link->tune->overloads++;
	if (may_tell(link))
		rxaqm_run_log(event == RXAQM_OVERLOAD_BEGAN ? LOG_WARNING : LOG_NOTICE,
			      "%s: queue %u: %s", link->name, queue, text);
}

/* @policy may be changed. Returns true if it was. */
static bool tune_target(struct rxaqm_link *link, unsigned int queue, const struct rxaqm_queue *q,
			struct rxaqm_policy *policy, __u64 now_ns)
{
	const struct rxaqm_config *config = &link->run->config;
	struct rxaqm_run_tune *tune = link->tune;
	struct rxaqm_autotune *autotune = &tune->queue[queue].autotune;
	struct rxaqm_autotune_change change;
	struct rxaqm_target_facts facts = tune->facts;

	facts.rtt_ns = config->rtt_ns ? config->rtt_ns :
					rxaqm_target_rtt_ns(facts.default_interval_ns);
	facts.min_ns = config->target_min_ns;
	facts.max_ns = config->target_max_ns;
	if (!tune->queue[queue].begun)
		rxaqm_autotune_init(autotune, policy->target_ns, policy->interval_ns);
	if (rxaqm_autotune_overruled(autotune, policy->target_ns, policy->interval_ns) &&
	    may_tell(link))
		rxaqm_run_log(LOG_NOTICE,
			      "%s: queue %u: target or interval was set by someone else; autotune "
			      "leaves it alone until the configuration is read again",
			      link->name, queue);
	if (!rxaqm_autotune_update(autotune, &config->autotune, &facts, q, now_ns, &change))
		return false;
	policy->target_ns = change.target_ns;
	policy->interval_ns = change.interval_ns;
	tune->changes++;
	if (may_tell(link))
		rxaqm_run_log(LOG_INFO, "%s: queue %u: %s", link->name, queue, change.reason);
	return true;
}

static bool tune_mode(struct rxaqm_link *link, unsigned int queue,
		      const struct rxaqm_overload_look *look, struct rxaqm_policy *policy,
		      __u64 now_ns)
{
	char text[RXAQM_OVERLOAD_TEXT] = "";
	enum rxaqm_autoenforce_do what;

	what = rxaqm_autoenforce_update(&link->tune->queue[queue].autoenforce,
					&link->run->config.autoenforce, look,
					(enum rxaqm_mode)policy->mode, now_ns, text);
	if (what == RXAQM_AUTOENFORCE_NOTHING)
		return false;
	if (may_tell(link))
		rxaqm_run_log(LOG_NOTICE, "%s: queue %u: %s", link->name, queue, text);
	if (what == RXAQM_AUTOENFORCE_OVERRULED)
		return false;
	policy->mode = what == RXAQM_AUTOENFORCE_ENFORCE ? RXAQM_MODE_ENFORCE : RXAQM_MODE_OBSERVE;
	return true;
}

/* @policies: a copy of those in effect, to be changed; NULL: nothing may be changed now. */
static bool look_at_queues(struct rxaqm_link *link, const struct rxaqm_iface *iface,
			   struct rxaqm_policy *policies)
{
	const struct rxaqm_run *run = link->run;
	bool changed = false;
	unsigned int i;

	for (i = 0; i < link->tune->nr_queues; i++) {
		struct rxaqm_run_tune_queue *queue = &link->tune->queue[i];
		char text[RXAQM_OVERLOAD_TEXT] = "";
		struct rxaqm_overload_look look;
		struct rxaqm_queue q;
		__u64 now_ns;

		/* What was never polled has nothing to say, and need not be read. */
		if (!(rxaqm_state_queue(&run->state, iface, i)->flags & RXAQM_QUEUE_POLLED))
			continue;
		q = *rxaqm_state_queue(&run->state, iface, i);
		now_ns = rxaqm_now_ns();
		rxaqm_overload_look(&queue->seen, &q, now_ns, &look);
		tell_overload(link, i,
			      rxaqm_overload_update(&queue->overload, &run->config.overload, &look,
						    now_ns, text),
			      text);
		if (!policies)
			continue;
		if (link->section->autotune)
			changed |= tune_target(link, i, &q, &policies[i], now_ns);
		if (link->section->auto_enforce)
			changed |= tune_mode(link, i, &look, &policies[i], now_ns);
		queue->begun = true;
	}
	return changed;
}

/* Under the lock: an operator's change is either seen here or made after ours. */
static void look_and_change(struct rxaqm_link *link)
{
	struct rxaqm_run *run = link->run;
	struct rxaqm_iface *iface = rxaqm_run_entry(link);
	struct rxaqm_policy *policies = NULL;

	if (iface)
		policies = malloc(iface->nr_queues * sizeof(*policies));
	if (policies) {
		memcpy(policies, rxaqm_state_policy(&run->state, iface, 0),
		       iface->nr_queues * sizeof(*policies));
		if (look_at_queues(link, iface, policies))
			rxaqm_state_set_policies(&run->state, iface, policies);
	}
	free(policies);
}

void rxaqm_run_tune(struct rxaqm_run *run)
{
	struct rxaqm_link *link;

	for (link = run->links; link; link = link->next) {
		const struct rxaqm_iface *iface = rxaqm_run_entry(link);
		bool changes = link->section &&
			       (link->section->autotune || link->section->auto_enforce);

		if (!iface)
			continue;
		if (!link->tune || link->tune->attached_ns != iface->attached_ns)
			begin(link, iface);
		if (!link->tune)
			continue;
		link->tune->told = 0;
		if (changes && !rxaqm_run_state_lock(run)) {
			look_and_change(link);
			rxaqm_run_state_unlock(run);
		} else {
			look_at_queues(link, iface, NULL);
		}
		if (link->tune->told > TOLD_MAX)
			rxaqm_run_log(LOG_NOTICE, "%s: and %u more of this kind", link->name,
				      link->tune->told - TOLD_MAX);
	}
}
