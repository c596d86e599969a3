/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/status_queue.h"

#include <net/if.h>
#include <stdio.h>

#include "base/number.h"
#include "base/parse.h"
#include "policy/settings.h"
#include "report/flows.h"
#include "target.h"

#define STAT_NAME(constant, name, meaning) name,
static const char *const stat_names[] = { RXAQM_STATS(STAT_NAME) };

static void quantiles_out(struct rxaqm_out *out, const __u64 *hist, const __u64 *since)
{
	if (!rxaqm_hist_packets(hist, since))
		return;
	rxaqm_out_ns(out, "sojourn_p50_ns", " sojourn p50 %s",
		     rxaqm_hist_quantile_ns(hist, since, 500));
	rxaqm_out_ns(out, "sojourn_p99_ns", " p99 %s;", rxaqm_hist_quantile_ns(hist, since, 990));
}

/* Print the counters since attach, or their rates since @look; text has those that are not 0. */
static void counters_out(struct rxaqm_out *out, const struct rxaqm_figures *now,
			 const struct rxaqm_look *look)
{
	char buf[RXAQM_COUNTED_LEN];
	bool any = false;
	int i;

	rxaqm_out_object(out, look ? "rates" : "stats");
	for (i = 0; i < RXAQM_NR_STATS; i++) {
		__u64 count = now->queue.stat[i];
		double value = look ? rxaqm_look_rate(look, now, i) : (double)count;

		if (look)
			rxaqm_out_double(out, stat_names[i], NULL, value);
		else
			rxaqm_out_u64(out, stat_names[i], NULL, count);
		if (value > 0)
			rxaqm_out_text(out, " %s %s%s", stat_names[i], rxaqm_counted(value, buf),
				       look ? "/s" : "");
		any |= value > 0;
	}
	rxaqm_out_text(out, "%s\n", any ? "" : " no packet");
	rxaqm_out_end(out);
}

/* Print what happened since @look. */
static void window_out(struct rxaqm_out *out, const struct rxaqm_look *look,
		       const struct rxaqm_figures *now)
{
	__u64 ns = rxaqm_ns_since(now->now_ns, look->now_ns);

	rxaqm_out_object(out, "window");
	rxaqm_out_u64(out, "window_ns", NULL, ns);
	rxaqm_out_text(out, "    last %s:",
		       rxaqm_duration(ns / RXAQM_NSEC_PER_MSEC * RXAQM_NSEC_PER_MSEC));
	quantiles_out(out, now->queue.hist, look->queue.hist);
	counters_out(out, now, look);
	rxaqm_out_end(out);
}

/* Print how it is now; text only if the sojourn is known. */
static void sojourn_out(struct rxaqm_out *out, const struct rxaqm_figures *figures)
{
	const struct rxaqm_queue *q = &figures->queue;

	if (!out->json && !rxaqm_hist_packets(q->hist, NULL))
		return;
	rxaqm_out_ns(out, "sojourn_ns", "    now: sojourn %s on average", figures->sojourn_ns);
	if (figures->sampled) {
		rxaqm_out_ns(out, "sample_sojourn_ns", ", last %s", q->sample_sojourn_ns);
		rxaqm_out_ns(out, "sample_err_ns", " +-%s", q->sample_err_ns);
		rxaqm_out_ns(out, "sample_age_ns", " %s ago",
			     rxaqm_ns_since(figures->now_ns, q->sample_ns));
	}
	rxaqm_out_text(out, "\n");
}

/* Print what a target costs that is short for its flows: GRO merges little if a flow has few
 * packets in the queue.
 */
static void price_out(struct rxaqm_out *out, const struct rxaqm_figures *figures)
{
	__u64 packet_ns = figures->queue.packet_ns, least_ns = figures->queue.long_packet_ns;
	__u64 over = figures->law.over[RXAQM_FLOWS_TCP];
	__u64 each = packet_ns && over ? figures->law.goal_ns / packet_ns / over : 0;
	__u64 more = least_ns && packet_ns > least_ns ? 100 * (packet_ns - least_ns) / least_ns : 0;

	if (figures->policy.target_auto || !over || each >= RXAQM_TARGET_FLOW_PACKETS || more < 5)
		return;
	rxaqm_out_text(out,
		       "; that is %llu packets a flow, and a packet takes %llu%% more than in a "
		       "longer queue",
		       each, more);
}

