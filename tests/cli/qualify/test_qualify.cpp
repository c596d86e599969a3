// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm qualify on records: reports, comparisons, and what is refused. */
#include "cli.hpp"

#include <filesystem>
#include <fstream>
#include <map>
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
	check_row({ {}, 5, "(SO_TIMESTAMPING of 1000", "" },
		  host.rxaqm({ "qualify", "--all", "--from=" + BAD }));
	check_row({ {}, 0, "class af_xdp", "" },
		  host.rxaqm({ "qualify", "--class=af_xdp", "--from", GOOD }));

	Json json(host.rxaqm({ "-j", "qualify", "--from", GOOD }).out);

	CHECK(json.text("/format") == "rxaqm-qualify");
	CHECK(json.number("/version") == 2);
	CHECK(json.text("/verdict") == "pass");
	CHECK(json.number("/count/pass") == 19);
	CHECK(json.text("/rows/0/verdict") == "pass");

	std::string out = scratch / "out.json", page = scratch / "out.html";
	Result all = host.rxaqm({ "qualify", "--from", GOOD, "--out", out, "--html", page });

	check_row({ {}, 0, "Q1 ", "" }, all);
	check_row({ {}, 0, all.out.c_str(), "" }, host.rxaqm({ "qualify", "--from", out }));
	CHECK(read(page).find("<!DOCTYPE html>") == 0);
	/* One document on a stream. */
	check_row({ {}, 0, "<!DOCTYPE html>", "" },
		  host.rxaqm({ "qualify", "--from", GOOD, "--html", "-" }));
	CHECK(host.rxaqm({ "qualify", "--from", GOOD, "--html", "-" }).out == read(page));
	/* --out is beside what --json prints, or is it. */
	CHECK(host.rxaqm({ "-j", "qualify", "--from", GOOD, "--out", page }).out == read(out));
	CHECK(read(page) == read(out));
	CHECK(host.rxaqm({ "-j", "qualify", "--from", GOOD, "--out", "-" }).out == read(out));
	const Row twice[] = {
		{ { "qualify", "-j", "--from", GOOD, "--html=-" }, 2, "", "go to standard output" },
		{ { "qualify", "--from", GOOD, "--html=-", "--junit=-" },
		  2,
		  "",
		  "two documents would go to standard output: name a file for each" },
		{ { "qualify", "-j", "--compare", GOOD, BAD, "--html=-" }, 2, "", "two documents" },
		{ { "qualify", "--from", GOOD, "--junit", page, "--out", page },
		  2,
		  "",
		  page.c_str() },
		{ { "doctor", "-j", "--record=-" }, 2, "", "go to standard output" },
	};
	for (const Row &row : twice)
		check_row(row, host.rxaqm(row.args));
	CHECK(read(page) == read(out));
}

TEST_CASE("cli: a NIC of which too little was measured does not pass", "[cli]")
{
	Host host;
	Scratch scratch;
	const std::string nic = scratch / "nic.json", junit = scratch / "nic.xml";

	std::ofstream(nic) << R"({"format":"rxaqm-qualify","version":2,"interface":"eth0",)"
			   << R"("nic_class":"aqm","rows":[{"id":"Q1"},{"id":"Q2"},{"id":"Q5",)"
			   << R"("figures":[{"name":"source","words":"mac"}]}]})";
	check_row({ {},
		    6,
		    "Unknown for a host that must survive overload (class aqm): 0 fail, 0 warn, 1",
		    "" },
		  host.rxaqm({ "qualify", "--from", nic, "--junit", junit }));
	CHECK(read(junit).find(" tests=\"4\" failures=\"0\" skipped=\"2\" errors=\"1\"") !=
	      std::string::npos);
	CHECK(read(junit).find("name=\"verdict\"><error>Unknown for a host") != std::string::npos);
	check_row({ {}, 0, "Pass for a host", "" },
		  host.rxaqm({ "qualify", "--from", nic, "--require=q5" }));
	/* What has no limit for a class is neither judged nor unknown. */
	std::ofstream(scratch / "xsk.json")
		<< R"({"format":"rxaqm-qualify","version":2,"interface":"eth0","nic_class":"af_xdp",)"
		<< R"("rows":[{"id":"Q11"},{"id":"Q15"},{"id":"Q5",)"
		<< R"("figures":[{"name":"source","words":"mac"}]}]})";
	check_row({ {}, 0, "1 pass, 0 unknown, 2 not judged", "" },
		  host.rxaqm({ "qualify", "--from", scratch / "xsk.json", "--junit", junit }));
	CHECK(read(junit).find(" tests=\"4\" failures=\"0\" skipped=\"2\" errors=\"0\"") !=
	      std::string::npos);
	const Result lacks = host.rxaqm(
		{ "qualify", "--from", nic, "--require=Q5,Q9,Q1", "--json", "--out", nic });
	CHECK(lacks.exit_code == 6);
	CHECK(Json(lacks.out).text("/required") == "Q5,Q9,Q1");
	/* The record keeps that. */
	check_row({ {}, 6, "required, and without a verdict: Q9, Q1", "" },
		  host.rxaqm({ "qualify", "--from", nic }));
	check_row({ {}, 2, "", "--require: no such row: \"Q99\"" },
		  host.rxaqm({ "qualify", "--from", nic, "--require=Q5,Q99" }));
}

