/* SPDX-License-Identifier: GPL-2.0-only */
/* Look at the queues once a second, and log overloads. */
#include "daemon/overload_watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "daemon/diagnose.h"
#include "daemon/link.h"
#include "daemon/log.h"
#include "overload/overload.h"

#define TOLD_MAX 4 /* most queues of an interface that are logged in one tick */

/* Memory of a queue from one look to the next. */
struct seen_queue {
	struct rxaqm_overload overload;
};

struct rxaqm_run_overload {
	unsigned int nr_queues;
	__u64 attached_ns; /* of the attachment that it belongs to */
	__u64 begun; /* overloads, counted for the metrics */
	unsigned int told; /* logged in this tick */
	struct seen_queue queue[];
};

/* Begin, or continue after the interface was attached again, maybe with more queues. The memory of
 * a queue stays valid, since its policy was kept (reconcile.c).
 */
static void begin(struct rxaqm_link *link, const struct rxaqm_iface *iface)
{
	struct rxaqm_run_overload *overload = link->overload;
	unsigned int known = overload ? overload->nr_queues : 0, i;

	overload = realloc(overload,
			   sizeof(*overload) + iface->nr_queues * sizeof(overload->queue[0]));
	if (!overload) {
		rxaqm_run_forget_overload(link);
		return;
	}
	link->overload = overload;
	if (!known)
		memset(overload, 0, sizeof(*overload));
	for (i = known; i < iface->nr_queues; i++)
		memset(&overload->queue[i], 0, sizeof(overload->queue[i]));
	overload->nr_queues = iface->nr_queues;
	overload->attached_ns = iface->attached_ns;
}

/* One line per queue, but not thousands. */
static bool may_report(struct rxaqm_link *link)
{
	return link->overload->told++ < TOLD_MAX;
}

static void report_overload(struct rxaqm_link *link, unsigned int queue,
			    enum rxaqm_overload_event event, const char *text)
{
	bool began = event == RXAQM_OVERLOAD_BEGAN;

	if (event == RXAQM_OVERLOAD_NOTHING)
		return;
	if (began) {
		link->overload->begun++;
		rxaqm_run_diagnose(link->run);
	}
	if (may_report(link))
		rxaqm_link_event(link, (int)queue, began ? RXAQM_LOG_STANDS : RXAQM_LOG_DRAINED,
				 began ? LOG_WARNING : LOG_NOTICE,
				 began ? "%s; \"rxaqm doctor %s\" looks for the cause" : "%s", text,
				 link->name);
}

static void look_at_queues(struct rxaqm_link *link, const struct rxaqm_iface *iface)
{
	const struct rxaqm_run *run = link->run;
	unsigned int i;

	for (i = 0; i < link->overload->nr_queues; i++) {
		struct seen_queue *queue = &link->overload->queue[i];
		char text[RXAQM_OVERLOAD_TEXT] = "";
		struct rxaqm_overload_look look;
		struct rxaqm_queue q;
		__u64 now_ns;

		/* A queue that was never polled has nothing to report, and need not be read. */
		if (!(rxaqm_state_queue(&run->state, iface, i)->flags & RXAQM_QUEUE_POLLED))
			continue;
		q = *rxaqm_state_queue(&run->state, iface, i);
		now_ns = rxaqm_now_ns();
		rxaqm_overload_look(&q, now_ns, &look);
		report_overload(link, i,
				rxaqm_overload_update(&queue->overload, &run->config.overload,
						      &look, now_ns, text),
				text);
	}
}

void rxaqm_run_overload(struct rxaqm_run *run)
{
	struct rxaqm_link *link;

	for (link = run->links; link; link = link->next) {
		const struct rxaqm_iface *iface = rxaqm_link_iface(link);

		if (!iface)
			continue;
		if (!link->overload || link->overload->attached_ns != iface->attached_ns)
			begin(link, iface);
		if (!link->overload)
			continue;
		link->overload->told = 0;
		look_at_queues(link, iface);
		if (link->overload->told > TOLD_MAX)
			rxaqm_link_log(link, LOG_NOTICE, "and %u more of this kind",
				       link->overload->told - TOLD_MAX);
	}
}

static bool overloaded(const struct rxaqm_run_overload *overload)
{
	unsigned int i;

	for (i = 0; i < overload->nr_queues; i++)
		if (overload->queue[i].overload.raised)
			return true;
	return false;
}

void rxaqm_run_overload_metrics(struct rxaqm_metrics_text *text, const struct rxaqm_run *run)
{
	const struct rxaqm_link *link;

	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_overload_active",
			     "1 while any queue is overloaded");
	for (link = run->links; link; link = link->next)
		if (link->overload)
			rxaqm_metrics_u64(text, RXAQM_METRICS_LABELS("interface", link->name),
					  overloaded(link->overload));
	rxaqm_metrics_family(text, RXAQM_METRICS_COUNTER, "rxaqm_overload_changes_total",
			     "Overloads begun, over all queues");
	for (link = run->links; link; link = link->next)
		if (link->overload)
			rxaqm_metrics_u64(text, RXAQM_METRICS_LABELS("interface", link->name),
					  link->overload->begun);
}
