// SPDX-License-Identifier: GPL-2.0-only
/* A NIC profile out of a record. */
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

	strcpy(point->words, "later");
	strcpy(point->detail, "64 of 64, by 20.1 ms and more");
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
