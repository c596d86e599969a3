// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm trial on records, and what is refused. */
#include "cli.hpp"

TEST_CASE("trial: a record is judged again", "[trial]")
{
	const std::string record = "tests/unit/trial/helps.json";
	Host host;
	const Result one = host.rxaqm({ "trial", "--from", record });

	CAPTURE(one.text());
	CHECK(one.exit_code == 0);
	CHECK(one.out.find("It helps, \"mode=enforce target=5ms\" against \"mode=observe\"") !=
	      std::string::npos);
	CHECK(one.out.find("The queue stood in 11 of 12 pairs; in 1 it did not") !=
	      std::string::npos);
	CHECK(one.out.find(
		      "p99 of the sojourn fell from 80.4 ms to 12.2 ms (-85 %, 95 %: -86 to -84)") !=
	      std::string::npos);
	CHECK(one.out.find("bytes received: no change shown") != std::string::npos);
	check_row({ {}, 0, "2 records are too few to tell about other hosts", "" },
		  host.rxaqm({ "trial", "--from", record, record }));
	check_row({ {}, 0, "Over 8 hosts; each counts once:", "" },
		  host.rxaqm({ "trial", "--from", record, record, record, record, record, record,
			       record, record }));
	const std::string page = host.rxaqm({ "trial", "--from", record, "--html=-" }).out;

	/* Alone, with a picture, and a line for each outcome. */
	CHECK(page.find("<!DOCTYPE html>") == 0);
	CHECK(page.find("http") == std::string::npos);
	CHECK(page.find("It helps</strong>") != std::string::npos);
	size_t pictures = 0;

	for (size_t at = 0; (at = page.find("<svg", at)) != std::string::npos; at++)
		pictures++;
	CHECK(pictures == 1);
	CHECK(page.find("<tr><td><b>p99 of the sojourn</b></td><td>80.4 ms</td><td>12.2 ms</td>"
			"<td>-85</td><td>-86 to -84</td></tr>") != std::string::npos);
	CHECK(page.find("<tr><td>bytes received</td>") != std::string::npos);
	check_row({ {}, 2, "", "--html takes one record" },
		  host.rxaqm({ "trial", "--from", record, record, "--html=-" }));
	CHECK(Json(host.rxaqm({ "-j", "trial", "--from", record }).out)
		      .text("/verdicts/0/verdict") == "helps");
	/* --out is beside what --json prints, or is it. */
	const std::string both =
		host.rxaqm({ "-j", "trial", "--from", record, "--out", "/dev/null" }).out;

	CHECK(Json(both).text("/verdicts/0/verdict") == "helps");
	CHECK(host.rxaqm({ "-j", "trial", "--from", record, "--out", "-" }).out == both);
	check_row({ {}, 2, "", "two documents would go to standard output: name a file for each" },
		  host.rxaqm({ "-j", "trial", "--from", record, "--html=-" }));
}

TEST_CASE("trial: what an outcome alone would show is told as that", "[trial]")
{
	Host host;
	const std::string out =
		host.rxaqm({ "trial", "--from", "tests/unit/trial/borderline.json" }).out;

	CAPTURE(out);
	CHECK(out.find("No difference shown, ") != std::string::npos);
	CHECK(out.find("bytes received: not shown after correction for 4 outcomes, 10 MB/s and ") !=
	      std::string::npos);
	CHECK(out.find("bytes sent: no change shown, ") != std::string::npos);
	CHECK(out.find("\nThese decide nothing; each was tested alone:\n") != std::string::npos);
}

TEST_CASE("trial: usage", "[trial]")
{
	/* 1,2 and so on: it was cut, and another policy tried. */
	std::string dscp = "exempt_dscp=1";

	for (int i = 2; i < 64; i++)
		dscp += "," + std::to_string(i);
	const Row rows[] = {
		{ { "trial" }, 2, "", "an interface is missing" },
		{ { "trial", "lo", dscp, "target=5ms" }, 2, "", "at most 199 characters" },
		{ { "trial", "lo", "--metric=" }, 2, "", "--metric takes a command" },
		{ { "trial", "lo", "--metric=" + std::string(1000, 'x') },
		  2,
		  "",
		  "--metric: at most 999 characters; make it a script" },
		{ { "trial", "lo", "x", "--restore" },
		  2,
		  "",
		  "takes an interface, and nothing else" },
		{ { "trial", "lo", "--restore", "--for=1m" },
		  2,
		  "",
		  "takes an interface, and nothing else" },
		{ { "trial", "--from" }, 2, "", "--from needs a record" },
		{ { "trial", "--from", "x", "--for=1m" }, 2, "", "--from takes" },
		{ { "trial", "--from", "/nonexistent" }, 1, "", "/nonexistent" },
		{ { "trial", "--from", "tests/unit/qualify/good.json" }, 2, "", "not a record of" },
		{ { "trial", "lo", "target=5" }, 2, "", "target=5: a unit is required" },
		{ { "trial", "lo", "signal=busy" }, 2, "", "it changes what is measured" },
		{ { "trial", "lo", "lease=5m" }, 2, "", "has a lease already" },
		{ { "trial", "lo", "target=1ms", "--arms=off/observe" }, 2, "", "leave out" },
		{ { "trial", "lo", "--arms=observe" }, 2, "", "name a second policy" },
		{ { "trial", "lo", "--arms=off/off/off/off" }, 2, "", "two or three policies" },
		{ { "trial", "lo", "--arms=off/target=1ms target=2ms" }, 2, "", "set twice" },
		{ { "trial", "lo", "--stop-if=bytes" }, 2, "", "--stop-if=bytes: must be off" },
		{ { "trial", "lo", "--stop-if=bytes<10%" }, 2, "", "must be off" },
		{ { "trial", "lo", "--stop-if=cheese<-10%" }, 2, "", "must be off" },
		{ { "trial", "lo", "--seed=x" }, 2, "", "--seed" },
		{ { "trial", "lo", "--block=1ms" }, 2, "", "--block" },
		{ { "trial", "lo", "--for=1m", "--block=1m" }, 2, "", "holds 0 rounds" },
		{ { "trial", "lo", "--out=/nonexistent/x" }, 1, "", "/nonexistent/x" },
		{ { "trial", "lo" }, 4, "", "not attached" },
	};
	Host host;

	for (const Row &row : rows)
		check_row(row, host.rxaqm(row.args));
	CHECK(host.rxaqm({ "trial", "lo", "--for=14s", "--block=1s" })
		      .err.find("--for=14s holds 7 rounds of blocks, which can show nothing: a "
				"verdict needs 8, and the queue to stand in them (--for=16s)\n") !=
	      std::string::npos);
}
