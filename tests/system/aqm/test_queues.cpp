// SPDX-License-Identifier: GPL-2.0-only
/* Several receive queues, each with a policy of its own. */
#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <regex>
#include <thread>

#include "host.hpp"
#include "traffic.hpp"

namespace
{

/* "first-last:target_ns" of each run of queues with the same policy. */
std::string targets(const Host &host, const Wire &wire)
{
	Json policy = host.json(wire.rx, { "policy", "show", wire.rx_if });
	std::string out;

	for (size_t i = 0; i < policy.size("/policies"); i++) {
		std::string at = "/policies/" + std::to_string(i);

		out += std::to_string(policy.number(at + "/first_queue")) + "-" +
		       std::to_string(policy.number(at + "/last_queue")) + ":" +
		       std::to_string(policy.number(at + "/target_ns") / 1000000) + " ";
	}
	return out;
}

struct Attached {
	Host host;
	Wire wire{ 4 };

	Attached()
	{
		REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if, "target=2ms" }).exit_code == 0);
	}
	int set(const std::string &queues, const std::string &setting)
	{
		return host.rxaqm(wire.rx, { "policy", "set", wire.rx_if, setting, "-q", queues })
			.exit_code;
	}
};

} // namespace

TEST_CASE("queues: flows spread over all queues are all counted, each in its queue", "[queues]")
{
	Host host;
	Wire wire(4);

	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	REQUIRE(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 5, 64) == 320);
	REQUIRE(udp_transfer(wire.tx, wire.rx, Wire::RX_IP6, 5, 64) == 320);

	CHECK(eventually([&] { return host.stat(wire.rx, wire.rx_if, "packets") >= 640; }));
	Json status = host.json(wire.rx, { "status", wire.rx_if });
	CHECK(status.number("/interfaces/0/nr_queues") == 4);
	REQUIRE(status.size("/interfaces/0/queues") == 4);
	for (int i = 0; i < 4; i++) {
		std::string at = "/interfaces/0/queues/" + std::to_string(i);

		CAPTURE(i);
		CHECK(status.number(at + "/queue") == i);
		CHECK(status.number(at + "/stats/packets") > 0);
		CHECK(status.number(at + "/stats/polls_drained") > 0);
		CHECK(status.number(at + "/stats/drop") == 0);
	}
}

TEST_CASE("queues: policies are set for one queue, a range, a list, or all", "[queues]")
{
	Attached a;

	CHECK(targets(a.host, a.wire) == "0-3:2 ");
	CHECK(a.set("2", "target=3ms") == 0);
	CHECK(targets(a.host, a.wire) == "0-1:2 2-2:3 3-3:2 ");
	CHECK(a.set("0-1", "target=4ms") == 0);
	CHECK(targets(a.host, a.wire) == "0-1:4 2-2:3 3-3:2 ");
	CHECK(a.set("0,2-3", "target=5ms") == 0);
	CHECK(targets(a.host, a.wire) == "0-0:5 1-1:4 2-3:5 ");
	CHECK(a.host.rxaqm(a.wire.rx, { "policy", "set", a.wire.rx_if, "target=6ms" }).exit_code ==
	      0);
	CHECK(targets(a.host, a.wire) == "0-3:6 ");
}

TEST_CASE("queues: a change that is wrong for one queue changes none", "[queues]")
{
	Attached a;

	REQUIRE(a.set("3", "interval=4ms") == 0);
	/* Right for the queues 0 to 2, over the interval of queue 3. */
	Result result = a.host.rxaqm(a.wire.rx, { "policy", "set", a.wire.rx_if, "target=5ms" });
	CAPTURE(result.text());
	CHECK(result.exit_code == 2);
	CHECK(result.err.find("target=5ms exceeds interval=4ms") != std::string::npos);
	CHECK(targets(a.host, a.wire) == "0-2:2 3-3:2 ");
	CHECK(a.set("2-4", "target=3ms") == 2);
	CHECK(a.set("3-2", "target=3ms") == 2);
	CHECK(targets(a.host, a.wire) == "0-2:2 3-3:2 ");
}

TEST_CASE("queues: all queues change at once, never some before others", "[queues]")
{
	Attached a;
	std::atomic<bool> stop{ false };
	unsigned looks = 0, mixed = 0;

	std::thread setter([&] {
		for (int i = 0; i < 40; i++)
			a.host.rxaqm(a.wire.rx, { "policy", "set", a.wire.rx_if,
						  i % 2 ? "target=3ms" : "target=2ms" });
		stop = true;
	});
	while (!stop) {
		std::string seen = targets(a.host, a.wire);

		looks++;
		mixed += seen != "0-3:2 " && seen != "0-3:3 ";
	}
	setter.join();
	CHECK(looks >= 10);
	CHECK(mixed == 0);
}

TEST_CASE("queues: mode off measures nothing, from the next packet on", "[queues]")
{
	Attached a;
	auto in_histogram = [&] {
		Json hist = a.host.json(a.wire.rx, { "hist", a.wire.rx_if });
		int64_t sum = 0;

		for (int i = 0; i < 4; i++)
			sum += hist.number("/interfaces/0/queues/" + std::to_string(i) +
					   "/packets");
		return sum;
	};

	REQUIRE(udp_transfer(a.wire.tx, a.wire.rx, Wire::RX_IP4, 1, 64) == 64);
	CHECK(eventually([&] { return in_histogram() >= 64; }));
	REQUIRE(a.host.rxaqm(a.wire.rx, { "policy", "set", a.wire.rx_if, "mode=off" }).exit_code ==
		0);
	int64_t before = in_histogram(), packets = a.host.stat(a.wire.rx, a.wire.rx_if, "packets");
	REQUIRE(udp_transfer(a.wire.tx, a.wire.rx, Wire::RX_IP4, 1, 64) == 64);
	CHECK(eventually(
		[&] { return a.host.stat(a.wire.rx, a.wire.rx_if, "packets") >= packets + 60; }));
	/* The poll that was going on may end as it began. */
	CHECK(in_histogram() <= before + 4);
	for (int i = 0; i < 4; i++)
		CHECK(a.host.json(a.wire.rx, { "status", a.wire.rx_if })
			      .text("/interfaces/0/queues/" + std::to_string(i) + "/mode") ==
		      "off");
}

