/* SPDX-License-Identifier: GPL-2.0-only */
/* What follows from blocks: verdicts, guards, many hosts; the order of blocks; records. */
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

extern "C" {
#include "policy/settings.h"
#include "trial/judge.h"
#include "trial/run.h"
}

using Catch::Approx;

namespace
{
/* A trial of two arms, whose blocks a test makes. */
struct Trial {
	trial_record record = {};
	std::mt19937_64 random{ 1 };

	explicit Trial(const char *arms = "observe / target=5ms")
	{
		rxaqm_error error = {};
		char *const none[] = { nullptr };

		CAPTURE(error.text);
		REQUIRE(trial_arms_parse(&record, arms, none, &error) == 0);
		record.seed = 1;
		record.rounds = 20;
	}
	~Trial()
	{
		trial_record_free(&record);
	}
	Trial(const Trial &) = delete;
	Trial &operator=(const Trial &) = delete;

	double noisy(double value)
	{
		return value * std::exp(0.02 * std::normal_distribution<double>()(random));
	}
	/* Another round: each outcome of @factors is 100 times its factor under the later arms. */
	void round(const std::vector<std::pair<int, double>> &factors, bool over = true,
		   const char *why_void = "")
	{
		const __u32 number = record.blocks.nr ?
					     record.blocks.at[record.blocks.nr - 1].round + 1 :
					     0;

		for (__u32 arm = 0; arm < record.arms.nr; arm++) {
			auto *block = static_cast<trial_block *>(
				rxaqm_list_grow(reinterpret_cast<void **>(&record.blocks.at),
						&record.blocks.nr, sizeof(trial_block)));

			REQUIRE(block);
			block->round = number;
			block->arm = arm;
			/* Under the other it may not, for that is what it is for. */
			block->over = over && !arm;
			std::snprintf(block->why_void, sizeof(block->why_void), "%s",
				      arm ? why_void : "");
			for (double &outcome : block->outcome)
				outcome = NAN;
			for (const auto &[outcome, factor] : factors)
				block->outcome[outcome] = noisy(100 * (arm ? factor : 1));
		}
	}
	std::string verdict(unsigned int arm = 1)
	{
		trial_judge(&record);
		REQUIRE(record.verdicts.nr == record.arms.nr - 1);
		return trial_verdicts[record.verdicts.at[arm - 1].verdict];
	}
	std::string why() const
	{
		return record.verdicts.at[0].why;
	}
	int guard(const char *text, rxaqm_error *error = nullptr)
	{
		return trial_guard_parse(&record, text, error);
	}
};

std::string many(Trial &trial, int rounds, const std::vector<std::pair<int, double>> &factors)
{
	for (int i = 0; i < rounds; i++)
		trial.round(factors);
	return trial.verdict();
}
} // namespace

