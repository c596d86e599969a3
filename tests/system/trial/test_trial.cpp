// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm trial on a queue that stands, and on one that does not: what it says, what it leaves. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>
#include <regex>
#include <set>
#include <thread>

#include "frames.hpp"
#include "host.hpp"

using namespace std::chrono_literals;

namespace
{
/* A receiver of 20 us a packet behind a ring of 256. */
struct Site {
	Host host;
	Wire wire;
	Frames frames{ wire };

	Site()
	{
		const Result result = host.rxaqm(wire.rx, { "attach", wire.rx_if, "target=1ms",
							    "interval=20ms", "signal=busy",
							    "exempt_ports=7" });
		CAPTURE(result.text());
		REQUIRE(result.exit_code == 0);
		/* Of what is never dropped some, or what is in flight may all be gone. */
		frames.mix = { NOT_ECT, NOT_ECT, NOT_ECT, NOT_ECT,
			       NOT_ECT, NOT_ECT, NOT_ECT, ICMP_ECHO };
	}
	void slow()
	{
		if (!make_slow(wire, 20))
			SKIP("needs two CPUs: one to send, one to receive");
		frames.trickle(20);
	}
	Args trial(const Args &args) const
	{
		Args all = { "trial", wire.rx_if, "--seed=1" };

		all.insert(all.end(), args.begin(), args.end());
		return all;
	}
	/* Its record, of a trial that ends with one of @exit_codes. */
	Json record(const Args &args, const std::set<int> &exit_codes = { 0 }) const
	{
		Args all = trial(args);

		all.push_back("-j");
		RunOptions options;

		options.timeout = 300s;
		const Result result = host.rxaqm(wire.rx, all, options);

		CAPTURE(result.text());
		REQUIRE(exit_codes.count(result.exit_code));
		return Json(result.out);
	}
	/* All of it; of the lease only whether there is one. */
	/* But how long ago it was set. */
	std::string policy() const
	{
		return std::regex_replace(host.rxaqm(wire.rx, { "policy", "show", wire.rx_if }).out,
					  std::regex(" [0-9a-z.]+ ago"), "");
	}
	std::string status() const
	{
		return host.rxaqm(wire.rx, { "status", wire.rx_if }).out;
	}
	std::string mode() const
	{
		return host.json(wire.rx, { "status", wire.rx_if })
			.text("/interfaces/0/queues/0/mode");
	}
	std::unique_ptr<Child> start(const Args &args) const
	{
		return std::make_unique<Child>(host.command(wire.rx, trial(args)),
					       host.with_environment());
	}
	bool going_on() const
	{
		return status().find("a trial switches its policy") != std::string::npos;
	}
};

/* The result of @outcome. */
std::string result_of(const Json &record, const std::string &outcome)
{
	for (int i = 0;; i++) {
		const std::string at = "/results/" + std::to_string(i);

		if (!record.has(at) || record.text(at + "/outcome") == outcome)
			return at;
	}
}

/* Is it sure that packets wait less? */
bool shorter(const Json &record)
{
	const std::string at = result_of(record, "sojourn_p50_ns");

	return record.has(at) && record.flag(at + "/shown") && record.real(at + "/change") < 0;
}
} // namespace

TEST_CASE("trial: a queue that stands gets shorter, and it says so", "[trial]")
{
	Site site;
	const std::string before = site.policy();

	/* Who does not respond is dropped as far as it takes. */
	site.slow();
	std::string verdict, out;
	bool is_shorter = false;

	{
		Load load(site.frames);

		/* On a busy machine the queue may not stand in enough of the blocks. */
		for (int i = 0; i < 4 && !is_shorter; i++) {
			const Json record = site.record({ "--for=7200ms", "--block=300ms",
							  "--stop-if=off" },
							{ 0, 5 });

			out = record.text("/verdicts/0/why");
			verdict = record.text("/verdicts/0/verdict");
			is_shorter = shorter(record);
			CAPTURE(out, verdict);
			CHECK(record.text("/format") == "rxaqm-trial");
			CHECK(record.number("/rounds") == 12);
			CHECK(record.text("/arms/0/settings") == "mode=observe");
			CHECK(record.text("/arms/1/settings") == "mode=enforce");
			if (!is_shorter)
				continue;
			CHECK(record.real(result_of(record, "dropped_per_s") + "/before") == 0);
			CHECK(record.real(result_of(record, "dropped_per_s") + "/after") > 0);
		}
	}
	CAPTURE(out, verdict);
	CHECK(is_shorter);
	/* What else the machine did may be worse under one of both. */
	CHECK((verdict == "helps" || verdict == "mixed"));
	CHECK(out.find("median of the sojourn") != std::string::npos);
	CHECK(site.policy() == before);
}

TEST_CASE("trial: a queue that never stands teaches nothing", "[trial]")
{
	Site site;
	std::atomic<bool> stop{ false };
	std::thread some([&] {
		while (!stop)
			site.frames.trickle(5);
	});
	const Json record = site.record({ "--for=3s", "--block=250ms" });

	stop = true;
	some.join();
	CHECK(record.text("/verdicts/0/verdict") == "nothing_to_learn");
	CHECK(record.number("/blocks/11/round") == 5);
}

