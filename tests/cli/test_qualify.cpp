// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm qualify on records: reports, comparisons, and what is refused. */
#include "cli.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;

namespace
{

const std::string GOOD = "tests/unit/qualify/good.json", BAD = "tests/unit/qualify/bad.json";

/* A directory of the test's own. */
struct Scratch {
	std::string path = "/tmp/rxaqm-test-qualify-XXXXXX";

	Scratch()
	{
		REQUIRE(mkdtemp(path.data()));
	}
	~Scratch()
	{
		std::error_code error;

		fs::remove_all(path, error);
	}
	std::string operator/(const std::string &name) const
	{
		return path + "/" + name;
	}
};

std::string read(const std::string &path)
{
	std::ifstream file(path);
	std::stringstream text;

	text << file.rdbuf();
	return text.str();
}

} // namespace

TEST_CASE("cli: a record is reported, judged for a class, and written again", "[cli]")
{
	Host host;
	Scratch scratch;

	check_row({ {}, 0, "Q12  pass    Tx completion", "" },
		  host.rxaqm({ "qualify", "--from", GOOD }));
	check_row({ {}, 5, "Q12  fail    Tx completion", "" },
		  host.rxaqm({ "qualify", "--from", BAD }));
	check_row({ {}, 5, "(SO_TIMESTAMPING of 1000 datagrams", "" },
		  host.rxaqm({ "qualify", "--all", "--from=" + BAD }));
	check_row({ {}, 0, "class ptp", "" },
		  host.rxaqm({ "qualify", "--class=ptp", "--from", GOOD }));

	Json json(host.rxaqm({ "-j", "qualify", "--from", GOOD }).out);

	CHECK(json.text("/format") == "rxaqm-qualify");
	CHECK(json.number("/version") == 1);
	CHECK(json.number("/rows/0/verdict") == 1);

	std::string out = scratch / "out.json", page = scratch / "out.html",
		    profile = scratch / "good.conf";
	Result all = host.rxaqm({ "qualify", "--from", GOOD, "--out", out, "--html", page,
				  "--profile-out", profile });

	check_row({ {}, 0, "Q1 ", "" }, all);
	check_row({ {}, 0, all.out.c_str(), "" }, host.rxaqm({ "qualify", "--from", out }));
	CHECK(read(page).find("<!DOCTYPE html>") == 0);
	check_row({ {}, 0, "good.conf: ok", "" }, host.rxaqm({ "profile", "check", profile }));
	/* One document on a stream. */
	check_row({ {}, 0, "<!DOCTYPE html>", "" },
		  host.rxaqm({ "qualify", "--from", GOOD, "--html", "-" }));
	CHECK(host.rxaqm({ "qualify", "--from", GOOD, "--html", "-" }).out == read(page));
}

TEST_CASE("cli: two records are compared", "[cli]")
{
	Host host;
	Scratch scratch;
	std::string page = scratch / "both.html";

	check_row({ {}, 5, "worse     tx_load", "" },
		  host.rxaqm({ "qualify", "--compare", GOOD, BAD, "--html=" + page }));
	CHECK(read(page).find("<table id=\"changes\">") != std::string::npos);
	check_row({ {}, 0, "better    tx_load", "" },
		  host.rxaqm({ "qualify", "--compare", BAD, GOOD }));
	check_row({ {}, 0, "0 worse", "" }, host.rxaqm({ "qualify", "--compare", BAD, BAD }));
}

TEST_CASE("cli: results of selftests are added to a record", "[cli]")
{
	Host host;
	Scratch scratch;
	std::string log = scratch / "log.tap", out = scratch / "out.json";

	std::ofstream(log) << "1..2\nok 1 a\nnot ok 2 b\n";
	check_row({ {}, 5, "ks   fail    Kernel selftests", "" },
		  host.rxaqm({ "qualify", "--from", GOOD, "--ktap", log, "--out", out }));
	check_row({ {}, 5, "ks   fail    Kernel selftests", "" },
		  host.rxaqm({ "qualify", "--from", out }));
}

TEST_CASE("cli: what qualify refuses changes nothing", "[cli]")
{
	Host host;
	Scratch scratch;
	std::string out = scratch / "out", bad = scratch / "bad";

	std::ofstream(bad) << "{}";

	const Row rows[] = {
		{ { "qualify", "--compare", GOOD }, 2, "", "--compare needs two records" },
		{ { "qualify", "--compare", GOOD, BAD, "--out", out }, 2, "", "--compare takes" },
		{ { "qualify", "--from", GOOD, "--class", "best", "--out", out },
		  2,
		  "",
		  "--class=best: must be aqm, ptp or af_xdp" },
		{ { "qualify", "--from", "/nonexistent", "--out", out },
		  1,
		  "",
		  "cannot read \"/nonexistent\"" },
		{ { "qualify", "--from", bad, "--out", out }, 2, "", "not a record of" },
		{ { "qualify", "--from", GOOD, "--ktap", bad, "--out", out }, 2, "", "no results" },
		{ { "qualify", "--from", GOOD, "--html", "/nonexistent/x" },
		  1,
		  "",
		  "cannot write \"/nonexistent/x\"" },
	};

	for (const Row &row : rows)
		check_row(row, host.rxaqm(row.args));
	CHECK_FALSE(fs::exists(out));
}
