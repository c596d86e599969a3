// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm run: what an operator sets outlives the daemon. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <filesystem>
#include <fstream>
#include <thread>

#include "daemon.hpp"
#include "traffic.hpp"

namespace
{

/* Who has set the key of the queue. */
std::string source(const Run &r, const std::string &key)
{
	return r.host.json(r.wire.rx, { "status", r.wire.rx_if })
		.text("/interfaces/0/queues/0/sources/" + key);
}

} // namespace

TEST_CASE("run: what an operator sets outlives the daemon, until a reload or another text",
	  "[run][keep]")
{
	Run r;
	std::string text = r.section("mode=enforce\ntarget=4ms\nlease=10s\n");

	r.service.configure(text);
	r.service.start();
	REQUIRE(r.mode() == "enforce");
	CHECK(source(r, "mode") == "configuration");
	CHECK(source(r, "interval") == "default");
	uint32_t prog = xdp_on(r.wire.rx, r.wire.rx_if);
	REQUIRE(r.host.rxaqm(r.wire.rx, { "policy", "set", r.wire.rx_if, "mode=observe" })
			.exit_code == 0);
	CHECK(source(r, "mode") == "operator");
	CHECK(source(r, "target") == "configuration");
	Result status = r.host.rxaqm(r.wire.rx, { "status", "--all", r.wire.rx_if });
	CAPTURE(status.text());
	CHECK(status.out.find("set: mode by operator ") != std::string::npos);
	CHECK(status.out.find(" ago, target by configuration ") != std::string::npos);
	CHECK(r.host.json(r.wire.rx, { "status", r.wire.rx_if })
		      .number("/interfaces/0/queues/0/set_for_ns/mode") >= 0);
	for (int i = 0; i < 2; i++) {
		r.service.kill();
		r.service.start();
		CAPTURE(r.service.log());
		CHECK(r.mode() == "observe");
		CHECK(r.target() == 4000000);
		CHECK(source(r, "mode") == "operator");
		CHECK(xdp_on(r.wire.rx, r.wire.rx_if) == prog);
	}
	SECTION("reload")
	{
		r.service.reload();
	}
	SECTION("another text")
	{
		r.service.kill();
		r.service.configure(text + "interval=50ms\n");
		r.service.start();
	}
	CAPTURE(r.service.log());
	CHECK(r.mode() == "enforce");
	CHECK(source(r, "mode") == "configuration");
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if) == prog);
}

TEST_CASE("run: what an operator detaches stays off when the daemon starts again", "[run][keep]")
{
	Run r;
	std::string text = r.section("mode=enforce\n");
	std::string said = "was detached by a command";
	bool noted = true, other_text = GENERATE(true, false);

	r.service.configure(text);
	r.service.start();
	REQUIRE(xdp_on(r.wire.rx, r.wire.rx_if));
	SECTION("detach")
	{
		REQUIRE(r.host.rxaqm(r.wire.rx, { "detach", r.wire.rx_if }).exit_code == 0);
	}
	SECTION("detach, and the daemon had no time to see it")
	{
		r.service.kill();
		REQUIRE(r.host.rxaqm(r.wire.rx, { "detach", r.wire.rx_if }).exit_code == 0);
	}
	SECTION("detach --all")
	{
		REQUIRE(r.host.rxaqm({ "detach", "--all" }).exit_code == 0);
	}
	SECTION("ip link set xdp off")
	{
		xdp_off(r.wire.rx, r.wire.rx_if);
		said = "its XDP program was taken off";
		noted = false;
	}
	r.service.kill();
	r.service.start();
	CAPTURE(r.service.log());
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if) == 0);
	CHECK(r.service.logged(r.wire.rx_if + ": " + said + "; stays so until"));
	CHECK(r.service.notified("STATUS=0 interfaces attached, 1 left off"));
	r.service.kill();
	if (other_text) {
		/* Another text is another configuration. */
		r.service.configure(text + "target=3ms\n");
		r.service.start();
	} else if (noted) {
		/* By command it is back, and so it stays. */
		REQUIRE(r.host.rxaqm(r.wire.rx, { "attach", r.wire.rx_if, "mode=off" }).exit_code ==
			0);
		r.service.start();
		r.service.reload();
	} else {
		r.service.start();
		r.service.reload();
	}
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if));
	CHECK(r.mode() == "enforce");
	r.service.kill();
	r.service.start();
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if));
}