TEST_CASE("queues: CS6 and CS7 are exempt by a default that is seen and can be taken away",
	  "[queues]")
{
	Attached a;
	auto show = [&] { return a.host.rxaqm(a.wire.rx, { "policy", "show", a.wire.rx_if }).out; };

	CHECK(show().find(" exempt_dscp=cs6,cs7 ") != std::string::npos);
	CHECK(a.set("0", "exempt_dscp=none") == 0);
	CHECK(show().find(" exempt_dscp=none ") != std::string::npos);
	CHECK(a.host.json(a.wire.rx, { "policy", "show", a.wire.rx_if })
		      .text("/policies/0/sources/exempt_dscp") == "operator");
}

TEST_CASE("queues: what is saved and loaded is the same", "[queues]")
{
	Attached a;

	REQUIRE(a.set("1", "target=3ms") == 0);
	REQUIRE(a.set("2-3", "mode=enforce") == 0);
	REQUIRE(a.set("3", "exempt_ports=22,443") == 0);
	REQUIRE(a.set("0", "exempt_dscp=cs6,8-10") == 0);
	REQUIRE(a.set("0", "max_drop=12.5%") == 0);

	Result saved = a.host.rxaqm(a.wire.rx, { "policy", "save", a.wire.rx_if });
	REQUIRE(saved.exit_code == 0);
	/* Without the lines that say who has set it, and how long ago. */
	auto show = [&] {
		std::string text = a.host.rxaqm(a.wire.rx, { "policy", "show", a.wire.rx_if }).out;

		return std::regex_replace(text, std::regex("    set: .*\n"), "");
	};
	std::string before = show();

	REQUIRE(a.host.rxaqm(a.wire.rx, { "detach", a.wire.rx_if }).exit_code == 0);
	REQUIRE(a.host.rxaqm(a.wire.rx, { "attach", a.wire.rx_if, "ecn=off" }).exit_code == 0);
	REQUIRE(show() != before);
	RunOptions options;
	options.input = saved.out;
	Result loaded = a.host.rxaqm(a.wire.rx, { "policy", "load", a.wire.rx_if, "-" }, options);
	CAPTURE(loaded.text(), saved.out);
	CHECK(loaded.exit_code == 0);
	CHECK(show() == before);
	CHECK(a.host.rxaqm(a.wire.rx, { "policy", "save", a.wire.rx_if }).out == saved.out);
}

TEST_CASE("queues: what all get by one command is one policy, a lease as well", "[queues]")
{
	Attached a;

	REQUIRE(a.host.rxaqm(a.wire.rx,
			     { "policy", "set", a.wire.rx_if, "mode=enforce", "lease=10m" })
			.exit_code == 0);
	Json shown = a.host.json(a.wire.rx, { "policy", "show", a.wire.rx_if });
	CHECK(shown.size("/policies") == 1);
	CHECK(shown.number("/policies/0/last_queue") == 3);
	Result saved = a.host.rxaqm(a.wire.rx, { "policy", "save", a.wire.rx_if });
	CHECK(saved.out.find("[queue") == std::string::npos);
}

TEST_CASE("queues: a file with an error changes nothing", "[queues]")
{
	Attached a;
	RunOptions options;

	for (const char *bad : { "[interface]\ntarget=3ms\nno_such_key=1\n",
				 "[queue 0]\ntarget=3ms\n[queue 4]\ntarget=3ms\n",
				 "[queue 1]\ntarget=3ms\n[queue 2]\ntarget=5\n" }) {
		options.input = bad;
		Result result = a.host.rxaqm(a.wire.rx, { "policy", "load", a.wire.rx_if, "-" },
					     options);
		CAPTURE(bad, result.text());
		CHECK(result.exit_code == 2);
		CHECK(result.out == "");
		CHECK(targets(a.host, a.wire) == "0-3:2 ");
	}
}

TEST_CASE("queues: an enforce policy with a lease lapses to observe", "[queues]")
{
	Attached a;

	REQUIRE(a.host.rxaqm(a.wire.rx,
			     { "policy", "set", a.wire.rx_if, "mode=enforce", "lease=10m" })
			.exit_code == 0);
	Json status = a.host.json(a.wire.rx, { "status", a.wire.rx_if });
	CHECK(status.text("/interfaces/0/queues/0/mode") == "enforce");
	REQUIRE(a.host.rxaqm(a.wire.rx, { "policy", "set", a.wire.rx_if, "lease=1ms" }).exit_code ==
		0);
	CHECK(eventually([&] {
		return a.host.json(a.wire.rx, { "status", a.wire.rx_if })
			       .text("/interfaces/0/queues/0/mode") == "observe (lease over)";
	}));
	REQUIRE(all_traffic(a.wire) == "");
	/* Renewed, it enforces again. */
	REQUIRE(a.host.rxaqm(a.wire.rx, { "policy", "set", a.wire.rx_if, "lease=10m" }).exit_code ==
		0);
	status = a.host.json(a.wire.rx, { "status", a.wire.rx_if });
	CHECK(status.text("/interfaces/0/queues/0/mode") == "enforce");
}
