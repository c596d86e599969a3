// SPDX-License-Identifier: GPL-2.0-only
/* The tracing programs where the kernel runs them: on real packets of a veth. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>

#include <bpf/bpf.h>

#include "../support/afxdp.hpp"
#include "../support/host.hpp"
#include "../support/traffic.hpp"
#include "queue.h"

namespace
{

constexpr int64_t OFFSET_NS = 37'000'000'000;

/* A copy of the first queue of the only interface attached. */
rxaqm_queue read_queue(const Host &host)
{
	int fd = bpf_obj_get((host.state_dir() + "/queue_map").c_str());
	rxaqm_queue queue;
	__u32 zero = 0;

	REQUIRE(fd >= 0);
	REQUIRE(bpf_map_lookup_elem(fd, &zero, &queue) == 0);
	close(fd);
	return queue;
}

} /* namespace */

TEST_CASE("live: polls end, stamps become sojourns", "[live]")
{
	Host host;
	Wire wire;

	must({ build_path("rig/rigctl"), "--netns", wire.tx.name(), "clock", "attach", wire.tx_if,
	       "offset=37s" });
	Result attached = host.rxaqm(wire.rx, { "attach", wire.rx_if, "--profile",
						source_path("tests/rig/veth-simclock.conf") });
	CAPTURE(attached.text());
	REQUIRE(attached.exit_code == 0);

	/* A datagram at a time: each poll drains the queue, and the clock is learnt. */
	REQUIRE(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 1000) == 1000);
	REQUIRE(eventually([&] {
		udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 100);
		return read_queue(host).flags & RXAQM_QUEUE_SAMPLED;
	}));
	rxaqm_queue q = read_queue(host);
	CHECK(q.stat[RXAQM_STAT_POLLS_DRAINED] > 100);
	CHECK(q.stat[RXAQM_STAT_POLLS_LEFT] == 0);
	CHECK(q.stat[RXAQM_STAT_POLLS_LOST] == 0);
	CHECK(q.stat[RXAQM_STAT_PACKETS] >= 1100);
	CHECK(q.stat[RXAQM_STAT_STAMP_MISSING] == 0);
	CHECK(q.napi != 0);
	CHECK(!(q.flags & RXAQM_QUEUE_STANDING));

	/* What was measured against what the simulated NIC's clock says. The estimate cannot
	 * tell the least wait of all packets from the clocks' offset.
	 */
	for (int i = 0; i < 20; i++) {
		udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 20);
		q = read_queue(host);
		int64_t truth_ns = int64_t(q.sample_ns - q.last_hw_ns) + OFFSET_NS;
		int64_t error_ns = truth_ns - int64_t(q.sample_sojourn_ns);

		CAPTURE(i, truth_ns, q.sample_sojourn_ns, q.sample_err_ns);
		CHECK(truth_ns > 0);
		CHECK(error_ns >= -int64_t(q.sample_err_ns));
		CHECK(error_ns <= int64_t(q.sample_err_ns + 100 * RXAQM_NSEC_PER_USEC));
	}
}

TEST_CASE("live: a queue goes to a socket, under the dispatcher, too", "[live]")
{
	Host host;
	Wire wire;
	unsigned with_metadata = 0, received = 0;

	Result attached = host.rxaqm(wire.rx, { "attach", wire.rx_if });
	CAPTURE(attached.text());
	REQUIRE(attached.exit_code == 0);
	AfXdp socket(wire.rx, wire.rx_if, 0);
	Datagrams datagrams(wire);
	socket.join(host, 0);
	for (int i = 0; i < 100 && received < 20; i++) {
		datagrams.send();
		for (const SocketPacket &packet : socket.receive(64, 1000)) {
			received += packet.number() > 0;
			with_metadata += packet.number() && packet.meta;
		}
	}
	Result status = host.rxaqm(wire.rx, { "status" });
	CAPTURE(status.text(), received);
	CHECK(received >= 20);
	CHECK(read_queue(host).stat[RXAQM_STAT_REDIRECT] >= received);
	CHECK(status.out.find("goes to a socket") != std::string::npos);
	/* Not everywhere may a program under the dispatcher put some in front. */
	const bool bare = status.out.find("no metadata in front of packets") != std::string::npos;
	CHECK(with_metadata == (bare ? 0 : received));
	if (bare)
		CHECK(status.out.find("by dispatcher") != std::string::npos);
}

/* An attach takes as long as the verifier does, and an emulated CPU twenty times that. */
TEST_CASE("live: no program has the verifier look at much", "[live]")
{
	Host host;
	Wire wire;
	unsigned programs = 0;
	const std::string mode = GENERATE("native", "generic");

	CAPTURE(mode);
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if, "--mode", mode, "--profile",
				      source_path("tests/rig/veth-simclock.conf") })
			.exit_code == 0);
	for (const auto &pin : std::filesystem::directory_iterator(host.state_dir())) {
		bpf_link_info link = {};
		bpf_prog_info prog = {};
		__u32 link_size = sizeof(link), prog_size = sizeof(prog);

		if (pin.path().filename().string().rfind("link_", 0) != 0)
			continue;
		int link_fd = bpf_obj_get(pin.path().c_str());
		REQUIRE(link_fd >= 0);
		REQUIRE(!bpf_obj_get_info_by_fd(link_fd, &link, &link_size));
		int prog_fd = bpf_prog_get_fd_by_id(link.prog_id);
		REQUIRE(prog_fd >= 0);
		REQUIRE(!bpf_obj_get_info_by_fd(prog_fd, &prog, &prog_size));
		CAPTURE(prog.name);
		CHECK(prog.verified_insns > 0);
		/* 6.1 looks at most: at three to four times what newer ones do. */
		CHECK(prog.verified_insns <= 120000);
		programs++;
		close(prog_fd);
		close(link_fd);
	}
	CHECK(programs >= 2);
	/* The XDP program hangs on the dispatcher's link. */
	unsigned xdp = 0;
	for (__u32 id = 0; !bpf_prog_get_next_id(id, &id);) {
		bpf_prog_info prog = {};
		__u32 size = sizeof(prog);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			continue;
		REQUIRE(!bpf_obj_get_info_by_fd(fd, &prog, &size));
		close(fd);
		if (std::string(prog.name).rfind("rxaqm_", 0) != 0)
			continue;
		CAPTURE(prog.name);
		CHECK(prog.verified_insns <= 120000);
		xdp++;
	}
	CHECK(xdp > 0);
	CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
}
