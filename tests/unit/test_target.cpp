/* SPDX-License-Identifier: GPL-2.0-only */
/* Targets from the completion design and what was measured. */
#include <catch2/catch_test_macros.hpp>

#include <cstring>
#include <memory>
#include <string>

extern "C" {
#include "parse.h"
#include "target.h"
}

static const __u64 US = RXAQM_NSEC_PER_USEC;
static const __u64 MS = RXAQM_NSEC_PER_MSEC;

/* 64 packets of 1 us a round, a clock good to 1 us, moderation of 16 us: F = 148 us. */
static rxaqm_target_facts nic(rxaqm_target_rule rule, __u32 entries)
{
	rxaqm_target_facts facts = {};

	facts.rule = rule;
	facts.round_ns = 64 * US;
	facts.packet_ns = 1 * US;
	facts.clock_err_ns = 1 * US;
	facts.moderation_ns = 16 * US;
	facts.entries = entries;
	facts.default_target_ns = 2 * MS;
	facts.default_interval_ns = 40 * MS;
	return facts;
}

static rxaqm_target derive(const rxaqm_target_facts &facts)
{
	rxaqm_target target;

	std::memset(&target, 0xa5, sizeof(target)); /* all of it must be filled in */
	rxaqm_target_derive(&facts, &target);
	CHECK(std::memchr(target.text, 0, sizeof(target.text)) != nullptr);
	CHECK(std::memchr(target.advice, 0, sizeof(target.advice)) != nullptr);
	return target;
}

TEST_CASE("target: floor and ceiling are those of the design", "[target]")
{
	rxaqm_target target = derive(nic(RXAQM_RULE_SPLIT, 4096));

	CHECK(target.floor_ns == 16 * US + 2 * 64 * US + 4 * US);
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
		CHECK(target.why == RXAQM_WHY_RULE);
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
	CHECK(target.why == RXAQM_WHY_CEILING);
	CHECK(std::string(target.text) ==
	      "ceiling 256us of ring 1024 (2 x floor 148us is above it)");
	CHECK(std::string(target.advice) == "");
	/* The floor itself fits: no cap. */
	CHECK(derive(nic(RXAQM_RULE_SHARED, 1024)).why == RXAQM_WHY_RULE);
	/* At equality it fits, too. */
	CHECK(derive(nic(RXAQM_RULE_SPLIT, 1184)).why == RXAQM_WHY_RULE);
	CHECK(derive(nic(RXAQM_RULE_SPLIT, 1183)).why == RXAQM_WHY_CEILING);
}

