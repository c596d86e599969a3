// SPDX-License-Identifier: GPL-2.0-only
/* Queues that go to an AF_XDP socket: where packets go, what stands in front of them. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <bpf/btf.h>

#include "plane.hpp"
#include "wait.h"

namespace
{

PlaneConfig config_of(bool bare, bool by_cpu = false)
{
	PlaneConfig config;

	config.bare = bare;
	config.by_cpu = config.generic = by_cpu;
	if (by_cpu)
		config.nr_queues = 64;
	return config;
}

/* Do this kernel's sockets take packets in fragments? */
bool kernel_has_sg()
{
	btf *kernel = btf__load_vmlinux_btf();
	int id = kernel ? btf__find_by_name_kind(kernel, "xdp_sock", BTF_KIND_STRUCT) : -1;
	bool found = false;

	REQUIRE(id > 0);
	const btf_type *type = btf__type_by_id(kernel, __u32(id));
	for (int i = 0; i < btf_vlen(type); i++)
		found |= std::string("sg") ==
			 btf__name_by_offset(kernel, btf_members(type)[i].name_off);
	btf__free(kernel);
	return found;
}

constexpr uint64_t OFFSET = 37 * SEC + 1234567; /* NIC clock ahead of the host's */

/* A queue with a socket, behind a driver that can be asked for stamps. */
struct HintSocket : Plane {
	HintSocket()
		: Plane([] {
			PlaneConfig config;
			config.hint = true;
			return config;
		}())
	{
		rxaqm_clock &c = clock().clock[1];

		iface().stamp = RXAQM_STAMP_HWTSTAMP;
		c.host_ref_ns = now_ns();
		c.hw_ref_ns = c.host_ref_ns + OFFSET;
		c.expires_ns = c.host_ref_ns + 60 * SEC;
		clock().published = 1;
		put_socket();
	}
	Out run_waited(uint64_t ns)
	{
		hint(now_ns() + OFFSET - ns);
		return run(data_packet());
	}
};

} /* namespace */

TEST_CASE("socket: without one packets pass, and nothing is in front of them", "[socket]")
{
	Plane plane;

	plane.put_socket(1); /* another queue's */
	for (int i = 0; i < 5; i++) {
		Out out = plane.run(data_packet());
		CHECK(out.verdict == XDP_PASS);
		CHECK(out.front.empty());
		CHECK(out.packet == packets::build(data_packet()));
	}
	CHECK(plane.queue().taken == 1);
	CHECK_FALSE(plane.queue().flags & RXAQM_QUEUE_SOCKET);
	CHECK(plane.stat(RXAQM_STAT_REDIRECT) == 0);
	CHECK(plane.cpu().want_ifindex == plane.ifindex());
}

TEST_CASE("socket: each packet goes there, with what is known of it", "[socket]")
{
	Plane plane;
	uint64_t last_ns = 0;

	plane.put_socket();
	for (int i = 0; i < 70; i++) {
		uint64_t before_ns = now_ns();
		Out out = plane.run(data_packet());
		uint64_t after_ns = now_ns();

		REQUIRE(out.verdict == XDP_REDIRECT);
		CHECK(out.packet == packets::build(data_packet()));
		REQUIRE(out.front.size() == sizeof(rxaqm_meta));
		const rxaqm_meta meta = *out.meta();
		CHECK(meta.magic == RXAQM_META_MAGIC);
		CHECK(meta.version == RXAQM_META_VERSION);
		CHECK(meta.size == sizeof(rxaqm_meta));
		CHECK(meta.flags == 0);
		CHECK(meta.hw_ns == 0);
		CHECK(meta.sojourn_ns == 0);
		/* The time is that of the packet that was looked at. */
		if (i % RXAQM_WAIT_SAMPLE) {
			CHECK(meta.host_ns == last_ns);
			continue;
		}
		CHECK(meta.host_ns >= before_ns);
		CHECK(meta.host_ns <= after_ns);
		last_ns = meta.host_ns;
	}
	CHECK(plane.queue().taken == 70);
	/* Nothing to trace: no skb is made. */
	CHECK(plane.cpu().want_ifindex == 0);
	plane.stamp(now_ns());
	plane.end_poll(70);
	CHECK(plane.stat(RXAQM_STAT_PACKETS) == 70);
	CHECK(plane.stat(RXAQM_STAT_REDIRECT) == 70);
	CHECK(plane.stat(RXAQM_STAT_STAMP_MISSING) == 0);
	CHECK_FALSE(plane.queue().flags & RXAQM_QUEUE_SAMPLED);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 0);
	CHECK(plane.stat(RXAQM_STAT_POLLS_LEFT) == 1);
}

