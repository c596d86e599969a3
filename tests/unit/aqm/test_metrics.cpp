// SPDX-License-Identifier: GPL-2.0-only
/* What metrics say of maps. The rules of the format are checked by Exposition at each page. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <cmath>
#include <random>

#include "metrics_maps.hpp"

extern "C" {
#include "base/version.h"
}

using Catch::Matchers::WithinRel;

namespace
{

const Labels QUEUE0 = { { "interface", "eth0" }, { "queue", "0" } };

Labels with(Labels labels, const std::string &name, const std::string &value)
{
	labels[name] = value;
	return labels;
}

} // namespace

TEST_CASE("metrics: nothing attached is a page too", "[metrics]")
{
	Maps maps;

	SECTION("maps without interfaces")
	{
	}
	SECTION("no maps")
	{
		maps.state() = {};
	}
	Exposition page = maps.page();
	CHECK(page.value("rxaqm_interfaces") == 0);
	CHECK(page.value("rxaqm_build_info",
			 { { "version", RXAQM_VERSION }, { "revision", rxaqm_commit } }) == 1);
	CHECK(page.value("rxaqm_daemon_resident_bytes") > 100000);
	CHECK(page.find("rxaqm_rx_packets_total").empty());
}

TEST_CASE("metrics: every counter of stats.h is there, once", "[metrics]")
{
#define NAME(constant, name, meaning) name,
	static const char *const names[] = { RXAQM_STATS(NAME) };
	Maps maps;
	unsigned slot = maps.attach("eth0", 1);

	/* A number that no other sample has: it shows which counter a series reads. */
	for (unsigned i = 0; i < RXAQM_NR_STATS; i++)
		maps.queue(slot, 0).stat[i] = 7000001 + i;
	Exposition page = maps.page();
	for (unsigned i = 0; i < RXAQM_NR_STATS; i++) {
		unsigned found = 0;

		for (const Family &family : page.families())
			for (const Sample &sample : family.samples)
				found += family.type == "counter" && sample.value == 7000001 + i;
		INFO("counter " << names[i]
				<< ": give it a row in control/aqm/report/metrics_table.c");
		CHECK(found == 1);
	}
}

TEST_CASE("metrics: verdicts say what was done and why", "[metrics]")
{
	Maps maps;
	__u64 *stat = maps.queue(maps.attach("eth0", 1), 0).stat;

	stat[RXAQM_STAT_DROP] = 11;
	stat[RXAQM_STAT_ACK_DROP] = 12;
	stat[RXAQM_STAT_ECN_MARK] = 13;
	stat[RXAQM_STAT_CE_MARK] = 14;
	stat[RXAQM_STAT_WOULD_DROP] = 15;
	stat[RXAQM_STAT_PASS_STALE] = 16;
	Exposition page = maps.page();
	auto verdict = [&](const char *family, const char *what, const char *why) {
		return page.value(family, with(with(QUEUE0, "verdict", what), "reason", why));
	};
	CHECK(verdict("rxaqm_rx_verdict_packets_total", "drop", "law") == 11);
	CHECK(verdict("rxaqm_rx_verdict_packets_total", "drop", "ack") == 12);
	CHECK(verdict("rxaqm_rx_verdict_packets_total", "mark", "law") == 13);
	CHECK(verdict("rxaqm_rx_verdict_packets_total", "mark", "threshold") == 14);
	CHECK(verdict("rxaqm_rx_would_verdict_packets_total", "drop", "law") == 15);
	CHECK(verdict("rxaqm_rx_verdict_packets_total", "pass", "stale") == 16);
}

TEST_CASE("metrics: the histogram is folded without loss, at bounds that are exact", "[metrics]")
{
	Maps maps;
	rxaqm_queue &q = maps.queue(maps.attach("eth0", 1), 0);
	std::mt19937_64 random(2);
	std::vector<__u64> sojourns;
	double sum_ns = 0;

	for (int i = 0; i < 20000; i++) {
		__u64 ns = (random() >> 20) >> (random() % 40);

		ns %= 1ULL << 33;
		sojourns.push_back(ns);
		sum_ns += double(ns);
		q.hist[rxaqm_hist_bucket(ns)]++;
	}
	Exposition page = maps.page();
	std::vector<Sample> buckets = page.find("rxaqm_rx_sojourn_seconds_bucket", QUEUE0);
	CHECK(buckets.size() <= 20);
	for (const Sample &bucket : buckets) {
		const std::string &le = bucket.labels.at("le");
		double bound_ns = le == "+Inf" ? HUGE_VAL : std::stod(le) * 1e9, below = 0;

		/* Both ends of what is at the bound: a folded bucket is the finer ones' sum. */
		for (__u64 ns : sojourns)
			below += double(ns) + 0.5 < bound_ns;
		CAPTURE(le);
		CHECK(bucket.value == below);
	}
	CHECK(page.value("rxaqm_rx_sojourn_seconds_count", QUEUE0) == double(sojourns.size()));
	CHECK_THAT(page.value("rxaqm_rx_sojourn_seconds_sum", QUEUE0),
		   WithinRel(sum_ns / 1e9, 0.02));
}

