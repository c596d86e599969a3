/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/status.h"

#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "attach/hooks.h"
#include "attach/plan.h"
#include "attach/sockets.h"
#include "base/now.h"
#include "policy/settings.h"
#include "nic/nic.h"
#include "report/flows.h"
#include "report/status_notes.h"

#define STAT_NAME(constant, name, meaning) name,
static const char *const stat_names[] = { RXAQM_STATS(STAT_NAME) };
_Static_assert(sizeof(stat_names) / sizeof(stat_names[0]) == RXAQM_NR_STATS, "a name a counter");

static void add_stats(struct rxaqm_out *out, const struct rxaqm_queue *q)
{
	int i;

	rxaqm_out_object(out, "stats");
	for (i = 0; i < RXAQM_NR_STATS; i++)
		rxaqm_out_u64(out, stat_names[i], NULL, q->stat[i]);
	rxaqm_out_end(out);
}

static void add_quantiles(struct rxaqm_out *out, const __u64 *hist, const __u64 *since)
{
	if (!rxaqm_hist_packets(hist, since))
		return;
	rxaqm_out_u64(out, "sojourn_p50_ns", NULL, rxaqm_hist_quantile_ns(hist, since, 500));
	rxaqm_out_u64(out, "sojourn_p99_ns", NULL, rxaqm_hist_quantile_ns(hist, since, 990));
}

/* What happened since @look. */
static void add_window(struct rxaqm_out *out, const struct rxaqm_look *look,
		       const struct rxaqm_figures *now)
{
	int i;

	rxaqm_out_object(out, "window");
	rxaqm_out_u64(out, "window_ns", NULL, rxaqm_ns_since(now->now_ns, look->now_ns));
	add_quantiles(out, now->queue.hist, look->queue.hist);
	rxaqm_out_object(out, "rates");
	for (i = 0; i < RXAQM_NR_STATS; i++)
		rxaqm_out_double(out, stat_names[i], NULL, rxaqm_look_rate(look, now, i));
	rxaqm_out_end(out);
	rxaqm_out_end(out);
}

static void add_sojourn(struct rxaqm_out *out, const struct rxaqm_figures *figures)
{
	const struct rxaqm_queue *q = &figures->queue;

	rxaqm_out_str(out, "signal", NULL, rxaqm_signal_now_names[figures->signal]);
	if (figures->distrust)
		rxaqm_out_str(out, "distrust", NULL, figures->distrust);
	rxaqm_out_bool(out, "standing", NULL, NULL, figures->standing);
	if (figures->standing)
		rxaqm_out_u64(out, "stood_ns", NULL, figures->stood_ns);
	rxaqm_out_u64(out, "sojourn_ns", NULL, figures->sojourn_ns);
	add_quantiles(out, q->hist, NULL);
	if (!figures->sampled)
		return;
	rxaqm_out_u64(out, "sample_sojourn_ns", NULL, q->sample_sojourn_ns);
	rxaqm_out_u64(out, "sample_err_ns", NULL, q->sample_err_ns);
	rxaqm_out_u64(out, "sample_age_ns", NULL, rxaqm_ns_since(figures->now_ns, q->sample_ns));
}

/* What a flow may send, and how many flows send more. */
static void add_auto(struct rxaqm_out *out, const struct rxaqm_figures *figures)
{
	const struct rxaqm_law_figures *law = &figures->law;
	unsigned int i;
	char key[32];

	rxaqm_out_object(out, "law");
	if (law->holds)
		rxaqm_out_u64(out, "limit_pps", NULL, law->limit_pps);
	else
		rxaqm_out_null(out, "limit_pps", NULL);
	rxaqm_out_u64(out, "capacity_pps", NULL, law->capacity_pps);
	for (i = 0; i < RXAQM_NR_FLOW_KINDS; i++) {
		snprintf(key, sizeof(key), "flows_%s", rxaqm_flow_kind_names[i]);
		rxaqm_out_u64(out, key, NULL, law->flows[i]);
		snprintf(key, sizeof(key), "over_%s", rxaqm_flow_kind_names[i]);
		rxaqm_out_u64(out, key, NULL, law->over[i]);
	}
	rxaqm_out_u64(out, "thin_ack_permille", NULL, rxaqm_law_parts(law->thin, 1000));
	rxaqm_out_u64(out, "goal_ns", NULL, law->goal_ns);
	rxaqm_out_u64(out, "packet_ns", NULL, figures->queue.packet_ns);
	rxaqm_out_u64(out, "long_packet_ns", NULL, figures->queue.long_packet_ns);
	rxaqm_out_end(out);
}

