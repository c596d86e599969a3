/* SPDX-License-Identifier: GPL-2.0-only */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "../../replay/replay.h"
#include "policy/settings.h"
}

static const __u64 ms = RXAQM_NSEC_PER_MSEC;

using Settings = std::vector<std::pair<const char *, const char *>>;

/* A replay of law=codel with target 1 ms and interval 100 ms, unless said otherwise. */
class Replay
{
    public:
	explicit Replay(Settings settings = {})
		: replay_(new rxaqm_replay())
	{
		rxaqm_policy_init(&replay_->policy);
		settings.insert(settings.begin(), { { "mode", "enforce" },
						    { "target", "1ms" },
						    { "interval", "100ms" },
						    { "law", "codel" } });
		for (const auto &[key, value] : settings)
			REQUIRE(rxaqm_setting_set(&replay_->policy, RXAQM_SOURCE_OPERATOR, key,
						  value, 0, NULL) == 0);
		replay_->keep_sojourns = true;
	}

	~Replay()
	{
		rxaqm_replay_free(replay_.get());
	}

	int packet(__u64 now_ms, __u64 sojourn_us, __u8 ecn = RXAQM_IP_NOT_ECT,
		   __u8 kind = RXAQM_KIND_DATA, bool drained = false, __u32 queue = 0)
	{
		rxaqm_trace_packet packet = { now_ms * ms, sojourn_us * 1000, queue, 1514, ecn,
					      kind,	   drained,	      0 };

		return rxaqm_replay_packet(replay_.get(), &packet);
	}

	/* Times, in ms, of the verdicts other than pass, of a packet a ms. */
	std::vector<__u64> signals(__u64 from_ms, __u64 to_ms, __u64 sojourn_us)
	{
		std::vector<__u64> times;

		for (__u64 t = from_ms; t < to_ms; t++)
			if (packet(t, sojourn_us) != RXAQM_PASS)
				times.push_back(t);
		return times;
	}

	rxaqm_replay_queue *queue(__u32 nr = 0)
	{
		return replay_->queue[nr];
	}

	rxaqm_replay *operator->()
	{
		return replay_.get();
	}

    private:
	std::unique_ptr<rxaqm_replay> replay_;
};

using Times = std::vector<__u64>;

TEST_CASE("replay: CoDel by hand", "[replay]")
{
	Replay replay;

	/* Over target from 1000 on: due an interval later, then at gaps of 100 / sqrt(n):
	 * 100, 70.71, 57.74, 50, 44.72, at times 1200, 1270.71, 1328.45, 1378.45, 1423.17;
	 * a packet a ms takes each up to a ms late.
	 */
	CHECK(replay.signals(1000, 1430, 2000) == Times{ 1100, 1200, 1271, 1329, 1379, 1424 });
	CHECK(replay.queue()->queue.codel.count == 6);
	CHECK(replay.queue()->dropped == 6);
	CHECK(replay.queue()->marked == 0);
}

TEST_CASE("replay: at target is over it, below is not", "[replay]")
{
	Replay at;
	Replay below;

	CHECK(at.signals(0, 150, 1000) == Times{ 100 });
	CHECK(below.signals(0, 1000, 999).empty());
}

TEST_CASE("replay: one packet below target ends an episode, and it is remembered", "[replay]")
{
	Replay replay;

	CHECK(replay.signals(1000, 1430, 2000).size() == 6);
	CHECK(replay.packet(1430, 500) == RXAQM_PASS);
	CHECK_FALSE(replay.queue()->queue.codel.dropping);
	/* An interval to be sure again; then from count 6 - 1 = 5: 100 / sqrt(5) = 44.7. */
	CHECK(replay.signals(1431, 1600, 2000) == Times{ 1531, 1576 });
	CHECK(replay.queue()->queue.codel.count == 6);
	CHECK(replay.queue()->queue.codel.lastcount == 5);
}

TEST_CASE("replay: forgotten after sixteen intervals", "[replay]")
{
	Replay replay;

	CHECK(replay.signals(1000, 1430, 2000).size() == 6);
	CHECK(replay.packet(1430, 500) == RXAQM_PASS);
	CHECK(replay.signals(4000, 4250, 2000) == Times{ 4100, 4200 });
	CHECK(replay.queue()->queue.codel.lastcount == 1);
}

