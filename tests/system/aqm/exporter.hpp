/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RXAQM_TESTS_EXPORTER_HPP
#define RXAQM_TESTS_EXPORTER_HPP

#include <catch2/catch_test_macros.hpp>

#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "host.hpp"
#include "prometheus.hpp"

extern "C" {
#include "report/metrics.h"
}

/* The program, on the page that the daemon would write. */
class Exporter
{
    public:
	explicit Exporter(const Args &args = {})
		: port(free_port())
	{
		std::string dir = std::filesystem::temp_directory_path() / "rxaqm-exporter-XXXXXX";

		REQUIRE(mkdtemp(dir.data()));
		dir_ = dir;
		Args all = { build_path("rxaqm-exporter"), "--listen",
			     "127.0.0.1:" + std::to_string(port), file() };

		all.insert(all.end(), args.begin(), args.end());
		child_.emplace(all);
		REQUIRE(eventually([&] {
			try {
				return !http_get(port, "/").empty();
			} catch (const std::exception &) {
				return false;
			}
		}));
	}
	~Exporter()
	{
		child_.reset();
		std::filesystem::remove_all(dir_);
	}
	std::string file() const
	{
		return dir_ + "/metrics.prom";
	}
	/* What is attached as @bpffs says. */
	void render(const std::string &bpffs)
	{
		rxaqm_state state = {};
		rxaqm_metrics metrics = { &state, false, nullptr, nullptr };
		rxaqm_error error = {};
		size_t bytes = 0;

		state.lock_fd = -1;
		setenv("RXAQM_BPFFS", bpffs.c_str(), 1);
		rxaqm_state_open(&state, false, &error); /* nothing attached is a page, too */
		char *page = rxaqm_metrics_render(&metrics, &bytes);
		rxaqm_state_close(&state);
		unsetenv("RXAQM_BPFFS");
		REQUIRE(page);
		write(std::string(page, bytes));
		free(page);
	}
	void write(const std::string &page)
	{
		std::ofstream(file()) << page;
	}
	Result stop()
	{
		child_->kill(SIGTERM);
		return child_->wait();
	}

	unsigned port;

    private:
	std::string dir_;
	std::optional<Child> child_;
};

#endif /* RXAQM_TESTS_EXPORTER_HPP */
