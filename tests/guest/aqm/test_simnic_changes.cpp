// SPDX-License-Identifier: GPL-2.0-only
/* Changes on an attached NIC: somebody turns stamps off, the clock is stepped, Rx and Tx share a
 * completion queue, and the daemon comes and goes.
 */
#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "simnic.hpp"

using namespace std::chrono_literals;

namespace
{

/* As hwstamp_ctl of linuxptp does. */
void turn_stamps_off(const SimNic &nic)
{
	set_hwtstamp(nic.rx(), nic.name(), HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_NONE);
}

int64_t signals(const SimNic &nic)
{
	return nic.stat("drop") + nic.stat("ecn_mark") + nic.stat("ce_mark");
}

/* The time until the clock's error is below 0.3 ms. */
std::chrono::milliseconds learn_again(const SimNic &nic)
{
	const auto start = std::chrono::steady_clock::now();
	const bool learnt = eventually(
		[&] {
			const SimNic::ClockError error = nic.kernel_clock_error();

			return error.published && std::abs(error.error_ns) < 300000;
		},
		25s);

	return learnt ? std::chrono::duration_cast<std::chrono::milliseconds>(
				std::chrono::steady_clock::now() - start) :
			25s;
}

/* TCP with ECN from the far end, by many flows at once, until it is destroyed. */
class Tcp
{
    public:
	explicit Tcp(const SimNic &nic)
	{
		for (const Netns *netns : { &nic.wire->tx, &nic.wire->rx })
			netns->shell("sysctl -qw net.ipv4.tcp_ecn=1");
		start(server_, nic.wire->rx, { "iperf3", "-s", "-1" });
		REQUIRE(eventually([&] {
			return nic.rx().shell("ss -Hltn sport = :5201").find("5201") !=
			       std::string::npos;
		}));
		start(client_, nic.wire->tx,
		      { "iperf3", "-c", Wire::RX_IP4, "-P", "8", "-t", "600", "-i", "0" });
	}

    private:
	static void start(std::unique_ptr<Child> &child, const Netns &netns, const Args &args)
	{
		Args all = { "ip", "netns", "exec", netns.name(), "taskset",
			     "-c", "0",	    "nice", "-n",	  "19" };
		RunOptions options;

		options.timeout = 2min;
		all.insert(all.end(), args.begin(), args.end());
		child = std::make_unique<Child>(all, options);
	}

	std::unique_ptr<Child> server_, client_;
};

/* The completion design in the interface's current profile. */
std::string design(const SimNic &nic)
{
	return nic.host.json(nic.rx(), { "profile", "show", nic.name() })
		.text("/profiles/0/nic/completion_design");
}

struct Polls {
	int64_t busy, all;
};

Polls polls_of_nic(const SimNic &nic)
{
	const std::map<std::string, int64_t> stats = nic.nic_stats();

	return { stats.at("rx_polls_busy"), stats.at("rx_polls") };
}

/* The 99th percentile of the wait for Tx completions, in ns, while TCP runs. */
int64_t tx_delay_p99(const SimNic &nic)
{
	std::this_thread::sleep_for(5s);
	nic.set("truth_reset", 1);
	std::this_thread::sleep_for(4s);
	return nic.nic_stat("tx_delay_p99_ns");
}

} // namespace

TEST_CASE("simnic: signal=stamp passes everything once stamps are turned off", "[simnic][off]")
{
	in_guest();
	SimNic nic;

	nic.attach({ "--hook=tp", "signal=stamp", "mode=enforce", "target=1ms", "interval=20ms" });
	nic.trickle(3000ms);
	nic.overload();
	Flow flow(nic, 0);
	REQUIRE(eventually([&] { return nic.stat("drop") > 0; }, 20s));

	turn_stamps_off(nic);
	REQUIRE(eventually([&] { return nic.signal() == "none"; }, 15s));
	const int64_t drops = nic.stat("drop"), packets = nic.stat("packets");
	std::this_thread::sleep_for(2s);
	const std::string notes = nic.notes();
	CAPTURE(notes, nic.rxaqm({ "status", "--all" }).out);
	CHECK(nic.stat("packets") > packets + 100);
	CHECK(nic.stat("drop") == drops);
	CHECK(notes.find("turned off by someone else") != std::string::npos);
	CHECK(notes.find("everything passes") != std::string::npos);

	/* The clock's error has grown: with a target below twice that, auto would use polls. */
	Result result = nic.rxaqm({ "policy", "set", nic.name(), "signal=auto", "target=10ms" });
	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	CHECK(hwtstamp_of(nic.rx(), nic.name()).rx_filter == HWTSTAMP_FILTER_ALL);
	CHECK(eventually([&] { return nic.signal() == "stamp"; }, 15s));
	CHECK(eventually([&] { return nic.stat("drop") > drops; }, 15s));
	CHECK(nic.notes().find("someone else") == std::string::npos);
}

