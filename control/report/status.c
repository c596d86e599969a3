/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/status.h"

#include <net/if.h>

#include "attach/ect0.h"
#include "attach/hooks.h"
#include "attach/locate.h"
#include "base/now.h"
#include "report/figures.h"
#include "report/notes.h"
#include "report/status_queue.h"

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

static void print_sojourn(struct rxaqm_out *out, const struct rxaqm_queue *q, __u64 now_ns)
{
	const char *distrust = rxaqm_queue_distrust(q, now_ns);

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
	rxaqm_out_text(out, "\n");
}

static void print_queue(struct rxaqm_out *out, const struct rxaqm_state *state,
			const struct rxaqm_iface *iface, const struct rxaqm_target_facts *facts,
			unsigned int queue, unsigned int ifindex)
{
	const struct rxaqm_policy *policy = rxaqm_state_policy(state, iface, queue);
	const struct rxaqm_queue q = *rxaqm_state_queue(state, iface, queue);
	__u64 now_ns = rxaqm_now_ns();

	rxaqm_out_object(out, NULL);
	rxaqm_queue_out(out, queue, &q);
	rxaqm_out_str(out, "mode", ": %s", rxaqm_mode_name(policy, now_ns));
	rxaqm_out_ns(out, "target_ns", ", target %s", rxaqm_status_target_ns(&q, policy));
	rxaqm_out_bool(out, "target_auto", " (auto)", NULL, policy->target_auto);
	rxaqm_out_ns(out, "interval_ns", " interval %s", rxaqm_status_interval_ns(&q, policy));
	print_sojourn(out, &q, now_ns);
	rxaqm_settings_sources_out(out, policy);
	rxaqm_status_socket_out(out, state, iface, queue, &q, ifindex, now_ns);
	rxaqm_status_target_out(out, facts, &q, policy);
	rxaqm_status_law_out(out, iface, &q, now_ns);
	print_stats(out, &q);
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

const char *rxaqm_status_trouble(const struct rxaqm_iface *iface, bool here)
{
	bool at_work;
	enum rxaqm_iface_state now = rxaqm_state_of(iface, &at_work);

	if (at_work)
		return now == RXAQM_IFACE_ATTACHING ? "a command is attaching it now" :
						      "a command is detaching it now";
	if (now == RXAQM_IFACE_FREE)
		return "detached just now";
	if (now != RXAQM_IFACE_ATTACHED)
		return "interrupted; the next attach or detach cleans up";
	if (here)
		return NULL;
	if (rxaqm_iface_is_gone(iface))
		return "the interface is gone; the next attach, or detach --all, frees its place";
	return rxaqm_iface_taken_off(iface) ?
		       "its XDP program was taken off; detach, then attach again" :
		       "in another network namespace";
}

void rxaqm_status_print_iface(struct rxaqm_out *out, const struct rxaqm_state *state,
			      const struct rxaqm_iface *iface)
{
	struct rxaqm_target_facts facts;
	char name[RXAQM_IFNAMSIZ];
	unsigned int i, ifindex;
	bool here;

	rxaqm_status_target_facts(iface, &facts);
	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "interface", "%s: ", rxaqm_iface_name(iface, name, &here));
	ifindex = here ? if_nametoindex(name) : 0;
	if (rxaqm_status_trouble(iface, here))
		rxaqm_out_str(out, "trouble", "%s; ", rxaqm_status_trouble(iface, here));
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
	rxaqm_ect0_out(out, state, iface, name, here);
	rxaqm_notes_out(out, state, iface, name, here);
	rxaqm_status_advice_out(out, &facts, rxaqm_state_queue(state, iface, 0));
	rxaqm_out_array(out, "queues");
	for (i = 0; i < iface->nr_queues; i++)
		if (rxaqm_queue_shows(iface, rxaqm_state_queue(state, iface, i)))
			print_queue(out, state, iface, &facts, i, ifindex);
	rxaqm_out_end(out);
	rxaqm_out_end(out);
}
