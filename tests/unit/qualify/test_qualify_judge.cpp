// SPDX-License-Identifier: GPL-2.0-only
/* Verdicts of a qualification: which figure decides, and what is said of it. */
#include <set>
#include <vector>

#include "qualify_record.hpp"
#include "text.hpp"

extern "C" {
#include "qualify/record/record.h"
#include "qualify/rows/row.h"
}

static std::string verdict(NicRecord &record, const char *id)
{
	qualify_judge(&record);

	const struct qualify_row *row = record.row(id);
	char words[QUALIFY_WHY_LEN];

	return qualify_verdicts[row->verdict] + std::string(": ") + qualify_row_words(row, words);
}

TEST_CASE("qualify: the good NIC passes in every row, the bad one in none", "[qualify]")
{
	NicRecord good(GOOD_RECORD), bad(BAD_RECORD);

	for (size_t i = 0; i < good.rows.nr; i++) {
		INFO(good.rows.at[i].id << " " << good.rows.at[i].why);
		CHECK(good.rows.at[i].verdict == QUALIFY_PASS);
	}
	for (size_t i = 0; i < bad.rows.nr; i++) {
		INFO(bad.rows.at[i].id << " " << bad.rows.at[i].why);
		CHECK(bad.rows.at[i].verdict != QUALIFY_PASS);
		CHECK(bad.rows.at[i].why[0] != '\0');
	}
}

TEST_CASE("qualify: a number fails only beyond its error", "[qualify]")
{
	/* Q8, aqm: over 250 us warns, over 1 ms fails. */
	const std::vector<std::tuple<double, double, const char *>> rows = {
		{ 250e3, NAN, "pass: floor 250 us, at most 250 us" },
		{ 251e3, NAN, "warn: floor 251 us, over 250 us: moderation" },
		{ 1000e3, NAN, "warn: floor 1 ms, over 250 us: moderation" },
		{ 1001e3, 500, "fail: floor 1.00 ms, over 1 ms: moderation" },
		{ 1001e3, 2e3,
		  "warn: floor 1.00 ms, over 1 ms by less than its error: moderation" },
		{ 1001e3, NAN, "fail: floor 1.00 ms, over 1 ms: moderation" },
	};

	for (const auto &[value, error, words] : rows) {
		NicRecord record;

		record.number("Q8", "floor", value, "ns", error);
		CHECK(verdict(record, "Q8").find(words) == 0);
	}
}

TEST_CASE("qualify: at least, magnitude, p99 and quotients", "[qualify]")
{
	SECTION("at least, and by its error")
	{
		NicRecord record;

		record.number("Q16", "lost_counted", 0.4999, "share", 0.001);
		CHECK(has(verdict(record, "Q16"), "warn: lost_counted 50.0 %, under 50 % by less"));
	}
	SECTION("the magnitude of a negative number")
	{
		NicRecord record;

		record.number("Q7", "drift", -1200, "ppm");
		record.number("Q7", "steps", 0, "count");
		CHECK(has(verdict(record, "Q7"), "fail: drift -1200 ppm, over 1000 ppm"));
	}
	SECTION("the p99, else the maximum, else the only number")
	{
		NicRecord record;
		record.number("Q11", "standing_on_150", 1e6, "ns");
		record.number("Q11", "target", 1e6, "ns");
		auto *figure = record.row("Q11")->figures.at;

		CHECK(has(verdict(record, "Q11"), "pass: standing_on_150 1 ms"));
		figure->max = 21e6;
		CHECK(has(verdict(record, "Q11"), "fail: standing_on_150 maximum 21 ms"));
		figure->p99 = 5e6;
		CHECK(has(verdict(record, "Q11"), "warn: standing_on_150 p99 5 ms"));
	}
	SECTION("the quotient, with a base from another row")
	{
		NicRecord record;

		record.number("Q9", "ring_entries", 1000, "packets");
		record.number("Q10", "burst_queue", 600, "packets", 1);
		CHECK(has(verdict(record, "Q10"),
			  "warn: burst_queue 600 packets, 0.600 times ring_entries, under 0.900"));
	}
	SECTION("no base, or a base of 0, is no verdict")
	{
		NicRecord record;

		record.number("Q10", "burst_queue", 600, "packets");
		CHECK(verdict(record, "Q10") == "unknown: \"ring_entries\" was not measured");
		record.number("Q10", "ring_entries", 0, "packets");
		CHECK(verdict(record, "Q10") == "unknown: \"ring_entries\" was not measured");

		NicRecord empty;

		empty.row("Q10");
		CHECK(verdict(empty, "Q10") == "unknown: \"burst_queue\" was not measured");
	}
	SECTION("another unit than the limit's is no verdict")
	{
		NicRecord record;

		record.number("Q8", "floor", 10, "us");
		CHECK(has(verdict(record, "Q8"), "unknown: \"floor\" was not measured"));
	}
}