TEST_CASE("trial verdicts", "[trial]")
{
	Trial trial;

	SECTION("helps")
	{
		CHECK(many(trial, 12,
			   { { TRIAL_SOJOURN_P99, 0.2 }, { TRIAL_BYTES_RECEIVED, 1 } }) == "helps");
		CHECK(trial.why() == "better: p99 of the sojourn");
	}
	SECTION("helps and hurts")
	{
		CHECK(many(trial, 12, { { TRIAL_SOJOURN_P99, 0.2 }, { TRIAL_BYTES_SENT, 0.5 } }) ==
		      "mixed");
	}
	SECTION("hurts")
	{
		CHECK(many(trial, 12, { { TRIAL_SOJOURN_P99, 1 }, { TRIAL_NUMBER, 1.3 } }) ==
		      "hurts");
		CHECK(trial.why() == "worse: the number of --metric");
	}
	SECTION("no difference, and what it would take")
	{
		CHECK(many(trial, 12, { { TRIAL_SOJOURN_P99, 1 }, { TRIAL_BYTES_RECEIVED, 1 } }) ==
		      "no_difference");
		CHECK(trial.why().find("12 pairs show no difference; to show 5 % of bytes received "
				       "would take ") == 0);
	}
	SECTION("what is sure, and yet nothing to anybody, decides nothing")
	{
		for (int i = 0; i < 12; i++) {
			trial.round({ { TRIAL_SOJOURN_P99, 0.2 }, { TRIAL_BYTES_RECEIVED, 1 } });
			for (__u32 arm = 0; arm < 2; arm++)
				trial.record.blocks.at[2 * i + arm].outcome[TRIAL_BYTES_RECEIVED] =
					arm ? 99.5 : 100;
		}
		CHECK(trial.verdict() == "helps");
		CHECK(trial.record.results.at[1].shown);
	}
	SECTION("what is only told decides nothing")
	{
		CHECK(many(trial, 12, { { TRIAL_DROPPED, 9 }, { TRIAL_BYTES_RECEIVED, 1 } }) ==
		      "no_difference");
	}
	SECTION("too few for one outcome")
	{
		CHECK(many(trial, 5, { { TRIAL_SOJOURN_P99, 0.1 } }) == "too_few");
		CHECK(many(trial, 1, { { TRIAL_SOJOURN_P99, 0.1 } }) == "helps");
	}
	SECTION("too few for all that decide, however large the change: never no difference")
	{
		const std::vector<std::pair<int, double>> changes = {
			{ TRIAL_SOJOURN_P50, 0.001 },
			{ TRIAL_SOJOURN_P99, 0.01 },
			{ TRIAL_BYTES_RECEIVED, 1 },
			{ TRIAL_BYTES_SENT, 1.2 },
			{ TRIAL_RTT, 0.1 },
			{ TRIAL_OVERFLOW, 0.1 },
			{ TRIAL_SEGMENTS_AGAIN, 0.1 },
		};

		CHECK(many(trial, 7, changes) == "too_few");
		CHECK(trial.why() == "7 pairs in which the queue stood can show nothing; at least "
				     "8 are needed for 4 outcomes; try again with a longer --for");
		CHECK(trial_least(&trial.record) == 8);
		CHECK(many(trial, 1, changes) == "helps");
		CHECK(trial.why() ==
		      "better: median of the sojourn, p99 of the sojourn, bytes sent");
	}
	SECTION("too few, since most are void: a longer trial does not help")
	{
		for (int i = 0; i < 12; i++)
			trial.round({ { TRIAL_SOJOURN_P99, 0.1 } }, i % 2,
				    i < 9 ? "no answer" : "");
		CHECK(trial.verdict() == "too_few");
		CHECK(trial.why() == "most of 12 pairs are void (no answer); fix that, then try "
				     "again");
	}
	SECTION("no load")
	{
		for (int i = 0; i < 12; i++)
			trial.round({ { TRIAL_SOJOURN_P99, 0.1 } }, false);
		CHECK(trial.verdict() == "nothing_to_learn");
	}
	SECTION("rounds without load, and void ones, do not count")
	{
		for (int i = 0; i < 12; i++)
			trial.round({ { TRIAL_SOJOURN_P99, 9 } }, i % 2, i % 2 ? "no answer" : "");
		CHECK(many(trial, 9, { { TRIAL_SOJOURN_P99, 0.2 } }) == "helps");
		CHECK(trial.record.results.at[0].pairs == 9);
		trial_rounds rounds;

		trial_rounds_count(&trial.record, &rounds);
		CHECK(rounds.over == 9);
		CHECK(rounds.quiet == 6);
		CHECK(rounds.void_ == 6);
	}
}

TEST_CASE("trial verdicts: three policies, each against the first", "[trial]")
{
	Trial trial("observe / target=5ms / off");

	CHECK(many(trial, 12, { { TRIAL_SOJOURN_P99, 0.2 } }) == "helps");
	CHECK(trial.verdict(2) == "helps");
	CHECK(trial.record.results.nr == 2);
	CHECK(std::string(trial.record.arms.at[2].settings) == "off");
}

