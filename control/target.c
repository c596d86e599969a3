/* SPDX-License-Identifier: GPL-2.0-only */
#include "target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "parse.h"
#include "settings.h"

#define POLL_PACKETS 64 /* NAPI_POLL_WEIGHT */
#define TARGETS_PER_INTERVAL 20
#define ROUNDS_PER_INTERVAL 16
#define ENTRIES_MAX (1U << 20)

/* Of each rule the quarters of the floor that it asks for (the middle of a range), and words.
 * Where nothing couples Tx to Rx a lower target wins nothing and costs the slack for bursts.
 */
static const struct rule {
	const char *name;
	unsigned int quarters;
	const char *times; /* of the floor, in words */
	const char *words;
} rules[] = {
	[RXAQM_RULE_UNKNOWN] = { "unknown", 8, "2 x ", "completion design unknown" },
	[RXAQM_RULE_NONE] = { "none", 8, "2 x ", "no completions" },
	[RXAQM_RULE_SHARED] = { "shared", 4, "", "shared completions" },
	[RXAQM_RULE_ORDERED] = { "ordered", 5, "1.25 x ", "completions in order of notification" },
	[RXAQM_RULE_SPLIT] = { "split", 8, "2 x ", "split completions" },
	[RXAQM_RULE_OWN_NAPI] = { "own-napi", 8, "2 x ", "a NAPI for each direction" },
	[RXAQM_RULE_OWN_CPU] = { "own-cpu", 12, "3 x ", "a CPU for each direction" },
};
#define NR_RULES (sizeof(rules) / sizeof(rules[0]))

static const struct rule *rule_of(const struct rxaqm_target_facts *facts)
{
	return &rules[(size_t)facts->rule < NR_RULES ? facts->rule : RXAQM_RULE_UNKNOWN];
}

static __u64 at_most(__u64 value, __u64 most)
{
	return value < most ? value : most;
}

static __u64 at_least(__u64 value, __u64 least)
{
	return value > least ? value : least;
}

/* Nothing above 4 s can be set, and no sum of such overflows. */
static __u64 bounded(__u64 ns)
{
	return at_most(ns, RXAQM_INTERVAL_MAX_NS);
}

static __u64 floor_of(const struct rxaqm_target_facts *facts)
{
	return bounded(bounded(facts->moderation_ns) + 2ULL * facts->round_ns +
		       4 * bounded(facts->clock_err_ns));
}

__u64 rxaqm_target_interval_ns(const struct rxaqm_target_facts *facts, __u64 target_ns)
{
	__u64 interval_ns = facts->rtt_ns ? facts->rtt_ns : RXAQM_RTT_DC_NS;

	interval_ns = at_least(interval_ns, TARGETS_PER_INTERVAL * bounded(target_ns));
	interval_ns = at_least(interval_ns, (__u64)ROUNDS_PER_INTERVAL * facts->round_ns);
	return at_least(bounded(interval_ns), RXAQM_INTERVAL_MIN_NS);
}

__u64 rxaqm_target_rtt_ns(__u64 interval_ns)
{
	return interval_ns >= RXAQM_RTT_WAN_NS ? interval_ns : RXAQM_RTT_DC_NS;
}

/* No round is known: what is set stays. */
static void keep_default(const struct rxaqm_target_facts *facts, struct rxaqm_target *target)
{
	struct rxaqm_policy policy;

	rxaqm_policy_init(&policy);
	target->target_ns = facts->default_target_ns ? facts->default_target_ns : policy.target_ns;
	target->interval_ns = facts->default_interval_ns ? facts->default_interval_ns :
							   policy.interval_ns;
	target->why = RXAQM_WHY_DEFAULT;
	snprintf(target->text, sizeof(target->text), "as set (no busy poll was measured yet)");
}

/* What the rule asks for, and whether it fits under the ceiling. */
static void apply_rule(const struct rxaqm_target_facts *facts, struct rxaqm_target *target)
{
	const struct rule *rule = rule_of(facts);
	__u64 asked_ns = bounded(target->floor_ns * rule->quarters / 4);
	char floor[RXAQM_DURATION_LEN], ceiling[RXAQM_DURATION_LEN];
	const char *queue = facts->backlog ? "backlog" : "ring";

	rxaqm_format_duration(target->floor_ns, floor);
	rxaqm_format_duration(target->ceiling_ns, ceiling);
	if (!target->ceiling_ns || asked_ns <= target->ceiling_ns) {
		target->why = RXAQM_WHY_RULE;
		target->target_ns = asked_ns;
		snprintf(target->text, sizeof(target->text), "%sfloor %s (%s)", rule->times, floor,
			 rule->words);
	} else if (target->floor_ns <= target->ceiling_ns) {
		target->why = RXAQM_WHY_CEILING;
		target->target_ns = target->ceiling_ns;
		snprintf(target->text, sizeof(target->text),
			 "ceiling %s of %s %u (%sfloor %s is above it)", ceiling, queue,
			 facts->entries, rule->times, floor);
	} else {
		target->why = RXAQM_WHY_FLOOR_OVER_CEILING;
		target->target_ns = target->floor_ns;
		snprintf(target->text, sizeof(target->text),
			 "floor %s (ceiling %s of %s %u is below it)", floor, ceiling, queue,
			 facts->entries);
	}
}

