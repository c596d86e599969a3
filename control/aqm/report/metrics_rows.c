/* SPDX-License-Identifier: GPL-2.0-only */
/* Collect the values for the rows of metrics_table.c. */
#include "report/metrics_rows.h"

#include <stdio.h>
#include <string.h>

#include "base/now.h"
#include "figures/figures.h"
#include "report/check.h"
#include "overload/overload.h"
#include "policy/settings.h"
#include "state/locate.h"
#include "attach/sockets.h"

static enum rxaqm_metrics_iface_state state_of(const struct rxaqm_iface *iface, bool here)
{
	if (iface->state != RXAQM_IFACE_ATTACHED)
		return RXAQM_METRICS_IFACE_INTERRUPTED;
	if (here)
		return RXAQM_METRICS_IFACE_ATTACHED;
	return rxaqm_status_unguarded(iface, here) ? RXAQM_METRICS_IFACE_LOST :
						     RXAQM_METRICS_IFACE_ELSEWHERE;
}

static bool label_taken(const struct rxaqm_metrics_view *view, int slot)
{
	int i;

	for (i = 0; i < slot; i++)
		if (!strcmp(view->iface[i].label, view->iface[slot].label))
			return true;
	return false;
}

void rxaqm_metrics_look(struct rxaqm_metrics_view *view, const struct rxaqm_metrics *metrics)
{
	int i;

	view->state = metrics->state;
	view->by_interface = metrics->by_interface;
	view->now_ns = rxaqm_now_ns();
	for (i = 0; rxaqm_metrics_any(view) && i < RXAQM_MAX_IFACES; i++) {
		const struct rxaqm_iface *iface = &view->state->iface[i];
		char *label = view->iface[i].label, name[RXAQM_IFNAMSIZ];
		__s64 overflow;
		bool here;

		if (iface->state == RXAQM_IFACE_FREE || !rxaqm_iface_valid(iface))
			continue;
		rxaqm_iface_name(iface, name, &here);
		view->iface[i].state = state_of(iface, here);
		overflow = rxaqm_check_overflow(iface, here ? name : NULL);
		view->iface[i].overflow = overflow < 0 ? RXAQM_METRICS_UNKNOWN : (__u64)overflow;
		snprintf(label, RXAQM_METRICS_LABEL_LEN, here ? "%s" : "%s@%u", name,
			 iface->netns_ino);
		/* It was renamed, and another interface took the name: two entries must not be one
		 * series.
		 */
		if (label_taken(view, i))
			snprintf(label + strlen(label), RXAQM_METRICS_LABEL_LEN - strlen(label),
				 "#%d", i);
	}
}

static void keep_greatest(__u64 *greatest, __u64 value)
{
	if (*greatest < value)
		*greatest = value;
}

static void add_socket(struct rxaqm_metrics_row *row, const struct rxaqm_iface *iface,
		       const struct rxaqm_figures *figures, const struct rxaqm_wait *wait)
{
	struct rxaqm_socket socket;

	if (!rxaqm_socket_serves(&figures->queue))
		return;
	rxaqm_socket_look(iface, &figures->queue, wait, NULL, figures->now_ns, &socket);
	row->socket++;
	row->ring_full += socket.ring_full;
	if (socket.wait_state != RXAQM_WAIT_VALID)
		return;
	if (row->wait_ns == RXAQM_METRICS_UNKNOWN || row->wait_ns < socket.wait_ns)
		row->wait_ns = socket.wait_ns;
}

static void add_law(struct rxaqm_metrics_row *row, const struct rxaqm_law_figures *law)
{
	unsigned int i;

	keep_greatest(&row->goal_ns, law->goal_ns);
	keep_greatest(&row->thin, law->thin);
	for (i = 0; i < RXAQM_NR_FLOW_KINDS; i++) {
		row->flows[i] += law->flows[i];
		row->over[i] += law->over[i];
	}
	if (law->holds &&
	    (row->limit_pps == RXAQM_METRICS_UNKNOWN || law->limit_pps < row->limit_pps))
		row->limit_pps = law->limit_pps;
}

static void add_queue(struct rxaqm_metrics_row *row, const struct rxaqm_figures *figures)
{
	const struct rxaqm_policy *policy = &figures->policy;
	const struct rxaqm_queue *q = &figures->queue;
	unsigned int i;

	for (i = 0; i < RXAQM_NR_STATS; i++)
		row->stat[i] += q->stat[i];
	for (i = 0; i < RXAQM_HIST_BUCKETS; i++)
		row->hist[i] += q->hist[i];
	row->mode[figures->mode]++;
	row->signal[figures->signal]++;
	row->standing += figures->standing;
	row->held_by_exempt += !!rxaqm_overload_exempt_percent(q, figures->now_ns);
	row->dropping += !!q->codel.dropping;
	add_law(row, &figures->law);
	row->distrusted += !!figures->distrust;
	keep_greatest(&row->target_ns, figures->target_ns);
	keep_greatest(&row->interval_ns, figures->interval_ns);
	keep_greatest(&row->floor_ns, figures->derived.floor_ns);
	keep_greatest(&row->ceiling_ns, figures->derived.ceiling_ns);
	if (figures->sampled)
		keep_greatest(&row->err_ns, q->sample_err_ns);
	if (policy->lease_until_ns && policy->mode == RXAQM_MODE_ENFORCE) {
		__u64 left_ns = rxaqm_ns_since(policy->lease_until_ns, figures->now_ns);

		if (left_ns < row->lease_ns)
			row->lease_ns = left_ns;
	}
}

