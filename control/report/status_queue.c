/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/status_queue.h"

#include <stdio.h>
#include <string.h>

#include "report/figures.h"

/* In JSON all of them; in text those that are more than nothing, each action once. */
static void print_shares(struct rxaqm_out *out, const struct rxaqm_law_figures *figures,
			 bool in_text)
{
	const char *action = "";
	int i;

	for (i = 0; i < RXAQM_NR_SHARES; i++) {
		const struct rxaqm_law_share_name *name = &rxaqm_law_share_names[i];
		__u64 permille = rxaqm_law_parts(figures->share[i], 1000);
		char key[32];

		snprintf(key, sizeof(key), "%s_%s_ppm", name->action, name->packets);
		rxaqm_out_u64(out, key, NULL, rxaqm_law_parts(figures->share[i], 1000000));
		if (!permille || !in_text)
			continue;
		if (strcmp(action, name->action))
			rxaqm_out_text(out, "; %s", name->action);
		action = name->action;
		rxaqm_out_text(out, " %s %llu.%llu%%", name->packets, permille / 10, permille % 10);
	}
}

static void print_auto(struct rxaqm_out *out, const struct rxaqm_iface *iface,
		       const struct rxaqm_queue *q, __u64 now_ns)
{
	struct rxaqm_law_figures figures;
	__u64 permille;
	bool in_text, short_ring;

	rxaqm_law_figures(q, iface->ring_entries, now_ns, &figures);
	permille = rxaqm_law_parts(figures.p, 1000);
	in_text = permille || figures.bad;
	short_ring = figures.goal_ns < q->target_ns;
	rxaqm_out_object(out, "law");
	rxaqm_out_u64(out, "p_ppm", NULL, rxaqm_law_parts(figures.p, 1000000));
	if (in_text)
		rxaqm_out_text(out, "    law p %llu.%llu%%", permille / 10, permille % 10);
	rxaqm_out_bool(out, "bad", in_text ? ", bad" : NULL, NULL, figures.bad);
	rxaqm_out_ns(out, "smooth_ns", NULL, figures.smooth_ns);
	rxaqm_out_ns(out, "goal_ns", in_text && short_ring ? ", goal %s" : NULL, figures.goal_ns);
	if (in_text && short_ring)
		rxaqm_out_text(out, ", since the ring has no room for the target");
	print_shares(out, &figures, in_text);
	rxaqm_out_end(out);
	if (in_text)
		rxaqm_out_text(out, "\n");
}

/* By the names that "tc -s qdisc show" has. */
static void print_codel(struct rxaqm_out *out, const struct rxaqm_queue *q, __u64 now_ns)
{
	const struct rxaqm_codel_vars *codel = &q->codel;

	rxaqm_out_object(out, "codel");
	rxaqm_out_u64(out, "count", codel->count ? "    count %llu" : NULL, codel->count);
	rxaqm_out_u64(out, "lastcount", codel->count ? " lastcount %llu" : NULL, codel->lastcount);
	rxaqm_out_ns(out, "ldelay_ns", codel->count ? " ldelay %s" : NULL, codel->ldelay_ns);
	rxaqm_out_bool(out, "dropping", codel->count ? " dropping" : NULL, NULL, codel->dropping);
	if (codel->dropping)
		rxaqm_out_s64(out, "drop_next_ns", NULL, (__s64)(codel->drop_next_ns - now_ns));
	rxaqm_out_end(out);
	if (codel->count)
		rxaqm_out_text(out, "\n");
}

void rxaqm_status_law_out(struct rxaqm_out *out, const struct rxaqm_iface *iface,
			  const struct rxaqm_queue *q, __u64 now_ns)
{
	if (q->policy.law == RXAQM_LAW_CODEL)
		print_codel(out, q, now_ns);
	else
		print_auto(out, iface, q, now_ns);
}

/* The newest of the sockets, asked for once a second at most: status may show thousands of queues.
 */
static const struct rxaqm_sockets *all_sockets(unsigned int ifindex, __u64 now_ns)
{
	static unsigned int asked_ifindex;
	static struct rxaqm_sockets all;
	static __u64 asked_ns;

	if (!asked_ns || asked_ifindex != ifindex ||
	    rxaqm_ns_since(now_ns, asked_ns) > RXAQM_NSEC_PER_SEC) {
		rxaqm_sockets_read(&all);
		asked_ifindex = ifindex;
		asked_ns = now_ns;
	}
	return &all;
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

void rxaqm_status_socket_out(struct rxaqm_out *out, const struct rxaqm_state *state,
			     const struct rxaqm_iface *iface, unsigned int number,
			     const struct rxaqm_queue *q, unsigned int ifindex, __u64 now_ns)
{
	const struct rxaqm_wait *wait = rxaqm_state_wait(state, iface, number);
	const struct rxaqm_socket_diag *diag = NULL;
	const struct rxaqm_sockets *all;
	struct rxaqm_socket socket;
	__u32 pid = RXAQM_READ_ONCE(wait->pid);

	if (!rxaqm_socket_serves(q))
		return;
	all = ifindex ? all_sockets(ifindex, now_ns) : NULL;
	if (all)
		diag = rxaqm_sockets_find(all, ifindex, number);
	rxaqm_socket_look(iface, q, wait, diag, now_ns, &socket);
	rxaqm_out_object(out, "socket");
	rxaqm_out_text(out, "    goes to a socket");
	/* Nothing has come since, or it would be known without. */
	if (all && all->known)
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

void rxaqm_status_target_out(struct rxaqm_out *out, const struct rxaqm_target_facts *facts,
			     const struct rxaqm_queue *q, const struct rxaqm_policy *policy)
{
	struct rxaqm_target target;

	rxaqm_status_target_derive(facts, q, &target);
	if (!target.floor_ns)
		return;
	rxaqm_out_ns(out, "round_ns", "    poll round %s", q->round_ns);
	rxaqm_out_ns(out, "floor_ns", ", floor %s", target.floor_ns);
	if (rxaqm_status_target_ns(q, policy) < target.floor_ns)
		rxaqm_out_text(out, " (the target is below it)");
	if (target.ceiling_ns)
		rxaqm_out_ns(out, "ceiling_ns", ", ceiling %s", target.ceiling_ns);
	else
		rxaqm_out_null(out, "ceiling_ns", NULL);
	rxaqm_out_ns(out, "derived_target_ns", "; derived target %s", target.target_ns);
	rxaqm_out_str(out, "derived_why", ": %s", target.text);
	rxaqm_out_text(out, "\n");
}

void rxaqm_status_advice_out(struct rxaqm_out *out, const struct rxaqm_target_facts *facts,
			     const struct rxaqm_queue *q)
{
	struct rxaqm_target target;

	rxaqm_status_target_derive(facts, q, &target);
	if (target.advice[0])
		rxaqm_out_str(out, "ring_advice", "  %s\n", target.advice);
}