/* Blocks under a policy that does nothing, of a host whose traffic varies by far. */
TEST_CASE("trial verdicts: at most 5 % of trials of nothing find something", "[trial]")
{
	std::mt19937_64 random(20261127);
	const auto draw = [&random] {
		return -std::log((double(random() >> 11) + 1) / double(1ULL << 53));
	};
	int wrong = 0;

	for (int i = 0; i < 1000; i++) {
		Trial trial;

		for (int round = 0; round < 10; round++) {
			trial.round({ { TRIAL_SOJOURN_P50, 1 },
				      { TRIAL_SOJOURN_P99, 1 },
				      { TRIAL_BYTES_RECEIVED, 1 },
				      { TRIAL_BYTES_SENT, 1 },
				      { TRIAL_RTT, 1 } });
			for (int arm = 0; arm < 2; arm++) {
				double *outcome = trial.record.blocks.at[2 * round + arm].outcome;

				outcome[TRIAL_SOJOURN_P50] *= draw();
				outcome[TRIAL_SOJOURN_P99] = 3 * outcome[TRIAL_SOJOURN_P50] *
							     draw();
				outcome[TRIAL_BYTES_RECEIVED] *= draw();
				outcome[TRIAL_BYTES_SENT] *= draw();
				outcome[TRIAL_RTT] *= draw();
			}
		}
		wrong += trial.verdict() != "no_difference";
	}
	CAPTURE(wrong);
	CHECK(wrong <= 50);
	CHECK(wrong > 0);
}

TEST_CASE("trial guards", "[trial]")
{
	Trial trial;
	trial_looks looks[TRIAL_GUARDS_MAX * TRIAL_ARMS_MAX] = {};

	REQUIRE(trial.guard("bytes<-20%") == 0);
	REQUIRE(trial.guard("segments>100%") == 0);
	CHECK(std::string(trial.record.guards.at[0].outcome) == "bytes_received_per_s");
	CHECK(trial.record.guards.at[1].change == 1);
	for (const char *bad : { "bytes", "bytes<20%", "bytes>-20%", "bytes<-20", "bytes<-20%%",
				 "bytes<-100%", "bytes<nan%", "<-20%", "milk<-20%", "" })
		CHECK(trial.guard(bad) == -EINVAL);

	SECTION("not for what is less than it says")
	{
		for (int i = 0; i < 20; i++) {
			trial.round(
				{ { TRIAL_BYTES_RECEIVED, 0.9 }, { TRIAL_SEGMENTS_AGAIN, 1.5 } });
			CHECK_FALSE(trial_guards_look(&trial.record, looks));
		}
	}
	SECTION("for what is more, soon, whether the queue stands or not")
	{
		int after = 0;

		do {
			trial.round({ { TRIAL_BYTES_RECEIVED, 0.5 } }, false);
			after++;
		} while (!trial_guards_look(&trial.record, looks) && after < 20);
		CHECK(after <= 6);
		CHECK(std::string(trial.record.ended)
			      .find("bytes received is surely over 20 % less") !=
		      std::string::npos);
		CHECK(trial.verdict() == "hurts");
	}
}

TEST_CASE("trial: many hosts", "[trial]")
{
	std::vector<std::unique_ptr<Trial>> hosts;
	std::vector<trial_record> records;
	trial_record combined = {};
	rxaqm_error error = {};

	/* Of one it does not help, however many pairs that has. */
	for (int host = 0; host < 8; host++) {
		hosts.push_back(std::make_unique<Trial>());
		many(*hosts[host], host ? 9 : 60, { { TRIAL_SOJOURN_P99, host ? 0.5 : 1 } });
		records.push_back(hosts[host]->record);
	}
	SECTION("each counts once")
	{
		REQUIRE(trial_combine(records.data(), 8, &combined, &error) == 0);
		CHECK(combined.results.at[0].pairs == 8);
		CHECK(combined.results.at[0].change == Approx(-0.5 * 7 / 8).margin(0.02));
		CHECK(combined.verdicts.at[0].verdict == TRIAL_HELPS);
	}
	SECTION("too few hosts: their pairs")
	{
		REQUIRE(trial_combine(records.data() + 1, 3, &combined, &error) == 0);
		CHECK(combined.results.at[0].pairs == 27);
		CHECK(combined.results.at[0].change == Approx(-0.5).margin(0.02));
	}
	SECTION("other policies are no more of the same")
	{
		Trial other("observe / target=1ms");

		records.push_back(other.record);
		CHECK(trial_combine(records.data(), 9, &combined, &error) == -EINVAL);
		CHECK(std::string(error.text).find("they cannot be combined") != std::string::npos);
	}
	trial_record_free(&combined);
}

