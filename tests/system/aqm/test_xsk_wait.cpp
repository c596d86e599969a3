// SPDX-License-Identifier: GPL-2.0-only
/* What consumers of AF_XDP sockets say of their own wait: who sees it, and what comes of it. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <functional>
#include <future>
#include <thread>
#include <vector>

#include "ahead.hpp"
#include "served.hpp"
#include "text.hpp"

using namespace std::chrono_literals;

namespace
{

constexpr uint64_t US = RXAQM_NSEC_PER_USEC, MS = RXAQM_NSEC_PER_MSEC;

} // namespace

TEST_CASE("xsk: attach and detach clear what consumers have said, of their own queues", "[xsk]")
{
	Attached a({}, 2);
	Wire other;

	REQUIRE(a.host.rxaqm(other.rx, { "attach", other.rx_if }).exit_code == 0);
	WaitMap waits(a.host);
	for (unsigned i = 0; i < 4; i++)
		waits.publish(i, MS);
	auto kept = a.serve(1);
	Datagrams datagrams(a.wire, 16);
	REQUIRE(ping(datagrams, *kept, 20).size() == 20);
	REQUIRE(a.host.rxaqm(other.rx, { "detach", other.rx_if }).exit_code == 0);
	CHECK(waits[0].updated_ns > 0);
	CHECK(waits[1].updated_ns > 0);
	CHECK(waits[2].updated_ns == 0);
	CHECK(waits[2].wait_ns == 0);
	CHECK(waits[3].updated_ns > 0); /* nobody's */
	/* The socket of the other interface is where it was. */
	CHECK(ping(datagrams, *kept, 20).size() == 20);
	waits.publish(2, MS);
	REQUIRE(a.host.rxaqm(other.rx, { "attach", other.rx_if }).exit_code == 0);
	CHECK(waits[2].updated_ns == 0);
}

TEST_CASE("xsk: status and top tell the consumer's wait from the NIC's", "[xsk]")
{
	Attached a({ "signal=stamp", "target=5ms", "interval=4s" });
	auto socket = a.serve();
	Datagrams datagrams(a.wire);
	WaitMap waits(a.host);

	REQUIRE(ping(datagrams, *socket, 20).size() == 20);
	Result status = a.host.rxaqm(a.wire.rx, { "status", "--all" });
	CAPTURE(status.text());
	CHECK(has(status.out, "goes to a socket"));
	CHECK(has(status.out, "does not report its wait"));
	CHECK(has(status.out, "signal=stamp sees none of them"));
	CHECK_FALSE(has(status.out, "stamps missing"));

	waits[0].pid = 4711;
	waits[0].ring_entries = 1024;
	waits[0].ring_full = 3;
	waits.publish(0, 1500 * US);
	Json json = a.host.json(a.wire.rx, { "status" });
	const std::string at = "/interfaces/0/queues/0/socket";
	CHECK(json.text(at + "/wait_state") == "valid");
	CHECK(json.number(at + "/wait_ns") == 1500000);
	CHECK(json.number(at + "/wait_age_ns") > 0);
	CHECK(json.number(at + "/nic_sojourn_ns") == 0);
	CHECK(json.number(at + "/pid") == 4711);
	CHECK(json.number(at + "/ring_entries") == 1024);
	/* The kernel's own figure goes before the consumer's, where it tells one. */
	CHECK(json.number(at + "/ring_full") == (json.has(at + "/bound") ? 0 : 3));
	waits.publish(0, 1500 * US);
	Result top = a.host.rxaqm(a.wire.rx, { "top", "-a", "-n", "1", "-i", "10ms" });
	CAPTURE(top.text());
	CHECK(has(top.out, "observe, xsk 1.5ms"));
	waits.publish(0, 1500 * US);
	Result plain = a.host.rxaqm(a.wire.rx, { "top", "-j", "-n", "1", "-i", "10ms" });
	Json row(plain.out);
	CHECK(row.flag("/queues/0/socket"));
	CHECK(row.number("/queues/0/socket_wait_ns") == 1500000);

	waits.publish(0, 11 * RXAQM_NSEC_PER_SEC);
	CHECK(has(a.host.rxaqm(a.wire.rx, { "status", "--all" }).out, "is not believed"));
	REQUIRE(ping(datagrams, *socket, 5).size() == 5);
	CHECK(a.stat("wait_bad") >= 5);
}

