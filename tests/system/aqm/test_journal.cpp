// SPDX-License-Identifier: GPL-2.0-only
/* Notes of what was changed, or wanted: what cannot be read is not taken for what is not there. */
#include <catch2/catch_test_macros.hpp>

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "qualify_place.hpp"
#include "text.hpp"

namespace
{

/* A run that was killed has changed a setting of the receiving end, and noted it. */
struct Changed : Place {
	const std::string file = "/sys/class/net/" + wire.rx_if + "/queues/rx-0/rps_cpus";
	std::string journal, boot;

	Changed()
	{
		struct stat netns;

		REQUIRE(!stat(("/run/netns/" + wire.rx.name()).c_str(), &netns));
		std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
		journal = dir + "/run/qualify-" + boot.substr(0, 8) + "-" +
			  std::to_string(netns.st_ino) + "-" + wire.rx_if + ".journal";
		wire.rx.shell("echo 1 >" + file);
	}
	void note(const std::string &text) const
	{
		std::ofstream(journal) << text;
	}
	bool is_back() const
	{
		return std::stoi(wire.rx.shell("cat " + file)) == 0;
	}
	bool is_kept(const std::string &text) const
	{
		std::ifstream in(journal);

		return std::string(std::istreambuf_iterator<char>(in), {}) == text;
	}
};

const std::string line = "sysfs queues/rx-0/rps_cpus\t0\n";

} // namespace

TEST_CASE("a journal that cannot be read is kept, and told of", "[qualify][journal]")
{
	Changed place;
	const std::string texts[] = {
		line + "nonsense\n",	       "nosuch -\t1\n" + line,
		line + "ring 256\n",	       std::string(600, 'x') + "\n" + line,
		line + std::string("\0\n", 2), "ring " + std::string(300, '-') + "\t1\n",
	};

	for (const std::string &text : texts) {
		CAPTURE(text);
		place.note(text);
		for (const Args &args : { Args{ "qualify", place.wire.rx_if, "--restore" },
					  Args{ "qualify", place.wire.rx_if, "--rows", "Q5" } }) {
			Result result = place.run(args);

			CAPTURE(result.text());
			CHECK(result.exit_code == 1);
			CHECK(result.err.starts_with("rxaqm: cannot read " + place.journal + ", "));
			CHECK(has(result.err, "remove it"));
			CHECK(place.is_kept(text));
			CHECK_FALSE(place.is_back());
		}
	}
	/* What was cut short was not changed yet; a value may be empty. */
	place.note("sysfs ifalias\t\n" + line + "ring -\t2");
	Result result = place.run({ "qualify", place.wire.rx_if, "--restore" });
	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	CHECK(place.is_back());
	CHECK_FALSE(place.has_journal());
}

TEST_CASE("however few descriptors there are, a journal is put back or kept", "[qualify][journal]")
{
	Changed place;
	bool failed = false, done = false;

	for (rlim_t nr = 3; nr <= 64 && !done; nr++) {
		RunOptions options = place.options();

		place.note(line);
		options.prepare = [nr] {
			const struct rlimit limit = { nr, nr };

			return setrlimit(RLIMIT_NOFILE, &limit);
		};
		Result result = place.host.rxaqm(place.wire.rx,
						 { "qualify", place.wire.rx_if, "--restore" },
						 options);
		CAPTURE(nr, result.text());
		done = !place.has_journal();
		failed |= !done;
		CHECK(done == place.is_back());
		CHECK((result.exit_code == 0) == done);
	}
	CHECK(failed);
	CHECK(done);
}

TEST_CASE("who cannot read that an interface was detached leaves it off", "[daemon][journal]")
{
	Place place;
	const std::string state = place.dir + "/run", config = place.dir + "/rxaqm.conf";
	Args args = { "sh", "-c", "exec \"$@\" 2>" + place.dir + "/log", "sh" };

	for (const std::string &word :
	     place.host.command(place.wire.rx, { "run", "--config", config }))
		args.push_back(word);
	std::filesystem::create_directories(state + "/detached");
	std::ofstream(state + "/detached/" + place.wire.rx_if) << "nonsense\n";
	std::ofstream(config) << "[Interface " << place.wire.rx_if << "]\n";
	Child child(args, place.host.with_environment(place.options()));
	CHECK(eventually([&] {
		std::ifstream in(place.dir + "/log");

		return has(std::string(std::istreambuf_iterator<char>(in), {}),
			   "was detached by a command");
	}));
	CHECK(xdp_on(place.wire.rx, place.wire.rx_if) == 0);
	child.kill(SIGTERM);
	CHECK(child.wait().exit_code == 0);
}