/* The operator's bounds go before floor and ceiling, but not in silence. */
static void apply_bounds(const struct rxaqm_target_facts *facts, struct rxaqm_target *target)
{
	char bound[RXAQM_DURATION_LEN], rule[RXAQM_DURATION_LEN];
	__u64 wanted_ns = target->target_ns;
	const char *which, *remark = "";

	if (facts->max_ns && wanted_ns > facts->max_ns) {
		target->why = RXAQM_WHY_MAX;
		target->target_ns = facts->max_ns;
		which = "most";
	} else if (facts->min_ns && wanted_ns < facts->min_ns) {
		target->why = RXAQM_WHY_MIN;
		target->target_ns = facts->min_ns;
		which = "least";
		/* A least over the most is no reason to exceed the most. */
		if (facts->max_ns && target->target_ns > facts->max_ns)
			target->target_ns = facts->max_ns;
	} else {
		return;
	}
	if (target->target_ns < target->floor_ns)
		remark = ", below the floor: batches are punished";
	else if (target->ceiling_ns && target->target_ns > target->ceiling_ns)
		remark = ", above the ceiling: the queue overflows first";
	snprintf(target->text, sizeof(target->text), "%s allowed %s (derived: %s)%s", which,
		 rxaqm_format_duration(target->target_ns, bound),
		 rxaqm_format_duration(wanted_ns, rule), remark);
}

/* Entries that give the rule's target room under the ceiling, as a power of two. */
static __u32 entries_to_ask_for(const struct rxaqm_target_facts *facts,
				const struct rxaqm_target *target, __u32 least)
{
	__u64 asked_ns = target->floor_ns * rule_of(facts)->quarters / 4;
	__u32 entries = 1;
	__u64 need = least;

	if (facts->packet_ns)
		need = at_least(need, (4 * asked_ns + facts->packet_ns - 1) / facts->packet_ns);
	while (entries < need && entries < ENTRIES_MAX)
		entries *= 2;
	return entries;
}

static void advise(const struct rxaqm_target_facts *facts, struct rxaqm_target *target)
{
	__u32 poll_packets = facts->poll_packets ? facts->poll_packets : POLL_PACKETS;
	__u64 least = (__u64)RXAQM_RING_POLLS_MIN * poll_packets;
	bool no_room = target->ceiling_ns && target->floor_ns > target->ceiling_ns;
	__u32 entries;

	if (!facts->entries || (facts->entries >= least && !no_room))
		return;
	entries = entries_to_ask_for(facts, target, (__u32)at_most(least, ENTRIES_MAX));
	if (facts->backlog)
		snprintf(target->advice, sizeof(target->advice),
			 "a backlog of %u leaves CoDel no room; use "
			 "\"sysctl -w net.core.netdev_max_backlog=%u\"",
			 facts->entries, entries);
	else if (facts->rule == RXAQM_RULE_NONE)
		snprintf(target->advice, sizeof(target->advice),
			 "a software ring of %u entries leaves CoDel no room; use a qdisc where "
			 "packets are sent",
			 facts->entries);
	else
		snprintf(target->advice, sizeof(target->advice),
			 "a ring of %u entries leaves CoDel no room; use \"ethtool -G IFACE rx "
			 "%u\", or the most that \"ethtool -g IFACE\" shows",
			 facts->entries, entries);
}

void rxaqm_target_derive(const struct rxaqm_target_facts *facts, struct rxaqm_target *target)
{
	memset(target, 0, sizeof(*target));
	target->ceiling_ns = bounded((__u64)facts->entries * facts->packet_ns / 4);
	if (!facts->round_ns) {
		keep_default(facts, target);
	} else {
		target->floor_ns = floor_of(facts);
		apply_rule(facts, target);
		apply_bounds(facts, target);
		target->target_ns = at_least(bounded(target->target_ns), RXAQM_TARGET_MIN_NS);
		target->interval_ns = rxaqm_target_interval_ns(facts, target->target_ns);
	}
	advise(facts, target);
}

void rxaqm_target_measure(struct rxaqm_target_facts *facts, const struct rxaqm_queue *q)
{
	facts->round_ns = q->round_ns;
	facts->packet_ns = q->packet_ns;
	facts->clock_err_ns = 0;
	/* Polls are timed by the host's own clock. */
	if (q->signal != RXAQM_SIGNAL_BUSY && (q->flags & RXAQM_QUEUE_SAMPLED))
		facts->clock_err_ns = q->sample_err_ns;
}

const char *rxaqm_target_rule_name(enum rxaqm_target_rule rule)
{
	return rules[(size_t)rule < NR_RULES ? rule : RXAQM_RULE_UNKNOWN].name;
}

int rxaqm_target_rule_parse(const char *name, enum rxaqm_target_rule *ret_rule)
{
	size_t i;

	for (i = RXAQM_RULE_UNKNOWN + 1; i < NR_RULES; i++) {
		if (!strcmp(rules[i].name, name)) {
			*ret_rule = (enum rxaqm_target_rule)i;
			return 0;
		}
	}
	return -EINVAL;
}
