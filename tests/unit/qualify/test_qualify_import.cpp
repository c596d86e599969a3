// SPDX-License-Identifier: GPL-2.0-only
/* KTAP into a record, and a NIC profile out of one. */
#include <filesystem>
#include <vector>

#include <unistd.h>

#include "qualify_record.hpp"
#include "text.hpp"

extern "C" {
#include "profile/profile.h"
#include "qualify/print/print.h"
#include "qualify/record/record.h"
}

/* "name=words" of each result. */
static std::vector<std::string> results(const std::string &text)
{
	std::vector<std::string> got;
	rxaqm_error error = {};
	NicRecord record;
	int err = qualify_ktap_parse(&record, text.data(), text.size(), "log", &error);

	INFO(error.text);
	REQUIRE(err == 0);
	for (size_t i = 0; i < record.row("ks")->figures.nr; i++) {
		const auto &figure = record.row("ks")->figures.at[i];

		got.push_back(figure.name + std::string("=") + figure.words);
	}
	return got;
}

using Results = std::vector<std::string>;

TEST_CASE("ktap: what kselftest's runner prints", "[qualify]")
{
	CHECK(results("TAP version 13\n"
		      "1..3\n"
		      "# timeout set to 45\n"
		      "# selftests: drivers/net: ping.py\n"
		      "# KTAP version 1\n"
		      "# 1..3\n"
		      "# ok 1 ping.test_default_v4\n"
		      "# ok 2 ping.test_default_v6 # SKIP Test requires IPv6 connectivity\n"
		      "# # Exception| net.lib.py.utils.CmdExitFailure: Command failed\n"
		      "# not ok 3 ping.test_xdp_native\n"
		      "# # Totals: pass:1 fail:1 xfail:0 xpass:0 skip:1 error:0\n"
		      "not ok 1 selftests: drivers/net: ping.py # exit=1\n"
		      "# selftests: drivers/net: stats.py\n"
		      "ok 2 selftests: drivers/net: stats.py\n"
		      "# selftests: drivers/net/hw: csum.py\n"
		      "not ok 3 selftests: drivers/net/hw: csum.py # TIMEOUT 45 seconds\n") ==
	      Results{
		      "ping.test_default_v4=pass",
		      "ping.test_default_v6=skip: Test requires IPv6 connectivity",
		      "ping.test_xdp_native=fail: Exception| net.lib.py.utils.CmdExitFailure: "
		      "Command failed",
		      "selftests: drivers/net: stats.py=pass",
		      "selftests: drivers/net/hw: csum.py=fail: TIMEOUT 45 seconds",
	      });
}

/* As tools/testing/selftests/kselftest/runner.sh and net/lib/py/ksft.py print them. */
TEST_CASE("ktap: names are whole, reasons of what was skipped or expected to fail are kept",
	  "[qualify]")
{
	CHECK(results("TAP version 13\n"
		      "1..4\n"
		      "# overriding timeout to 300\n"
		      "# selftests: drivers/net/hw: rss_ctx.py\n"
		      "# TAP version 13\n"
		      "# 1..4\n"
		      "# ok 1 rss_ctx.test_rss_context_overlap_with_another_context_of_the_same_queues\n"
		      "# ok 2 rss_ctx.test_rss_key_indir # SKIP Device has no more than 2 queues\n"
		      "# # Check| At net/lib/py/ksft.py, line 37, in ksft_eq:\n"
		      "# not ok 3 rss_ctx.test_rss_resize # XFAIL Driver cannot shrink\n"
		      "# ok 4 rss_ctx.test_delete # XPASS fixed meanwhile\n"
		      "# # Totals: pass:2 fail:0 xfail:1 xpass:0 skip:1 error:0\n"
		      "ok 1 selftests: drivers/net/hw: rss_ctx.py\n"
		      "# selftests: drivers/net: netcons_basic.sh\n"
		      "# SKIP: Could not load netdevsim\n"
		      "ok 2 selftests: drivers/net: netcons_basic.sh # SKIP\n"
		      "# selftests: drivers/net/hw: devmem.py\n"
		      "# KTAP version 1\n"
		      "# 1..0 # SKIP no device memory\n"
		      "ok 3 selftests: drivers/net/hw: devmem.py # SKIP\n"
		      "# selftests: drivers/net/hw: ethtool_rmon.sh\n"
		      "not ok 4 selftests: drivers/net/hw: ethtool_rmon.sh # exit=2\n") ==
	      Results{
		      "rss_ctx.test_rss_context_overlap_with_another_context_of_the_same_queues=pass",
		      "rss_ctx.test_rss_key_indir=skip: Device has no more than 2 queues",
		      "rss_ctx.test_rss_resize=xfail: Driver cannot shrink",
		      "rss_ctx.test_delete=pass: XPASS fixed meanwhile",
		      "selftests: drivers/net: netcons_basic.sh=skip: SKIP: Could not load netdevsim",
		      "selftests: drivers/net/hw: devmem.py=skip: no device memory",
		      "selftests: drivers/net/hw: ethtool_rmon.sh=fail: exit=2",
	      });
}

