/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/status.h"
#include "report/flows.h"

#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "attach/hooks.h"
#include "state/locate.h"
#include "attach/plan.h"
#include "attach/sockets.h"
#include "base/now.h"
#include "policy/settings.h"
#include "nic/nic.h"
#include "figures/figures.h"
#include "report/status_notes.h"
#include "target.h"

#define STAT_NAME(constant, name, meaning) name,
static const char *const stat_names[] = { RXAQM_STATS(STAT_NAME) };
_Static_assert(sizeof(stat_names) / sizeof(stat_names[0]) == RXAQM_NR_STATS, "a name a counter");

static void print_stats(struct rxaqm_out *out, const struct rxaqm_queue *q)
{
	bool any = false;
	int i;

	rxaqm_out_object(out, "stats");
	for (i = 0; i < RXAQM_NR_STATS; i++) {
		if (q->stat[i]) {
			rxaqm_out_text(out, "%s%s", any ? " " : "    ", stat_names[i]);
			any = true;
		}
		rxaqm_out_u64(out, stat_names[i], q->stat[i] ? " %llu" : NULL, q->stat[i]);
	}
	rxaqm_out_end(out);
	if (any)
		rxaqm_out_text(out, "\n");
}

static void print_sojourn(struct rxaqm_out *out, const struct rxaqm_figures *figures)
{
	const struct rxaqm_queue *q = &figures->queue;

	rxaqm_out_str(out, "signal", ", signal %s", rxaqm_signal_now_names[figures->signal]);
	if (figures->distrust)
		rxaqm_out_str(out, "distrust", " (stamps not believed: %s)", figures->distrust);
	rxaqm_out_bool(out, "standing", ", standing", NULL, figures->standing);
	rxaqm_out_text(out, "\n");
	if (!rxaqm_hist_packets(q->hist, NULL))
		return;
	rxaqm_out_ns(out, "sojourn_p50_ns", "    sojourn p50 %s",
		     rxaqm_hist_quantile_ns(q->hist, NULL, 500));
	rxaqm_out_ns(out, "sojourn_p99_ns", " p99 %s", rxaqm_hist_quantile_ns(q->hist, NULL, 990));
	if (figures->sampled) {
		rxaqm_out_ns(out, "sample_sojourn_ns", ", last %s", q->sample_sojourn_ns);
		rxaqm_out_ns(out, "sample_err_ns", " +-%s", q->sample_err_ns);
		rxaqm_out_ns(out, "sample_age_ns", " %s ago",
			     rxaqm_ns_since(figures->now_ns, q->sample_ns));
	}
	rxaqm_out_text(out, "\n");
}

/* Who may send how much, and how many flows send more. */
static void print_limit(struct rxaqm_out *out, const struct rxaqm_law_figures *law, bool in_text)
{
	__u32 thin = (__u32)rxaqm_law_parts(law->thin, 1000);
	unsigned int i;

	rxaqm_out_u64(out, "limit_pps",
		      in_text && law->holds ? "    law a flow may send %llu/s" : NULL,
		      law->limit_pps);
	if (in_text && !law->holds)
		rxaqm_out_text(out, "    law holds no flow");
	rxaqm_out_u64(out, "capacity_pps", in_text ? " of %llu/s" : NULL, law->capacity_pps);
	for (i = 0; i < RXAQM_NR_FLOW_KINDS; i++) {
		const char *kind = rxaqm_flow_kind_names[i];
		char key[32];

		snprintf(key, sizeof(key), "flows_%s", kind);
		rxaqm_out_u64(out, key, NULL, law->flows[i]);
		snprintf(key, sizeof(key), "over_%s", kind);
		rxaqm_out_u64(out, key, NULL, law->over[i]);
		if (in_text && law->flows[i])
			rxaqm_out_text(out, "; %u %s flow(s), %u over it", law->flows[i], kind,
				       law->over[i]);
	}
	rxaqm_out_u64(out, "thin_ack_ppm", NULL, rxaqm_law_parts(law->thin, 1000000));
	if (in_text && thin)
		rxaqm_out_text(out, "; of redundant ACKs %u.%u%% dropped", thin / 10, thin % 10);
}