TEST_CASE("metrics: labels are escaped, and come back as they were", "[metrics]")
{
	const std::string name = "a\"b\\c\nd}e,f={ \xc3\xa4";
	Maps maps;

	maps.queue(maps.attach(name, 1), 0).stat[RXAQM_STAT_PACKETS] = 5;
	CHECK(maps.page().value("rxaqm_rx_packets_total", { { "interface", name } }) == 5);
	/* But for what a page may not have. */
	maps.queue(maps.attach("a\x1b\xff", 1), 0).stat[RXAQM_STAT_PACKETS] = 6;
	CHECK(maps.page().value("rxaqm_rx_packets_total", { { "interface", "a\\u001b\\ufffd" } }) ==
	      6);
}

TEST_CASE("metrics: gauges of a queue", "[metrics]")
{
	Maps maps;
	unsigned slot = maps.attach("eth0", 1);
	rxaqm_queue &q = maps.queue(slot, 0);
	rxaqm_policy &policy = maps.policy(slot, 0);

	policy.target_ns = 2500 * RXAQM_NSEC_PER_USEC;
	policy.interval_ns = 40 * RXAQM_NSEC_PER_MSEC;
	policy.mode = RXAQM_MODE_ENFORCE;
	q.flags |= RXAQM_QUEUE_POLLED | RXAQM_QUEUE_STANDING | RXAQM_QUEUE_SAMPLED;
	q.poll_end_ns = maps.view().now_ns;
	q.stood_since_ns = q.poll_end_ns - RXAQM_NSEC_PER_SEC;
	q.round_ns = 100000;
	q.sample_err_ns = 7;
	q.codel.dropping = 1;

	SECTION("in force")
	{
		policy.lease_until_ns = maps.view().now_ns + 1500 * RXAQM_NSEC_PER_MSEC;
		Exposition page = maps.page();

		CHECK(page.find("rxaqm_rx_target_seconds", QUEUE0).at(0).written == "0.0025");
		CHECK(page.find("rxaqm_rx_interval_seconds", QUEUE0).at(0).written == "0.04");
		CHECK(page.find("rxaqm_rx_sample_error_seconds").at(0).written == "0.000000007");
		CHECK(page.find("rxaqm_rx_lease_seconds", QUEUE0).at(0).written == "1.5");
		CHECK(page.value("rxaqm_rx_floor_seconds") == 2.0 * q.round_ns / 1e9);
		CHECK(page.value("rxaqm_rx_standing") == 1);
		CHECK(page.value("rxaqm_rx_codel_dropping") == 1);
		CHECK(page.value("rxaqm_rx_stamps_distrusted") == 0);
		CHECK(page.value("rxaqm_rx_mode", { { "mode", "enforce" } }) == 1);
		CHECK(page.value("rxaqm_rx_mode", { { "mode", "lapsed" } }) == 0);
		CHECK(page.value("rxaqm_rx_signal", { { "signal", "busy" } }) == 1);
	}
	SECTION("its lease is over")
	{
		policy.lease_until_ns = maps.view().now_ns - 1;
		Exposition page = maps.page();

		CHECK(page.value("rxaqm_rx_mode", { { "mode", "enforce" } }) == 0);
		CHECK(page.value("rxaqm_rx_mode", { { "mode", "lapsed" } }) == 1);
		CHECK(page.value("rxaqm_rx_lease_seconds") == 0);
	}
	SECTION("no lease, no such series")
	{
		CHECK(maps.page().find("rxaqm_rx_lease_seconds").empty());
	}
	SECTION("settings of an operator, if there is a configuration that he overrides")
	{
		rxaqm_setting_set(&policy, RXAQM_SOURCE_CONFIG, "ack", "keep", 1, nullptr);
		rxaqm_setting_set(&policy, RXAQM_SOURCE_OPERATOR, "target", "2ms", 1, nullptr);
		rxaqm_setting_set(&policy, RXAQM_SOURCE_OPERATOR, "ecn", "off", 1, nullptr);
		CHECK(maps.page().value("rxaqm_rx_overridden") == 0);
		maps.iface(slot).config_digest = 1;
		CHECK(maps.page().value("rxaqm_rx_overridden") == 2);
	}
	SECTION("stamps that are not believed")
	{
		q.distrust_reason = RXAQM_DISTRUST_NEGATIVE;
		q.distrust_until_ns = maps.view().now_ns + 1;
		CHECK(maps.page().value("rxaqm_rx_stamps_distrusted") == 1);
	}
}