TEST_CASE("ktap: a test that was ended says so, one that failed what it said last", "[qualify]")
{
	const std::string why = "Exception| ksft.KsftXfailEx: " + std::string(100, 'w') + " end";

	CHECK(results("# waiting for the link\n"
		      "not ok 1 selftests: drivers/net: slow.py # TIMEOUT 45 seconds\n"
		      "# no such device\n"
		      "not ok 2 selftests: drivers/net: gone.sh # exit=1\n"
		      "not ok 3 long # XFAIL " +
		      why + "\n") ==
	      Results{
		      "selftests: drivers/net: slow.py=fail: TIMEOUT 45 seconds",
		      "selftests: drivers/net: gone.sh=fail: no such device",
		      "long=xfail: " + why,
	      });
}

TEST_CASE("ktap: what was expected to fail is no verdict", "[qualify]")
{
	NicRecord record;
	rxaqm_error error = {};
	const std::string log = "ok 1 a # SKIP why\nnot ok 2 b # XFAIL known\n";

	REQUIRE(qualify_ktap_parse(&record, log.data(), log.size(), "log", &error) == 0);
	qualify_judge(&record);
	CHECK(record.row("ks")->verdict == QUALIFY_UNKNOWN);
}

TEST_CASE("ktap: subtests by blanks, and a parent that fails on its own", "[qualify]")
{
	CHECK(results("KTAP version 1\n1..2\n"
		      "  KTAP version 1\n  1..2\n  ok 1 - a\n  ok 2 - b\n"
		      "not ok 1 - parent\n"
		      "  1..1\n  not ok 1 - c # TODO not yet\n"
		      "ok 2 - other\n") ==
	      Results{ "a=pass", "b=pass", "parent=fail", "c=skip: not yet" });
}

TEST_CASE("ktap: results that are missing are failures", "[qualify]")
{
	CHECK(results("1..3\nok 1 a\n") == Results{ "a=pass", "plan=fail: 1 of 3 results" });
	CHECK(results("1..1\n# 1..2\n# ok 1 a\nok 1 parent\n") ==
	      Results{ "a=pass", "plan=fail: 1 of 2 results" });
	CHECK(results("1..2\nok 1 a\nBail out! no device\n") ==
	      Results{ "a=pass", "bail out=fail: no device", "plan=fail: 1 of 2 results" });
}

TEST_CASE("ktap: names are unique and fit, whatever they were", "[qualify]")
{
	std::string name(200, 'x');
	Results got = results("ok 1 a\nok 2 a\nok 3\nok 4 " + name + "end\nok 5 b\tc # \n");

	REQUIRE(got.size() == 5);
	CHECK(got[0] == "a=pass");
	CHECK(got[1] == "a 2=pass");
	CHECK(got[2] == "test=pass");
	CHECK(got[3] == std::string(127, 'x') + "=pass");
	CHECK(got[4] == "b c=pass");
}

