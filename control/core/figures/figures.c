/* SPDX-License-Identifier: GPL-2.0-only */
#include "figures/figures.h"

#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#include "state/locate.h"
#include "decide.h"
#include "profile/profile.h"
#include "sample.h"

static __u64 in_bucket(const __u64 *hist, const __u64 *since, unsigned int bucket)
{
	return hist[bucket] - (since ? since[bucket] : 0);
}

__u64 rxaqm_hist_packets(const __u64 *hist, const __u64 *since)
{
	__u64 packets = 0;
	unsigned int i;

	for (i = 0; i < RXAQM_HIST_BUCKETS; i++)
		packets += in_bucket(hist, since, i);
	return packets;
}

__u64 rxaqm_hist_quantile_ns(const __u64 *hist, const __u64 *since, unsigned int permille)
{
	__u64 packets = rxaqm_hist_packets(hist, since);
	double rank = (double)packets * permille / 1000.0, below = 0;
	unsigned int i;

	for (i = 0; packets && i < RXAQM_HIST_BUCKETS; i++) {
		double n = (double)in_bucket(hist, since, i);
		__u64 low = rxaqm_hist_floor_ns(i);

		if (n > 0 && below + n >= rank)
			return !i ? 0 :
				    low + (__u64)((double)(rxaqm_hist_floor_ns(i + 1) - low) *
						  (rank - below) / n);
		below += n;
	}
	return 0;
}

const char *rxaqm_iface_stamps(const struct rxaqm_iface *iface)
{
	return iface->flags & RXAQM_IFACE_HINT ? "hint" : rxaqm_stamp_names[iface->stamp];
}

const char *rxaqm_iface_name(const struct rxaqm_iface *iface, char buf[RXAQM_IFNAMSIZ],
			     bool *ret_here)
{
	unsigned int ifindex;
	bool here = rxaqm_iface_place(iface, &ifindex) == RXAQM_PLACE_HERE &&
		    if_indextoname(ifindex, buf);

	if (!here)
		snprintf(buf, RXAQM_IFNAMSIZ, "%s", iface->name);
	if (ret_here)
		*ret_here = here;
	return buf;
}

const char *rxaqm_status_trouble(const struct rxaqm_iface *iface, bool here)
{
	static char unknown[96];
	bool at_work;
	enum rxaqm_iface_state now = rxaqm_iface_state_now(iface, &at_work);
	int place;

	if (at_work)
		return now == RXAQM_IFACE_ATTACHING ? "a command is attaching it now" :
						      "a command is detaching it now";
	if (now == RXAQM_IFACE_FREE)
		return "detached just now";
	if (now != RXAQM_IFACE_ATTACHED)
		return "interrupted; the next attach or detach cleans up";
	place = here ? RXAQM_PLACE_HERE : rxaqm_iface_place(iface, NULL);
	if (place < 0) {
		snprintf(unknown, sizeof(unknown), "the kernel cannot be asked where it is: %s",
			 strerror(-place));
		return unknown;
	}
	switch ((enum rxaqm_place)place) {
	case RXAQM_PLACE_HERE:
		return NULL;
	case RXAQM_PLACE_GONE:
		return "the interface is gone; the next attach, or detach --all, frees its place";
	case RXAQM_PLACE_BARE:
	case RXAQM_PLACE_LOST:
		return "its XDP program was taken off; detach, then attach again";
	case RXAQM_PLACE_ELSEWHERE:
		break;
	}
	return rxaqm_iface_is_hidden(iface) ?
		       "the interface is gone, or in a network namespace that has no name in "
		       "/run/netns and no process in it; detach --all frees its place, or switches it off" :
		       "in another network namespace";
}

bool rxaqm_status_unguarded(const struct rxaqm_iface *iface, bool here)
{
	bool at_work;
	enum rxaqm_iface_state now = rxaqm_iface_state_now(iface, &at_work);

	int place = here ? RXAQM_PLACE_HERE : rxaqm_iface_place(iface, NULL);

	if (at_work || now == RXAQM_IFACE_FREE)
		return false;
	return now != RXAQM_IFACE_ATTACHED || place < 0 ||
	       (place == RXAQM_PLACE_ELSEWHERE ? rxaqm_iface_is_hidden(iface) :
						 place != RXAQM_PLACE_HERE);
}

bool rxaqm_queue_shows(const struct rxaqm_iface *iface, const struct rxaqm_queue *q)
{
	return iface->nr_queues <= 8 || (q->flags & RXAQM_QUEUE_POLLED);
}

bool rxaqm_figures_idle(const struct rxaqm_figures *figures)
{
	return !figures->polled ||
	       rxaqm_ns_since(figures->now_ns, figures->queue.poll_end_ns) > RXAQM_IDLE_NS;
}

