/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs on maps of the test's own, run by BPF_PROG_RUN one packet at a time:
 * nothing is pinned or attached, and the test is the only writer of the maps.
 */
#ifndef RXAQM_TESTS_PLANE_HPP
#define RXAQM_TESTS_PLANE_HPP

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <linux/bpf.h>

#include "../support/netns.hpp"
#include "../unit/xdp/packets.hpp"
#include "clock_map.h"
#include "cpu_map.h"
#include "iface.h"
#include "decide.h"
#include "xdp_config.h"
#include "xsk.h"

struct rxaqm;
struct hint_run;
struct poll_run;
struct stamp_run;

constexpr uint64_t US = RXAQM_NSEC_PER_USEC, MS = RXAQM_NSEC_PER_MSEC, SEC = RXAQM_NSEC_PER_SEC;
constexpr uint64_t NAPI = 0xffff888012345600; /* an identity, never followed */

uint64_t now_ns();
[[noreturn]] void fail(const std::string &what, int err);

struct Out {
	uint32_t verdict = XDP_ABORTED;
	packets::Bytes packet;
	packets::Bytes front; /* metadata in front of it */

	/* The metadata as a socket's consumer has them; nothing if there are none. */
	std::optional<rxaqm_meta> meta() const;
};

struct PlaneConfig {
	uint32_t iface = 3, queue_base = 40, nr_queues = 4, ring_entries = 4096;
	bool by_cpu = false, by_work = false, generic = false;
	bool hint = false; /* the program that asks the driver for stamps */
	bool bare = false; /* that without metadata */
	bool no_sockets = false; /* as in a kernel without AF_XDP */
	bool no_fragments = false; /* as in a kernel before 5.18 */
	unsigned flow_seed = 7;
};

class Plane
{
    public:
	/* Skips the test where BPF programs cannot be loaded. */
	explicit Plane(const PlaneConfig &config = {});
	~Plane();
	Plane(const Plane &) = delete;

	/* A packet on @queue of an interface of that many queues and more. */
	Out run(const packets::Bytes &packet, unsigned queue = 0)
	{
		return run_split(packet, packet.size(), queue);
	}
	/* The same with the first @linear bytes in the piece that XDP can see, the rest in others.
	 * Skips the test where BPF_PROG_RUN cannot do that.
	 */
	Out run_split(const packets::Bytes &packet, size_t linear, unsigned queue = 0);
	Out run(const packets::Packet &packet, unsigned queue = 0)
	{
		return run(packets::build(packet), queue);
	}
	/* The NAPI poll on this CPU ends. */
	void end_poll(int work, int budget = 64, uint64_t napi = NAPI);
	/* A packet of the interface enters the stack. */
	void stamp(uint64_t tstamp_ns, uint64_t hwtstamp_ns = 0, unsigned tx_flags = 0)
	{
		stamp_of(ifindex(), tstamp_ns, hwtstamp_ns, tx_flags);
	}
	void stamp_of(unsigned ifindex, uint64_t tstamp_ns, uint64_t hwtstamp_ns = 0,
		      unsigned tx_flags = 0);
	/* What the driver says of the packets to come, if the program asks: 0 for no stamp. */
	void hint(uint64_t hw_ns);
	/* How often it has asked. */
	uint64_t hints_asked() const;
	/* The same before generic XDP. */
	void generic_stamp(uint64_t tstamp_ns, unsigned ifindex, uint64_t hwtstamp_ns = 0);

	unsigned ifindex() const
	{
		return ifindex_;
	}

	rxaqm_iface &iface()
	{
		return ifaces_[config_.iface];
	}
	rxaqm_queue &queue(unsigned queue = 0)
	{
		return queues_[config_.queue_base + queue];
	}
	uint64_t stat(rxaqm_stat stat, unsigned n = 0)
	{
		return queue(n).stat[stat];
	}
	rxaqm_clock_entry &clock()
	{
		return clocks_[config_.iface];
	}
	rxaqm_clock_phc &phc()
	{
		return phcs_[config_.iface];
	}
	rxaqm_cpu cpu(); /* the entry of the CPU that all this runs on */
	std::optional<uint32_t> watched(uint64_t napi = NAPI); /* first queue in standing_map */

	/* The queue's policy in the bank that generation @gen uses. */
	rxaqm_policy &policy(unsigned queue = 0, uint32_t gen = 0)
	{
		return policies_[(gen & 1) * RXAQM_MAX_QUEUES + config_.queue_base + queue];
	}
	/* Give all queues @policy, as control does. */
	void set_policy(const rxaqm_policy &policy);
	/* A socket that serves @queue, as if bound to it; nothing is ever received. */
	void put_socket(unsigned queue = 0);
	void close_socket();
	rxaqm_wait &wait(unsigned queue = 0)
	{
		return waits_[config_.queue_base + queue];
	}
	/* Its consumer says that the newest packet has waited @wait_ns. */
	void publish(uint64_t wait_ns, unsigned queue = 0);
	/* The next packet to a socket is looked at, as the first of a poll is. */
	void look(unsigned queue = 0);
	/* The queue stands, and a packet that waited @sojourn_ns has just been seen. */
	void stand(uint64_t sojourn_ns, unsigned queue = 0);
	/* The queue stands, not empty for @stood_ns; no packet tells how long it waited. */
	void stands_since(uint64_t stood_ns);
	/* law=codel: it has been over target for longer than an interval. */
	void overdue(unsigned queue = 0);
	/* law=auto: no flow is known, and strangers of each kind have sent @times of what they may,
	 * in a window that has just begun.
	 */
	void hold(double times, bool bad = true);
	/* The flows that are known to this CPU; all entries of the table are @all. */
	std::vector<rxaqm_flow> flows();
	void set_flows(const rxaqm_flow &all);

    private:
	void load_hint(const rxaqm_xdp_config &config);
	void run_tracing(int prog_fd, const uint64_t *args, size_t bytes);

	PlaneConfig config_;
	struct rxaqm *xdp_ = nullptr;
	struct hint_run *hint_ = nullptr; /* instead of the program, not the maps, of xdp_ */
	struct poll_run *poll_ = nullptr;
	struct stamp_run *stamp_ = nullptr;
	std::unique_ptr<Netns> netns_;
	int own_netns_ = -1, its_netns_ = -1, cpu_ = 0, socket_ = -1;
	unsigned ifindex_ = 0;
	rxaqm_iface *ifaces_ = nullptr;
	rxaqm_policy *policies_ = nullptr;
	rxaqm_queue *queues_ = nullptr;
	rxaqm_clock_entry *clocks_ = nullptr;
	rxaqm_clock_phc *phcs_ = nullptr;
	rxaqm_wait *waits_ = nullptr;
};

/* A test may be held up between any two of its steps, and in an emulated guest for tens of
 * milliseconds. So what it must not outrun is far away: a sample is fresh, and a queue that stands
 * is taken to do so, for half an interval.
 */
constexpr uint64_t INTERVAL = 2 * SEC, FRESH = INTERVAL / 2;

/* law=codel, target 1 ms, that interval, enforced, everything else at its simplest */
rxaqm_policy simple_policy();

/* The same with law=auto, ACKs thinned. */
rxaqm_policy auto_policy();

/* A segment with data; @tos holds DSCP and ECN. */
packets::Packet data_packet(uint8_t tos = 0);

#endif /* RXAQM_TESTS_PLANE_HPP */