TEST_CASE("ktap: a second file joins the first; what is none is refused", "[qualify]")
{
	NicRecord record;
	rxaqm_error error = {};

	REQUIRE(qualify_ktap_parse(&record, "ok 1 a\n", 7, "one", &error) == 0);
	REQUIRE(qualify_ktap_parse(&record, "not ok 1 a\n", 11, "two", &error) == 0);
	CHECK(record.rows.nr == 1);
	CHECK(record.row("ks")->figures.nr == 2);
	qualify_judge(&record);
	CHECK(record.row("ks")->verdict == QUALIFY_FAIL);

	CHECK(qualify_ktap_parse(&record, "okay\n", 5, "three", &error) == -EINVAL);
	CHECK(has(error.text, "three: no results; KTAP is needed"));
	CHECK(error.exit_code == RXAQM_EXIT_USAGE);

	std::string many;

	for (int i = 0; i <= QUALIFY_KTAP_MAX; i++)
		many += "ok " + std::to_string(i) + " t" + std::to_string(i) + "\n";
	CHECK(qualify_ktap_parse(&record, many.data(), many.size(), "four", &error) == -E2BIG);
	CHECK(has(error.text, "more than 4096 results"));
}

struct ProfileFile {
	std::string path = "/tmp/rxaqm-qualify-" + std::to_string(getpid()) + ".conf";
	rxaqm_error error = {};
	rxaqm_profile profile = {};

	int write(const NicRecord &record)
	{
		int err = qualify_write_profile(&record, path.c_str(), &error);

		if (!err)
			REQUIRE(rxaqm_profile_read(path.c_str(), &profile, &error) == 0);
		return err;
	}
	~ProfileFile()
	{
		unlink(path.c_str());
	}
};

TEST_CASE("profile of a record: the facts that were measured, with the run", "[qualify]")
{
	ProfileFile file;

	REQUIRE(file.write(NicRecord(BAD_RECORD)) == 0);
	CHECK(std::string(file.profile.driver) == "slownic");
	CHECK(file.profile.design == RXAQM_DESIGN_SHARED);
	CHECK(file.profile.napi == RXAQM_NAPI_JOINT);
	CHECK(std::string(file.profile.napi_poll) == "slow_poll");
	CHECK(file.profile.moderation_ns == 250000);
	CHECK(file.profile.nr_notes == 3);
	CHECK(file.profile.note[0].warning);
	CHECK(has(file.profile.note[0].text, "stamps were given twice"));

	std::string text = read_text(file.path);

	CHECK(has(text, "rxaqm qualify of 2026-11-21T10:00:00Z, row Q1 (design).\n"));
	CHECK(has(text, "firmware 0.1 <beta>."));

	REQUIRE(file.write(NicRecord(GOOD_RECORD)) == 0);
	CHECK(file.profile.design == RXAQM_DESIGN_SPLIT);
}

TEST_CASE("profile of a record: stamps that are late are warned of", "[qualify]")
{
	ProfileFile file;
	NicRecord record(GOOD_RECORD);

	struct qualify_figure *point = record.words("Q4", "stamp_point", "arrival");
	REQUIRE(file.write(record) == 0);
	const unsigned before = file.profile.nr_notes;

	strcpy(point->words, "later: 64 of 64, by 20.1 ms and more");
	REQUIRE(file.write(record) == 0);
	REQUIRE(file.profile.nr_notes == before + 1);
	CHECK(file.profile.note[before].warning);
	CHECK(has(file.profile.note[before].text, "not taken at arrival"));
	CHECK(has(file.profile.note[before].text, "64 of 64"));
}
TEST_CASE("profile of a record: nothing is written that is no profile", "[qualify]")
{
	ProfileFile file;
	NicRecord record;

	CHECK(file.write(record) == -ENODATA);
	CHECK(has(file.error.text, "needs a driver"));
	strcpy(record.driver, "igb");
	record.words("Q1", "design", "unknown");
	record.words("Q1", "poll", "rx_poll tx_poll");
	CHECK(file.write(record) == -ENODATA);
	CHECK(has(file.error.text, "no fact of a profile was measured"));

	strcpy(record.firmware, "1.0\nDriver=evil");
	record.words("Q1", "napi", "apart");
	REQUIRE(file.write(record) == 0);
	CHECK(std::string(file.profile.driver) == "igb");

	unlink(file.path.c_str());
	strcpy(record.driver, "a/b");
	CHECK(file.write(record) == -EINVAL);
	CHECK_FALSE(std::filesystem::exists(file.path));
}
