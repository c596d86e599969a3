// SPDX-License-Identifier: GPL-2.0-only
/* Jumbo frames on this kernel, however it lets a program be attached; tests/guest has more. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "host.hpp"
#include "jumbo.hpp"
#include "traffic.hpp"

TEST_CASE("jumbo: frames of 8000 bytes arrive over a veth, the MTU set before or after attach",
	  "[attach][jumbo]")
{
	const std::string mode = GENERATE("native", "generic");
	Host host;
	Wire wire;
	auto must_attach = [&] {
		Result result = host.rxaqm(wire.rx, { "attach", wire.rx_if, "--mode", mode });

		CAPTURE(result.text());
		REQUIRE(result.exit_code == 0);
	};
	auto is_well = [&] {
		Result result = host.rxaqm(wire.rx, { "check", "-i", "100ms" });

		CAPTURE(result.text());
		CHECK(result.exit_code == 0);
		CHECK(jumbo_traffic(wire) == "");
	};

	CAPTURE(mode);
	must_attach();
	set_mtu(wire, 9000);
	is_well();
	CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
	CHECK(jumbo_traffic(wire) == "");
	must_attach();
	is_well();
	CHECK(host.stat(wire.rx, wire.rx_if, "packets") >= 10);
	/* Its own MTU is not what bounds the frames that come. */
	wire.tx.ip("link set " + wire.tx_if + " mtu 1500");
	CHECK(all_traffic(wire) == "");
}

TEST_CASE("jumbo: frames that are judged keep their bytes, and ECT ones their way",
	  "[attach][jumbo]")
{
	Host host;
	Wire wire;

	set_mtu(wire, 9000);
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if, "mode=enforce", "signal=busy" })
			.exit_code == 0);
	for (unsigned tos = 0; tos < 4; tos++) {
		CAPTURE(tos);
		CHECK(jumbo_traffic(wire, tos) == "");
	}
	CHECK(tcp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 1000000) == 1000000);
}