TEST_CASE("cli: two records are compared", "[cli]")
{
	Host host;

	check_row({ {}, 5, "  tx_load               39.2 us  ", "" },
		  host.rxaqm({ "qualify", "--compare", GOOD, BAD }));
	check_row({ {}, 0, "39.2 us +", "" }, host.rxaqm({ "qualify", "--compare", BAD, GOOD }));
	check_row({ {}, 0, "0 worse", "" }, host.rxaqm({ "qualify", "--compare", BAD, BAD }));

	/* As JSON: the same, and what is the same as well. */
	Result result = host.rxaqm({ "-j", "qualify", "--compare", GOOD, BAD });
	CHECK(result.exit_code == 5);
	Json json(result.out);
	std::map<std::string, size_t> nr;
	for (size_t i = 0; i < json.size("/figures"); i++) {
		const std::string at = "/figures/" + std::to_string(i), last = at + "/records/1";

		nr[json.text(last + "/change")]++;
		CHECK(json.size(at + "/records") == 2);
		if (json.text(at + "/figure") != "tx_load")
			continue;
		CHECK(json.text(at + "/row") == "Q12");
		CHECK(json.text(at + "/unit") == "ns");
		CHECK(json.text(at + "/records/0/change") == "same");
		CHECK(json.text(last + "/change") == "worse");
		CHECK(json.text(last + "/verdict") == "fail");
		CHECK(json.real(last + "/value") >
		      json.real(at + "/records/0/value") + json.real(last + "/noise"));
	}
	CHECK(json.text("/format") == "rxaqm-qualify-comparison");
	CHECK(json.text("/records/1/file") == BAD);
	CHECK(json.flag("/worse"));

	Result text = host.rxaqm({ "qualify", "--compare", GOOD, BAD });
	for (const char *kind : { "same", "changed", "better", "worse" }) {
		CAPTURE(kind);
		CHECK(text.out.rfind(std::to_string(nr[kind]) + " " + kind) != std::string::npos);
	}
	check_row({ {},
		    2,
		    "",
		    "--compare takes only --class, --color, --html and --json; the rest" },
		  host.rxaqm({ "qualify", "--compare", GOOD, BAD, "--all" }));
	check_row({ {}, 5, "<h2>Rows whose verdict changed</h2>", "" },
		  host.rxaqm({ "qualify", "--compare", GOOD, BAD, "--html=-" }));
}

TEST_CASE("cli: what was measured is in each file that can be written", "[cli]")
{
	Host host;
	Scratch scratch;
	std::map<std::string, std::string> files = {
		{ "--out=", scratch / "out.json" },
		{ "--html=", scratch / "out.html" },
		{ "--junit=", scratch / "out.xml" },
	};

	check_row({ {}, 1, ", Linux ", "cannot write \"/dev/full\": No space left" },
		  host.rxaqm({ "doctor", "--time=1s", "--record=/dev/full", "lo" }));
	check_row({ {}, 1, "Trial on ", "cannot write \"/dev/full\": No space left" },
		  host.rxaqm({ "trial", "--from", "tests/unit/trial/helps.json", "--out=/dev/full",
			       "--html", scratch / "trial.html" }));
	CHECK(fs::exists(scratch / "trial.html"));
	for (const auto &[full, unused] : files) {
		Args args = { "qualify", "--from", GOOD };

		for (const auto &[option, path] : files) {
			std::error_code error;

			fs::remove(path, error);
			args.push_back(option + (option == full ? "/dev/full" : path));
		}
		CAPTURE(full);
		check_row({ {}, 1, "Q12 ", "cannot write \"/dev/full\": No space left" },
			  host.rxaqm(args));
		for (const auto &[option, path] : files)
			CHECK(fs::exists(path) == (option != full));
	}
}

