// SPDX-License-Identifier: GPL-2.0-only
/* Each remedy that is printed is run, in the situation that prints it, and helps. */
#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "daemon.hpp"
#include "remedies.hpp"

namespace
{

const bool registered = (register_remedies(Situation::HERE), true);

bool has(const std::string &text, const std::string &part)
{
	return text.find(part) != std::string::npos;
}

/* The string literals of a source of C, those that follow each other put together. */
std::vector<std::string> literals(const std::string &path)
{
	static const std::regex one(R"re("((?:[^"\\\n]|\\.)*)"(\s*)(?="?))re");
	std::ifstream file(path);
	const std::string source{ std::istreambuf_iterator<char>(file), {} };
	std::vector<std::string> found;
	size_t end = 0;

	for (auto it = std::sregex_iterator(source.begin(), source.end(), one);
	     it != std::sregex_iterator(); ++it) {
		if (found.empty() || size_t(it->position(0)) != end)
			found.emplace_back();
		found.back() += std::regex_replace(it->str(1), std::regex(R"(\\")"), "\"");
		end = size_t(it->position(0) + it->length(0));
	}
	return found;
}

} // namespace

TEST_CASE("remedies: each that the sources print has its situation in the table", "[remedies]")
{
	/* A command, an option or a key, quoted as something to be done. */
	static const std::regex remedy(
		R"re("(--[a-z]|[a-z_]+=[a-z]|(rxaqm|ip|ethtool|bpftool|xdp-loader|sysctl|mount|chmod|detach) ))re");
	unsigned seen = 0;

	for (const char *dir : { "core/clock", "core/figures", "core/nic", "core/policy",
				 "core/state", "aqm/attach", "aqm/report", "aqm/overload" })
		for (const auto &entry : std::filesystem::directory_iterator(
			     source_path("control/" + std::string(dir)))) {
			const std::string file = entry.path().filename();

			if (!file.ends_with(".c") || file.starts_with("metrics") ||
			    file.starts_with("profile"))
				continue;
			for (const std::string &text : literals(entry.path())) {
				bool known = false;

				if (!std::regex_search(text, remedy) || !has(text, "; "))
					continue;
				for (const Situation &situation : situations())
					known |= has(text, situation.says);
				for (const Untried &one : untried())
					known |= has(text, one.says);
				INFO(entry.path() << ": \"" << text << "\"");
				INFO("it needs a row in tests/support/remedies_table.cpp");
				CHECK(known);
				seen++;
			}
		}
	CHECK(seen > 20);
}

TEST_CASE("remedies: a want of file descriptors is told as that, and by nothing else", "[remedies]")
{
	Place p;
	const auto limited = [&](int limit, const std::string &command) {
		return p.shell("ulimit -S -n " + std::to_string(limit) + "; " + command);
	};
	const auto told = [](const Result &result) {
		return result.exit_code == 1 &&
		       has(result.err, "Too many open files; allow more, with \"ulimit -n 1024\"");
	};
	unsigned nr_told = 0;

	/* With 3 the program does not start. */
	for (int limit : { 4, 5, 6, 12, 20 }) {
		const Result attached = limited(limit, "exec rxaqm attach $IF");

		CAPTURE(limit, attached.text());
		CHECK((attached.exit_code == 0 || told(attached)));
		CHECK((xdp_on(p.wire.rx, p.wire.rx_if) != 0) == (attached.exit_code == 0));
		if (attached.exit_code) {
			nr_told++;
			p.must("rxaqm attach $IF");
		}
		for (const char *command : { "status $IF", "attach $IF" }) {
			const Result result = limited(limit, std::string("exec rxaqm ") + command);

			CAPTURE(result.text());
			CHECK((result.exit_code == 0 || told(result)));
			CHECK_FALSE(has(result.out, "taken off"));
		}
		const Result detached = limited(limit, "exec rxaqm detach $IF");
		CAPTURE(detached.text());
		CHECK((detached.exit_code == 0 || told(detached)));
		if (detached.exit_code)
			p.must("rxaqm detach $IF");
		CHECK(xdp_on(p.wire.rx, p.wire.rx_if) == 0);
		CHECK(p.host.gone());
	}
	CHECK(nr_told > 2);
	CHECK(limited(6, "ulimit -n 1024 && exec rxaqm attach $IF").exit_code == 0);
}

/* As Linux 5.9 refuses it. */
TEST_CASE("remedies: a program that is not loaded is not to be attached otherwise", "[remedies]")
{
	Place p;
	const std::string dir = p.host.bpffs() + "-faults";
	std::string release;

	std::filesystem::create_directory(dir);
	std::ofstream(dir + "/prog_load") << 22;
	SECTION("on a kernel that is too old")
	{
		release = "5.9.0-5-amd64";
		std::ofstream(dir + "/release") << release;
	}
	SECTION("on any other")
	{
	}
	const std::string preloaded = "LD_PRELOAD=" + preload_library(dir, "faults") +
				      " FAULTS=" + dir + " rxaqm attach $IF ";
	for (const char *mode : { "native", "generic" }) {
		const Result result = p.shell(preloaded + "--mode " + mode);

		CAPTURE(mode, result.text());
		CHECK(result.exit_code == 3);
		CHECK(has(result.err, "cannot load the XDP program (Linux " + release));
		CHECK(has(result.err, "Invalid argument"));
		CHECK_FALSE(has(result.err, "--mode"));
		CHECK(has(result.err, "needs Linux 5.10") == !release.empty());
		CHECK(has(result.err, "RXAQM_DEBUG=1") == release.empty());
	}
	CHECK(p.host.gone());
	/* qualify measures what needs no program, and says of each other row why it is unknown. */
	const Result told = p.shell("LD_PRELOAD=" + dir + "/faults.so FAULTS=" + dir +
				    " rxaqm qualify --yes-disturb --loopback $TX/$TX_IF $IF");
	CAPTURE(told.text());
	CHECK(told.exit_code == 6);
	CHECK(has(told.out, "Q1   unknown Completion design\n"
			    "             cannot load the BPF programs of qualify"));
	CHECK_FALSE(has(told.out, "Q5   unknown"));
	std::filesystem::remove_all(dir);
}
