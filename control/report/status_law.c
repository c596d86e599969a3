/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/status_law.h"

#include <stdio.h>
#include <string.h>

#include "report/law_figures.h"

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
