// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor: every word that it prints of a cause is in words.txt, where somebody has read it.
 * After a change RXAQM_WRITE_WORDS=1 writes that file anew: read the difference.
 */
#include "doctor_case.hpp"

#include <cstdlib>

static const char path[] = "tests/unit/doctor/words.txt";

static std::string words()
{
	std::string text;

	for (const Case &one : doctor_cases()) {
		Bundle bundle;

		one.change(bundle);
		text += Diagnosis(bundle.text()).verdict(one.id) + "\n";
	}
	return text;
}

TEST_CASE("doctor: the words of each golden case are those that somebody has read",
	  "[doctor][words]")
{
	if (getenv("RXAQM_WRITE_WORDS"))
		std::ofstream(path) << words();

	std::ifstream file(path);
	std::istringstream now(words());
	std::string line, is;
	unsigned at = 0;

	REQUIRE(file.good());
	while (std::getline(now, is)) {
		at++;
		REQUIRE(std::getline(file, line));
		INFO(path << ":" << at);
		REQUIRE(is == line);
	}
	CHECK(!std::getline(file, line));
}