TEST_CASE("simnic: signal=auto goes by polls once stamps are turned off", "[simnic][off]")
{
	in_guest();
	SimNic nic;

	nic.attach({});
	nic.trickle(3000ms);
	CHECK(nic.signal() != "busy");
	nic.overload();
	Flow flow(nic, 0);
	turn_stamps_off(nic);
	REQUIRE(eventually([&] { return nic.signal() == "busy"; }, 15s));
	const int64_t judged = nic.stat("judged");
	const std::string notes = nic.notes();
	CAPTURE(notes);
	CHECK(notes.find("turned off by someone else") != std::string::npos);
	CHECK(notes.find("acting on busy") != std::string::npos);
	CHECK(eventually([&] { return nic.stat("judged") > judged + 500; }, 15s));
}

TEST_CASE("simnic: a step of the clock is learnt within seconds", "[simnic][step]")
{
	in_guest();
	SimNic nic;

	nic.attach({ "--hook=tp", "signal=stamp", "mode=enforce" });
	Flow flow(nic, 300);
	std::this_thread::sleep_for(5s);
	for (int64_t step_ns : { 1000000, -1000000, 1000000000, -1000000000 }) {
		const int64_t resets = nic.stat("clock_resets");

		/* If the CPU was taken away meanwhile, the clock may be wrong for a moment. */
		REQUIRE(learn_again(nic) < 25s);
		const auto err_ns = nic.json("status").number("/interfaces/0/clock/kernel/err_ns");
		nic.set("phc_step_ns", step_ns);
		CAPTURE(step_ns, err_ns);
		const auto took = learn_again(nic);
		CAPTURE(took.count(), nic.rxaqm({ "status", "--all" }).out);
		/* Slightly old stamps could belong to packets that waited: the estimate follows
		 * them without a reset, in eight windows of 2.1 s. A step of the size of the error,
		 * which is large where the CPU was taken away, needs none either.
		 */
		CHECK(took < (step_ns == -1000000 ? 20s : 4s));
		if (step_ns != -1000000 && err_ns < std::abs(step_ns) / 2)
			CHECK(nic.stat("clock_resets") > resets);
		std::this_thread::sleep_for(2s);
	}
	/* The queue never stood. */
	CHECK(signals(nic) == 0);
	Window window(nic);
	std::this_thread::sleep_for(2s);
	window.end();
	CAPTURE(window.text());
	CHECK(window.bucket_ns(500, 0).first < window.truth.quantile_ns(0.5) + 300e3);
}

/* The threshold is checked for each packet. A sojourn that is wrong by the step exceeds it by far;
 * a true one never does.
 */
TEST_CASE("simnic: no sojourn counts that a step made wrong", "[simnic][step]")
{
	in_guest();
	constexpr unsigned ECT1_TOS = 1;
	constexpr const char *PAUSED =
		"the machine paused: packets did wait as long as the threshold";
	SimNic nic;

	nic.attach({ "--hook=tp", "signal=stamp", "mode=enforce", "target=800ms", "interval=800ms",
		     "law=codel", "ce_threshold=800ms", "ce_threshold_selector=ect1" });
	nic.overload();
	for (int64_t step_ns : { 1000000000, -1000000000 }) {
		nic.trickle(3000ms);
		const int64_t resets = nic.stat("clock_resets");
		const int64_t bad = nic.stat("stamp_negative") + nic.stat("stamp_absurd");
		{
			Flow flow(nic, 0, ECT1_TOS);
			std::this_thread::sleep_for(1s);
			nic.set("truth_reset", 1);
			nic.set("phc_step_ns", step_ns);
			std::this_thread::sleep_for(3s);
		}
		const Truth truth = nic.truth();
		CAPTURE(step_ns, truth.quantile_ns(0.5), truth.quantile_ns(1),
			nic.rxaqm({ "status", "--all" }).out);
		REQUIRE(truth.quantile_ns(0.5) > 10e6);
		if (truth.quantile_ns(1) >= 700e6)
			SKIP(PAUSED);
		CHECK(nic.stat("stamp_negative") + nic.stat("stamp_absurd") > bad);
		CHECK(nic.stat("over_ect1") == 0);
		CHECK(signals(nic) == 0);
		nic.trickle(3000ms);
		CHECK(nic.stat("clock_resets") > resets);
		CHECK(std::abs(nic.kernel_clock_error().error_ns) < 1000000);
	}
	Flow flow(nic, 0, ECT1_TOS);
	std::this_thread::sleep_for(1s);
	Window window(nic);
	std::this_thread::sleep_for(3s);
	window.end();
	CAPTURE(window.text(), nic.rxaqm({ "status", "--all" }).out);
	CHECK(double(window.packets) > 0.8 * double(window.truth.packets));
	CHECK(window.agrees(500, 0));
	if (window.truth.quantile_ns(1) >= 700e6)
		SKIP(PAUSED);
	CHECK(signals(nic) == 0);
}