TEST_CASE("replay: a drained ring ends an episode whatever the sojourn", "[replay]")
{
	Replay replay;

	CHECK(replay.signals(0, 101, 2000) == Times{ 100 });
	CHECK(replay.packet(101, 2000, 0, RXAQM_KIND_DATA, true) == RXAQM_PASS);
	CHECK(replay.signals(102, 202, 2000).empty());
	CHECK(replay.packet(202, 2000) == RXAQM_DROP);
}

TEST_CASE("replay: responses", "[replay]")
{
	static const struct {
		const char *ecn;
		__u8 codepoint, kind;
		int verdict; /* of the packet on which the first signal is due */
	} rows[] = {
		{ "on", RXAQM_IP_NOT_ECT, RXAQM_KIND_DATA, RXAQM_DROP },
		{ "on", RXAQM_IP_ECT0, RXAQM_KIND_DATA, RXAQM_MARK },
		{ "on", RXAQM_IP_ECT1, RXAQM_KIND_DATA, RXAQM_MARK },
		{ "on", RXAQM_IP_CE, RXAQM_KIND_DATA, RXAQM_PASS },
		{ "on", RXAQM_IP_NOT_ECT, RXAQM_KIND_ACK, RXAQM_PASS },
		{ "on", RXAQM_IP_ECT0, RXAQM_KIND_EXEMPT, RXAQM_PASS },
		{ "off", RXAQM_IP_ECT0, RXAQM_KIND_DATA, RXAQM_DROP },
	};

	for (const auto &row : rows) {
		Replay replay(Settings{ { "ecn", row.ecn } });

		INFO("ecn=" << row.ecn << " codepoint " << int(row.codepoint) << " kind "
			    << int(row.kind));
		CHECK(replay.signals(0, 100, 2000).empty());
		CHECK(replay.packet(100, 2000, row.codepoint, row.kind) == row.verdict);
	}
}

TEST_CASE("replay: a due signal waits for a packet that may have it", "[replay]")
{
	Replay replay;

	CHECK(replay.signals(0, 100, 2000).empty());
	for (__u64 t = 100; t < 110; t++)
		CHECK(replay.packet(t, 2000, 0, RXAQM_KIND_ACK) == RXAQM_PASS);
	CHECK(replay.packet(110, 2000) == RXAQM_DROP);
}

TEST_CASE("replay: a threshold needs no interval", "[replay]")
{
	Replay replay(Settings{ { "preset", "meta2022" } });

	CHECK(replay.packet(0, 12000, RXAQM_IP_ECT0) == RXAQM_MARK);
	CHECK(replay.packet(1, 12000, RXAQM_IP_ECT0) == RXAQM_MARK);
	CHECK(replay.packet(2, 12000) == RXAQM_PASS);
	CHECK(replay.queue()->marked == 2);
}

TEST_CASE("replay: observing and lapsed leases pass everything", "[replay]")
{
	Replay observe(Settings{ { "mode", "observe" } });
	Replay lapsed(Settings{ { "lease", "50ms" } });

	CHECK(observe.signals(0, 430, 2000).empty());
	CHECK(observe.queue()->queue.stat[RXAQM_STAT_WOULD_DROP] == 6);
	CHECK(lapsed.signals(0, 500, 2000).empty());
}

TEST_CASE("replay: max_drop caps", "[replay]")
{
	Replay never(Settings{ { "max_drop", "0%" } });

	CHECK(never.signals(0, 500, 2000).empty());
	CHECK(never.queue()->queue.stat[RXAQM_STAT_PASS_CAPPED] > 0);
}

TEST_CASE("replay: the guard is for who can be spared, and can be switched off", "[replay]")
{
	/* A hundred ACKs, which CoDel never drops, for each packet that it may. */
	auto load = [](Replay &replay) {
		for (__u64 t = 0; t < 20000; t++)
			replay.packet(t, 20000, RXAQM_IP_NOT_ECT,
				      t % 100 ? RXAQM_KIND_ACK : RXAQM_KIND_DATA);
		return replay.queue()->dropped;
	};
	Replay guarded, unguarded;

	unguarded->unguarded = true;
	CHECK(load(guarded) <= 200 * 4 / 100 + RXAQM_GUARD_BURST);
	CHECK(load(unguarded) > 150);
	CHECK(unguarded.queue()->queue.stat[RXAQM_STAT_PASS_CAPPED] == 0);
}

