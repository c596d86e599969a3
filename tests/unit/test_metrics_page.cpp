// SPDX-License-Identifier: GPL-2.0-only
/* Around the page of metrics: where it is served, and the text file. */
#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../support/exposition.hpp"

extern "C" {
#include "base/listen.h"
#include "daemon/metrics_http.h"
}

namespace fs = std::filesystem;

namespace
{

std::string slurp(const fs::path &path)
{
	std::stringstream text;

	text << std::ifstream(path).rdbuf();
	return text.str();
}

struct Dir {
	fs::path path;

	Dir()
	{
		std::string name = fs::temp_directory_path() / "rxaqm-metrics-XXXXXX";

		REQUIRE(mkdtemp(name.data()));
		path = name;
	}
	~Dir()
	{
		fs::remove_all(path);
	}
};

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
				  "10.1.2.3:0", RXAQM_METRICS_LISTEN }) {
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

TEST_CASE("metrics page: the text file is replaced as a whole", "[metrics]")
{
	rxaqm_state state = {};
	rxaqm_metrics metrics = { &state, false, nullptr, nullptr };
	rxaqm_error error = {};
	Dir dir;
	fs::path path = dir.path / "rxaqm.prom";
	struct stat before, after;

	REQUIRE(rxaqm_metrics_write_file(&metrics, path.c_str(), &error) == 0);
	CHECK(Exposition(slurp(path)).value("rxaqm_interfaces") == 0);
	REQUIRE(stat(path.c_str(), &before) == 0);
	CHECK((before.st_mode & 0777) == 0644);
	REQUIRE(rxaqm_metrics_write_file(&metrics, path.c_str(), &error) == 0);
	REQUIRE(stat(path.c_str(), &after) == 0);
	/* Another file: a reader of the old one still has all of it. */
	CHECK(before.st_ino != after.st_ino);
	/* And no half-made file is left. */
	CHECK(std::distance(fs::directory_iterator(dir.path), fs::directory_iterator()) == 1);
}

TEST_CASE("metrics page: a text file that cannot be written", "[metrics]")
{
	rxaqm_state state = {};
	rxaqm_metrics metrics = { &state, false, nullptr, nullptr };
	rxaqm_error error = {};
	Dir dir;

	fs::create_directory(dir.path / "dir.prom");
	for (const char *name : { "rxaqm", "rxaqm.prom.tmp", ".prom" }) {
		CHECK(rxaqm_metrics_write_file(&metrics, (dir.path / name).c_str(), &error) ==
		      -EINVAL);
		CHECK(std::string(error.text).find("call it rxaqm.prom") != std::string::npos);
	}
	CHECK(rxaqm_metrics_write_file(&metrics, (dir.path / "no/rxaqm.prom").c_str(), &error) ==
	      -ENOENT);
	CHECK(std::string(error.text)
		      .find("No such file or directory; see that its directory exists") !=
	      std::string::npos);
	CHECK(rxaqm_metrics_write_file(&metrics, (dir.path / "dir.prom").c_str(), &error) ==
	      -EISDIR);
	CHECK(std::distance(fs::directory_iterator(dir.path), fs::directory_iterator()) == 1);
}