/* Names as in "tc -s qdisc show". */
static void add_codel(struct rxaqm_out *out, const struct rxaqm_figures *figures)
{
	const struct rxaqm_codel_vars *codel = &figures->queue.codel;

	rxaqm_out_object(out, "codel");
	rxaqm_out_u64(out, "count", NULL, codel->count);
	rxaqm_out_u64(out, "lastcount", NULL, codel->lastcount);
	rxaqm_out_u64(out, "ldelay_ns", NULL, codel->ldelay_ns);
	rxaqm_out_bool(out, "dropping", NULL, NULL, codel->dropping);
	if (codel->dropping)
		rxaqm_out_s64(out, "drop_next_ns", NULL,
			      (__s64)(codel->drop_next_ns - figures->now_ns));
	rxaqm_out_end(out);
}

void rxaqm_status_law_add(struct rxaqm_out *out, const struct rxaqm_figures *figures)
{
	if (figures->queue.policy.law == RXAQM_LAW_CODEL)
		add_codel(out, figures);
	else
		add_auto(out, figures);
}

/* An interface while it is printed. */
struct view {
	const struct rxaqm_state *state;
	const struct rxaqm_iface *iface;
	const struct rxaqm_looks *before; /* NULL: no earlier look */
	unsigned int ifindex; /* 0: it is not in this namespace */
	const char *name;
	unsigned int nr_queues; /* that the interface has; there may be room for more */
	bool asked; /* sockets were read, which happens once one is needed */
	struct rxaqm_sockets sockets;
};

/* Print the AF_XDP socket of the queue, if there is one. */
static void add_socket(struct rxaqm_out *out, struct view *view,
		       const struct rxaqm_figures *figures)
{
	const struct rxaqm_wait *wait = rxaqm_state_wait(view->state, view->iface, figures->number);
	const struct rxaqm_socket_diag *diag;
	struct rxaqm_socket socket;
	__u32 pid = RXAQM_READ_ONCE(wait->pid);

	if (!rxaqm_socket_serves(&figures->queue))
		return;
	if (view->ifindex && !view->asked)
		rxaqm_sockets_read(&view->sockets);
	view->asked = true;
	diag = rxaqm_sockets_find(&view->sockets, view->ifindex, figures->number);
	rxaqm_socket_look(view->iface, &figures->queue, wait, diag, figures->now_ns, &socket);
	rxaqm_out_object(out, "socket");
	/* False: the socket was closed, and no packet has come since. */
	if (view->sockets.known)
		rxaqm_out_bool(out, "bound", NULL, NULL, diag);
	if (diag)
		rxaqm_out_u64(out, "uid", NULL, diag->uid);
	if (pid)
		rxaqm_out_u64(out, "pid", NULL, pid);
	if (socket.ring_entries)
		rxaqm_out_u64(out, "ring_entries", NULL, socket.ring_entries);
	rxaqm_out_str(out, "wait_state", NULL, rxaqm_wait_state_names[socket.wait_state]);
	if (socket.wait_state == RXAQM_WAIT_VALID)
		rxaqm_out_u64(out, "wait_ns", NULL, socket.wait_ns);
	if (socket.wait_state == RXAQM_WAIT_VALID || socket.wait_state == RXAQM_WAIT_STALE)
		rxaqm_out_u64(out, "wait_age_ns", NULL, socket.wait_age_ns);
	rxaqm_out_u64(out, "nic_sojourn_ns", NULL, socket.nic_ns);
	rxaqm_out_u64(out, "ring_full", NULL, socket.ring_full);
	if (diag)
		rxaqm_out_u64(out, "no_frame", NULL, diag->no_frame);
	rxaqm_out_end(out);
}

/* Print floor, ceiling, the target derived, and why; nothing if no round was measured. */
static void add_target(struct rxaqm_out *out, const struct rxaqm_figures *figures)
{
	const struct rxaqm_target *derived = &figures->derived;

	if (!derived->floor_ns)
		return;
	rxaqm_out_u64(out, "round_ns", NULL, figures->queue.round_ns);
	rxaqm_out_u64(out, "floor_ns", NULL, derived->floor_ns);
	if (derived->ceiling_ns)
		rxaqm_out_u64(out, "ceiling_ns", NULL, derived->ceiling_ns);
	else
		rxaqm_out_null(out, "ceiling_ns", NULL);
	rxaqm_out_u64(out, "derived_target_ns", NULL, derived->target_ns);
	rxaqm_out_str(out, "derived_why", NULL, derived->text);
}