/* What a target that is short for its flows costs: GRO merges little where a flow has few packets
 * in the queue.
 */
static void print_price(struct rxaqm_out *out, const struct rxaqm_figures *figures, bool in_text)
{
	const struct rxaqm_law_figures *law = &figures->law;
	const struct rxaqm_queue *q = &figures->queue;
	__u64 room = q->packet_ns ? law->goal_ns / q->packet_ns : 0;
	__u64 each = law->over[RXAQM_FLOWS_TCP] ? room / law->over[RXAQM_FLOWS_TCP] : 0;
	unsigned int more = 0;

	if (q->long_packet_ns && q->packet_ns > q->long_packet_ns)
		more = (unsigned int)(100ULL * (q->packet_ns - q->long_packet_ns) /
				      q->long_packet_ns);
	rxaqm_out_u64(out, "packet_ns", NULL, q->packet_ns);
	rxaqm_out_u64(out, "long_packet_ns", NULL, q->long_packet_ns);
	if (!in_text || q->policy.target_auto || !law->over[RXAQM_FLOWS_TCP] ||
	    each >= RXAQM_TARGET_FLOW_PACKETS || more < 5)
		return;
	rxaqm_out_text(out,
		       "; that is %llu packets a flow, and a packet takes %u%% more than in "
		       "a longer queue",
		       each, more);
}

static void print_auto(struct rxaqm_out *out, const struct rxaqm_figures *figures)
{
	const struct rxaqm_law_figures *law = &figures->law;
	bool in_text = law->holds || law->bad;
	bool short_ring = law->goal_ns < figures->queue.target_ns;

	rxaqm_out_object(out, "law");
	print_limit(out, law, in_text);
	rxaqm_out_bool(out, "bad", in_text ? "; bad" : NULL, NULL, law->bad);
	rxaqm_out_ns(out, "smooth_ns", NULL, law->smooth_ns);
	rxaqm_out_ns(out, "goal_ns", in_text && short_ring ? "; goal %s" : NULL, law->goal_ns);
	if (in_text && short_ring)
		rxaqm_out_text(out, ", since the ring has no room for the target");
	print_price(out, figures, in_text);
	rxaqm_out_end(out);
	if (in_text)
		rxaqm_out_text(out, "\n");
}

/* By the names that "tc -s qdisc show" has. */
static void print_codel(struct rxaqm_out *out, const struct rxaqm_figures *figures)
{
	const struct rxaqm_codel_vars *codel = &figures->queue.codel;

	rxaqm_out_object(out, "codel");
	rxaqm_out_u64(out, "count", codel->count ? "    count %llu" : NULL, codel->count);
	rxaqm_out_u64(out, "lastcount", codel->count ? " lastcount %llu" : NULL, codel->lastcount);
	rxaqm_out_ns(out, "ldelay_ns", codel->count ? " ldelay %s" : NULL, codel->ldelay_ns);
	rxaqm_out_bool(out, "dropping", codel->count ? " dropping" : NULL, NULL, codel->dropping);
	if (codel->dropping)
		rxaqm_out_s64(out, "drop_next_ns", NULL,
			      (__s64)(codel->drop_next_ns - figures->now_ns));
	rxaqm_out_end(out);
	if (codel->count)
		rxaqm_out_text(out, "\n");
}

void rxaqm_status_law_out(struct rxaqm_out *out, const struct rxaqm_figures *figures)
{
	if (figures->queue.policy.law == RXAQM_LAW_CODEL)
		print_codel(out, figures);
	else
		print_auto(out, figures);
}

