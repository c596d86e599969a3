// SPDX-License-Identifier: GPL-2.0-only
/* The reader that the tests of metrics go by, tests/support/exposition.cpp, is strict. */
#include <catch2/catch_test_macros.hpp>

#include "exposition.hpp"

TEST_CASE("exposition: what breaks a rule is refused", "[metrics]")
{
	const std::string head = "# HELP a_total A\n# TYPE a_total counter\n";
	const std::string histogram = "# HELP h H\n# TYPE h histogram\n";

	CHECK_NOTHROW(Exposition(head + "a_total{x=\"1\"} 1\n"));
	for (const std::string &bad : {
		     std::string("a 1\n"),
		     head + "a_total 1\na_total 2\n",
		     head + "a_total{x=\"1} 1\n",
		     head + "a_total{x=\"\\q\"} 1\n",
		     head + "a_total x\n",
		     head + "a_total 1",
		     head + "a_total -1\n",
		     head + "b_total 1\n",
		     head + head,
		     std::string("# HELP a A\n# TYPE a counter\na 1\n"),
		     std::string("# HELP a A\n# TYPE a counter\na_total 1\n"),
		     head + "a_total 1\n# EOF\n",
		     std::string("# HELP a_total A\n# TYPE a_total gauge\n"),
		     std::string("# HELP a A\n# TYPE a thing\n"),
		     histogram + "h_bucket{le=\"1\"} 1\nh_bucket{le=\"+Inf\"} 2\nh_count 2\n",
		     histogram + "h_bucket{le=\"1\"} 1\nh_sum 1\nh_count 1\n",
		     histogram +
			     "h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 1\n",
		     histogram + "h_bucket{le=\"+Inf\"} 2\nh_sum 1\nh_count 1\n",
	     }) {
		CAPTURE(bad);
		CHECK_THROWS(Exposition(bad));
	}
}