TEST_CASE("simnic: a shared completion queue is known, and enforcing shortens it for Tx",
	  "[simnic][completions]")
{
	in_guest();
	SimNic nic;

	CHECK(design(nic) == "split");
	nic.rx().shell("ethtool --set-priv-flags " + nic.name() + " shared-cq on");
	nic.rx().shell("ethtool -G " + nic.name() + " rx 1024");
	nic.attach({ "--hook=tp", "signal=stamp", "target=10ms", "interval=100ms" });
	CHECK(nic.json("status").text("/interfaces/0/profile") == "simnic-shared");
	CHECK(design(nic) == "shared");
	nic.trickle(3000ms);
	nic.set("rx_cost_ns", 100000);
	Tcp tcp(nic);
	CHECK(eventually([&] { return nic.json("status").flag("/interfaces/0/queues/0/standing"); },
			 20s));
	/* Read the NIC's counts before and after rxaqm's. */
	const Polls before = polls_of_nic(nic);
	const int64_t drained = nic.stat("polls_drained"), busy = nic.stat("polls_left");
	const int64_t observed_ns = tx_delay_p99(nic);
	const Json status = nic.json("status");
	const Polls after = polls_of_nic(nic);
	const std::string text = nic.rxaqm({ "status", "--all" }).out;
	CAPTURE(text, before.busy, before.all, after.busy, after.all);
	REQUIRE(nic.truth().quantile_ns(0.5) > 20e6);
	CHECK(status.number("/interfaces/0/queues/0/stats/polls_drained") - drained <=
	      (after.all - before.all) - (after.busy - before.busy));
	const int64_t seen = status.number("/interfaces/0/queues/0/stats/polls_left") - busy;
	CHECK(seen <= after.busy - before.busy);
	CHECK(double(seen) > 0.5 * double(after.busy - before.busy));

	REQUIRE(nic.rxaqm({ "policy", "set", nic.name(), "mode=enforce" }).exit_code == 0);
	const int64_t enforced_ns = tx_delay_p99(nic);
	CAPTURE(observed_ns, enforced_ns, nic.rxaqm({ "status", "--all" }).out);
	CHECK(nic.stat("ecn_mark") > 0);
	CHECK(observed_ns > 2 * enforced_ns);
}

TEST_CASE("simnic: the daemon reads the clock, and when it is gone the estimate is back",
	  "[simnic][daemon]")
{
	in_guest();
	SimNic nic;
	const std::string dir = nic.host.bpffs() + "-run";
	RunOptions options;
	auto source = [&] {
		const Json clock = nic.json("status");

		return clock.is_null("/interfaces/0/clock/source") ?
			       "none" :
			       clock.text("/interfaces/0/clock/source");
	};

	std::filesystem::create_directory(dir);
	std::ofstream(dir + "/rxaqm.conf")
		<< "[Daemon]\nsettle=100ms\n\n[Interface " << nic.name() << "]\nhook=tp\n";
	options.timeout = 2min;
	options.environment = { "RUNTIME_DIRECTORY=" + dir };
	Flow flow(nic, 300);
	{
		Child daemon(nic.host.command(nic.rx(), { "run", "--config", dir + "/rxaqm.conf" }),
			     nic.host.with_environment(options));

		REQUIRE(eventually([&] { return xdp_on(nic.rx(), nic.name()) != 0; }, 20s));
		CHECK(eventually([&] { return source() == "phc"; }, 15s));
		CHECK(eventually(
			[&] {
				const Json clock = nic.json("status");

				return !clock.is_null("/interfaces/0/clock/phc_kernel_differ_ns") &&
				       std::abs(clock.number(
					       "/interfaces/0/clock/phc_kernel_differ_ns")) <
					       1000000;
			},
			15s));
		CAPTURE(nic.rxaqm({ "status" }).out);
		CHECK(source() == "phc");
		/* It reads it as linuxptp does. What an interrupted reading says is taken again. */
		PhcOffset ptp = {};
		int64_t ns = 0, err_ns = 0;
		CHECK(eventually(
			[&] {
				ptp = phc_offset(nic.rx(), nic.name());
				const Json clock = nic.json("status");
				ns = clock.number("/interfaces/0/clock/phc/offset_ns");
				err_ns = clock.number("/interfaces/0/clock/phc/err_ns");
				return ptp.err_ns + err_ns < 2000000;
			},
			15s));
		CAPTURE(ptp.ns, ptp.err_ns, ns, err_ns);
		CHECK(std::abs(ptp.ns - ns) <= ptp.err_ns + err_ns);
		daemon.kill(SIGKILL);
		daemon.wait();
	}
	std::this_thread::sleep_for(12s);
	CAPTURE(nic.rxaqm({ "status" }).out);
	CHECK(source() == "kernel");
	CHECK(nic.json("status").flag("/interfaces/0/clock/valid"));
	std::filesystem::remove_all(dir);
}