static struct rxaqm_metrics_row *new_row(struct rxaqm_metrics_rows *rows, const char *interface)
{
	struct rxaqm_metrics_row *row = &rows->row[rows->nr++];

	memset(row, 0, sizeof(*row));
	row->interface = interface;
	row->lease_ns = row->wait_ns = row->limit_pps = RXAQM_METRICS_UNKNOWN;
	return row;
}

static void take_queues(struct rxaqm_metrics_view *view, unsigned int slot, bool by_queue)
{
	const struct rxaqm_iface *iface = &view->state->iface[slot];
	const char *interface = view->iface[slot].label;
	struct rxaqm_metrics_row *row = NULL;
	struct rxaqm_figures figures;
	unsigned int i;

	if (!by_queue) {
		row = new_row(&view->queues, interface);
		strcpy(row->queue, "all");
	}
	for (i = 0; i < iface->nr_queues; i++) {
		if (by_queue && !rxaqm_queue_shows(iface, rxaqm_state_queue(view->state, iface, i)))
			continue;
		if (by_queue) {
			row = new_row(&view->queues, interface);
			snprintf(row->queue, sizeof(row->queue), "%u", i);
		}
		rxaqm_figures_take(view->state, iface, i, view->now_ns, &figures);
		add_queue(row, &figures);
		if (iface->config_digest)
			row->overridden += rxaqm_settings_by_operator(&figures.policy);
		add_socket(row, iface, &figures, rxaqm_state_wait(view->state, iface, i));
	}
}

/* The newest mapping by @published, and whether it is valid. */
static struct rxaqm_clock newest(const struct rxaqm_clock clock[2], __u32 published, __u64 now_ns,
				 bool *ret_valid)
{
	const struct rxaqm_clock found = clock[published & 1];

	*ret_valid = published && !rxaqm_ns_reached(now_ns, found.expires_ns);
	return found;
}

static void take_clocks(struct rxaqm_metrics_row *row, const struct rxaqm_clock_entry *entry,
			const struct rxaqm_clock_phc *phc, enum rxaqm_stamp stamp, __u64 now_ns)
{
	const __u64 unknown = RXAQM_METRICS_UNKNOWN;
	bool known = entry->published, valid, read;
	const struct rxaqm_clock clock = newest(entry->clock, entry->published, now_ns, &valid);
	const struct rxaqm_clock by_phc = newest(phc->clock, phc->published, now_ns, &read);
	__u64 excess_ns;

	row->clock_valid = stamp != RXAQM_STAMP_NONE ? valid : unknown;
	row->clock_offset_ns = known ? clock.host_ref_ns - clock.hw_ref_ns : unknown;
	row->clock_err_ns = known ? rxaqm_clock_err(&clock, now_ns) : unknown;
	row->clock_age_ns = known ? rxaqm_ns_since(now_ns, clock.host_ref_ns) : unknown;
	row->clock_rate_q32 = known ? (__u64)clock.rate_q32 : unknown;
	row->clock_drift_err_q32 = known ? (__u64)clock.drift_err_q32 : unknown;
	row->phc_valid = stamp == RXAQM_STAMP_HWTSTAMP ? read : unknown;
	row->phc_steps = stamp == RXAQM_STAMP_HWTSTAMP ? phc->resets : unknown;
	row->phc_err_ns = read ? rxaqm_clock_err(&by_phc, now_ns) : unknown;
	row->phc_rate_q32 = read ? (__u64)by_phc.rate_q32 : unknown;
	row->phc_differ_ns = read && valid ? (__u64)rxaqm_clock_differ(&by_phc, &clock, now_ns,
								       &excess_ns) :
					     unknown;
}

static void take_iface(struct rxaqm_metrics_view *view, unsigned int slot)
{
	const struct rxaqm_iface *iface = &view->state->iface[slot];
	struct rxaqm_metrics_row *row = new_row(&view->ifaces, view->iface[slot].label);

	row->iface = iface;
	row->state[view->iface[slot].state] = 1;
	row->nr_queues = iface->nr_queues;
	row->ring_entries = iface->ring_entries;
	row->overflow = view->iface[slot].overflow;
	row->attached_ns = rxaqm_ns_since(view->now_ns, iface->attached_ns);
	take_clocks(row, &view->state->clock[slot], &view->state->clock_phc[slot], iface->stamp,
		    view->now_ns);
}

void rxaqm_metrics_rows_take(struct rxaqm_metrics_view *view)
{
	unsigned int slot, shown = 0;

	view->ifaces.nr = view->queues.nr = 0;
	for (slot = 0; rxaqm_metrics_any(view) && slot < RXAQM_MAX_IFACES; slot++) {
		const struct rxaqm_iface *iface = &view->state->iface[slot];
		bool by_queue;

		if (iface->state == RXAQM_IFACE_FREE || !rxaqm_iface_valid(iface))
			continue;
		take_iface(view, slot);
		/* Whether queues are in use does not count: series must not change their form. */
		by_queue = !view->by_interface &&
			   shown + iface->nr_queues <= RXAQM_METRICS_QUEUES_MAX;
		shown += by_queue ? iface->nr_queues : 0;
		take_queues(view, slot, by_queue);
	}
}
