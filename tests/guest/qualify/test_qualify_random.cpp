// SPDX-License-Identifier: GPL-2.0-only
/* qualify on random NICs: no answer may be wrong, few may be missing. RXAQM_SEED is the first seed
 * (1); RXAQM_CONFIGS is the number of NICs, each with the next seed.
 */
#include <catch2/catch_test_macros.hpp>

#include <cstdio>
#include <cstdlib>

#include "random_nic.hpp"

namespace
{

unsigned asked_for(const char *name, unsigned otherwise)
{
	const char *value = getenv(name);

	return value && *value ? unsigned(std::stoul(value)) : otherwise;
}

void measure(const RandomNic &nic, Score &score)
{
	Lab lab;
	std::unique_ptr<EachSecond> steps;

	nic.apply(lab);
	if (nic.step_us)
		steps = std::make_unique<EachSecond>(
			[&] { lab.set("phc_step_ns", nic.step_us * 1000); });
	score.judge(nic, lab.measure(nic.rows));
	lab.set("reset_ms", 0);
}

void measure_all(unsigned configs)
{
	const unsigned first = asked_for("RXAQM_SEED", 1);
	Score score;

	configs = asked_for("RXAQM_CONFIGS", configs);
	for (unsigned seed = first; seed < first + configs; seed++) {
		const RandomNic nic(seed);

		INFO(nic.text());
		printf("%s\n", nic.text().c_str());
		try {
			measure(nic, score);
		} catch (const std::exception &error) {
			FAIL_CHECK(error.what());
		}
		fflush(stdout);
	}
	printf("%u NICs from seed %u: %u answers right, %u unknown, %u of these needlessly\n%s",
	       configs, first, score.right, score.unknown, score.needless, score.table().c_str());
	CHECK(score.right > 0);
	CHECK(score.needless * 20 <= score.right);
}

} // namespace

TEST_CASE("a NIC drawn at random", "[.random]")
{
	measure_all(1);
}

TEST_CASE("many NICs drawn at random", "[.fifty]")
{
	measure_all(50);
}
