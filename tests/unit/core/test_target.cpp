/* SPDX-License-Identifier: GPL-2.0-only */
/* Targets from the completion design and what was measured. */
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

extern "C" {
#include "decide.h"
#include "base/parse.h"
#include "profile/profile_keys.h"
#include "policy/target_explain.h"
}

static const __u64 US = RXAQM_NSEC_PER_USEC;
static const __u64 MS = RXAQM_NSEC_PER_MSEC;

/* 64 packets of 1 us a round, moderation of 20 us: F = 148 us. */
static rxaqm_target_facts nic(rxaqm_target_rule rule, __u32 entries)
{
	rxaqm_target_facts facts = {};

	facts.rule = rule;
	facts.quarters = rxaqm_target_rule_quarters(rule);
	facts.round_ns = 64 * US;
	facts.packet_ns = 1 * US;
	facts.moderation_ns = 20 * US;
	facts.entries = entries;
	return facts;
}

static rxaqm_target derive(const rxaqm_target_facts &facts)
{
	rxaqm_target target;

	std::memset(&target, 0xa5, sizeof(target)); /* all of it must be filled in */
	rxaqm_target_explain(&facts, &target);
	CHECK(std::memchr(target.text, 0, sizeof(target.text)) != nullptr);
	CHECK(std::memchr(target.advice, 0, sizeof(target.advice)) != nullptr);
	return target;
}

TEST_CASE("target: floor and ceiling are those of the design", "[target]")
{
	rxaqm_target target = derive(nic(RXAQM_RULE_SPLIT, 4096));

	CHECK(target.floor_ns == 20 * US + 2 * 64 * US);
	CHECK(target.ceiling_ns == 1024 * US);
	/* Rows of round time and floor, four NAPIs on the CPU, 3 us a packet. */
	rxaqm_target_facts slow = nic(RXAQM_RULE_SPLIT, 4096);

	slow.round_ns = 768 * US;
	slow.packet_ns = 12 * US;
	target = derive(slow);
	CHECK(target.floor_ns == 1556 * US);
	CHECK(target.ceiling_ns == 12288 * US);
}

TEST_CASE("target: each completion design has its rule", "[target]")
{
	const struct {
		rxaqm_target_rule rule;
		__u64 target_us;
		const char *text;
	} rows[] = {
		{ RXAQM_RULE_UNKNOWN, 296, "2 x floor 148us (completion design unknown)" },
		{ RXAQM_RULE_NONE, 296, "2 x floor 148us (no completions)" },
		{ RXAQM_RULE_SHARED, 148, "floor 148us (shared completions)" },
		{ RXAQM_RULE_ORDERED, 185,
		  "1.25 x floor 148us (completions in order of notification)" },
		{ RXAQM_RULE_SPLIT, 296, "2 x floor 148us (split completions)" },
		{ RXAQM_RULE_OWN_NAPI, 296, "2 x floor 148us (a NAPI for each direction)" },
		{ RXAQM_RULE_OWN_CPU, 444, "3 x floor 148us (a CPU for each direction)" },
	};

	for (const auto &row : rows) {
		rxaqm_target target = derive(nic(row.rule, 4096));

		CAPTURE(row.text);
		CHECK(target.target_ns == row.target_us * US);
		CHECK(std::string(target.text) == row.text);
		CHECK(std::string(target.advice) == "");
	}
	/* A number that is no rule is not followed anywhere. */
	CHECK(derive(nic(rxaqm_target_rule(77), 4096)).target_ns == 296 * US);
}

TEST_CASE("target: the ceiling caps what the rule asks for", "[target]")
{
	rxaqm_target target = derive(nic(RXAQM_RULE_SPLIT, 1024));

	CHECK(target.target_ns == 256 * US);
	CHECK(std::string(target.text) ==
	      "ceiling 256us of ring 1024 (2 x floor 148us is above it)");
	CHECK(std::string(target.advice) == "");
	/* The floor itself fits: no cap. */
	CHECK(std::string(derive(nic(RXAQM_RULE_SHARED, 1024)).text).find("floor ") == 0);
	/* At equality it fits, too. */
	CHECK(std::string(derive(nic(RXAQM_RULE_SPLIT, 1184)).text).find("2 x floor ") == 0);
	CHECK(std::string(derive(nic(RXAQM_RULE_SPLIT, 1183)).text).find("ceiling ") == 0);
}