/* Print how many flows there are of a kind, and how many send more than they may. */
static void kind_out(struct rxaqm_out *out, const struct rxaqm_law_figures *law, unsigned int kind)
{
	const char *name = rxaqm_flow_kind_names[kind];
	char key[32];

	snprintf(key, sizeof(key), "flows_%s", name);
	rxaqm_out_u64(out, key, NULL, law->flows[kind]);
	snprintf(key, sizeof(key), "over_%s", name);
	rxaqm_out_u64(out, key, NULL, law->over[kind]);
	if (!law->flows[kind])
		return;
	rxaqm_out_text(out, "; %llu %s flow%s", RXAQM_COUNTED(law->flows[kind], name));
	if (law->holds)
		rxaqm_out_text(out, ", %u over it", law->over[kind]);
}

/* Print what a flow may send, and how many flows send more. */
static void auto_out(struct rxaqm_out *out, const struct rxaqm_figures *figures)
{
	const struct rxaqm_law_figures *law = &figures->law;
	unsigned int thin = (unsigned int)rxaqm_law_parts(law->thin, 1000), kind;

	if (!out->json && !law->holds && !figures->standing)
		return;
	rxaqm_out_object(out, "law");
	if (law->holds)
		rxaqm_out_u64(out, "limit_pps", "    law: a flow may send %llu/s of",
			      law->limit_pps);
	else
		rxaqm_out_null(out, "limit_pps", "    law: no flow is limited; the CPU can take");
	rxaqm_out_u64(out, "capacity_pps", " %llu/s", law->capacity_pps);
	for (kind = 0; kind < RXAQM_NR_FLOW_KINDS; kind++)
		kind_out(out, law, kind);
	rxaqm_out_u64(out, "thin_ack_permille", NULL, thin);
	if (thin && law->holds)
		rxaqm_out_text(out, "; %u.%u%% of redundant ACKs dropped", thin / 10, thin % 10);
	rxaqm_out_ns(out, "goal_ns",
		     law->goal_ns < figures->target_ns ?
			     "; goal %s, since the ring has no room for the target" :
			     NULL,
		     law->goal_ns);
	rxaqm_out_u64(out, "packet_ns", NULL, figures->queue.packet_ns);
	rxaqm_out_u64(out, "long_packet_ns", NULL, figures->queue.long_packet_ns);
	price_out(out, figures);
	rxaqm_out_text(out, "\n");
	rxaqm_out_end(out);
}

/* Names as in "tc -s qdisc show". */
static void codel_out(struct rxaqm_out *out, const struct rxaqm_figures *figures)
{
	const struct rxaqm_codel_vars *codel = &figures->queue.codel;

	if (!out->json && !codel->count)
		return;
	rxaqm_out_object(out, "codel");
	rxaqm_out_u64(out, "count", "    count %llu", codel->count);
	rxaqm_out_u64(out, "lastcount", " lastcount %llu", codel->lastcount);
	rxaqm_out_ns(out, "ldelay_ns", " ldelay %s", codel->ldelay_ns);
	rxaqm_out_bool(out, "dropping", " dropping", NULL, codel->dropping);
	if (codel->dropping)
		rxaqm_out_s64(out, "drop_next_ns", NULL,
			      (__s64)(codel->drop_next_ns - figures->now_ns));
	rxaqm_out_text(out, "\n");
	rxaqm_out_end(out);
}

void rxaqm_status_law_out(struct rxaqm_out *out, const struct rxaqm_figures *figures)
{
	if (figures->queue.policy.law == RXAQM_LAW_CODEL)
		codel_out(out, figures);
	else
		auto_out(out, figures);
}

/* Print what the consumer behind the socket says of its wait. */
static void wait_out(struct rxaqm_out *out, const struct rxaqm_socket *socket)
{
	enum rxaqm_wait_state state = socket->wait_state;

	rxaqm_out_str(out, "wait_state", NULL, rxaqm_wait_state_names[state]);
	if (state == RXAQM_WAIT_NONE)
		rxaqm_out_text(out, ", which does not report its wait");
	if (state == RXAQM_WAIT_BAD)
		rxaqm_out_text(out, ", whose wait is not believed");
	if (state == RXAQM_WAIT_VALID)
		rxaqm_out_ns(out, "wait_ns", ", waits %s", socket->wait_ns);
	if (state == RXAQM_WAIT_VALID || state == RXAQM_WAIT_STALE)
		rxaqm_out_ns(out, "wait_age_ns",
			     state == RXAQM_WAIT_STALE ?
				     ", which has not reported its wait for %s" :
				     NULL,
			     socket->wait_age_ns);
}