static void print_wait(struct rxaqm_out *out, const struct rxaqm_socket *socket)
{
	rxaqm_out_str(out, "wait_state", NULL, rxaqm_wait_state_names[socket->wait_state]);
	switch (socket->wait_state) {
	case RXAQM_WAIT_NONE:
		rxaqm_out_text(out, ", which says nothing of its wait");
		return;
	case RXAQM_WAIT_BAD:
		rxaqm_out_text(out, ", whose wait is not believed");
		return;
	case RXAQM_WAIT_STALE:
		rxaqm_out_ns(out, "wait_age_ns", ", which has said nothing of its wait for %s",
			     socket->wait_age_ns);
		return;
	case RXAQM_WAIT_VALID:
		rxaqm_out_ns(out, "wait_ns", ", waits %s", socket->wait_ns);
		rxaqm_out_ns(out, "wait_age_ns", " (%s ago)", socket->wait_age_ns);
		return;
	}
}

/* An interface as it is printed. */
struct view {
	const struct rxaqm_state *state;
	const struct rxaqm_iface *iface;
	unsigned int ifindex; /* 0: it is not in this namespace */
	const char *name;
	bool asked; /* for sockets: once one is needed */
	struct rxaqm_sockets sockets;
};

/* An object "socket" and a line, if the queue goes to an AF_XDP socket. */
static void print_socket(struct rxaqm_out *out, struct view *view,
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
	rxaqm_out_text(out, "    goes to a socket");
	/* Nothing has come since, or it would be known without. */
	if (view->sockets.known)
		rxaqm_out_bool(out, "bound", NULL, " that has left", diag);
	if (diag)
		rxaqm_out_u64(out, "uid", " of uid %llu", diag->uid);
	if (pid)
		rxaqm_out_u64(out, "pid", ", pid %llu", pid);
	if (socket.ring_entries)
		rxaqm_out_u64(out, "ring_entries", ", ring %llu", socket.ring_entries);
	print_wait(out, &socket);
	rxaqm_out_ns(out, "nic_sojourn_ns", "; %s in the NIC", socket.nic_ns);
	rxaqm_out_u64(out, "ring_full", "; %llu dropped at a full ring", socket.ring_full);
	if (diag)
		rxaqm_out_u64(out, "no_frame", diag->no_frame ? ", %llu for want of a frame" : NULL,
			      diag->no_frame);
	rxaqm_out_text(out, "\n");
	rxaqm_out_end(out);
}

/* Floor, ceiling, what is derived, and why; nothing while no round was measured. */
static void print_target(struct rxaqm_out *out, const struct rxaqm_figures *figures)
{
	const struct rxaqm_target *derived = &figures->derived;

	if (!derived->floor_ns)
		return;
	rxaqm_out_ns(out, "round_ns", "    poll round %s", figures->queue.round_ns);
	rxaqm_out_ns(out, "floor_ns", ", floor %s", derived->floor_ns);
	if (figures->target_ns < derived->floor_ns)
		rxaqm_out_text(out, " (the target is below it)");
	if (derived->ceiling_ns)
		rxaqm_out_ns(out, "ceiling_ns", ", ceiling %s", derived->ceiling_ns);
	else
		rxaqm_out_null(out, "ceiling_ns", NULL);
	rxaqm_out_ns(out, "derived_target_ns", "; derived target %s", derived->target_ns);
	rxaqm_out_str(out, "derived_why", ": %s", derived->text);
	rxaqm_out_text(out, "\n");
}

static void print_queue(struct rxaqm_out *out, struct view *view, unsigned int number)
{
	struct rxaqm_figures figures;

	rxaqm_figures_take(view->state, view->iface, number, rxaqm_now_ns(), &figures);
	rxaqm_out_object(out, NULL);
	rxaqm_figures_name_out(out, &figures);
	rxaqm_out_str(out, "mode", ": %s", rxaqm_mode_now_names[figures.mode]);
	rxaqm_out_ns(out, "target_ns", ", target %s", figures.target_ns);
	rxaqm_out_bool(out, "target_auto", " (auto)", NULL, figures.policy.target_auto);
	rxaqm_out_ns(out, "interval_ns", " interval %s", figures.interval_ns);
	print_sojourn(out, &figures);
	rxaqm_settings_sources_out(out, &figures.policy);
	print_socket(out, view, &figures);
	print_target(out, &figures);
	rxaqm_status_law_out(out, &figures);
	rxaqm_flows_out(out, view->state, view->iface->queue_base + number, &figures.queue, false);
	print_stats(out, &figures.queue);
	rxaqm_out_end(out);
}