TEST_CASE("target: over the ceiling the floor wins, and says so", "[target]")
{
	for (rxaqm_target_rule rule : { RXAQM_RULE_SHARED, RXAQM_RULE_SPLIT, RXAQM_RULE_OWN_CPU }) {
		rxaqm_target target = derive(nic(rule, 512));

		CHECK(target.ceiling_ns == 128 * US);
		CHECK(target.target_ns == 148 * US);
		CHECK(std::string(target.text) ==
		      "floor 148us (ceiling 128us of ring 512 is below it)");
		/* It has eight polls, but moderation takes the room: say what would do. */
		CHECK(std::string(target.advice).find("ethtool -G IFACE rx ") != std::string::npos);
	}
	CHECK(std::string(derive(nic(RXAQM_RULE_SHARED, 512)).advice).find("rx 1024\"") !=
	      std::string::npos);
	CHECK(std::string(derive(nic(RXAQM_RULE_SPLIT, 512)).advice).find("rx 2048\"") !=
	      std::string::npos);
}

TEST_CASE("target: without a measured round nothing is derived", "[target]")
{
	rxaqm_target_facts facts = nic(RXAQM_RULE_SPLIT, 1024);

	facts.round_ns = 0;
	for (const auto &one : { facts, rxaqm_target_facts{} }) {
		rxaqm_target target = derive(one);

		CHECK(target.target_ns == 0);
		CHECK(target.floor_ns == 0);
		CHECK(std::string(target.text) == "no busy poll was measured yet");
		CHECK(std::string(target.advice) == "");
	}
	CHECK(derive(rxaqm_target_facts{}).ceiling_ns == 0);
}

TEST_CASE("target: an unknown ring or packet time is no ceiling of zero", "[target]")
{
	CHECK(derive(nic(RXAQM_RULE_SPLIT, 0)).target_ns == 296 * US);
	rxaqm_target_facts facts = nic(RXAQM_RULE_SPLIT, 1024);

	facts.packet_ns = 0;
	CHECK(derive(facts).target_ns == 296 * US);
	CHECK(derive(facts).ceiling_ns == 0);
}

TEST_CASE("target: small rings get advice that fits", "[target]")
{
	rxaqm_target_facts facts = nic(RXAQM_RULE_SPLIT, 256);

	facts.moderation_ns = 4 * US;
	CHECK(std::string(derive(facts).advice) ==
	      "a ring of 256 entries leaves the law no room; use \"ethtool -G IFACE rx 2048\", or the "
	      "most that \"ethtool -g IFACE\" shows");
	/* Known without any measurement. */
	facts.round_ns = facts.packet_ns = 0;
	CHECK(std::string(derive(facts).advice).find("rx 512\"") != std::string::npos);
	facts.entries = 511;
	CHECK(std::string(derive(facts).advice) != "");
	facts.entries = 512;
	CHECK(std::string(derive(facts).advice) == "");
	/* Eight polls of 512. */
	facts.poll_packets = 512;
	CHECK(std::string(derive(facts).advice).find("rx 4096\"") != std::string::npos);
	facts.poll_packets = 0;
	facts.entries = 100;
	facts.backlog = true;
	CHECK(std::string(derive(facts).advice).find("net.core.netdev_max_backlog=512") !=
	      std::string::npos);
	facts.backlog = false;
	facts.rule = RXAQM_RULE_NONE;
	CHECK(std::string(derive(facts).advice).find("qdisc") != std::string::npos);
}

TEST_CASE("target: what status derives is what the data plane goes by", "[target]")
{
	const __u64 values[] = { 0, 1, 999, MS, 4000 * MS, ~0U };
	const __u32 small[] = { 0, 1, 64, 1000000, 1U << 20, ~0U };
	auto q = std::make_unique<rxaqm_queue>();
	unsigned checked = 0;

	q->signal = RXAQM_SIGNAL_STAMP;
	q->flags = RXAQM_QUEUE_SAMPLED;
	q->policy.target_auto = 1;
	q->policy.interval_ns = 40 * MS;
	for (__u64 moderation_ns : values)
		for (__u64 err_ns : values)
			for (__u32 round_ns : small)
				for (__u32 entries : small) {
					rxaqm_target_facts facts = {};

					facts.rule = rxaqm_target_rule(checked % 8);
					facts.quarters = rxaqm_target_rule_quarters(facts.rule);
					facts.moderation_ns = moderation_ns;
					facts.entries = entries;
					facts.poll_packets = small[checked % 3];
					q->round_ns = round_ns;
					q->packet_ns = small[checked % 5];
					q->sample_err_ns = err_ns;
					q->target_quarters = facts.quarters;
					q->moderation_ns = __u32(moderation_ns);
					facts.round_ns = q->round_ns;
					facts.packet_ns = q->packet_ns;
					rxaqm_target_update(q.get(), entries);
					rxaqm_target t = derive(facts);
					checked++;
					CAPTURE(moderation_ns, err_ns, round_ns, entries, t.text);
					/* No target that is derived leaves an interval no room. */
					REQUIRE(q->target_ns ==
						std::min<__u64>(t.target_ns, 1000 * MS));
					REQUIRE(t.text[0]);
					REQUIRE(!t.target_ns == !t.floor_ns);
				}
	CHECK(checked == 6 * 6 * 6 * 6);
}

