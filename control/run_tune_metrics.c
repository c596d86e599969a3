/* SPDX-License-Identifier: GPL-2.0-only */
/* Targets and overload as metrics. */
#include <stdio.h>
#include <string.h>

#include "metrics.h"
#include "run.h"
#include "run_chores.h"
#include "run_tune.h"

static const char *autotune_state(const struct rxaqm_link *link,
				  const struct rxaqm_run_tune_queue *queue)
{
	if (!link->section || !link->section->autotune)
		return "off";
	if (queue->autotune.overruled || link->run->config.autotune.pinned)
		return "pinned";
	return !queue->autotune.wish.target_ns ? "waiting" : "following";
}

/* An interface is what its queues are: pinned if any is, else following if any is. */
static void state_metrics(struct rxaqm_metrics_text *text, const struct rxaqm_link *link)
{
	static const char *const states[] = { "off", "following", "pinned", "waiting" };
	const char *now = "waiting";
	unsigned int i;

	for (i = 0; i < link->tune->nr_queues; i++) {
		const char *one = autotune_state(link, &link->tune->queue[i]);

		if (!link->tune->queue[i].begun && strcmp(one, "off"))
			continue;
		if (!strcmp(one, "pinned") || !strcmp(one, "off") || !strcmp(now, "waiting"))
			now = one;
		if (!strcmp(now, "pinned") || !strcmp(now, "off"))
			break;
	}
	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		rxaqm_metrics_u64(text,
				  RXAQM_METRICS_LABELS("interface", link->name, "state", states[i]),
				  !strcmp(states[i], now));
}

static bool overloaded(const struct rxaqm_run_tune *tune)
{
	unsigned int i;

	for (i = 0; i < tune->nr_queues; i++)
		if (tune->queue[i].overload.raised)
			return true;
	return false;
}

static void bound_metric(struct rxaqm_metrics_text *text, const struct rxaqm_link *link,
			 const char *queue, __u64 ns)
{
	if (ns)
		rxaqm_metrics_ns(text,
				 RXAQM_METRICS_LABELS("interface", link->name, "queue", queue),
				 (__s64)ns);
}

/* Floor or ceiling of the queues whose target is tuned: of each, or, where queues are not shown
 * one by one, the greatest floor and the least ceiling.
 */
static void bound_metrics(struct rxaqm_metrics_text *text, const struct rxaqm_link *link,
			  bool ceiling)
{
	const struct rxaqm_run *run = link->run;
	bool by_interface = run->config.metrics_per == RXAQM_METRICS_PER_INTERFACE;
	bool by_queue;
	__u64 all_ns = 0;
	unsigned int i;

	if (!link->section || !link->section->autotune || !rxaqm_run_entry(link))
		return;
	by_queue = rxaqm_metrics_by_queue(&run->state, by_interface, (unsigned int)link->slot);
	for (i = 0; i < link->tune->nr_queues; i++) {
		const struct rxaqm_target *wish = &link->tune->queue[i].autotune.wish;
		__u64 ns = ceiling ? wish->ceiling_ns : wish->floor_ns;
		char queue[16];

		snprintf(queue, sizeof(queue), "%u", i);
		if (by_queue)
			bound_metric(text, link, queue, ns);
		else if (ns && (!all_ns || (ceiling ? ns < all_ns : ns > all_ns)))
			all_ns = ns;
	}
	bound_metric(text, link, "all", all_ns);
}

static const struct {
	enum rxaqm_metrics_type type;
	const char *name;
	const char *help;
} families[] = {
	{ RXAQM_METRICS_GAUGE, "rxaqm_autotune_floor_seconds",
	  "Least target that makes sense, as measured" },
	{ RXAQM_METRICS_GAUGE, "rxaqm_autotune_ceiling_seconds",
	  "Target beyond which the ring overflows before CoDel acts" },
	{ RXAQM_METRICS_GAUGE, "rxaqm_autotune_state", "What autotune does with the interface" },
	{ RXAQM_METRICS_COUNTER, "rxaqm_autotune_changes", "Targets changed by autotune" },
	{ RXAQM_METRICS_GAUGE, "rxaqm_overload_active", "1 while any queue is overloaded" },
	{ RXAQM_METRICS_COUNTER, "rxaqm_overload_changes", "Overloads begun, over all queues" },
};

void rxaqm_run_tune_metrics(struct rxaqm_metrics_text *text, const struct rxaqm_run *run)
{
	const struct rxaqm_link *link;
	size_t i;

	for (i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		rxaqm_metrics_family(text, families[i].type, families[i].name, families[i].help);
		for (link = run->links; link; link = link->next) {
			const char *const *labels = RXAQM_METRICS_LABELS("interface", link->name);

			if (!link->tune)
				continue;
			if (i < 2)
				bound_metrics(text, link, i == 1);
			else if (i == 2)
				state_metrics(text, link);
			else
				rxaqm_metrics_u64(text, labels,
						  i == 3 ? link->tune->changes :
						  i == 4 ? overloaded(link->tune) :
							   link->tune->overloads);
		}
	}
}