TEST_CASE("qualify: a poll that takes long is not the NIC's, many polls are", "[qualify]")
{
	NicRecord record;
	auto *time = record.number("Q12", "tx_load", 2.5e6, "ns");

	time->p99 = 3e6;
	record.number("Q12", "tx_load_polls", 2, "count", 1)->p99 = 2;
	CHECK(has(verdict(record, "Q12"), "pass: tx_load p99 3 ms, at most 10 ms; 1 more"));
	record.row("Q12")->figures.at[1].p99 = 9;
	CHECK(has(verdict(record, "Q12"), "warn: tx_load_polls p99 9, over 3"));
	record.row("Q12")->figures.at[0].p99 = 30e6;
	CHECK(has(verdict(record, "Q12"), "fail: tx_load p99 30 ms, over 10 ms"));
}

TEST_CASE("qualify: the worst figure decides, whatever is missing", "[qualify]")
{
	NicRecord record;

	record.number("Q3", "backward", 1, "count");
	record.number("Q3", "resolution", 5000, "ns");
	CHECK(has(verdict(record, "Q3"), "fail: backward 1, over 0"));
	record.row("Q3")->figures.at[0].median = 0;
	CHECK(has(verdict(record, "Q3"), "warn: resolution 5 us, over 1 us"));
	record.row("Q3")->figures.at[1].median = 1;
	CHECK(has(verdict(record, "Q3"), "unknown: \"duplicates\" was not measured"));
	record.number("Q3", "duplicates", 0, "share");
	CHECK(verdict(record, "Q3") == "pass: duplicates 0 %, at most 0 %; 2 more");
}

TEST_CASE("qualify: unknown keeps its reason", "[qualify]")
{
	NicRecord record;

	strcpy(record.row("Q5")->reason, "the kernel does not say");
	CHECK(verdict(record, "Q5") == "unknown: the kernel does not say");
	record.words("Q5", "source", "netdev");
	CHECK(verdict(record, "Q5") == "pass: source: netdev");
	record.row("Q5")->figures.nr = 0;
	CHECK(verdict(record, "Q5") == "unknown: the kernel does not say");
	record.row("Q5")->reason[0] = '\0';
	CHECK(verdict(record, "Q5") == "unknown: \"source\" was not measured");
	record.row("Q99");
	CHECK(verdict(record, "Q99") == "none: no limit for class aqm: not judged");
}

TEST_CASE("qualify: no verdict rests on a detail, however it is worded", "[qualify]")
{
	NicRecord record;

	record.words("Q18", "after_flap", "yes: no, unknown: fail");
	CHECK(verdict(record, "Q18") == "pass: after_flap: yes: no, unknown: fail");
	strcpy(record.row("Q18")->figures.at->words, "no");
	CHECK(has(verdict(record, "Q18"),
		  "fail: after_flap: no: no, unknown: fail: the interface"));
}

TEST_CASE("qualify: words that say nothing are no verdict", "[qualify]")
{
	for (const char *words : { "unknown", "unknown: no PHC" }) {
		NicRecord record;

		record.words("Q1", "design", words);
		CHECK(verdict(record, "Q1") == "unknown: \"design\" was not measured");
		record.words("Q1", "design", "split");
		CHECK(verdict(record, "Q1") == "pass: design: split");
	}
}

TEST_CASE("qualify: too few samples are no verdict, and say how many came", "[qualify]")
{
	NicRecord record;
	auto *floor = record.number("Q8", "floor", 423e6, "ns");

	floor->n = 2;
	/* Not told how many there were to be. */
	CHECK(has(verdict(record, "Q8"), "fail: floor 423 ms, over 1 ms"));
	floor->of = 60;
	CHECK(verdict(record, "Q8") == "unknown: floor: 2 of 60 came, 30 are needed");
	floor->n = 30;
	CHECK(has(verdict(record, "Q8"), "fail: floor 423 ms, over 1 ms"));
}