TEST_CASE("target: over the ceiling the floor wins, and says so", "[target]")
{
	for (rxaqm_target_rule rule : { RXAQM_RULE_SHARED, RXAQM_RULE_SPLIT, RXAQM_RULE_OWN_CPU }) {
		rxaqm_target target = derive(nic(rule, 512));

		CHECK(target.ceiling_ns == 128 * US);
		CHECK(target.target_ns == 148 * US);
		CHECK(target.why == RXAQM_WHY_FLOOR_OVER_CEILING);
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
	facts.max_ns = 1 * MS; /* does not matter: what is set stays */
	rxaqm_target target = derive(facts);
	CHECK(target.target_ns == 2 * MS);
	CHECK(target.interval_ns == 40 * MS);
	CHECK(target.why == RXAQM_WHY_DEFAULT);
	CHECK(target.floor_ns == 0);
	CHECK(std::string(target.text).find("no busy poll") != std::string::npos);
	/* Nothing known at all: the built-in policy. */
	target = derive(rxaqm_target_facts{});
	CHECK(target.target_ns == 2 * MS);
	CHECK(target.interval_ns == 40 * MS);
	CHECK(target.ceiling_ns == 0);
	CHECK(std::string(target.advice) == "");
}

TEST_CASE("target: an unknown ring or packet time is no ceiling of zero", "[target]")
{
	CHECK(derive(nic(RXAQM_RULE_SPLIT, 0)).target_ns == 296 * US);
	rxaqm_target_facts facts = nic(RXAQM_RULE_SPLIT, 1024);

	facts.packet_ns = 0;
	CHECK(derive(facts).target_ns == 296 * US);
	CHECK(derive(facts).ceiling_ns == 0);
}

TEST_CASE("target: the operator's bounds win, with a remark", "[target]")
{
	rxaqm_target_facts facts = nic(RXAQM_RULE_SPLIT, 4096);

	facts.min_ns = 500 * US;
	CHECK(derive(facts).target_ns == 500 * US);
	CHECK(derive(facts).why == RXAQM_WHY_MIN);
	CHECK(std::string(derive(facts).text) == "least allowed 500us (derived: 296us)");
	facts.min_ns = 2 * MS;
	CHECK(derive(facts).target_ns == 2 * MS);
	CHECK(std::string(derive(facts).text).find("above the ceiling") != std::string::npos);
	facts.max_ns = 1 * MS; /* less than the least */
	CHECK(derive(facts).target_ns == 1 * MS);
	facts.min_ns = 0;
	facts.max_ns = 200 * US;
	CHECK(derive(facts).target_ns == 200 * US);
	CHECK(derive(facts).why == RXAQM_WHY_MAX);
	CHECK(std::string(derive(facts).text) == "most allowed 200us (derived: 296us)");
	facts.max_ns = 100 * US;
	CHECK(derive(facts).target_ns == 100 * US);
	CHECK(std::string(derive(facts).text).find("below the floor") != std::string::npos);
	facts.min_ns = 100 * US;
	facts.max_ns = 1 * MS;
	CHECK(derive(facts).why == RXAQM_WHY_RULE);
}

TEST_CASE("target: the interval is at least 20 targets, 16 rounds, and the longest RTT", "[target]")
{
	rxaqm_target_facts facts = nic(RXAQM_RULE_SPLIT, 4096);

	CHECK(derive(facts).interval_ns == 10 * MS);
	facts.rtt_ns = RXAQM_RTT_WAN_NS;
	CHECK(derive(facts).interval_ns == 100 * MS);
	facts = nic(RXAQM_RULE_SPLIT, 65536);
	facts.round_ns = 768 * US;
	CHECK(derive(facts).interval_ns == 20 * 2 * 1556 * US);
	facts.max_ns = 10 * US;
	CHECK(derive(facts).interval_ns == 16 * 768 * US);

	CHECK(rxaqm_target_rtt_ns(40 * MS) == RXAQM_RTT_DC_NS);
	CHECK(rxaqm_target_rtt_ns(0) == RXAQM_RTT_DC_NS);
	CHECK(rxaqm_target_rtt_ns(100 * MS) == 100 * MS);
	CHECK(rxaqm_target_rtt_ns(300 * MS) == 300 * MS);
}

TEST_CASE("target: small rings get advice that fits", "[target]")
{
	rxaqm_target_facts facts = nic(RXAQM_RULE_SPLIT, 256);

	facts.moderation_ns = 0;
	CHECK(std::string(derive(facts).advice) ==
	      "a ring of 256 entries leaves CoDel no room; use \"ethtool -G IFACE rx 2048\", or the "
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

TEST_CASE("target: whatever the facts are, the policy is one that can be set", "[target]")
{
	const __u64 values[] = { 0, 1, 999, MS, 4000 * MS, ~0ULL >> 1, ~0ULL };
	const __u32 small[] = { 0, 1, 64, 1U << 20, ~0U };
	unsigned checked = 0;

	for (__u64 moderation_ns : values)
		for (__u64 err_ns : values)
			for (__u64 min_ns : values)
				for (__u64 max_ns : values)
					for (__u32 round_ns : small)
						for (__u32 entries : small) {
							rxaqm_target_facts facts = {};
							rxaqm_target t;

							facts.rule = rxaqm_target_rule(checked % 8);
							facts.moderation_ns = moderation_ns;
							facts.clock_err_ns = err_ns;
							facts.min_ns = min_ns;
							facts.max_ns = max_ns;
							facts.rtt_ns = values[checked % 7];
							facts.round_ns = round_ns;
							facts.packet_ns = small[checked % 5];
							facts.entries = entries;
							facts.poll_packets = small[checked % 3];
							rxaqm_target_derive(&facts, &t);
							checked++;
							if (t.target_ns >= RXAQM_TARGET_MIN_NS &&
							    t.target_ns <= t.interval_ns &&
							    t.interval_ns >=
								    RXAQM_INTERVAL_MIN_NS &&
							    t.interval_ns <=
								    RXAQM_INTERVAL_MAX_NS &&
							    t.text[0])
								continue;
							CAPTURE(moderation_ns, err_ns, min_ns,
								max_ns, round_ns, entries,
								t.target_ns, t.interval_ns);
							FAIL("not settable");
						}
	CHECK(checked == 7 * 7 * 7 * 7 * 25);
}

TEST_CASE("target: measurements of a queue, and whose clock they are by", "[target]")
{
	auto q = std::make_unique<rxaqm_queue>();
	rxaqm_target_facts facts = {};

	q->round_ns = 5;
	q->packet_ns = 7;
	q->sample_err_ns = 9;
	q->signal = RXAQM_SIGNAL_STAMP;
	rxaqm_target_measure(&facts, q.get());
	CHECK(facts.round_ns == 5);
	CHECK(facts.packet_ns == 7);
	CHECK(facts.clock_err_ns == 0); /* no sample */
	q->flags = RXAQM_QUEUE_SAMPLED;
	rxaqm_target_measure(&facts, q.get());
	CHECK(facts.clock_err_ns == 9);
	q->signal = RXAQM_SIGNAL_HINT;
	rxaqm_target_measure(&facts, q.get());
	CHECK(facts.clock_err_ns == 9);
	q->signal = RXAQM_SIGNAL_BUSY;
	rxaqm_target_measure(&facts, q.get());
	CHECK(facts.clock_err_ns == 0);
}

TEST_CASE("target: rules have names", "[target]")
{
	for (int i = RXAQM_RULE_NONE; i <= RXAQM_RULE_OWN_CPU; i++) {
		rxaqm_target_rule rule = RXAQM_RULE_UNKNOWN;

		CHECK(rxaqm_target_rule_parse(rxaqm_target_rule_name(rxaqm_target_rule(i)),
					      &rule) == 0);
		CHECK(rule == i);
	}
	rxaqm_target_rule rule = RXAQM_RULE_SPLIT;

	CHECK(rxaqm_target_rule_parse("unknown", &rule) == -EINVAL);
	CHECK(rxaqm_target_rule_parse("Split", &rule) == -EINVAL);
	CHECK(rule == RXAQM_RULE_SPLIT);
	CHECK(std::string(rxaqm_target_rule_name(rxaqm_target_rule(99))) == "unknown");
}