/* The queues, and before them what could be done about their length, by what the first measured. */
static void print_queues(struct rxaqm_out *out, struct view *view)
{
	const struct rxaqm_iface *iface = view->iface;
	struct rxaqm_figures first;
	unsigned int i;

	rxaqm_figures_take(view->state, iface, 0, rxaqm_now_ns(), &first);
	/* Of what it was when attached; a note says that it has changed. */
	if (first.derived.advice[0] && !(view->ifindex && rxaqm_entry_outgrown(iface, view->name)))
		rxaqm_out_str(out, "ring_advice", "  %s\n", first.derived.advice);
	rxaqm_out_array(out, "queues");
	for (i = 0; i < iface->nr_queues; i++)
		if (rxaqm_queue_shows(iface, rxaqm_state_queue(view->state, iface, i)))
			print_queue(out, view, i);
	rxaqm_out_end(out);
}

/* The daemon attaches with room for the queues that may come. */
static void print_room(struct rxaqm_out *out, const struct rxaqm_iface *iface, const char *name)
{
	struct rxaqm_nic nic;

	if (out->json || iface->flags & RXAQM_IFACE_BY_CPU || rxaqm_nic_read(name, &nic, NULL))
		return;
	if (nic.nr_rx_queues < iface->nr_queues)
		rxaqm_out_text(out, " (the interface has %u now)", nic.nr_rx_queues);
}

void rxaqm_status_print_iface(struct rxaqm_out *out, const struct rxaqm_state *state,
			      const struct rxaqm_iface *iface)
{
	struct view view = { .state = state, .iface = iface };
	char name[RXAQM_IFNAMSIZ];
	const char *trouble;
	bool here;

	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "interface", "%s: ", rxaqm_iface_name(iface, name, &here));
	view.name = name;
	view.ifindex = here ? if_nametoindex(name) : 0;
	trouble = rxaqm_status_trouble(iface, here);
	if (trouble)
		rxaqm_out_str(out, "trouble", "%s; ", trouble);
	rxaqm_out_str(out, "mode", "%s mode",
		      iface->flags & RXAQM_IFACE_GENERIC ? "generic" : "native");
	rxaqm_out_bool(out, "dispatcher", ", by dispatcher", NULL,
		       iface->flags & RXAQM_IFACE_DISPATCHER);
	rxaqm_out_str(out, "profile", ", profile %s", iface->profile);
	rxaqm_out_str(out, "hook", ", hook %s", rxaqm_hook_in_use(state->meta));
	rxaqm_out_str(out, "stamp", ", stamps: %s", rxaqm_iface_stamps(iface));
	rxaqm_out_bool(out, "by_cpu", ", a queue is a CPU's backlog", NULL,
		       iface->flags & RXAQM_IFACE_BY_CPU);
	rxaqm_out_u64(out, "nr_queues", ", %llu queue(s)", iface->nr_queues);
	if (here)
		print_room(out, iface, name);
	if (iface->ring_entries)
		rxaqm_out_u64(out, "ring_entries", " of %llu entries", iface->ring_entries);
	rxaqm_out_ns(out, "attached_for_ns", ", attached for %s",
		     rxaqm_ns_since(rxaqm_now_ns(), iface->attached_ns));
	rxaqm_out_text(out, "\n");
	rxaqm_notes_out(out, state, iface, name, here);
	print_queues(out, &view);
	rxaqm_out_end(out);
}