TEST_CASE("cli: text has colours where they are asked for, and 80 columns", "[cli]")
{
	Host host;
	RunOptions narrow;

	narrow.environment = { "COLUMNS=80" };
	const std::string plain = host.rxaqm({ "qualify", "--from", BAD }, narrow).out;
	const std::string compared = host.rxaqm({ "qualify", "--compare", GOOD, BAD }, narrow).out;
	std::istringstream lines(plain + compared);

	/* The verdict is the first line; a column's head is no part of a path. */
	CHECK(plain.find("Fail for a host that must survive overload (class aqm): ") == 0);
	CHECK(compared.find(" good.json ") < compared.find(" bad.json "));
	CHECK(compared.find(" bad.json ") < compared.find('\n'));
	CHECK(plain.find('\033') == std::string::npos);
	for (std::string line; std::getline(lines, line);)
		CHECK(line.size() <= 80);
	check_row({ {}, 5, "\033[1;31mfail", "" },
		  host.rxaqm({ "qualify", "--from", BAD, "--color=always" }));
	CHECK(host.rxaqm({ "qualify", "--from", BAD, "--color=never" }, narrow).out == plain);
	check_row({ {}, 2, "", "--color" },
		  host.rxaqm({ "qualify", "--from", BAD, "--color=red" }));
}

TEST_CASE("cli: rows as JSON, and limits", "[cli]")
{
	Host host;
	Json rows(host.rxaqm({ "qualify", "--list", "-j" }).out);
	RunOptions narrow;

	narrow.environment = { "COLUMNS=80" };
	const std::string text = host.rxaqm({ "qualify", "--limits" }, narrow).out;

	CHECK(rows.size("/rows") == 19);
	CHECK(rows.text("/rows/0/id") == "Q5");
	CHECK(rows.number("/rows/0/seconds") == 1);
	CHECK(rows.text("/rows/0/question") == "where are stamps taken, and of which packets?");
	/* A line that is not indented, and what goes on below. */
	size_t begun = 0;
	std::istringstream lines(text);
	for (std::string line; std::getline(lines, line); begun += line[0] != ' ')
		CHECK(line.size() <= 80);
	CHECK(begun == 53);
	CHECK(text.find("Q1   design (aqm af_xdp), warn shared: Tx completions") == 0);
}

TEST_CASE("cli: what qualify refuses changes nothing", "[cli]")
{
	Host host;
	Scratch scratch;
	std::string out = scratch / "out", bad = scratch / "bad";

	std::ofstream(bad) << "{}";

	const Row rows[] = {
		{ { "qualify", "--compare", GOOD }, 2, "", "--compare takes two records" },
		{ { "qualify", "--compare", GOOD, GOOD, GOOD, BAD },
		  2,
		  "",
		  "two records, A.json B.json; compare others with the first one by one" },
		{ { "qualify", "--compare", GOOD, BAD, "--out", out }, 2, "", "--compare takes" },
		{ { "qualify", "--compare", GOOD, BAD, "--junit", out },
		  2,
		  "",
		  "the rest is of one record, --from=FILE" },
		{ { "qualify", "--from", GOOD, "--class", "best", "--out", out },
		  2,
		  "",
		  "--class=best: must be aqm or af_xdp" },
		{ { "qualify", "--from", "/nonexistent", "--out", out },
		  1,
		  "",
		  "cannot read \"/nonexistent\"" },
		{ { "qualify", "--from", bad, "--out", out }, 2, "", "not a record of" },
		{ { "qualify", "--from", GOOD, "--ktap", bad, "--out", out },
		  2,
		  "",
		  "--ktap is gone: CI takes the output of the kernel's selftests as it is" },
		{ { "qualify", "lo", "--resume", bad, "--out", out },
		  2,
		  "",
		  "--resume is gone: a run takes two minutes, and --rows measures some rows" },
		{ { "qualify", "--from", GOOD, "--csv", out, "--out", out },
		  2,
		  "",
		  "--csv is gone: jq makes a table of what --out writes" },
		{ { "qualify", "--from", GOOD, "--profile-out", out },
		  2,
		  "",
		  "--profile-out is gone: jq makes a profile of what --out writes" },
		{ { "qualify", "--from", GOOD, "--class=ptp" }, 2, "", "ptp is gone: ptp4l" },
		{ { "qualify", "--from", GOOD, "--html", "/nonexistent/x" },
		  1,
		  "",
		  "cannot write \"/nonexistent/x\"" },
	};

	for (const Row &row : rows)
		check_row(row, host.rxaqm(row.args));
	CHECK_FALSE(fs::exists(out));
}
