// SPDX-License-Identifier: GPL-2.0-only
/* A kernel that was built without AF_XDP, as rxaqm sees it: no maps of sockets, no sockets. */
#include <catch2/catch_test_macros.hpp>

#include <filesystem>

#include "daemon.hpp"
#include "qualify.hpp"
#include "traffic.hpp"

namespace
{

class NoAfXdp
{
    public:
	Host host;
	Wire wire;
	RunOptions without;

	NoAfXdp()
	{
#ifdef __SANITIZE_ADDRESS__
		SKIP("nothing may be loaded before the sanitizer's library");
#endif
		REQUIRE(mkdtemp(dir.data()));
		without.environment = { "LD_PRELOAD=" + preload_library(dir, "no_xskmap"),
					"RUNTIME_DIRECTORY=" + dir };
	}

	~NoAfXdp()
	{
		std::filesystem::remove_all(dir);
	}

    private:
	std::string dir = "/tmp/rxaqm-noxsk-XXXXXX";
};

} // namespace

TEST_CASE_METHOD(NoAfXdp, "no AF_XDP: all but sockets works, and status says so", "[xsk]")
{
	const std::string &rx = wire.rx_if;

	/* Attached twice: the second joins the maps of the first. */
	for (int i = 0; i < 2; i++) {
		Result attach = host.rxaqm(wire.rx, { "attach", rx, "mode=enforce" }, without);
		CAPTURE(attach.text());
		REQUIRE(attach.exit_code == 0);
		CHECK(all_traffic(wire) == "");
		Result status = host.rxaqm(wire.rx, { "status", "--all", rx }, without);
		CAPTURE(status.text());
		CHECK(status.exit_code == 0);
		CHECK(status.out.find("note: this kernel has no AF_XDP") != std::string::npos);
		CHECK(host.stat(wire.rx, rx, "packets") > 0);

		Result consumer = run({ build_path("rxaqm-xsk"), "--netns", wire.rx.name(), "-s",
					"1", rx },
				      host.with_environment(without));
		CAPTURE(consumer.text());
		CHECK(consumer.exit_code == 3);
		CHECK(consumer.err.find("no AF_XDP") != std::string::npos);
		if (!i) {
			Result other = host.rxaqm(wire.tx, { "attach", wire.tx_if }, without);
			CAPTURE(other.text());
			CHECK(other.exit_code == 0);
			CHECK(host.rxaqm(wire.rx, { "detach", rx }, without).exit_code == 0);
		}
	}
	CHECK(host.rxaqm({ "detach", "--all" }, without).exit_code == 0);
	CHECK(host.gone());
}
