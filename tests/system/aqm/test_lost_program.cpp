// SPDX-License-Identifier: GPL-2.0-only
/* A driver that has lost its XDP program, which the interface still names: packets arrive, and the
 * program sees none. No driver of this host loses one; the stand-in is an entry that names queues
 * to which nothing comes.
 */
#include <catch2/catch_test_macros.hpp>

#include <bpf/bpf.h>
#include <unistd.h>

#include <thread>

#include "daemon.hpp"
#include "iface.h"
#include "traffic.hpp"
#include "text.hpp"

using namespace std::chrono_literals;

namespace
{

void lose_program(const Host &host)
{
	int map = bpf_obj_get((host.state_dir() + "/iface_map").c_str());
	rxaqm_iface iface;
	uint32_t key = 0;

	REQUIRE(bpf_map_lookup_elem(map, &key, &iface) == 0);
	iface.queue_base += 64;
	REQUIRE(bpf_map_update_elem(map, &key, &iface, 0) == 0);
	close(map);
}

/* Attach, by a command. */
struct Lost {
	Host host;
	Wire wire;

	Lost()
	{
		Result result = host.rxaqm(wire.rx, { "attach", wire.rx_if });

		CAPTURE(result.text());
		REQUIRE(result.exit_code == 0);
		lose_program(host);
		/* What a driver counts may have come seconds before. */
		std::this_thread::sleep_for(3s);
	}
};

} // namespace

TEST_CASE("lost program: check is CRITICAL, and status has a note", "[check]")
{
	Lost lost;
	Result quiet = lost.host.rxaqm(lost.wire.rx, { "check" });
	Background traffic(lost.wire);
	Result result = lost.host.rxaqm(lost.wire.rx, { "check" });
	Result status = lost.host.rxaqm(lost.wire.rx, { "status", "-i", "1s" });

	traffic.stop();
	CAPTURE(quiet.text(), result.text(), status.text());
	CHECK(status.out.find("note: received ") != std::string::npos);
	CHECK(quiet.exit_code == 0);
	CHECK(result.exit_code == 2);
	CHECK(result.out.find("of which the XDP program saw none") != std::string::npos);
}

TEST_CASE("lost program: the daemon attaches anew, but only once", "[run]")
{
	Run r;
	auto send = [&] { udp_transfer(r.wire.tx, r.wire.rx, Wire::RX_IP4, 150); };
	auto sent_until = [&](const std::string &text) {
		return eventually(
			[&] {
				send();
				return r.service.log().find(text) != std::string::npos;
			},
			90s);
	};

	r.service.configure(r.section());
	r.service.start();
	/* Packets that are seen are no reason. */
	send();
	uint32_t program = xdp_on(r.wire.rx, r.wire.rx_if);
	lose_program(r.host);
	CHECK(sent_until("saw none: the driver has lost it; attaching anew"));
	CHECK(r.service.logged("attached anew (its driver had lost the XDP program)"));
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if) != program);

	/* That did not help, so it is not done again. */
	program = xdp_on(r.wire.rx, r.wire.rx_if);
	lose_program(r.host);
	CHECK(sent_until("lost it again; packets pass untouched until it sees some"));
	CAPTURE(r.service.log());
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if) == program);
	CHECK(count_of(r.service.log(), "attached anew") == 1);
}