TEST_CASE("target: the interval is raised to four targets and to eight rounds of polls", "[target]")
{
	const struct {
		__u64 target_ns, interval_ns;
		__u32 round_ns;
		__u64 in_use_ns;
	} rows[] = {
		{ 10 * MS, 100 * MS, __u32(1 * MS), 100 * MS },
		{ 5 * MS, 5 * MS, __u32(1 * MS), 20 * MS },
		{ 1 * MS, 5 * MS, __u32(2 * MS), 16 * MS },
		{ 1 * MS, 5 * MS, 0, 5 * MS }, /* no round was measured yet */
		{ RXAQM_INTERVAL_MAX_NS, RXAQM_INTERVAL_MAX_NS, ~0U, RXAQM_INTERVAL_MAX_NS },
	};
	auto q = std::make_unique<rxaqm_queue>();

	for (const auto &row : rows) {
		q->policy.target_ns = row.target_ns;
		q->policy.interval_ns = row.interval_ns;
		q->round_ns = row.round_ns;
		CAPTURE(row.target_ns, row.interval_ns, row.round_ns);
		q->policy.law = RXAQM_LAW_AUTO;
		rxaqm_target_update(q.get(), 4096);
		CHECK(q->target_ns == row.target_ns);
		CHECK(q->interval_ns == row.in_use_ns);
		/* CoDel keeps what RFC 8289 says of a number. */
		q->policy.law = RXAQM_LAW_CODEL;
		rxaqm_target_update(q.get(), 4096);
		CHECK(q->interval_ns == row.interval_ns);
	}
	/* Both derived: the rounds count, too. */
	q->policy = {};
	q->policy.target_auto = 1;
	q->target_quarters = 8;
	q->policy.interval_ns = 5 * MS;
	q->round_ns = __u32(2 * MS);
	rxaqm_target_update(q.get(), 0);
	CHECK(q->target_ns > 1 * MS);
	CHECK(q->interval_ns == std::max<__u64>(4 * q->target_ns, 16 * MS));
}

TEST_CASE("target: an unknown NIC has the rule that XDP takes for it", "[target]")
{
	CHECK(rxaqm_target_rule_quarters(RXAQM_RULE_UNKNOWN) == RXAQM_FLOOR_QUARTERS_UNKNOWN);
}

/* As profiles name it. */
static int parse_rule(const char *name, rxaqm_target_rule *rule)
{
	static rxaqm_profile profile;
	int err;

	profile.target_rule = *rule;
	err = rxaqm_key_set(rxaqm_key_find(rxaqm_fact_keys, "Nic", "TargetRule"), &profile, name, 0,
			    nullptr);
	*rule = profile.target_rule;
	return err;
}

TEST_CASE("target: rules have names", "[target]")
{
	for (int i = RXAQM_RULE_NONE; i <= RXAQM_RULE_OWN_CPU; i++) {
		rxaqm_target_rule rule = RXAQM_RULE_UNKNOWN;

		CHECK(parse_rule(rxaqm_target_rule_names[i], &rule) == 0);
		CHECK(rule == i);
	}
	rxaqm_target_rule rule = RXAQM_RULE_SPLIT;

	CHECK(parse_rule("unknown", &rule) == -EINVAL);
	CHECK(parse_rule("Split", &rule) == -EINVAL);
	CHECK(rule == RXAQM_RULE_SPLIT);
}

TEST_CASE("target: floor, ceiling and what is asked end at 4 s", "[target]")
{
	CHECK(rxaqm_floor_ns(0, __u32(1999 * MS)) == 3998 * MS);
	CHECK(rxaqm_floor_ns(0, __u32(2001 * MS)) == 4000 * MS);
	CHECK(rxaqm_floor_ceiling_ns(16 * 1000, __u32(MS)) == 4000 * MS);
	CHECK(rxaqm_floor_ceiling_ns(16 * 1100, __u32(MS)) == 4000 * MS);
	CHECK(rxaqm_floor_target_ns(2100 * MS, 0, 8) == 4000 * MS);
}
