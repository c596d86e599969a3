/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm status */
#include "cmd.h"
#include "hooks.h"
#include "view.h"
#include "xdp.h"

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

/* The CoDel state, by the names that "tc -s qdisc show" has for it. */
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

static void print_sojourn(struct rxaqm_out *out, const struct rxaqm_queue *q,
			  const struct rxaqm_policy *policy, __u64 now_ns)
{
	const char *distrust = rxaqm_queue_distrust(q, now_ns);
	__u64 floor_ns = rxaqm_queue_floor_ns(q);

	rxaqm_out_str(out, "signal", ", signal %s", rxaqm_queue_signal(q, now_ns));
	if (distrust)
		rxaqm_out_str(out, "distrust", " (stamps not believed: %s)", distrust);
	rxaqm_out_bool(out, "standing", ", standing", NULL, q->flags & RXAQM_QUEUE_STANDING);
	rxaqm_out_text(out, "\n");
	if (!rxaqm_hist_packets(q->hist, NULL))
		return;
	rxaqm_out_ns(out, "sojourn_p50_ns", "    sojourn p50 %s",
		     rxaqm_hist_quantile_ns(q->hist, NULL, 500));
	rxaqm_out_ns(out, "sojourn_p99_ns", " p99 %s", rxaqm_hist_quantile_ns(q->hist, NULL, 990));
	if (q->flags & RXAQM_QUEUE_SAMPLED) {
		rxaqm_out_ns(out, "sample_sojourn_ns", ", last %s", q->sample_sojourn_ns);
		rxaqm_out_ns(out, "sample_err_ns", " +-%s", q->sample_err_ns);
		rxaqm_out_ns(out, "sample_age_ns", " %s ago", rxaqm_ns_since(now_ns, q->sample_ns));
	}
	if (floor_ns) {
		rxaqm_out_ns(out, "round_ns", ", poll round %s", q->round_ns);
		rxaqm_out_ns(out, "floor_ns", ", floor %s", floor_ns);
		if (policy->target_ns < floor_ns)
			rxaqm_out_text(out, " (the target is below it)");
	}
	rxaqm_out_text(out, "\n");
}

static void print_queue(struct rxaqm_out *out, const struct rxaqm_state *state,
			const struct rxaqm_iface *iface, unsigned int queue)
{
	const struct rxaqm_policy *policy = rxaqm_state_policy(state, iface, queue);
	const struct rxaqm_queue q = *rxaqm_state_queue(state, iface, queue);
	__u64 now_ns = rxaqm_now_ns();

	rxaqm_out_object(out, NULL);
	rxaqm_view_queue(out, queue, &q);
	rxaqm_out_str(out, "mode", ": %s", rxaqm_mode_name(policy, now_ns));
	rxaqm_out_ns(out, "target_ns", ", target %s", policy->target_ns);
	rxaqm_out_ns(out, "interval_ns", " interval %s", policy->interval_ns);
	print_sojourn(out, &q, policy, now_ns);
	print_codel(out, &q, now_ns);
	print_stats(out, &q);
	rxaqm_out_end(out);
}

/* What is wrong with the attachment, if anything; NULL if nothing is. */
static const char *trouble(const struct rxaqm_iface *iface, bool here)
{
	if (iface->state != RXAQM_IFACE_ATTACHED)
		return "interrupted; the next attach or detach cleans up";
	if (here)
		return NULL;
	return rxaqm_xdp_exists(iface->prog_id) ?
		       "in another network namespace" :
		       "its XDP program was taken off; detach, then attach again";
}

static int print_iface(const struct rxaqm_state *state, const struct rxaqm_iface *iface, void *arg)
{
	char name[RXAQM_IFNAMSIZ];
	struct rxaqm_out *out = arg;
	unsigned int i;
	bool here;

	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "interface", "%s: ", rxaqm_iface_name(iface, name, &here));
	if (trouble(iface, here))
		rxaqm_out_str(out, "trouble", "%s; ", trouble(iface, here));
	rxaqm_out_str(out, "mode", "%s mode",
		      iface->flags & RXAQM_IFACE_GENERIC ? "generic" : "native");
	rxaqm_out_bool(out, "dispatcher", ", by dispatcher", NULL,
		       iface->flags & RXAQM_IFACE_DISPATCHER);
	rxaqm_out_str(out, "profile", ", profile %s", iface->profile);
	rxaqm_out_str(out, "hook", ", hook %s", rxaqm_hook_in_use(state->meta));
	rxaqm_out_str(out, "stamp", ", stamps: %s", rxaqm_stamp_name(iface->stamp));
	rxaqm_out_bool(out, "by_cpu", ", a queue is a CPU's backlog", NULL,
		       iface->flags & RXAQM_IFACE_BY_CPU);
	rxaqm_out_u64(out, "nr_queues", ", %llu queue(s)", iface->nr_queues);
	if (iface->ring_entries)
		rxaqm_out_u64(out, "ring_entries", " of %llu entries", iface->ring_entries);
	rxaqm_out_ns(out, "attached_for_ns", ", attached for %s",
		     rxaqm_ns_since(rxaqm_now_ns(), iface->attached_ns));
	rxaqm_out_text(out, "\n");
	rxaqm_out_array(out, "queues");
	for (i = 0; i < iface->nr_queues; i++)
		if (rxaqm_view_shows(iface, rxaqm_state_queue(state, iface, i)))
			print_queue(out, state, iface, i);
	rxaqm_out_end(out);
	rxaqm_out_end(out);
	return 0;
}

int rxaqm_cmd_status(int argc, char **argv)
{
	return rxaqm_view_command("status", "Show state, signal and counters of each queue.", argc,
				  argv, print_iface);
}