TEST_CASE("run: with on_stop=detach, what an operator has switched off is left off", "[run][keep]")
{
	Run r;
	std::string mode = GENERATE("observe", "enforce");

	r.service.configure("[Daemon]\non_stop=detach\n" + r.section("mode=enforce\n"));
	r.service.start();
	REQUIRE(r.host.rxaqm(r.wire.rx, { "policy", "set", r.wire.rx_if, "mode=" + mode })
			.exit_code == 0);
	REQUIRE(r.service.stop().exit_code == 0);
	REQUIRE(xdp_on(r.wire.rx, r.wire.rx_if) == 0);
	r.service.start();
	CAPTURE(r.service.log());
	CHECK(bool(xdp_on(r.wire.rx, r.wire.rx_if)) == (mode == "enforce"));
	r.service.reload();
	CHECK(r.mode() == "enforce");
}

TEST_CASE("run: what an operator attaches under a daemon keeps its policy over a restart",
	  "[run][keep]")
{
	Run r;

	r.service.configure(r.section("mode=enforce\n"));
	r.service.start();
	REQUIRE(r.host.rxaqm(r.wire.rx, { "detach", r.wire.rx_if }).exit_code == 0);
	CHECK(r.service.logged("was detached by a command"));
	REQUIRE(r.host.rxaqm(r.wire.rx, { "attach", r.wire.rx_if, "mode=observe" }).exit_code == 0);
	CHECK(r.service.logged("attached by a command"));
	r.service.kill();
	r.service.start();
	CAPTURE(r.service.log());
	CHECK(r.mode() == "observe");
	r.service.reload();
	CHECK(r.mode() == "enforce");
}

TEST_CASE("run: a namesake of a profile that was named by path is not taken for it", "[run][keep]")
{
	Run r;
	std::string dir = r.service.dir();
	auto profile = [&](const std::string &at, const std::string &text) {
		std::filesystem::create_directories(dir + "/" + at);
		std::ofstream(dir + "/" + at + "/igb.conf") << "[Match]\nDriver=*\n" << text;
		return "profile=" + dir + "/" + at + "/igb.conf\n";
	};
	/* One of this name is installed, with other facts, and says nothing of the interval. */
	r.service.configure(r.section(profile("a", "[Policy]\ninterval=77ms\n")));
	r.service.start();
	CAPTURE(r.service.log());
	Json policy = r.host.json(r.wire.rx, { "policy", "show", r.wire.rx_if });
	CHECK(policy.number("/policies/0/interval_ns") == 77000000);
	CHECK(policy.text("/policies/0/sources/interval") == "profile");
	/* Another of that name, at a reload, is another. */
	uint32_t prog = xdp_on(r.wire.rx, r.wire.rx_if);
	r.service.configure(r.section(profile("b", "[Nic]\nPollPackets=16\n")));
	r.service.reload();
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if) != prog);
	CHECK(r.service.logged("attached anew (it has another profile)"));
	/* Which, when read again, is the same. */
	prog = xdp_on(r.wire.rx, r.wire.rx_if);
	r.service.reload();
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if) == prog);
}
TEST_CASE("run: what an operator takes off stays off until a reload", "[run]")
{
	Run r;

	r.service.configure(r.section());
	r.service.start();
	SECTION("detach")
	{
		REQUIRE(r.host.rxaqm(r.wire.rx, { "detach", r.wire.rx_if }).exit_code == 0);
		CHECK(r.service.logged("was detached by a command"));
	}
	SECTION("ip link set xdp off")
	{
		xdp_off(r.wire.rx, r.wire.rx_if);
		CHECK(r.service.logged("its XDP program was taken off"));
	}
	CAPTURE(r.service.log());
	std::this_thread::sleep_for(std::chrono::milliseconds(1500));
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if) == 0);
	r.service.reload();
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if));
	CHECK(r.host.json(r.wire.rx, { "status" }).size("/interfaces") == 1);
}