TEST_CASE("qualify: of a row that was disturbed there is no verdict, and nothing is built on it",
	  "[qualify]")
{
	NicRecord record;

	record.number("Q8", "floor", 423e6, "ns");
	CHECK(qualify_figure(&record, "Q8", "floor"));
	strcpy(record.row("Q8")->disturbed,
	       "another program (busy) had CPU 1 for 70 % of the time");
	record.row("Q8")->why[0] = '\0';
	CHECK(verdict(record, "Q8") ==
	      "unknown: another program (busy) had CPU 1 for 70 % of the time");
	CHECK_FALSE(qualify_figure(&record, "Q8", "floor"));
	struct qualify_judged judged;
	CHECK_FALSE(qualify_judge_figure(&record, record.row("Q8"), "floor", &judged));
	CHECK(judged.verdict == QUALIFY_UNKNOWN);
	CHECK(judged.figure->median == 423e6);
	CHECK(std::isnan(judged.fail));
	/* In any class, and though it is judged again. */
	strcpy(record.nic_class, "af_xdp");
	CHECK(has(verdict(record, "Q8"), "unknown: another program"));
}

/* A figure that comes to @wanted by @limit, if it can. */
static bool make(NicRecord &record, const struct qualify_limit *limit, int wanted)
{
	std::string name = limit->figure;
	auto *base = limit->relative_to ? record.number(limit->row, limit->relative_to, 10) : NULL;
	const double bound = wanted == QUALIFY_FAIL  ? limit->fail :
			     std::isnan(limit->warn) ? limit->fail :
						       limit->warn;
	const double step = limit->at_least ? -1 : 1;

	if (name.back() == '*')
		name.replace(name.size() - 1, 1, "x");
	if (limit->statistic == QUALIFY_WORDS) {
		const char *of = wanted == QUALIFY_FAIL ? limit->fail_words :
				 wanted == QUALIFY_WARN ? limit->warn_words :
				 wanted == QUALIFY_PASS ? "good" :
							  "unknown: not told";

		if (!of)
			return false;
		record.words(limit->row, name.c_str(), std::string(of, strcspn(of, "|")).c_str());
		return true;
	}
	if (wanted == QUALIFY_UNKNOWN || std::isnan(bound) ||
	    (wanted == QUALIFY_WARN && (std::isnan(limit->warn) || limit->warn == limit->fail)))
		return wanted == QUALIFY_UNKNOWN;
	record.number(limit->row, name.c_str(),
		      (wanted == QUALIFY_PASS ? bound :
						bound + step * (bound != 0 ? bound / 1e3 : 1e-3)) *
			      (base ? 10 : 1),
		      limit->unit);
	return true;
}

TEST_CASE("qualify: what is said of a row never contradicts its verdict", "[qualify]")
{
	for (const auto *limit = qualify_limits; limit->row; limit++) {
		for (int wanted = 0; wanted <= QUALIFY_FAIL; wanted++) {
			NicRecord record;

			strcpy(record.nic_class, limit->classes & QUALIFY_AQM ? "aqm" : "af_xdp");
			if (!make(record, limit, wanted))
				continue;
			record.row(limit->row);
			/* Another figure that the row needs may be missing. */
			const std::string says = verdict(record, limit->row);
			const bool bad = has(says, limit->at_least ? ", under " : ", over ") ||
					 (limit->statistic == QUALIFY_WORDS &&
					  !has(says, ": good") && !has(says, "not measured"));
			CAPTURE(limit->figure, wanted, says);
			CHECK(int(record.row(limit->row)->verdict) ==
			      (has(says, "not measured") || has(says, "no limit") ? 0 : wanted));
			if (wanted == QUALIFY_PASS || wanted == QUALIFY_UNKNOWN) {
				CHECK_FALSE((bad && !has(says, "no limit")));
				CHECK_FALSE(has(says, limit->why));
			} else {
				CHECK(bad);
				CHECK(has(says, limit->why));
			}
		}
	}
}