TEST_CASE("metrics: the law of a queue", "[metrics]")
{
	Maps maps;
	unsigned slot = maps.attach("eth0", 1);
	rxaqm_queue &q = maps.queue(slot, 0);

	rxaqm_policy_init(&q.policy);
	maps.policy(slot, 0) = q.policy;
	q.target_ns = 3 * RXAQM_NSEC_PER_MSEC;
	q.interval_ns = 40 * RXAQM_NSEC_PER_MSEC;
	q.law.turn_ns = maps.view().now_ns - 1;
	q.law.goal_ns = 2 * RXAQM_NSEC_PER_MSEC;
	q.flags |= RXAQM_QUEUE_ENFORCED;
	q.law.x = RXAQM_LAW_OCTAVE;
	q.law.stamp_bits = 8;
	q.law.limit = 100 * RXAQM_PACKET;
	q.law.thin = RXAQM_LAW_ONE / 2;
	q.law.flows[RXAQM_FLOWS_TCP] = 7;
	q.law.over[RXAQM_FLOWS_TCP] = 3;
	q.law.bad = 1;
	SECTION("in use are target and interval of the queue, not of the policy")
	{
		Exposition page = maps.page();

		CHECK(page.value("rxaqm_rx_target_seconds", QUEUE0) == 0.003);
		CHECK(page.value("rxaqm_rx_interval_seconds", QUEUE0) == 0.04);
		CHECK(page.value("rxaqm_rx_goal_seconds", QUEUE0) == 0.002);
	}
	SECTION("the limit, and who is over it")
	{
		Exposition page = maps.page();

		/* 100 packets in 1.44 half-lives of 16.8 ms. */
		CHECK(page.value("rxaqm_rx_flow_limit_pps", QUEUE0) == 4131);
		CHECK(page.value("rxaqm_rx_flows", with(QUEUE0, "kind", "tcp")) == 7);
		CHECK(page.value("rxaqm_rx_flows_over", with(QUEUE0, "kind", "tcp")) == 3);
		CHECK(page.value("rxaqm_rx_flows_over", with(QUEUE0, "kind", "other")) == 0);
		CHECK(page.value("rxaqm_rx_ack_thin_ratio", QUEUE0) == 0.5);
	}
	SECTION("an overload that is over")
	{
		q.law.turn_ns -= 100 * RXAQM_NSEC_PER_SEC;
		Exposition page = maps.page();

		CHECK(page.find("rxaqm_rx_flow_limit_pps", QUEUE0).empty());
		CHECK(page.value("rxaqm_rx_ack_thin_ratio", QUEUE0) == 0);
	}
	SECTION("held by exempt traffic")
	{
		CHECK(maps.page().value("rxaqm_rx_held_by_exempt", QUEUE0) == 0);
		q.flags |= RXAQM_QUEUE_STANDING | RXAQM_QUEUE_POLLED;
		q.poll_end_ns = maps.view().now_ns;
		q.stood_since_ns = q.poll_end_ns - RXAQM_NSEC_PER_SEC;
		q.stood_sojourn_ns = 400 * RXAQM_NSEC_PER_MSEC;
		q.policy.law = RXAQM_LAW_CODEL;
		q.law.seen[RXAQM_CLASS_EXEMPT] = 4;
		CHECK(maps.page().value("rxaqm_rx_held_by_exempt", QUEUE0) == 1);
	}
}