TEST_CASE("xsk: a consumer that is too slow has its senders slow down, if enforced", "[xsk]")
{
	/* It takes 20 packets a millisecond at most, of up to 900 in flight: 45 ms. */
	constexpr unsigned BATCH = 20, IN_FLIGHT = 900, LOST = 200;
	const bool ect = GENERATE(false, true);
	Attached a({ "target=5ms", "interval=100ms" });
	auto socket = a.serve();
	Datagrams datagrams(a.wire, 1, ect ? 2 : 0);
	WaitMap waits(a.host);
	uint32_t seen = 0, adapted_at = 0;
	unsigned window = IN_FLIGHT;
	bool congested = false;

	/* A sender as TCP is, and its receiver, until @enough after @least packets; the median wait
	 * of the last half of these. Packets are the clock: on a busy machine they take longer.
	 * After LOST rounds with none all that was in flight is lost, as for a sender's RTO.
	 */
	auto run = [&](uint64_t least, const std::function<bool()> &enough) {
		Ahead ahead;
		Patience patience(60s);
		std::vector<uint64_t> waited_ns;
		uint64_t packets = 0;
		unsigned silent = 0;

		while (packets < least || !enough()) {
			REQUIRE_FALSE(patience.ended());
			while (datagrams.sent() - seen < window)
				datagrams.send();
			silent++;
			for (const SocketPacket &packet : socket->receive(BATCH)) {
				if (!packet.number() || !packet.meta)
					continue;
				uint64_t wait_ns = packet.taken_ns - packet.meta->host_ns;

				congested |= packet.number() > seen + 1 || packet.ecn() == 3;
				seen = packet.number();
				silent = 0;
				waits.publish(0, wait_ns);
				if (packets++ >= least / 2)
					waited_ns.push_back(wait_ns);
			}
			if (silent == LOST) {
				waits.publish(0, 0); /* the ring is empty */
				silent = 0;
				seen = adapted_at = datagrams.sent();
				window = 2;
			}
			if (seen - adapted_at >= window) {
				window = congested ? std::max(window / 2, 2U) :
						     std::min(window + 1, IN_FLIGHT);
				congested = false;
				adapted_at = datagrams.sent();
			}
			std::this_thread::sleep_for(1ms);
		}
		const auto middle = waited_ns.begin() + long(waited_ns.size() / 2);

		std::nth_element(waited_ns.begin(), middle, waited_ns.end());
		return *middle;
	};
	const auto at_once = [] { return true; };
	CAPTURE(ect);
	/* Done beside the run, which goes on until it is: a pause would be a queue. */
	auto beside = [](std::future<void> &done, const std::function<void()> &what) {
		return [&done, what] {
			if (!done.valid())
				done = std::async(std::launch::async, what);
			if (done.wait_for(0s) != std::future_status::ready)
				return false;
			done.get();
			return true;
		};
	};
	std::future<void> check_done, stats_done;
	Result checked;
	const uint64_t observed_ns =
		run(20000, beside(check_done, [&] {
			    /* On a busy machine the NIC's side may stand, too, and goes first. */
			    for (int i = 0;
				 i < 10 && !has(checked.out, "has waited for its application"); i++)
				    checked = a.host.rxaqm(a.wire.rx,
							   { "check", "-i", "1s", "--warn", "1ms",
							     a.wire.rx_if });
		    }));
	CAPTURE(checked.text());
	CHECK(checked.exit_code == 1);
	CHECK(has(checked.out, "queue 0 has waited for its application for "));
	CHECK(a.stat(ect ? "would_ecn_mark" : "would_drop") > 0);
	CHECK(a.stat("drop") + a.stat("ecn_mark") == 0);
	REQUIRE(a.host.rxaqm(a.wire.rx, { "policy", "set", a.wire.rx_if, "mode=enforce" })
			.exit_code == 0);
	/* Until a mark has waited in the ring, too, its sender is deaf, and so it is judged. */
	int64_t told = 0;
	run(40000, beside(stats_done, [&] { told = a.stat(ect ? "ecn_mark" : "drop"); }));
	const uint64_t enforced_ns = run(20000, at_once);
	CAPTURE(observed_ns, enforced_ns, a.host.rxaqm(a.wire.rx, { "status" }).out);
	CHECK(a.stat(ect ? "ecn_mark" : "drop") > told);
	/* Who is kept from its CPU does not hear marks in time, and is dropped: that a sender who
	 * hears them is not is for test_load.cpp of xsk and [enforce].
	 */
	CHECK(a.stat(ect ? "drop" : "ecn_mark") == a.stat("drop_ect"));
	CHECK(a.stat("drop_ect") <= a.stat("ecn_mark"));
	CHECK(observed_ns > 20 * MS);
	/* Three times the target, of 45 ms. */
	CHECK(enforced_ns < observed_ns / 3);
	CHECK(socket->statistics().rx_ring_full == 0);
}