TEST_CASE("trial: the order is drawn, by the seed", "[trial]")
{
	__u64 one = 7, two = 7, three = 8;
	unsigned int a[TRIAL_ARMS_MAX], b[TRIAL_ARMS_MAX], first = 0, differ = 0;

	for (int i = 0; i < 400; i++) {
		trial_shuffle(a, 2, &one);
		trial_shuffle(b, 2, &two);
		CHECK(a[0] + a[1] == 1);
		CHECK(a[0] == b[0]);
		first += a[0];
		trial_shuffle(b, 2, &three);
		differ += a[0] != b[0];
	}
	/* 200, give or take four standard deviations. */
	CHECK(first > 160);
	CHECK(first < 240);
	CHECK(differ > 160);
}

TEST_CASE("trial: arms change what they say, and nothing else", "[trial]")
{
	Trial trial("observe / target=5ms law=codel / off");
	rxaqm_policy before[2], after[2];
	rxaqm_error error;

	rxaqm_policy_init(&before[0]);
	before[1] = before[0];
	before[1].interval_ns = 50000000;
	before[1].max_drop_permille = 50;
	REQUIRE(trial_arm_policies(&trial.record.arms.at[1], before, 2, after, &error) == 0);
	CHECK(after[1].mode == RXAQM_MODE_ENFORCE);
	CHECK(after[1].law == RXAQM_LAW_CODEL);
	CHECK(after[1].target_ns == 5000000);
	CHECK(after[1].interval_ns == 50000000);
	CHECK(after[1].max_drop_permille == 50);
	CHECK(after[0].max_drop_permille == 1000);
	REQUIRE(trial_arm_policies(&trial.record.arms.at[0], before, 2, after, &error) == 0);
	CHECK(rxaqm_policy_same(&after[1], &before[1]));
	REQUIRE(trial_arm_policies(&trial.record.arms.at[2], before, 2, after, &error) == 0);
	CHECK(after[0].mode == RXAQM_MODE_OFF);
	/* What cannot be, with what is in force there. */
	before[0].interval_ns = 1000000;
	CHECK(trial_arm_policies(&trial.record.arms.at[1], before, 2, after, &error) == -EINVAL);
}

TEST_CASE("trial: what a record must be", "[trial]")
{
	const std::string head = R"({"format":"rxaqm-trial","version":1,)";
	static const struct {
		const char *rest, *error;
	} rows[] = {
		{ R"("arms":[{"settings":"a"}]})", "record.arms: must be two or three" },
		{ R"("arms":[{},{}],"blocks":[{"round":0,"arm":2}]})",
		  "record.blocks[0].arm: there is no such arm" },
		{ R"("arms":[{},{}],"blocks":[{"round":1,"arm":0}]})", "record.blocks[0].round" },
		{ R"("arms":[{},{}],"guards":[{"outcome":"x","change":1}]})",
		  "record.guards: there is no outcome \"x\"" },
	};

	char path[] = "/tmp/rxaqm-t-record-XXXXXX";

	close(mkstemp(path));
	for (const auto &row : rows) {
		trial_record record = {};
		rxaqm_error error = {};

		std::ofstream(path) << head + row.rest;
		CHECK(rxaqm_record_read(&trial_record_kind, &record, path, &error) == -EINVAL);
		CHECK(std::string(error.text).find(row.error) != std::string::npos);
		trial_record_free(&record);
	}
	unlink(path);
}