TEST_CASE("replay: law=auto leaves a burst alone and brings a flood down", "[replay]")
{
	Replay burst(Settings{ { "law", "auto" } }), flood(Settings{ { "law", "auto" } });
	__u64 dropped = 0;

	/* All of it came within an instant: what stands shorter and shorter is no bad queue. */
	for (__u64 t = 0; t < 200; t++)
		CHECK(burst.packet(1000 + t, 1000 * (t + 1)) == RXAQM_PASS);
	CHECK_FALSE(burst.queue()->queue.law.bad);

	for (__u64 t = 0; t < 5000; t++)
		dropped += flood.packet(1000 + t, 20000) == RXAQM_DROP;
	CHECK(flood.queue()->queue.law.bad);
	CHECK(flood.queue()->queue.law.x > RXAQM_LAW_ONE / 8);
	CHECK(dropped == flood.queue()->dropped);
	CHECK(dropped > 1000);
}

TEST_CASE("replay: no ACK of a trace is known to be redundant", "[replay]")
{
	Replay replay(Settings{ { "law", "auto" }, { "max_drop", "0%" } });
	__u64 passed = 0;

	for (__u64 t = 0; t < 5000; t++)
		passed += replay.packet(t, 20000, 0, RXAQM_KIND_ACK) == RXAQM_PASS;
	CHECK(passed == 5000);
	CHECK(replay.queue()->queue.law.x > 0);
}

TEST_CASE("replay: a ring without room for the target has a lower goal", "[replay]")
{
	Replay known(Settings{ { "law", "auto" }, { "target", "50ms" }, { "interval", "200ms" } });
	Replay unknown(
		Settings{ { "law", "auto" }, { "target", "50ms" }, { "interval", "200ms" } });

	/* A packet a ms, of 64 entries: half of that leaves in 32 ms. */
	known->ring_entries = 64;
	known.signals(0, 1000, 60000);
	unknown.signals(0, 1000, 60000);
	CHECK(unknown.queue()->queue.law.goal_ns == 50 * ms);
	CHECK(known.queue()->queue.law.goal_ns >= 30 * ms);
	CHECK(known.queue()->queue.law.goal_ns <= 34 * ms);
}

TEST_CASE("replay: a flow pays for itself, and a recording without flows is one", "[replay]")
{
	const bool told = GENERATE(true, false);
	Replay replay(Settings{ { "law", "auto" }, { "target", "5ms" }, { "interval", "20ms" } });
	unsigned dropped[2] = {}, sent[2] = {};

	/* Nine of ten packets are of one flow. */
	for (__u64 i = 0; i < 100000; i++) {
		rxaqm_trace_packet packet = { i * 10000, 20 * ms,
					      0,	 1514,
					      0,	 RXAQM_KIND_DATA,
					      false,	 told ? 7 + (i % 10 == 0) : 0U };

		sent[i % 10 == 0]++;
		dropped[i % 10 == 0] += rxaqm_replay_packet(replay.operator->(), &packet) ==
					RXAQM_DROP;
	}
	CAPTURE(told, dropped[0], dropped[1]);
	CHECK(dropped[0] > sent[0] / 4);
	if (told)
		CHECK(dropped[1] * 9 < dropped[0] / 2);
	else
		CHECK(dropped[1] > sent[1] / 4);
}

TEST_CASE("replay: queues do not know each other", "[replay]")
{
	Replay replay;

	for (__u64 t = 0; t < 100; t++) {
		CHECK(replay.packet(t, 2000) == RXAQM_PASS);
		CHECK(replay.packet(t, 500, 0, RXAQM_KIND_DATA, false, 4095) == RXAQM_PASS);
	}
	CHECK(replay.packet(100, 2000, 0, RXAQM_KIND_DATA, false, 4095) == RXAQM_PASS);
	CHECK(replay.packet(100, 2000) == RXAQM_DROP);
	CHECK(replay.queue(0)->sojourns.nr == 101);
	CHECK(replay.queue(4095)->sojourns.nr == 101);
	CHECK_FALSE(replay.queue(1));
}

TEST_CASE("replay: percentiles are exact", "[replay]")
{
	Replay replay;

	/* 1 .. 2000 us, not in order: 7 and 2000 have no common divisor. */
	for (__u64 i = 0; i < 2000; i++)
		replay.packet(i, 1 + i * 7 % 2000);
	CHECK(rxaqm_replay_percentile(replay.queue(), 500) == 1000000);
	CHECK(rxaqm_replay_percentile(replay.queue(), 990) == 1980000);
	CHECK(rxaqm_replay_percentile(replay.queue(), 1000) == 2000000);
	CHECK(rxaqm_replay_percentile(replay.queue(), 0) == 1000);
}
