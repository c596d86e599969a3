// SPDX-License-Identifier: GPL-2.0-only
/* A virtio NIC, as in a virtual machine of a cloud: no timestamps, so the signal is busy. Two of
 * them share a wire.
 */
#include <catch2/catch_test_macros.hpp>

#include "frames.hpp"
#include "guest.hpp"
#include "traffic.hpp"

using namespace std::chrono_literals;

TEST_CASE("virtio: attached in native mode, all traffic passes, detached as it was", "[virtio]")
{
	in_guest();
	Host host;
	std::unique_ptr<Wire> wire = wire_of("virtio_net");

	Result result = host.rxaqm(wire->rx, { "attach", wire->rx_if });
	CAPTURE(result.text());
	REQUIRE(result.exit_code == 0);
	Json status = host.json(wire->rx, { "status" });
	CHECK(status.text("/interfaces/0/profile") == "virtio_net");
	CHECK(status.text("/interfaces/0/xdp_mode") == "native");
	CHECK(status.text("/interfaces/0/stamp") == "none");
	CHECK(all_traffic(*wire).empty());
	CHECK(host.stat(wire->rx, wire->rx_if, "packets") > 100);
	CHECK(host.rxaqm(wire->rx, { "detach", wire->rx_if }).exit_code == 0);
	CHECK(xdp_on(wire->rx, wire->rx_if) == 0);
	CHECK(host.gone());
}

/* The truth is by the sender's clock: from send() to the packet socket behind the queue. busy knows
 * when the ring was last drained and how long a full ring takes, but not how full it is: with 200
 * frames in flight and 256 entries it must be right within a factor of two.
 */
TEST_CASE("virtio: busy is within a factor of two of the truth", "[virtio]")
{
	in_guest();
	Host host;
	std::unique_ptr<Wire> wire = wire_of("virtio_net");
	Frames frames(*wire);

	/* The test frames have another destination address. */
	wire->rx.ip("link set " + wire->rx_if + " promisc on");
	Result result = host.rxaqm(wire->rx,
				   { "attach", wire->rx_if, "target=1ms", "interval=200ms" });
	CAPTURE(result.text());
	REQUIRE(result.exit_code == 0);
	if (!make_slow(*wire, 100))
		SKIP("needs two CPUs: one to send, one to receive");
	frames.trickle(20);
	Sojourns before(host, wire->rx, wire->rx_if);
	frames.run(8000ms);
	Sojourns after(host, wire->rx, wire->rx_if);
	CAPTURE(host.rxaqm(wire->rx, { "status", "--all" }).out);
	REQUIRE(frames.received_last() > 200);
	/* QEMU's threads decide whether frames wait in the ring or before it. */
	if (host.stat(wire->rx, wire->rx_if, "polls_drained") >
	    host.stat(wire->rx, wire->rx_if, "polls_left"))
		SKIP("the emulation did not keep the ring filled: most polls drained it");
	CHECK(double(after.packets_since(before)) > 0.5 * double(frames.received_last()));
	CHECK(host.json(wire->rx, { "status" }).text("/interfaces/0/queues/0/signal") == "busy");

	double p50_ms = after.median_ns_since(before) / 1e6;
	double true_p50_ms = double(frames.median_delay_ns()) / 1e6;
	CHECK(true_p50_ms > 2); /* else no queue stood, and this proves nothing */
	CHECK(p50_ms > true_p50_ms / 2);
	CHECK(p50_ms < true_p50_ms * 2);
}
