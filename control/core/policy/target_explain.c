/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/target_explain.h"

#include <stdio.h>
#include <string.h>

#include "base/parse.h"

#define POLL_PACKETS 64 /* NAPI_POLL_WEIGHT */
#define ENTRIES_MAX (1U << 20)

/* For each rule, the quarters of the floor that it asks for (the middle of a range), and words.
 * Where nothing couples Tx to Rx, a lower target gains nothing and costs the slack for bursts.
 */
static const struct rule {
	__u32 quarters;
	const char *times; /* of the floor, in words */
	const char *words;
} rules[] = {
	[RXAQM_RULE_UNKNOWN] = { RXAQM_FLOOR_QUARTERS_UNKNOWN, "2 x ",
				 "completion design unknown" },
	[RXAQM_RULE_NONE] = { 8, "2 x ", "no completions" },
	[RXAQM_RULE_SHARED] = { 4, "", "shared completions" },
	[RXAQM_RULE_ORDERED] = { 5, "1.25 x ", "completions in order of notification" },
	[RXAQM_RULE_SPLIT] = { 8, "2 x ", "split completions" },
	[RXAQM_RULE_OWN_NAPI] = { 8, "2 x ", "a NAPI for each direction" },
	[RXAQM_RULE_OWN_CPU] = { 12, "3 x ", "a CPU for each direction" },
};
#define NR_RULES (sizeof(rules) / sizeof(rules[0]))

const char *const rxaqm_target_rule_names[NR_RULES + 1] = {
	[RXAQM_RULE_UNKNOWN] = "unknown", [RXAQM_RULE_NONE] = "none",
	[RXAQM_RULE_SHARED] = "shared",	  [RXAQM_RULE_ORDERED] = "ordered",
	[RXAQM_RULE_SPLIT] = "split",	  [RXAQM_RULE_OWN_NAPI] = "own-napi",
	[RXAQM_RULE_OWN_CPU] = "own-cpu",
};

static const struct rule *rule_of(enum rxaqm_target_rule rule)
{
	return &rules[(size_t)rule < NR_RULES ? rule : RXAQM_RULE_UNKNOWN];
}

/* The target that the rule asks for, whatever the ceiling is. */
static __u64 asked_ns(const struct rxaqm_target_facts *facts, const struct rxaqm_target *target)
{
	return rxaqm_floor_target_ns(target->floor_ns, 0, facts->quarters);
}

/* Say whether floor, rule or ceiling decided. */
static void explain(const struct rxaqm_target_facts *facts, struct rxaqm_target *target)
{
	const struct rule *rule = rule_of(facts->rule);
	char floor[RXAQM_DURATION_LEN], ceiling[RXAQM_DURATION_LEN];
	const char *queue = facts->backlog ? "backlog" : "ring";

	rxaqm_format_duration(target->floor_ns, floor);
	rxaqm_format_duration(target->ceiling_ns, ceiling);
	if (!target->ceiling_ns || asked_ns(facts, target) <= target->ceiling_ns)
		snprintf(target->text, sizeof(target->text), "%sfloor %s (%s)", rule->times, floor,
			 rule->words);
	else if (target->floor_ns <= target->ceiling_ns)
		snprintf(target->text, sizeof(target->text),
			 "ceiling %s of %s %u (%sfloor %s is above it)", ceiling, queue,
			 facts->entries, rule->times, floor);
	else
		snprintf(target->text, sizeof(target->text),
			 "floor %s (ceiling %s of %s %u is below it)", floor, ceiling, queue,
			 facts->entries);
}

/* Entries that leave the rule's target room under the ceiling, as a power of two. */
static __u32 entries_to_ask_for(const struct rxaqm_target_facts *facts,
				const struct rxaqm_target *target, __u32 least)
{
	__u64 room_ns = facts->packet_ns ? 4 * asked_ns(facts, target) : 0;
	__u32 entries = 1;

	while (entries < ENTRIES_MAX &&
	       (entries < least || (__u64)entries * facts->packet_ns < room_ns))
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
	entries = entries_to_ask_for(facts, target,
				     (__u32)(least < ENTRIES_MAX ? least : ENTRIES_MAX));
	if (facts->backlog)
		snprintf(target->advice, sizeof(target->advice),
			 "a backlog of %u leaves the law no room; use "
			 "\"sysctl -w net.core.netdev_max_backlog=%u\"",
			 facts->entries, entries);
	else if (facts->rule == RXAQM_RULE_NONE)
		snprintf(target->advice, sizeof(target->advice),
			 "a software ring of %u entries leaves the law no room; use a qdisc where "
			 "packets are sent",
			 facts->entries);
	else
		snprintf(target->advice, sizeof(target->advice),
			 "a ring of %u entries leaves the law no room; use \"ethtool -G IFACE rx "
			 "%u\", or the most that \"ethtool -g IFACE\" shows",
			 facts->entries, entries);
}

void rxaqm_target_explain(const struct rxaqm_target_facts *facts, struct rxaqm_target *target)
{
	memset(target, 0, sizeof(*target));
	target->ceiling_ns = rxaqm_floor_ceiling_ns(facts->entries, facts->packet_ns);
	target->floor_ns = rxaqm_floor_ns(facts->moderation_ns, facts->round_ns);
	if (target->floor_ns) {
		target->target_ns = rxaqm_floor_target_ns(target->floor_ns, target->ceiling_ns,
							  facts->quarters);
		explain(facts, target);
	} else {
		snprintf(target->text, sizeof(target->text), "no busy poll was measured yet");
	}
	advise(facts, target);
}

__u32 rxaqm_target_rule_quarters(enum rxaqm_target_rule rule)
{
	return rule_of(rule)->quarters;
}
