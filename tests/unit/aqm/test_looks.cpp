// SPDX-License-Identifier: GPL-2.0-only
/* Rates between two looks, and counts in words. */
#include <catch2/catch_test_macros.hpp>

#include <string>

extern "C" {
#include "base/number.h"
#include "report/looks.h"
}

TEST_CASE("looks: a rate is what was counted since, by the time that passed", "[looks]")
{
	rxaqm_figures before = {}, now = {};
	rxaqm_look look;

	before.now_ns = 5 * RXAQM_NSEC_PER_SEC;
	before.queue.stat[RXAQM_STAT_DROP] = 1000;
	rxaqm_look_keep(&look, 77, &before);
	CHECK(look.attached_ns == 77);
	now = before;
	/* No time has passed. */
	CHECK(rxaqm_look_rate(&look, &now, RXAQM_STAT_DROP) == 0);
	now.now_ns += 2 * RXAQM_NSEC_PER_SEC;
	now.queue.stat[RXAQM_STAT_DROP] += 500;
	CHECK(rxaqm_look_rate(&look, &now, RXAQM_STAT_DROP) == 250);
	CHECK(rxaqm_look_rate(&look, &now, RXAQM_STAT_PACKETS) == 0);
}

TEST_CASE("looks: large numbers have separators, small ones three digits", "[looks]")
{
	char buf[32];

	CHECK(rxaqm_counted(0, buf) == std::string("0"));
	CHECK(rxaqm_counted(0.25, buf) == std::string("0.25"));
	CHECK(rxaqm_counted(3, buf) == std::string("3"));
	CHECK(rxaqm_counted(9.876, buf) == std::string("9.88"));
	CHECK(rxaqm_counted(999, buf) == std::string("999"));
	CHECK(rxaqm_counted(1000, buf) == std::string("1,000"));
	CHECK(rxaqm_counted(123456, buf) == std::string("123,456"));
	CHECK(rxaqm_counted(1234567.8, buf) == std::string("1,234,568"));
	CHECK(rxaqm_counted(9.99e17, buf) == std::string("999,000,000,000,000,000"));
	CHECK(rxaqm_counted(1e300, buf) == std::string("1e+300"));
}

TEST_CASE("looks: a queue is hidden 10 s after its last poll, as the text says", "[looks]")
{
	rxaqm_figures figures = {};

	figures.now_ns = 77 * RXAQM_NSEC_PER_SEC;
	figures.queue.poll_end_ns = 67 * RXAQM_NSEC_PER_SEC;
	CHECK(rxaqm_figures_idle(&figures)); /* never polled */
	figures.polled = true;
	CHECK(!rxaqm_figures_idle(&figures));
	figures.queue.poll_end_ns--;
	CHECK(rxaqm_figures_idle(&figures));
}
