// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attach and detach again and again: nothing is left in the kernel, in the BPF file system or in
 * the daemon. As often as fits into some seconds; RXAQM_CYCLES says how often (make soak).
 */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

#include "bpf_objects.hpp"
#include "daemon.hpp"
#include "traffic.hpp"

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace
{

/* Counts cycles, and says when it is enough. */
class Cycles
{
    public:
	/* Again? */
	bool more()
	{
		if (wanted_ ? done_ == wanted_ : done_ >= 10 && elapsed() > 15)
			return false;
		done_++;
		return true;
	}
	unsigned long done() const
	{
		return done_;
	}
	double elapsed() const
	{
		return std::chrono::duration<double>(steady_clock::now() - start_).count();
	}
	void print(const char *what) const
	{
		std::cout << "leak: " << done_ << " times " << what << " in " << long(elapsed())
			  << " s\n";
	}

    private:
	static unsigned long from_environment()
	{
		const char *value = getenv("RXAQM_CYCLES");

		return value ? strtoul(value, nullptr, 10) : 0;
	}

	const unsigned long wanted_ = from_environment();
	const steady_clock::time_point start_ = steady_clock::now();
	unsigned long done_ = 0;
};

/* All files below the BPF file system. */
std::set<std::string> pins(const Host &host)
{
	std::set<std::string> all;

	for (const auto &entry : fs::recursive_directory_iterator(host.bpffs()))
		all.insert(entry.path());
	return all;
}

size_t nr_fds(pid_t pid)
{
	auto all = fs::directory_iterator("/proc/" + std::to_string(pid) + "/fd");

	return size_t(std::distance(begin(all), end(all)));
}

/* Memory of its own that is in use. */
long anon_kib(pid_t pid)
{
	std::ifstream status("/proc/" + std::to_string(pid) + "/status");
	std::string word;

	while (status >> word)
		if (word == "RssAnon:") {
			long kib;

			status >> kib;
			return kib;
		}
	FAIL("no RssAnon: of process " << pid);
	return 0;
}

std::string join(const std::set<std::string> &all)
{
	std::string text;

	for (const std::string &one : all)
		text += one + "\n";
	return text;
}

} // namespace

TEST_CASE("leak: commands that attach, set and detach leave nothing", "[leak]")
{
	Host host;
	Wire wire;
	static const std::vector<Args> ways = {
		{}, { "-m", "generic" }, { "--hook", "tp" }, { "mode=enforce" }
	};
	auto cycle = [&](unsigned long n) {
		Args attach = { "attach", wire.rx_if };
		const Args &way = ways[n % ways.size()];

		attach.insert(attach.end(), way.begin(), way.end());
		return host.rxaqm(wire.rx, attach).exit_code == 0 &&
		       host.rxaqm(wire.rx, { "policy", "set", wire.rx_if, "target=3ms" })
				       .exit_code == 0 &&
		       host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0;
	};

	/* libxdp keeps its directory, so the first times do not count. */
	for (unsigned long n = 0; n < ways.size(); n++)
		REQUIRE(cycle(n));
	std::set<std::string> objects = bpf_objects(), files = pins(host);
	Cycles cycles;
	while (cycles.more()) {
		CAPTURE(cycles.done());
		REQUIRE(cycle(cycles.done()));
	}
	cycles.print("attach, policy set, detach");
	CHECK(join(new_bpf_objects(objects)) == "");
	CHECK(join(pins(host)) == join(files));
	CHECK(host.rxaqm(wire.rx, { "status", "--all" }).exit_code == 4);
	CHECK(all_traffic(wire) == "");
}

TEST_CASE("leak: a daemon that attaches and detaches stays as large as it was", "[leak]")
{
	Run r;
	auto cycle = [&](unsigned long n) {
		r.service.configure(r.section(n % 2 ? "mode=enforce\n" : "hook=tp\n"));
		r.service.reload();
		bool on = xdp_on(r.wire.rx, r.wire.rx_if) != 0;
		r.service.configure(r.section("enable=no\n"));
		r.service.reload();
		return on && xdp_on(r.wire.rx, r.wire.rx_if) == 0;
	};

	r.service.configure(r.section("enable=no\n"));
	r.service.start();
	for (unsigned long n = 0; n < 10; n++)
		REQUIRE(cycle(n));
	std::set<std::string> objects = bpf_objects(), files = pins(r.host);
	size_t fds = nr_fds(r.service.pid());
	long kib = anon_kib(r.service.pid());
	Cycles cycles;
	while (cycles.more()) {
		CAPTURE(cycles.done());
		REQUIRE(cycle(cycles.done()));
	}
	cycles.print("attach and detach by the daemon");
	long grown_kib = anon_kib(r.service.pid()) - kib;
	CAPTURE(kib, grown_kib);
	/* The heap may come to lie a little otherwise, once and for all. */
	CHECK(grown_kib < 512);
	/* One may be open for a moment, of a file that is being written. */
	CHECK(eventually([&] { return nr_fds(r.service.pid()) <= fds; }));
	CHECK(join(new_bpf_objects(objects)) == "");
	CHECK(join(pins(r.host)) == join(files));
	CHECK(r.service.stop().exit_code == 0);
}

/* What depends on the kernel: libxdp's dispatcher, where it can be had, and the hook. Few times,
 * since this is for guests, too.
 */
TEST_CASE("leak: a daemon keeps no descriptor of what it attached, by any hook", "[leak][fds]")
{
	const std::string hook = GENERATE("tp", "kprobe");
	Run r;
	auto cycle = [&] {
		r.service.configure(r.section("hook=" + hook + "\n"));
		r.service.reload();
		bool on = xdp_on(r.wire.rx, r.wire.rx_if) != 0;
		std::this_thread::sleep_for(2s); /* it looks after its interfaces meanwhile */
		r.service.configure(r.section("enable=no\n"));
		r.service.reload();
		return on;
	};

	CAPTURE(hook);
	Result probe = r.host.rxaqm(r.wire.rx, { "attach", "--hook", hook, r.wire.rx_if });
	if (probe.exit_code == 3)
		SKIP("this kernel refuses hook " + hook);
	REQUIRE(r.host.rxaqm(r.wire.rx, { "detach", r.wire.rx_if }).exit_code == 0);
	r.service.configure(r.section("enable=no\n"));
	r.service.start();
	REQUIRE(cycle());
	size_t fds = nr_fds(r.service.pid());
	for (int i = 0; i < 2; i++)
		REQUIRE(cycle());
	CAPTURE(fds, nr_fds(r.service.pid()));
	/* It opens and closes one now and then. */
	CHECK(eventually([&] { return nr_fds(r.service.pid()) <= fds; }));
	CHECK(r.service.stop().exit_code == 0);
}