TEST_CASE("trial: a guard ends what hurts", "[trial]")
{
	Site site;
	const std::string before = site.policy();

	site.slow();
	Load load(site.frames);

	SECTION("enforcing that is given up")
	{
		const Json record = site.record({ "--for=60s", "--block=400ms",
						  "--stop-if=sojourn_p50>50%",
						  "--arms=enforce / observe" },
						{ 5 });

		CHECK(record.text("/verdicts/0/verdict") == "hurts");
		CHECK(record.number("/guarded") == 1);
		CHECK(record.text("/ended").find(
			      "under \"observe\" median of the sojourn is surely "
			      "over 50 % more") != std::string::npos);
		CHECK_FALSE(record.has("/blocks/149"));
	}
	SECTION("a number of the user's own")
	{
		const std::string show = rxaqm_path() + " policy show " + site.wire.rx_if;
		const Json record =
			site.record({ "--for=50s", "--block=250ms", "max_drop=0%",
				      "--metric=" + show +
					      " | grep -q mode=enforce && echo 200 || echo 100" },
				    { 5 });

		CHECK(record.text("/ended").find(
			      "the number of --metric is surely over 50 % more") !=
		      std::string::npos);
		CHECK_FALSE(record.has("/blocks/199"));
	}
	CHECK(site.policy() == before);
}

TEST_CASE("trial: a block whose number cannot be asked is void", "[trial]")
{
	Site site;
	const Json record = site.record({ "--for=1s", "--block=250ms", "--metric=exit 3" });

	CHECK(record.text("/blocks/0/why_void") == "--metric: its exit status is 3");
	CHECK(record.text("/verdicts/0/verdict") == "too_few");
}

TEST_CASE("trial: a command that does not end is ended, with all that it started", "[trial]")
{
	Site site;
	const std::string group = "/tmp/rxaqm-t-metric-" + std::to_string(getpid());
	const bool ends = GENERATE(false, true);
	const std::string command = ends ? "sleep 1000 & echo 5" :
					   "exec >&-; sleep 1000 & sleep 1000";
	const Json record = site.record(
		{ "--for=1s", "--block=500ms", "--metric=echo $$ >" + group + "; " + command });
	pid_t pid = 0;

	std::ifstream(group) >> pid;
	REQUIRE(pid > 1);
	unlink(group.c_str());
	CHECK(record.text("/blocks/0/why_void") ==
	      (ends ? "" : "--metric: it had not ended after 5 s"));
	CHECK(record.has("/blocks/0/metric") == ends);
	CHECK(record.has("/blocks/1"));
	CHECK(eventually([&] { return ::kill(-pid, 0) && errno == ESRCH; }));
}

TEST_CASE("trial: killed, it enforces nothing a block later", "[trial]")
{
	Site site;
	const std::string before = site.policy();
	std::mt19937 random(10);

	for (int i = 0; i < 4; i++) {
		const auto trial = site.start(
			{ "--for=10m", "--block=400ms", "--arms=enforce / target=2ms" });

		REQUIRE(eventually([&] { return site.going_on(); }));
		REQUIRE(eventually([&] { return site.mode() == "enforce"; }));
		std::this_thread::sleep_for(std::chrono::milliseconds(random() % 900));
		trial->kill(SIGKILL);
		trial->wait();
		std::this_thread::sleep_for(400ms);
		CHECK(site.mode() != "enforce");
		CHECK(site.status().find("rxaqm trial --restore " + site.wire.rx_if) !=
		      std::string::npos);
		/* The next trial would do so, too. */
		if (i % 2)
			CHECK(site.host
				      .rxaqm(site.wire.rx,
					     { "trial", "--restore", site.wire.rx_if })
				      .exit_code == 0);
		else
			CHECK(site.host
				      .rxaqm(site.wire.rx,
					     { "policy", "set", site.wire.rx_if, "exempt_ports=7" })
				      .exit_code == 0);
		CHECK(site.policy() == before);
		CHECK(site.status().find("trial") == std::string::npos);
	}
}

TEST_CASE("trial: interrupted, it says what it knows, and puts back what was there", "[trial]")
{
	Site site;
	const std::string before = site.policy();
	const auto trial = site.start({ "--for=10m", "--block=500ms" });

	REQUIRE(eventually([&] { return site.going_on(); }));
	/* Only one at a time. */
	const Result second = site.host.rxaqm(site.wire.rx, site.trial({}));

	CHECK(second.exit_code == 1);
	CHECK(second.err.find("a trial is running there, process " +
			      std::to_string(trial->pid())) != std::string::npos);
	REQUIRE(eventually([&] { return site.mode() == "enforce"; }));
	trial->kill(SIGINT);
	const Result result = trial->wait();

	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	CHECK(result.out.find("It ended early: it was interrupted") != std::string::npos);
	CHECK(site.policy() == before);
	CHECK_FALSE(site.going_on());
}

TEST_CASE("trial: what somebody else sets meanwhile stays, and ends it", "[trial]")
{
	Site site;
	const auto trial = site.start({ "--for=10m", "--block=500ms" });

	REQUIRE(eventually([&] { return site.mode() == "enforce"; }));
	REQUIRE(site.host.rxaqm(site.wire.rx, { "policy", "set", site.wire.rx_if, "target=3ms" })
			.exit_code == 0);
	const Result result = trial->wait();

	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	CHECK(result.out.find("somebody else has set a policy") != std::string::npos);
	/* On top of what was there before the trial. */
	CHECK(site.policy().find("mode=observe") != std::string::npos);
	CHECK(site.policy().find("target=3ms") != std::string::npos);
	CHECK(site.policy().find("lease=off") != std::string::npos);
}

TEST_CASE("trial: it ends when the program is on the interface no more", "[trial]")
{
	Site site;
	const auto trial = site.start({ "--for=10m", "--block=500ms" });

	REQUIRE(eventually([&] { return site.mode() == "enforce"; }));
	xdp_off(site.wire.rx, site.wire.rx_if);
	const Result result = trial->wait();

	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	CHECK(result.out.find("It ended early: its XDP program was taken off") !=
	      std::string::npos);
}
