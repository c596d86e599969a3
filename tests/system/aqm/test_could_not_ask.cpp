// SPDX-License-Identifier: GPL-2.0-only
/* The kernel does not answer one question: no command takes that for "it is not there". */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "daemon.hpp"

namespace
{

/* Commands, one question of which fails. */
struct Asking : Run {
	std::string call = GENERATE("send", "by_id");
	bool asked = true; /* the last command got as far as that question */

	Asking()
	{
#ifdef __SANITIZE_ADDRESS__
		SKIP("nothing may be loaded before the sanitizer's library");
#endif
		library_ = preload_library(service.dir(), "faults");
	}
	/* Run rxaqm @args, with question @at, from 0 on, unanswered. */
	Result fail(int at, const Args &args)
	{
		const std::string fault = service.dir() + "/" + call;
		const std::string failed = service.dir() + "/failed";
		RunOptions options;

		std::ofstream(fault) << (call == "send" ? ENOBUFS : EMFILE) << " " << at << "\n";
		std::ofstream(failed).close();
		options.environment = { "LD_PRELOAD=" + library_, "FAULTS=" + service.dir() };
		Result result = host.rxaqm(wire.rx, args, options);
		asked = std::filesystem::file_size(failed) > 0;
		std::filesystem::remove(fault);
		return result;
	}
	bool attach()
	{
		return host.rxaqm(wire.rx, { "attach", wire.rx_if, "mode=enforce" }).exit_code == 0;
	}
	bool attached() const
	{
		return xdp_on(wire.rx, wire.rx_if) != 0;
	}

    private:
	std::string library_;
};

/* More than a command asks. */
constexpr int many = 200;

} // namespace

TEST_CASE("detach: a program that could not be asked for is not given up", "[attach][faults]")
{
	Asking a;
	bool failed = false;
	int at;

	for (at = 0; at < many; at++) {
		REQUIRE(a.attach());
		Result result = a.fail(at, { "detach", a.wire.rx_if });
		CAPTURE(a.call, at, result.text());
		if (!a.asked)
			break;
		failed |= result.exit_code != 0;
		REQUIRE((result.exit_code == 0) == !a.attached());
		if (result.exit_code == 0)
			continue;
		CHECK(result.out == "");
		CHECK(a.mode() == "enforce");
		CHECK(a.host.rxaqm({ "policy", "set", "--all", "mode=observe" }).exit_code == 0);
		CHECK(a.mode() == "observe");
		REQUIRE(a.host.rxaqm(a.wire.rx, { "detach", a.wire.rx_if }).exit_code == 0);
	}
	CHECK(failed);
	CHECK(at < many);
	CHECK_FALSE(a.attached());
}

TEST_CASE("detach --all: what could not be asked for is switched off, and told", "[attach][faults]")
{
	Asking a;
	bool failed = false;
	int at;

	for (at = 0; at < many; at++) {
		REQUIRE(a.attach());
		Result result = a.fail(at, { "detach", "--all" });
		CAPTURE(a.call, at, result.text());
		if (!a.asked)
			break;
		failed |= result.exit_code != 0;
		if (a.attached()) {
			REQUIRE(result.exit_code == 1);
			CHECK(a.mode() == "off");
		}
		REQUIRE(a.host.rxaqm({ "detach", "--all" }).exit_code == 0);
		REQUIRE(a.host.gone());
	}
	CHECK(failed);
	CHECK(at < many);
}

TEST_CASE("views: what could not be asked for is not called fine, nor not attached",
	  "[attach][faults]")
{
	Asking a;
	int at = 0;

	REQUIRE(a.attach());
	SECTION("an interface that is attached")
	{
		for (a.asked = true; at < many && a.asked; at++) {
			Result status = a.fail(at, { "status", a.wire.rx_if });
			CAPTURE(a.call, at, status.text());
			CHECK(status.text().find("not attached") == std::string::npos);
			CHECK(status.text().find("taken off") == std::string::npos);
		}
		for (at = 0, a.asked = true; at < many && a.asked; at++) {
			Result check = a.fail(at, { "check", "-i", "100ms", a.wire.rx_if });
			CAPTURE(a.call, at, check.text());
			CHECK(check.out.find("not attached") == std::string::npos);
			CHECK(check.out.find("taken off") == std::string::npos);
		}
	}
	SECTION("one whose program was taken off")
	{
		xdp_off(a.wire.rx, a.wire.rx_if);
		for (; at < many && a.asked; at++) {
			Result check = a.fail(at, { "check", "-i", "100ms", a.wire.rx_if });
			CAPTURE(a.call, at, check.text());
			CHECK(check.exit_code >= 2);
		}
	}
	CHECK(at < many);
}
