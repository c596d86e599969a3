// SPDX-License-Identifier: GPL-2.0-only
/* What status says of a socket whose owner says nothing: the kernel tells (xsk_diag). */
#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <memory>

#include "afxdp.hpp"
#include "traffic.hpp"
#include "xsk.hpp"

using namespace std::chrono_literals;

TEST_CASE("diag: ring and losses of a socket that says nothing of itself", "[xsk][diag]")
{
	const std::string at = "/interfaces/0/queues/0/socket";
	Attached a;
	auto socket = std::make_unique<AfXdp>(a.wire.rx, a.wire.rx_if, 0, 64);

	socket->join(a.host, 0);
	/* Nobody takes what comes. */
	send_some(a.wire, 100);
	Json before = a.host.json(a.wire.rx, { "status", a.wire.rx_if });
	CAPTURE(a.host.rxaqm(a.wire.rx, { "status", "--all" }).out);
	REQUIRE(before.has(at));
	/* The guests' kernels can tell. */
	if (!before.has(at + "/bound") && !std::getenv("RXAQM_GUEST"))
		SKIP("this kernel has no CONFIG_XDP_SOCKETS_DIAG");
	CHECK(before.flag(at + "/bound"));
	CHECK(before.number(at + "/uid") == 0);
	CHECK(before.number(at + "/ring_entries") == 64);
	CHECK(before.number(at + "/ring_full") + before.number(at + "/no_frame") >= 36);
	CHECK_FALSE(before.has(at + "/pid"));

	/* It leaves, and no packet comes by which the program would notice. */
	socket.reset();
	CHECK(eventually([&] {
		Json after = a.host.json(a.wire.rx, { "status", a.wire.rx_if });

		return !after.has(at) || !after.flag(at + "/bound");
	}));
	CHECK(udp_transfer(a.wire.tx, a.wire.rx, Wire::RX_IP4, 10) == 10);
	CHECK_FALSE(a.host.json(a.wire.rx, { "status", a.wire.rx_if }).has(at));
}