/* Print the AF_XDP socket of the queue, if there is one. */
static void socket_out(struct rxaqm_out *out, struct rxaqm_status_view *view,
		       const struct rxaqm_figures *figures)
{
	const struct rxaqm_wait *wait = rxaqm_state_wait(view->state, view->iface, figures->number);
	unsigned int ifindex = view->here ? if_nametoindex(view->name) : 0;
	const struct rxaqm_socket_diag *diag;
	struct rxaqm_socket socket;
	__u32 pid = RXAQM_READ_ONCE(wait->pid);

	if (!rxaqm_socket_serves(&figures->queue))
		return;
	if (ifindex && !view->asked)
		rxaqm_sockets_read(&view->sockets);
	view->asked = true;
	diag = rxaqm_sockets_find(&view->sockets, ifindex, figures->number);
	rxaqm_socket_look(view->iface, &figures->queue, wait, diag, figures->now_ns, &socket);
	rxaqm_out_object(out, "socket");
	rxaqm_out_text(out, "    goes to a socket");
	/* False: the socket was closed, and no packet has come since. */
	if (view->sockets.known)
		rxaqm_out_bool(out, "bound", NULL, " that has left", diag);
	if (diag)
		rxaqm_out_u64(out, "uid", " of uid %llu", diag->uid);
	if (pid)
		rxaqm_out_u64(out, "pid", ", pid %llu", pid);
	if (socket.ring_entries)
		rxaqm_out_u64(out, "ring_entries", ", ring %llu", socket.ring_entries);
	wait_out(out, &socket);
	rxaqm_out_ns(out, "nic_sojourn_ns", "; %s in the NIC", socket.nic_ns);
	rxaqm_out_u64(out, "ring_full", "; %llu dropped at a full ring", socket.ring_full);
	if (diag)
		rxaqm_out_u64(out, "no_frame", diag->no_frame ? "; %llu lacked a free frame" : NULL,
			      diag->no_frame);
	rxaqm_out_text(out, "\n");
	rxaqm_out_end(out);
}

/* Print floor, ceiling, the target derived, and why; nothing if no round was measured. */
static void target_out(struct rxaqm_out *out, const struct rxaqm_figures *figures)
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
	rxaqm_out_str(out, "derived_why", ": %s\n", derived->text);
}

/* Print the line of the queue. */
static void head_out(struct rxaqm_out *out, const struct rxaqm_figures *figures)
{
	rxaqm_figures_name_out(out, figures);
	if (figures->polled)
		rxaqm_out_u64(out, "idle_ns", NULL,
			      rxaqm_ns_since(figures->now_ns, figures->queue.poll_end_ns));
	rxaqm_out_text(out, ": ");
	rxaqm_out_paint(out, figures->mode == RXAQM_MODE_NOW_ENFORCE ? RXAQM_GREEN : RXAQM_PLAIN);
	rxaqm_out_str(out, "mode", "%s", rxaqm_mode_now_names[figures->mode]);
	rxaqm_out_paint(out, RXAQM_PLAIN);
	rxaqm_out_ns(out, "target_ns", ", target %s", figures->target_ns);
	rxaqm_out_bool(out, "target_auto", " (auto)", NULL, figures->policy.target_auto);
	rxaqm_out_ns(out, "interval_ns", " interval %s", figures->interval_ns);
	rxaqm_out_str(out, "signal", ", signal %s", rxaqm_signal_now_names[figures->signal]);
	if (figures->distrust)
		rxaqm_out_str(out, "distrust", " (stamps not believed: %s)", figures->distrust);
	rxaqm_out_bool(out, "standing", NULL, NULL, figures->standing);
	if (figures->standing) {
		rxaqm_out_paint(out, RXAQM_RED);
		rxaqm_out_ns(out, "stood_ns", ", standing for %s", figures->stood_ns);
		rxaqm_out_paint(out, RXAQM_PLAIN);
	}
	rxaqm_out_text(out, "\n");
}

void rxaqm_status_queue_out(struct rxaqm_out *out, struct rxaqm_status_view *view,
			    const struct rxaqm_figures *figures)
{
	const struct rxaqm_iface *iface = view->iface;
	unsigned int index = iface->queue_base + figures->number;
	const struct rxaqm_look *look = view->before ? &view->before->queue[index] : NULL;

	rxaqm_out_object(out, NULL);
	head_out(out, figures);
	if (look && look->attached_ns == iface->attached_ns)
		window_out(out, look, figures);
	sojourn_out(out, figures);
	rxaqm_settings_sources_out(out, &figures->policy, figures->now_ns);
	socket_out(out, view, figures);
	target_out(out, figures);
	rxaqm_status_law_out(out, figures);
	if (out->json)
		rxaqm_flows_out(out, view->state, index, &figures->queue);
	rxaqm_out_text(out, "    since attach, %s ago:",
		       rxaqm_duration(rxaqm_ns_since(figures->now_ns, iface->attached_ns)));
	quantiles_out(out, figures->queue.hist, NULL);
	counters_out(out, figures, NULL);
	rxaqm_out_end(out);
}