TEST_CASE("qualify: the profile against what was measured, in words", "[qualify]")
{
	NicRecord record;

	qualify_put_fact(record.row("Q19"), "napi", "joint", "joint", nullptr, "Q1");
	CHECK(verdict(record, "Q19") == "pass: napi: agrees: \"joint\" said and measured");
	qualify_put_fact(record.row("Q19"), "completion", "writeback", "split",
			 "which behaves like that", "Q1");
	CHECK(record.row("Q19")->figures.at[1].words == std::string("agrees"));
	CHECK(record.row("Q19")->figures.at[1].detail ==
	      std::string("\"split\" measured, \"writeback\" said, which behaves like that"));
	CHECK(has(verdict(record, "Q19"), "pass"));
	qualify_put_fact(record.row("Q19"), "coverage", "all", "none", nullptr, "Q2");
	CHECK(has(verdict(record, "Q19"),
		  "fail: coverage: contradicts: \"all\" said, \"none\" measured: rxaqm uses a"));
}

TEST_CASE("qualify: contradictions fail", "[qualify]")
{
	NicRecord record;

	record.words("Q19", "RxRingMax", "agrees: 4096");
	CHECK(has(verdict(record, "Q19"), "pass"));
	record.words("Q19", "Napi", "contradicts: profile joint, measured apart");
	CHECK(has(verdict(record, "Q19"), "fail: Napi: contradicts: profile joint"));
}

TEST_CASE("qualify: a row without limits for the class makes no NIC unknown", "[qualify]")
{
	NicRecord record;

	strcpy(record.nic_class, "af_xdp");
	record.number("Q8", "floor", 1e3, "ns");
	record.row("Q9");
	/* Whether it was measured or not, or disturbed. */
	record.number("Q11", "standing_on_150", 1e6, "ns");
	strcpy(record.row("Q15")->reason, "none of 512 segments came");
	strcpy(record.row("Q98")->disturbed, "another program (busy) had CPU 1");
	for (const char *id : { "Q11", "Q15", "Q98" })
		CHECK(verdict(record, id) == "none: no limit for class af_xdp: not judged");
	CHECK(record.count[QUALIFY_NONE] == 3);
	CHECK(record.count[QUALIFY_UNKNOWN] == 1);
	CHECK(record.verdict == QUALIFY_PASS);
	/* Who requires it lacks it. */
	strcpy(record.required, "Q8,Q11");
	qualify_judge(&record);
	CHECK(record.verdict == QUALIFY_UNKNOWN);
	/* Without any limit nothing is known. */
	strcpy(record.required, "");
	strcpy(record.nic_class, "ptp");
	qualify_judge(&record);
	CHECK(record.verdict == QUALIFY_UNKNOWN);
}

TEST_CASE("qualify: classes have limits of their own", "[qualify]")
{
	NicRecord record;

	record.words("Q14", "zero_copy", "copy");
	record.number("Q14", "missing", 0, "count");
	CHECK(has(verdict(record, "Q14"), "pass"));
	strcpy(record.nic_class, "af_xdp");
	CHECK(has(verdict(record, "Q14"), "fail: zero_copy: copy"));
	strcpy(record.nic_class, "ptp");
	CHECK(verdict(record, "Q14") == "none: no limit for class ptp: not judged");
	record.row("Q14")->figures.nr = 0;
	strcpy(record.nic_class, "aqm");
	CHECK(verdict(record, "Q14") == "unknown: \"missing\" was not measured");
	CHECK(qualify_class("aqm")->bit == QUALIFY_AQM);
	CHECK(qualify_class("all")->bit == 0);
}

TEST_CASE("qualify: every limit is complete and reachable", "[qualify]")
{
	std::set<std::string> with_limits;

	for (const auto *limit = qualify_limits; limit->row; limit++) {
		INFO(limit->row << " " << limit->figure);
		CHECK(qualify_row_kind(limit->row));
		CHECK(limit->classes);
		CHECK(limit->why);
		CHECK(limit->source);
		with_limits.insert(limit->row);
		if (limit->statistic == QUALIFY_WORDS) {
			CHECK((limit->warn_words || limit->fail_words));
			continue;
		}
		CHECK(limit->unit);
		CHECK_FALSE((std::isnan(limit->warn) && std::isnan(limit->fail)));
		if (!std::isnan(limit->warn) && !std::isnan(limit->fail))
			CHECK((limit->at_least ? limit->warn >= limit->fail :
						 limit->warn <= limit->fail));
	}
	for (const auto *kind = qualify_row_kinds; kind->id; kind++) {
		INFO(kind->id);
		CHECK(with_limits.count(kind->id) == 1);
	}
}