void rxaqm_hidden_print(struct rxaqm_out *out, __u64 nr)
{
	if (nr)
		rxaqm_out_text(out, "  %llu queue%s no packet for 10s (--all shows %s)\n", nr,
			       nr > 1 ? "s had" : " had", nr > 1 ? "them" : "it");
}

/* If a standing queue was not polled for longer than this, its traffic has ended. If for less, its
 * CPU had no time for it, which is the worst kind of overload.
 */
#define POLLED_WITHIN_NS RXAQM_NSEC_PER_SEC

bool rxaqm_queue_polled_lately(const struct rxaqm_queue *q, __u64 now_ns)
{
	return (q->flags & RXAQM_QUEUE_POLLED) &&
	       rxaqm_ns_since(now_ns, q->poll_end_ns) <= POLLED_WITHIN_NS;
}

bool rxaqm_queue_stands(const struct rxaqm_queue *q, __u64 now_ns)
{
	return q->stood_since_ns && rxaqm_queue_polled_lately(q, now_ns);
}

const char *const rxaqm_flow_kind_names[RXAQM_NR_FLOW_KINDS] = { "tcp", "other" };

__u64 rxaqm_level_pps(const struct rxaqm_law_vars *vars, __u32 level)
{
	/* A rate r has a level of r * half-life / ln 2. */
	double half_life_s = (double)(1ULL << (16 + vars->stamp_bits)) / 1e9;

	return (__u64)(level * 0.6931 / RXAQM_PACKET / half_life_s + 0.5);
}

const char *const rxaqm_signal_now_names[RXAQM_NR_SIGNALS_NOW] = { "hint", "stamp", "busy",
								   "none" };
const char *const rxaqm_mode_now_names[RXAQM_NR_MODES_NOW] = { "off", "observe", "enforce",
							       "observe (lease over)" };

static const char *distrust_of(const struct rxaqm_queue *q, __u64 now_ns)
{
	static const char *const reasons[] = {
		[RXAQM_DISTRUST_NONE] = NULL,
		[RXAQM_DISTRUST_NEGATIVE] = "stamped later than received",
		[RXAQM_DISTRUST_ABSURD] = "stamped over 10 s ago",
		[RXAQM_DISTRUST_BACKWARDS] = "stamped before the packet ahead",
	};

	if (!rxaqm_ns_after(q->distrust_until_ns, now_ns) ||
	    q->distrust_reason >= sizeof(reasons) / sizeof(reasons[0]))
		return NULL;
	return reasons[q->distrust_reason];
}

static bool is_unstamped(const struct rxaqm_queue *q)
{
	return q->stat[RXAQM_STAT_STAMP_MISSING] &&
	       !(q->flags & RXAQM_QUEUE_NO_CLOCK) /* stamps came, but could not be read */
	       && rxaqm_ns_after(q->poll_end_ns, q->sample_ns + RXAQM_NSEC_PER_SEC) &&
	       rxaqm_ns_after(q->poll_end_ns, q->distrust_until_ns);
}

static enum rxaqm_signal_now signal_of(const struct rxaqm_queue *q, __u64 now_ns)
{
	bool stamped = q->signal == RXAQM_SIGNAL_STAMP || q->signal == RXAQM_SIGNAL_HINT;

	if (!(q->flags & RXAQM_QUEUE_POLLED))
		return RXAQM_SIGNAL_NOW_NONE;
	/* A standing queue gets samples all the time, or it has none. */
	if (stamped && (q->flags & RXAQM_QUEUE_SAMPLED) &&
	    (!(q->flags & RXAQM_QUEUE_STANDING) ||
	     rxaqm_ns_since(now_ns, q->sample_ns) <= RXAQM_NSEC_PER_SEC) &&
	    !distrust_of(q, now_ns) && !rxaqm_sample_inexact(q))
		return q->signal == RXAQM_SIGNAL_HINT ? RXAQM_SIGNAL_NOW_HINT :
							RXAQM_SIGNAL_NOW_STAMP;
	return rxaqm_policy_by_polls(&q->policy) ? RXAQM_SIGNAL_NOW_BUSY : RXAQM_SIGNAL_NOW_NONE;
}

static enum rxaqm_mode_now mode_of(const struct rxaqm_policy *policy, __u64 now_ns)
{
	if (policy->mode == RXAQM_MODE_ENFORCE)
		return rxaqm_policy_enforced(policy, now_ns) ? RXAQM_MODE_NOW_ENFORCE :
							       RXAQM_MODE_NOW_LAPSED;
	return policy->mode == RXAQM_MODE_OFF ? RXAQM_MODE_NOW_OFF : RXAQM_MODE_NOW_OBSERVE;
}

