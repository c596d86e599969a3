// SPDX-License-Identifier: GPL-2.0-only
#include "frames.hpp"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>

#include "../unit/xdp/packets.hpp"
#include "ahead.hpp"
#include "host.hpp"
#include "process.hpp"

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace
{

constexpr uint32_t NUMBERS = 1 << 20; /* frames are numbered by 20 bits */
constexpr unsigned SEND_CPU = 0, RECEIVE_CPU = 1;
constexpr unsigned LONG_WINDOW = 50;
constexpr auto SHORT_PAUSE = std::chrono::microseconds(100);
/* No policy touches ARP, and no test counts these. */
constexpr FrameKind MARKER = NR_FRAME_KINDS;

uint64_t now_ns()
{
	return uint64_t(Clock::now().time_since_epoch().count());
}

uint8_t ecn_of(FrameKind kind)
{
	return kind == ECT0 ? 2 : kind == ECT1 ? 1 : 0;
}

/* The source address contains the number and, beside it, the kind. */
packets::Bytes build_frame(FrameKind kind, uint32_t number, bool ipv6)
{
	packets::Packet packet;
	packets::Bytes frame;

	packet.version = ipv6 ? 6 : 4;
	packet.source = number | uint32_t(kind) << 20;
	packet.tos = ecn_of(kind);
	packet.payload = 64;
	packet.protocol = packets::UDP;
	if (kind == PURE_ACK) {
		packet.protocol = packets::TCP;
		packet.payload = 0;
	} else if (kind == ICMP_ECHO) {
		packet.protocol = ipv6 ? packets::ICMPV6 : packets::ICMP;
	} else if (kind == ARP_REQUEST || kind == MARKER) {
		packet.ethertype = ETH_P_ARP;
	}
	frame = packets::build(packet);
	if (packet.ethertype == ETH_P_ARP) /* sender protocol address */
		for (int i = 0; i < 4; i++)
			frame[size_t(28 + i)] = uint8_t(packet.source >> (24 - 8 * i));
	return frame;
}

int packet_socket(const Netns &netns, const std::string &ifname, int protocol)
{
	int fd = netns.socket(AF_PACKET, SOCK_RAW), bytes = 16 << 20;
	struct sockaddr_ll address = {};
	struct timeval timeout = { 0, 2000 };

	address.sll_family = AF_PACKET;
	address.sll_protocol = htons(uint16_t(protocol));
	address.sll_ifindex = int(netns.ifindex(ifname));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	if (bind(fd, reinterpret_cast<struct sockaddr *>(&address), sizeof(address)))
		throw std::system_error(errno, std::generic_category(), "bind packet socket");
	return fd;
}

void run_on(unsigned cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

Args rigctl(const Netns &netns, const Args &args)
{
	Args all = { build_path("rig/rigctl"), "--netns", netns.name() };

	all.insert(all.end(), args.begin(), args.end());
	return all;
}

} // namespace

Frames::Frames(const Wire &wire)
	: tx_(packet_socket(wire.tx, wire.tx_if, 0))
	, rx_(packet_socket(wire.rx, wire.rx_if, ETH_P_ALL))
	, sent_ns_(NUMBERS)
{
}

Frames::~Frames()
{
	close(tx_);
	close(rx_);
}

bool Frames::send_one(FrameKind kind)
{
	packets::Bytes frame = build_frame(kind, next_ % NUMBERS, ipv6);

	sent_ns_[next_ % NUMBERS] = now_ns();
	if (send(tx_, frame.data(), frame.size(), 0) < 0)
		return false;
	next_++;
	return true;
}

void Frames::send_next()
{
	FrameKind kind = mix[next_ % mix.size()];

	if (send_one(kind))
		counts[kind].sent++;
}

/* As TCP does for each acknowledged window: halve it if congested, else add one. */
void Frames::adapt(bool congested)
{
	if (next_ - adapted_at_ < window_)
		return;
	adapted_at_ = next_;
	window_ = congested ? std::max(window_ / 2, 2U) : std::min(window_ + 1, in_flight);
	congested_ = false;
}

void Frames::run(unsigned frames)
{
	const auto end = Clock::now() + std::chrono::minutes(1);
	const uint32_t first = next_;

	run_until([&] { return passed(first + frames) || Clock::now() >= end; });
}

void Frames::run(milliseconds duration)
{
	const auto end = Clock::now() + duration;

	run_until([&] { return Clock::now() >= end; });
}

/* The test also needs a CPU to look at the queue, and the receiving one is busy. A long queue does
 * not drain during the sleep.
 */
void Frames::wait_for_room() const
{
	if (window_ > LONG_WINDOW)
		std::this_thread::sleep_for(SHORT_PAUSE);
	else
		sched_yield();
}

void Frames::run_until(const std::function<bool()> &enough)
{
	std::atomic<bool> sending{ true };

	delays_.clear();
	window_ = in_flight;
	congested_ = false;
	/* If the sender has to wait for a CPU, the queue drains. */
	std::thread receiver([&] {
		Ahead ahead;

		run_on(SEND_CPU);
		while (sending)
			receive_one();
		drain();
	});
	std::thread sender([&] {
		Ahead ahead;

		run_on(SEND_CPU);
		while (!enough()) {
			if (next_ - highest_ > window_) {
				wait_for_room();
				continue;
			}
			send_next();
			if (responsive)
				adapt(congested_);
		}
		sending = false;
	});
	sender.join();
	receiver.join();
}

void Frames::trickle(unsigned frames)
{
	for (unsigned i = 0; i < frames; i++) {
		auto until = Clock::now() + milliseconds(2);

		send_next();
		while (Clock::now() < until)
			receive_one();
		if (next_ - highest_ > in_flight)
			drain(); /* The receiving CPU is away; the ring must not overflow. */
	}
	drain();
}

/* Send markers until one arrives: then every earlier frame has arrived or never will, however busy
 * the receiving CPU was. A marker may find the ring full, so send several.
 */
void Frames::drain()
{
	const uint32_t first = next_;

	for (int i = 0; i < 100 && !passed(first); i++) {
		auto until = Clock::now() + milliseconds(100);

		send_one(MARKER);
		while (Clock::now() < until && !passed(first))
			receive_one();
	}
	if (!passed(first))
		highest_ = next_ - 1;
}

bool Frames::passed(uint32_t number) const
{
	return int32_t(highest_ - number) >= 0;
}

void Frames::receive_one()
{
	uint8_t frame[256];
	ssize_t len = recv(rx_, frame, sizeof(frame), 0);

	if (len > 0)
		take(frame, size_t(len));
}

void Frames::take(const uint8_t *frame, size_t len)
{
	uint16_t type = packets::get16(frame + 12);
	size_t source = type == ETH_P_IP ? 26 : type == ETH_P_IPV6 ? 34 : 28;
	uint32_t id = uint32_t(packets::get16(frame + source)) << 16 |
		      packets::get16(frame + source + 2);
	uint32_t number = id % NUMBERS, kind = id >> 20 & 0xf;
	uint8_t ecn = type == ETH_P_IP	 ? frame[15] & 3 :
		      type == ETH_P_IPV6 ? frame[15] >> 4 & 3 :
					   0;

	/* Frames of the kernel itself have other destinations. */
	if (memcmp(frame, "\x02\0\0\0\0\x01", 6) || len < source + 4 || kind > MARKER)
		return;
	if (kind != MARKER)
		tally(FrameKind(kind), number, ecn == 3, packets::Bytes(frame, frame + len));
	if (ecn == 3 || number != (highest_ + 1) % NUMBERS)
		congested_ = true;
	highest_ = highest_ + (number - highest_) % NUMBERS;
}

void Frames::tally(FrameKind kind, uint32_t number, bool ce, const packets::Bytes &frame)
{
	FrameCounts &count = counts[kind];

	count.received++;
	if (ce)
		count.marked++;
	else if (frame != build_frame(kind, number, ipv6))
		count.spoilt++;
	if (packets::get16(&frame[12]) == ETH_P_IP && !packets::ip4_checksum_ok(&frame[14]))
		count.spoilt++;
	delays_.push_back(now_ns() - sent_ns_[number]);
}

uint64_t Frames::median_delay_ns() const
{
	std::vector<uint64_t> sorted = delays_;

	if (sorted.empty())
		return 0;
	std::nth_element(sorted.begin(), sorted.begin() + long(sorted.size() / 2), sorted.end());
	return sorted[sorted.size() / 2];
}

bool make_slow(const Wire &wire, unsigned cost_us)
{
	if (std::thread::hardware_concurrency() < 2)
		return false;
	must(rigctl(wire.rx,
		    { "burn", "attach", wire.rx_if, "cost=" + std::to_string(cost_us) + "us" }));
	wire.pin_napi(RECEIVE_CPU);
	return true;
}

void stamp_frames(const Wire &wire)
{
	must(rigctl(wire.tx, { "clock", "attach", wire.tx_if, "offset=tai", "drift=80" }));
}
