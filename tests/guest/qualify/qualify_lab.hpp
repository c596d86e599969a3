/* SPDX-License-Identifier: GPL-2.0-only */
/* A simulated NIC for qualify to measure. */
#ifndef RXAQM_TESTS_QUALIFY_LAB_HPP
#define RXAQM_TESTS_QUALIFY_LAB_HPP

#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "qualify.hpp"
#include "simnic.hpp"

const std::string PASS = "pass", FAIL = "fail";

struct Lab : SimNic {
	std::string before;

	/* One queue; settings that a test may have left are reset. */
	Lab()
	{
		for (const char *words : { "-X # default", "-L # combined 1", "-C # rx-usecs 0" }) {
			std::string command = words;

			shell("ethtool " + command.replace(command.find('#'), 1, name()) +
			      " 2>/dev/null || true");
		}
		set("rx_queue", "hash");
	}
	/* Measure the NIC as the test has set it. */
	Record measure(const std::string &rows)
	{
		before = state();
		Record record = qualify(host, *wire, rows, std::chrono::seconds(400));
		CHECK(state() == before);
		return record;
	}
	/* Measure rows @first and @second in one run; call @then as soon as @first is in the
	 * record.
	 */
	template<typename Then>
	Record measure_then(const std::string &first, const std::string &second, Then then)
	{
		const std::string file = "/tmp/rxaqm-qualify-lab-" + std::to_string(getpid());
		const auto written = [&file] {
			std::stringstream text;

			text << std::ifstream(file).rdbuf();
			return text.str();
		};
		std::atomic<bool> ended{ false };
		RunOptions options;

		before = state();
		std::filesystem::remove(file);
		std::thread thread([&] {
			eventually(
				[&] {
					return ended || written().find('"' + first + '"') !=
								std::string::npos;
				},
				std::chrono::seconds(400));
			then();
		});
		options.timeout = std::chrono::seconds(400);
		const Result result = host.rxaqm(rx(),
						 qualify_args(*wire, first + "," + second,
							      { "--yes-disturb", "--out", file }),
						 options);
		ended = true;
		thread.join();
		CAPTURE(result.text());
		REQUIRE(qualify_ended(result));
		CHECK(state() == before);
		return Record(written());
	}
	std::string state() const
	{
		const struct hwtstamp_config config = hwtstamp_of(rx(), name());

		return settings_of(rx(), name()) + std::to_string(config.rx_filter);
	}
	/* Rows that take the link down require this. */
	void without_addresses() const
	{
		shell("sysctl -qw net.ipv6.conf." + name() +
		      ".disable_ipv6=1; ip address flush dev " + name());
	}
	void shell(const std::string &command) const
	{
		rx().shell(command);
	}
};

/* Call @what each second while the object exists. */
class EachSecond
{
    public:
	template<typename What>
	explicit EachSecond(What what)
		: thread_([this, what] {
			while (!stop_) {
				for (int i = 0; i < 20 && !stop_; i++)
					std::this_thread::sleep_for(std::chrono::milliseconds(50));
				what();
			}
		})
	{
	}
	~EachSecond()
	{
		stop_ = true;
		thread_.join();
	}

    private:
	std::atomic<bool> stop_{ false };
	std::thread thread_;
};

#endif /* RXAQM_TESTS_QUALIFY_LAB_HPP */