static void add_queue(struct rxaqm_out *out, struct view *view, unsigned int number)
{
	const struct rxaqm_look *look =
		view->before ? &view->before->queue[view->iface->queue_base + number] : NULL;
	struct rxaqm_figures figures;

	rxaqm_figures_take(view->state, view->iface, number, rxaqm_now_ns(), &figures);
	rxaqm_out_object(out, NULL);
	rxaqm_figures_name_out(out, &figures);
	if (figures.polled)
		rxaqm_out_u64(out, "idle_ns", NULL,
			      rxaqm_ns_since(figures.now_ns, figures.queue.poll_end_ns));
	rxaqm_out_str(out, "mode", NULL, rxaqm_mode_now_names[figures.mode]);
	rxaqm_out_u64(out, "target_ns", NULL, figures.target_ns);
	rxaqm_out_bool(out, "target_auto", NULL, NULL, figures.policy.target_auto);
	rxaqm_out_u64(out, "interval_ns", NULL, figures.interval_ns);
	add_sojourn(out, &figures);
	if (look && look->attached_ns == view->iface->attached_ns)
		add_window(out, look, &figures);
	rxaqm_settings_sources_out(out, &figures.policy, figures.now_ns);
	add_socket(out, view, &figures);
	add_target(out, &figures);
	rxaqm_status_law_add(out, &figures);
	rxaqm_flows_out(out, view->state, view->iface->queue_base + number, &figures.queue);
	add_stats(out, &figures.queue);
	rxaqm_out_end(out);
}

/* Print the queues, and before them what could be done about their length, by the first one
 * measured.
 */
static void add_queues(struct rxaqm_out *out, struct view *view)
{
	const struct rxaqm_iface *iface = view->iface;
	struct rxaqm_figures first;
	unsigned int i;

	rxaqm_figures_take(view->state, iface, 0, rxaqm_now_ns(), &first);
	/* About the ring at attach; a note says that it has changed. */
	if (first.derived.advice[0] && !(view->ifindex && rxaqm_entry_outgrown(iface, view->name)))
		rxaqm_out_str(out, "ring_advice", NULL, first.derived.advice);
	rxaqm_out_array(out, "queues");
	for (i = 0; i < iface->nr_queues; i++) {
		const struct rxaqm_queue *q = rxaqm_state_queue(view->state, iface, i);

		if (i < view->nr_queues ? rxaqm_queue_shows(iface, q) :
					  q->flags & RXAQM_QUEUE_POLLED)
			add_queue(out, view, i);
	}
	rxaqm_out_end(out);
}

/* Print how many queues the interface has now: the daemon attaches with room for later ones. */
static void add_room(struct rxaqm_out *out, struct view *view)
{
	struct rxaqm_nic nic;

	if (view->iface->flags & RXAQM_IFACE_BY_CPU || rxaqm_nic_read(view->name, &nic, NULL))
		return;
	rxaqm_out_u64(out, "nr_queues_now", NULL, nic.nr_rx_queues);
	view->nr_queues = nic.nr_rx_queues;
}

/* Packets that the driver has received and the program has lost since the look before. */
static __u64 unseen(const struct view *view, const char *here)
{
	struct rxaqm_arrivals now;

	if (!view->before)
		return 0;
	rxaqm_arrivals_take(view->state, view->iface, here, &now);
	return rxaqm_arrivals_unseen(&view->before->iface[view->iface - view->state->iface], &now);
}

void rxaqm_status_add(struct rxaqm_out *out, const struct rxaqm_state *state,
		      const struct rxaqm_iface *iface, const struct rxaqm_looks *before)
{
	struct view view = {
		.state = state, .iface = iface, .before = before, .nr_queues = iface->nr_queues
	};
	char name[RXAQM_IFNAMSIZ];
	const char *trouble;
	bool here;

	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "interface", NULL, rxaqm_iface_name(iface, name, &here));
	view.name = name;
	view.ifindex = here ? if_nametoindex(name) : 0;
	trouble = rxaqm_status_trouble(iface, here);
	if (trouble)
		rxaqm_out_str(out, "trouble", NULL, trouble);
	rxaqm_out_bool(out, "guarded", NULL, NULL, !rxaqm_status_unguarded(iface, here));
	rxaqm_out_str(out, "xdp_mode", NULL,
		      iface->flags & RXAQM_IFACE_GENERIC ? "generic" : "native");
	rxaqm_out_bool(out, "dispatcher", NULL, NULL, iface->flags & RXAQM_IFACE_DISPATCHER);
	rxaqm_out_str(out, "profile", NULL, iface->profile);
	rxaqm_out_str(out, "hook", NULL, rxaqm_hook_in_use(state->meta));
	rxaqm_out_str(out, "stamp", NULL, rxaqm_iface_stamps(iface));
	rxaqm_out_str(out, "key", NULL, rxaqm_iface_key(iface));
	rxaqm_out_u64(out, "nr_queues", NULL, iface->nr_queues);
	if (here)
		add_room(out, &view);
	if (iface->ring_entries)
		rxaqm_out_u64(out, "ring_entries", NULL, iface->ring_entries);
	rxaqm_out_u64(out, "attached_for_ns", NULL,
		      rxaqm_ns_since(rxaqm_now_ns(), iface->attached_ns));
	rxaqm_notes_out(out, state, iface, name, here, unseen(&view, here ? name : NULL));
	add_queues(out, &view);
	rxaqm_out_end(out);
}