TEST_CASE("socket: one that goes or comes is known from the next poll on, and loses nothing",
	  "[socket]")
{
	Plane plane;

	plane.put_socket();
	REQUIRE(plane.run(data_packet()).verdict == XDP_REDIRECT);
	plane.close_socket();
	/* In the middle of a poll: to the stack, and as the driver made it. */
	for (int i = 0; i < 3; i++) {
		Out out = plane.run(data_packet());
		CHECK(out.verdict == XDP_PASS);
		CHECK(out.front.empty());
		CHECK(out.packet == packets::build(data_packet()));
	}
	CHECK(plane.queue().flags & RXAQM_QUEUE_SOCKET);
	plane.end_poll(4);
	REQUIRE(plane.run(data_packet()).verdict == XDP_PASS);
	CHECK_FALSE(plane.queue().flags & RXAQM_QUEUE_SOCKET);
	plane.put_socket();
	CHECK(plane.run(data_packet()).verdict == XDP_PASS);
	plane.end_poll(2);
	CHECK(plane.run(data_packet()).verdict == XDP_REDIRECT);
	CHECK(plane.stat(RXAQM_STAT_REDIRECT) == 2);
	CHECK(plane.stat(RXAQM_STAT_PACKETS) == 6);
}

TEST_CASE("socket: switched off, its packets still go there", "[socket]")
{
	const uint8_t mode = GENERATE(RXAQM_MODE_OFF, RXAQM_MODE_OBSERVE);
	rxaqm_policy policy = simple_policy();
	Plane plane;

	policy.mode = mode;
	plane.set_policy(policy);
	plane.put_socket();
	plane.publish(SEC);
	for (int i = 0; i < 3; i++) {
		plane.overdue();
		plane.publish(SEC);
		Out out = plane.run(data_packet());
		CHECK(out.verdict == XDP_REDIRECT);
		CHECK(out.meta());
	}
	CHECK(plane.stat(RXAQM_STAT_DROP) == 0);
	CHECK((plane.stat(RXAQM_STAT_WOULD_DROP) > 0) == (mode == RXAQM_MODE_OBSERVE));
}

TEST_CASE("socket: a CPU's backlog has none", "[socket]")
{
	Plane plane(config_of(false, true));

	for (unsigned i = 0; i < 64; i++)
		plane.put_socket(i);
	for (int i = 0; i < 3; i++)
		CHECK(plane.run(data_packet()).verdict == XDP_PASS);
}

TEST_CASE("socket: the program without metadata redirects the same", "[socket]")
{
	Plane plane(config_of(true));

	CHECK(plane.run(data_packet()).verdict == XDP_PASS);
	plane.end_poll(1);
	plane.put_socket();
	for (int i = 0; i < 3; i++) {
		Out out = plane.run(data_packet());
		CHECK(out.verdict == XDP_REDIRECT);
		CHECK(out.front.empty());
		CHECK(out.packet == packets::build(data_packet()));
	}
	plane.overdue();
	plane.publish(5 * MS);
	plane.look();
	CHECK(plane.run(data_packet()).verdict == XDP_DROP);
	CHECK(plane.stat(RXAQM_STAT_REDIRECT) == 3);
}

TEST_CASE("socket: packets in fragments go where the kernel can take them", "[socket]")
{
	packets::Packet big = data_packet();
	Plane plane;

	big.payload = 7000;
	const packets::Bytes bytes = packets::build(big);
	plane.put_socket();
	Out out = plane.run(bytes);
	CHECK(out.packet == bytes);
	if (kernel_has_sg()) {
		CHECK(out.verdict == XDP_REDIRECT);
		REQUIRE(out.meta());
		CHECK(out.meta()->magic == RXAQM_META_MAGIC);
	} else {
		CHECK(out.verdict == XDP_PASS);
		CHECK(out.front.empty());
	}
	CHECK(plane.run(data_packet()).verdict == XDP_REDIRECT);
}