/* No packet has come under @policy yet: target and interval in use belong to another policy. */
static bool is_new(const struct rxaqm_queue *q, const struct rxaqm_policy *policy)
{
	return !q->target_ns || q->policy.target_auto != policy->target_auto ||
	       q->policy.target_ns != policy->target_ns ||
	       q->policy.interval_ns != policy->interval_ns;
}

static void derive(const struct rxaqm_iface *iface, const struct rxaqm_queue *q,
		   struct rxaqm_target *target)
{
	struct rxaqm_target_facts facts = {
		.rule = iface->target_rule,
		.quarters = iface->target_quarters,
		.moderation_ns = iface->moderation_ns,
		.entries = iface->ring_entries,
		.poll_packets = iface->poll_packets,
		.backlog = iface->flags & RXAQM_IFACE_BY_CPU,
		.round_ns = q->round_ns,
		.packet_ns = q->packet_ns,
	};

	rxaqm_target_explain(&facts, target);
}

/* Apply the windows that have passed since the last packet. */
static void catch_up(const struct rxaqm_queue *q, __u32 ring_entries, __u64 now_ns,
		     struct rxaqm_law_vars *vars)
{
	const struct rxaqm_law_params params = {
		.target_ns = q->target_ns,
		.interval_ns = q->interval_ns,
		.ring_entries = ring_entries,
	};

	/* A copy may be torn, and too short an interval would divide by zero. */
	if (params.interval_ns >= RXAQM_INTERVAL_MIN_NS && vars->turn_ns &&
	    rxaqm_ns_since(now_ns, vars->turn_ns) >=
		    2 * (params.interval_ns >> RXAQM_LAW_WINDOW_BITS))
		rxaqm_law_turn(vars, &params, now_ns);
}

static void fill_law(const struct rxaqm_queue *q, __u32 ring_entries, __u64 now_ns,
		     struct rxaqm_law_figures *figures)
{
	struct rxaqm_law_vars vars = q->law;
	unsigned int i;

	if (q->policy.law != RXAQM_LAW_AUTO)
		return;
	catch_up(q, ring_entries, now_ns, &vars);
	/* While it only observes nobody reacts, and the limit goes towards nothing. */
	figures->holds = vars.x && (q->flags & RXAQM_QUEUE_ENFORCED);
	figures->goal_ns = vars.goal_ns;
	figures->smooth_ns = vars.smooth_ns;
	figures->capacity_pps = rxaqm_level_pps(&vars, vars.most);
	if (figures->holds)
		figures->limit_pps = rxaqm_level_pps(&vars, vars.limit);
	for (i = 0; i < RXAQM_NR_FLOW_KINDS; i++) {
		figures->flows[i] = MAX(vars.flows[i], vars.flows_now[i]);
		figures->over[i] = MAX(vars.over[i], vars.over_now[i]);
	}
	if (vars.bad && q->policy.ack == RXAQM_ACK_THIN)
		figures->thin = vars.thin;
}

void rxaqm_figures_take(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
			unsigned int number, __u64 now_ns, struct rxaqm_figures *figures)
{
	const struct rxaqm_policy *policy = &figures->policy;
	struct rxaqm_queue *q = &figures->queue;
	bool new;

	*figures = (struct rxaqm_figures){
		.number = number,
		.now_ns = now_ns,
		.queue = *rxaqm_state_queue(state, iface, number),
		.policy = *rxaqm_state_policy(state, iface, number),
	};
	figures->polled = q->flags & RXAQM_QUEUE_POLLED;
	figures->standing = rxaqm_queue_stands(q, now_ns);
	figures->sampled = q->flags & RXAQM_QUEUE_SAMPLED;
	figures->mode = mode_of(policy, now_ns);
	figures->signal = signal_of(q, now_ns);
	figures->distrust = distrust_of(q, now_ns);
	figures->unstamped = is_unstamped(q);
	figures->stood_ns = figures->standing ? rxaqm_ns_since(now_ns, q->stood_since_ns) : 0;
	figures->sojourn_ns = figures->standing ? q->stood_sojourn_ns : q->law.smooth_ns;
	new = is_new(q, policy);
	figures->target_ns = new ? policy->target_ns : q->target_ns;
	figures->interval_ns = new ? policy->interval_ns : q->interval_ns;
	derive(iface, q, &figures->derived);
	fill_law(q, iface->ring_entries, now_ns, &figures->law);
}

void rxaqm_figures_name_out(struct rxaqm_out *out, const struct rxaqm_figures *figures)
{
	rxaqm_out_u64(out, "queue", "  queue %llu", figures->number);
	if (figures->polled)
		rxaqm_out_u64(out, "cpu", " cpu %llu", figures->queue.cpu);
	else
		rxaqm_out_null(out, "cpu", " (no packet yet)");
}