TEST_CASE("metrics: each queue is in one mode and has one signal", "[metrics]")
{
	Maps maps;
	std::mt19937 random(3);

	for (unsigned slot = 0; slot < 4; slot++) {
		maps.attach("eth" + std::to_string(slot), 8);
		for (unsigned i = 0; i < 8; i++) {
			maps.policy(slot, i).mode = __u8(random() % 3);
			maps.policy(slot, i).signal = random() % 2 ? RXAQM_SIGNAL_STAMP :
								     RXAQM_SIGNAL_AUTO;
			maps.queue(slot, i).signal = RXAQM_SIGNAL_STAMP;
			maps.queue(slot, i).flags = __u32(random());
			maps.queue(slot, i).flags |= RXAQM_QUEUE_POLLED;
		}
	}
	Exposition page = maps.page();
	for (unsigned slot = 0; slot < 4; slot++)
		for (unsigned i = 0; i < 8; i++)
			for (const char *family : { "rxaqm_rx_mode", "rxaqm_rx_signal" }) {
				double sum = 0;

				for (const Sample &sample :
				     page.find(family,
					       { { "interface", "eth" + std::to_string(slot) },
						 { "queue", std::to_string(i) } }))
					sum += sample.value;
				CAPTURE(family, slot, i);
				CHECK(sum == 1);
			}
}

TEST_CASE("metrics: queues that go to sockets, and what their consumers say", "[metrics]")
{
	Maps maps;
	const Labels all = { { "interface", "eth0" }, { "queue", "0" } };

	maps.attach("eth0", 2);
	maps.queue(0, 0).policy.interval_ns = 40 * RXAQM_NSEC_PER_MSEC;
	maps.wait(0, 0).updated_ns = maps.view().now_ns - 5 * RXAQM_NSEC_PER_MSEC;
	maps.wait(0, 0).wait_ns = 1500000;
	maps.wait(0, 0).ring_full = 7;
	SECTION("no socket: what stands there is of no meaning")
	{
		Exposition page(maps.text());
		CHECK(page.value("rxaqm_rx_socket_served", all) == 0);
		CHECK(page.value("rxaqm_rx_socket_ring_full_packets_total", all) == 0);
		CHECK(page.find("rxaqm_rx_socket_wait_seconds").empty());
	}
	SECTION("a socket")
	{
		maps.queue(0, 0).flags |= RXAQM_QUEUE_SOCKET;
		Exposition page(maps.text());
		CHECK(page.value("rxaqm_rx_socket_served", all) == 1);
		CHECK(page.value("rxaqm_rx_socket_ring_full_packets_total", all) == 7);
		CHECK(page.value("rxaqm_rx_socket_wait_seconds", all) == 0.0015);
		CHECK(page.find("rxaqm_rx_socket_wait_seconds").size() == 1);
	}
	SECTION("a socket whose consumer has not been heard of")
	{
		maps.queue(0, 0).flags |= RXAQM_QUEUE_SOCKET;
		maps.wait(0, 0).updated_ns -= RXAQM_NSEC_PER_SEC;
		Exposition page(maps.text());
		CHECK(page.value("rxaqm_rx_socket_served", all) == 1);
		CHECK(page.find("rxaqm_rx_socket_wait_seconds").empty());
	}
}

TEST_CASE("metrics: how an interface is attached", "[metrics]")
{
	Maps maps;
	unsigned slot = maps.attach("eth0", 1);

	maps.iface(slot).flags = RXAQM_IFACE_GENERIC | RXAQM_IFACE_BY_CPU;
	maps.view().iface[slot].state = RXAQM_METRICS_IFACE_LOST;
	Exposition page = maps.page();
	CHECK(page.value("rxaqm_interface_info", { { "interface", "eth0" },
						   { "xdp", "generic" },
						   { "key", "cpu" },
						   { "profile", "veth" },
						   { "dispatcher", "no" },
						   { "stamp", "none" } }) == 1);
	CHECK(page.value("rxaqm_interface_state", { { "state", "lost" } }) == 1);
	CHECK(page.value("rxaqm_interface_state", { { "state", "attached" } }) == 0);
	CHECK(page.value("rxaqm_interface_attached_seconds") == 5);
	CHECK(page.find("rxaqm_interface_ring_entries").empty());
	CHECK(page.value("rxaqm_interface_overflow_packets_total") == 0);
	maps.view().iface[slot].overflow = 77;
	CHECK(maps.page().value("rxaqm_interface_overflow_packets_total") == 77);
	maps.view().iface[slot].overflow = RXAQM_METRICS_UNKNOWN;
	CHECK(maps.page().find("rxaqm_interface_overflow_packets_total").empty());
}
