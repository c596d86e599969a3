/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/looks.h"

#include "base/now.h"

void rxaqm_look_keep(struct rxaqm_look *look, __u64 attached_ns,
		     const struct rxaqm_figures *figures)
{
	look->now_ns = figures->now_ns;
	look->attached_ns = attached_ns;
	look->queue = figures->queue;
}

double rxaqm_look_rate(const struct rxaqm_look *look, const struct rxaqm_figures *now,
		       enum rxaqm_stat stat)
{
	__u64 ns = rxaqm_ns_since(now->now_ns, look->now_ns);

	return ns ? (double)(now->queue.stat[stat] - look->queue.stat[stat]) * 1e9 / (double)ns : 0;
}

void rxaqm_looks_take(struct rxaqm_looks *looks, const struct rxaqm_state *state,
		      const struct rxaqm_iface *iface)
{
	struct rxaqm_figures figures;
	char name[RXAQM_IFNAMSIZ];
	unsigned int i;
	bool here;

	rxaqm_iface_name(iface, name, &here);
	rxaqm_arrivals_take(state, iface, here ? name : NULL, &looks->iface[iface - state->iface]);
	for (i = 0; i < iface->nr_queues; i++) {
		if (!rxaqm_queue_shows(iface, rxaqm_state_queue(state, iface, i)))
			continue;
		rxaqm_figures_take(state, iface, i, rxaqm_now_ns(), &figures);
		rxaqm_look_keep(&looks->queue[iface->queue_base + i], iface->attached_ns, &figures);
	}
}
