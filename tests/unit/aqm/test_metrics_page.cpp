// SPDX-License-Identifier: GPL-2.0-only
/* The page of metrics as a whole, and where it is served. */
#include <catch2/catch_test_macros.hpp>

#include <cstdlib>

#include "exposition.hpp"

extern "C" {
#include "exporter/listen.h"
#include "exporter/http.h"
#include "report/metrics.h"
}

namespace
{

void more(rxaqm_metrics_text *text, void *arg)
{
	static const char *const labels[] = { "interface", "eth0", nullptr };

	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_test_floor_seconds", "A \"floor\"");
	rxaqm_metrics_ns(text, labels, *static_cast<__s64 *>(arg));
	rxaqm_metrics_family(text, RXAQM_METRICS_COUNTER, "rxaqm_test_changes_total", "Changes");
	rxaqm_metrics_u64(text, labels, ~0ULL);
}

} // namespace

TEST_CASE("metrics page: addresses to listen on", "[metrics]")
{
	rxaqm_error error = {};
	rxaqm_listen listen;

	for (const char *good : { "127.0.0.1:9752", "[::1]:9752", "0.0.0.0:1", "[::]:65535",
				  "10.1.2.3:0", RXAQM_HTTP_LISTEN }) {
		CAPTURE(good, error.text);
		CHECK(rxaqm_listen_parse(good, &listen, &error) == 0);
	}
	for (const char *bad :
	     { "", ":", "9752", ":9752", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x",
	       "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1: 1", "127.0.0.1:000001", "::1:9752",
	       "[::1:9752", "::1]:9752", "[127.0.0.1]:9752", "localhost:9752",
	       "127.0.0.1:99999999999999999999",
	       "[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]:1" }) {
		CAPTURE(bad);
		CHECK(rxaqm_listen_parse(bad, &listen, &error) == -EINVAL);
		CHECK(std::string(error.text).find("\"" + std::string(bad) + "\": give an address") !=
		      std::string::npos);
		CHECK(error.exit_code == RXAQM_EXIT_USAGE);
	}
}

TEST_CASE("metrics page: families of the caller's own come at the end", "[metrics]")
{
	rxaqm_state state = {}; /* nothing is attached */
	__s64 floor_ns = -1500000000;
	rxaqm_metrics metrics = { &state, false, more, &floor_ns };

	size_t bytes = 0;
	char *text = rxaqm_metrics_render(&metrics, &bytes);

	REQUIRE(text);
	Exposition page(std::string(text, bytes));
	free(text);
	CHECK(page.find("rxaqm_test_floor_seconds").at(0).written == "-1.5");
	CHECK(page.find("rxaqm_test_changes_total", { { "interface", "eth0" } }).at(0).written ==
	      "18446744073709551615");
}