TEST_CASE("socket: the state of the NIC queue is in front of packets", "[socket]")
{
	rxaqm_policy busy = simple_policy();
	Plane plane;

	busy.signal = RXAQM_SIGNAL_AUTO;
	plane.set_policy(busy);
	plane.put_socket();
	plane.run(data_packet());
	plane.end_poll(64);
	/* By polls: for how long the queue has stood. */
	plane.stands_since(300 * US);
	Out out = plane.run(data_packet());
	REQUIRE(out.meta());
	CHECK(out.meta()->flags == (RXAQM_META_STANDING | RXAQM_META_SAMPLED));
	CHECK(out.meta()->sojourn_ns >= 300 * US);
	CHECK(out.meta()->sojourn_ns == plane.queue().codel.ldelay_ns);
	CHECK(plane.queue().signal == RXAQM_SIGNAL_BUSY);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 1);
}

TEST_CASE("socket: with signal=stamp nothing is known of the NIC queue", "[socket]")
{
	rxaqm_policy policy = simple_policy();
	Plane plane;

	policy.signal = RXAQM_SIGNAL_STAMP;
	plane.set_policy(policy);
	plane.put_socket();
	plane.run(data_packet());
	plane.end_poll(64);
	plane.stands_since(300 * US);
	plane.overdue();
	CHECK(plane.run(data_packet()).verdict == XDP_REDIRECT);
	CHECK(plane.stat(RXAQM_STAT_PASS_NO_SIGNAL) == 1);
	CHECK(plane.stat(RXAQM_STAT_STAMP_MISSING) == 0);
	/* But the consumer may know. */
	plane.publish(5 * MS);
	plane.overdue();
	CHECK(plane.run(data_packet()).verdict == XDP_DROP);
}

TEST_CASE("socket: a stamp that the driver has is in front of its packet", "[socket]")
{
	HintSocket plane;
	const uint64_t bucket_from = rxaqm_hist_bucket(200 * US);

	for (int i = 0; i < 5; i++) {
		uint64_t hw_ns = now_ns() + OFFSET - 200 * US;
		plane.hint(hw_ns);
		Out out = plane.run(data_packet());
		REQUIRE(out.meta());
		CHECK(out.meta()->flags == (RXAQM_META_HW_TIME | RXAQM_META_SOJOURN));
		CHECK(out.meta()->hw_ns == hw_ns);
		CHECK(out.meta()->sojourn_ns == out.meta()->host_ns + OFFSET - hw_ns);
	}
	plane.end_poll(5);
	/* Each packet counts, and with its own. */
	uint64_t counted = 0;
	for (uint64_t i = 0; i < RXAQM_HIST_BUCKETS; i++)
		counted += plane.queue().hist[i];
	CHECK(counted == 5);
	for (uint64_t i = 0; i < bucket_from; i++)
		CHECK(plane.queue().hist[i] == 0);

	/* One that has none: the sample is that of the queue. */
	plane.hint(0);
	Out out = plane.run(data_packet());
	CHECK(out.meta()->flags == RXAQM_META_SAMPLED);
	CHECK(out.meta()->sojourn_ns == plane.queue().sample_sojourn_ns);
	CHECK(out.meta()->hw_ns == 0);
}

TEST_CASE("socket: stamps are shared while the queue stands, but shown with each packet",
	  "[socket]")
{
	HintSocket plane;

	plane.run_waited(100 * US);
	plane.end_poll(64);
	plane.stands_since(100 * MS);
	plane.queue().clock_mask = 7;
	for (int i = 0; i < 16; i++) {
		const uint32_t of = i % 8 ? RXAQM_META_SAMPLED : RXAQM_META_SOJOURN;
		Out out = plane.run_waited(500 * US);

		REQUIRE(out.meta());
		CAPTURE(i);
		CHECK(out.meta()->flags == (RXAQM_META_HW_TIME | RXAQM_META_STANDING | of));
	}
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 16);
}

TEST_CASE("socket: where the kernel has no AF_XDP all but sockets works", "[socket]")
{
	Plane plane([] {
		PlaneConfig config;
		config.no_sockets = true;
		return config;
	}());

	for (int i = 0; i < 3; i++)
		CHECK(plane.run(data_packet()).verdict == XDP_PASS);
	plane.end_poll(3);
	plane.stand(5 * MS);
	plane.overdue();
	CHECK(plane.run(data_packet()).verdict == XDP_DROP);
	/* Whatever is said of a socket. */
	plane.queue().flags |= RXAQM_QUEUE_SOCKET | RXAQM_QUEUE_IDLE;
	CHECK(plane.run(data_packet()).verdict == XDP_PASS);
	CHECK(plane.stat(RXAQM_STAT_REDIRECT) == 0);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 2);
}
