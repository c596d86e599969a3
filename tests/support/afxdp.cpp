// SPDX-License-Identifier: GPL-2.0-only
#include "afxdp.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <system_error>

#include <bpf/bpf.h>
#include <xdp/xsk.h>

namespace
{

constexpr uint16_t PORT = 7799;
constexpr uint32_t MAGIC = 0x72786171;
constexpr size_t FRAME_BYTES = 2048;
constexpr size_t UDP_PAYLOAD = 14 + 20 + 8;

[[noreturn]] void fail(const std::string &what, int err)
{
	throw std::system_error(err < 0 ? -err : err, std::generic_category(), what);
}

int open_pin(const Host &host, const char *name)
{
	int fd = bpf_obj_get((host.state_dir() + "/" + name).c_str());

	if (fd < 0)
		fail(name, errno);
	return fd;
}

struct Payload {
	uint32_t magic, number;
};

} // namespace

uint64_t monotonic_ns()
{
	timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return uint64_t(ts.tv_sec) * RXAQM_NSEC_PER_SEC + uint64_t(ts.tv_nsec);
}

uint32_t SocketPacket::number() const
{
	Payload payload = {};

	if (frame.size() >= UDP_PAYLOAD + sizeof(payload))
		memcpy(&payload, frame.data() + UDP_PAYLOAD, sizeof(payload));
	return payload.magic == MAGIC ? payload.number : 0;
}

unsigned SocketPacket::ecn() const
{
	return frame.size() > 15 ? frame[15] & 3 : 0;
}

struct AfXdp::Rings {
	xsk_ring_prod fill = {};
	xsk_ring_cons completion = {}, rx = {};
	xsk_umem *umem = nullptr;
	xsk_socket *socket = nullptr;
	void *area = MAP_FAILED;
	size_t bytes = 0;

	~Rings()
	{
		if (socket)
			xsk_socket__delete(socket);
		if (umem)
			xsk_umem__delete(umem);
		if (area != MAP_FAILED)
			munmap(area, bytes);
	}
	void create(const std::string &ifname, unsigned queue, unsigned entries);
};

void AfXdp::Rings::create(const std::string &ifname, unsigned queue, unsigned entries)
{
	const unsigned frames = 2 * entries;
	xsk_umem_config umem_config = {};
	xsk_socket_config config = {};
	uint32_t at = 0;
	int err;

	bytes = frames * FRAME_BYTES;
	area = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		fail("memory for frames", errno);
	umem_config.fill_size = frames;
	umem_config.comp_size = 64;
	umem_config.frame_size = FRAME_BYTES;
	err = xsk_umem__create(&umem, area, bytes, &fill, &completion, &umem_config);
	if (err)
		fail("umem", err);
	config.rx_size = entries;
	config.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD;
	config.bind_flags = XDP_COPY;
	err = xsk_socket__create(&socket, ifname.c_str(), queue, umem, &rx, nullptr, &config);
	if (err)
		fail("AF_XDP socket on " + ifname, err);
	if (xsk_ring_prod__reserve(&fill, frames, &at) != frames)
		fail("fill ring", ENOSPC);
	for (unsigned i = 0; i < frames; i++)
		*xsk_ring_prod__fill_addr(&fill, at + i) = i * FRAME_BYTES;
	xsk_ring_prod__submit(&fill, frames);
}

/* The kernel frees the queue of a closed socket later, in a workqueue: try again. */
AfXdp::AfXdp(const Netns &netns, const std::string &ifname, unsigned queue, unsigned entries)
{
	std::string why = "nothing";
	bool bound = eventually([&] {
		rings_ = std::make_unique<Rings>();
		try {
			netns.enter([&] { rings_->create(ifname, queue, entries); });
			return true;
		} catch (const std::system_error &error) {
			why = error.what();
			if (error.code().value() != EBUSY)
				throw;
			return false;
		}
	});

	if (!bound)
		fail(why, EBUSY);
}

AfXdp::~AfXdp() = default;

void AfXdp::join(const Host &host, unsigned index) const
{
	int map = open_pin(host, "xsk_map"), fd = xsk_socket__fd(rings_->socket);
	int err = bpf_map_update_elem(map, &index, &fd, BPF_ANY);

	close(map);
	if (err)
		fail("xsk_map", err);
}

std::vector<SocketPacket> AfXdp::receive(size_t max, int timeout_ms)
{
	pollfd ready = { xsk_socket__fd(rings_->socket), POLLIN, 0 };
	std::vector<SocketPacket> packets;
	uint32_t at = 0, to = 0, n;

	if (timeout_ms && poll(&ready, 1, timeout_ms) < 0)
		fail("poll", errno);
	n = uint32_t(xsk_ring_cons__peek(&rings_->rx, uint32_t(max), &at));
	if (!n)
		return packets;
	/* The fill ring has room for all frames. */
	if (xsk_ring_prod__reserve(&rings_->fill, n, &to) != n)
		fail("fill ring", ENOSPC);
	for (uint32_t i = 0; i < n; i++) {
		const xdp_desc *desc = xsk_ring_cons__rx_desc(&rings_->rx, at + i);
		auto *data = static_cast<uint8_t *>(xsk_umem__get_data(rings_->area, desc->addr));
		SocketPacket packet;
		rxaqm_meta meta;

		memcpy(&meta, data - sizeof(meta), sizeof(meta));
		packet.taken_ns = monotonic_ns();
		packet.frame.assign(data, data + desc->len);
		if (meta.magic == RXAQM_META_MAGIC)
			packet.meta = meta;
		memset(data - sizeof(meta), 0, sizeof(meta));
		*xsk_ring_prod__fill_addr(&rings_->fill, to + i) = desc->addr;
		packets.push_back(std::move(packet));
	}
	xsk_ring_cons__release(&rings_->rx, n);
	xsk_ring_prod__submit(&rings_->fill, n);
	return packets;
}

xdp_statistics AfXdp::statistics() const
{
	xdp_statistics statistics = {};
	socklen_t len = sizeof(statistics);

	if (getsockopt(xsk_socket__fd(rings_->socket), SOL_XDP, XDP_STATISTICS, &statistics, &len))
		fail("XDP_STATISTICS", errno);
	return statistics;
}

WaitMap::WaitMap(const Host &host)
{
	int fd = open_pin(host, "wait_map");
	void *data = mmap(nullptr, RXAQM_MAX_QUEUES * sizeof(rxaqm_wait), PROT_READ | PROT_WRITE,
			  MAP_SHARED, fd, 0);

	close(fd);
	if (data == MAP_FAILED)
		fail("wait_map", errno);
	waits_ = static_cast<rxaqm_wait *>(data);
}

WaitMap::~WaitMap()
{
	munmap(waits_, RXAQM_MAX_QUEUES * sizeof(rxaqm_wait));
}

void WaitMap::publish(unsigned index, uint64_t wait_ns)
{
	__atomic_store_n(&waits_[index].wait_ns, wait_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&waits_[index].updated_ns, monotonic_ns(), __ATOMIC_RELEASE);
}

Datagrams::Datagrams(const Wire &wire, unsigned flows, unsigned tos)
	: rx_(wire.rx.socket(AF_INET, SOCK_DGRAM))
{
	int bytes = 16 << 20, value = int(tos);
	sockaddr_in to = {};

	to.sin_family = AF_INET;
	to.sin_port = htons(PORT);
	setsockopt(rx_, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	if (bind(rx_, reinterpret_cast<sockaddr *>(&to), sizeof(to)))
		fail("bind", errno);
	inet_pton(AF_INET, Wire::RX_IP4, &to.sin_addr);
	for (unsigned i = 0; i < flows; i++) {
		tx_.push_back(wire.tx.socket(AF_INET, SOCK_DGRAM));
		setsockopt(tx_.back(), IPPROTO_IP, IP_TOS, &value, sizeof(value));
		if (connect(tx_.back(), reinterpret_cast<sockaddr *>(&to), sizeof(to)))
			fail("connect", errno);
	}
}

Datagrams::~Datagrams()
{
	for (int fd : tx_)
		close(fd);
	close(rx_);
}

void Datagrams::send(unsigned n)
{
	for (unsigned i = 0; i < n; i++, next_++) {
		const Payload payload = { MAGIC, next_ };
		ssize_t sent = ::send(tx_[next_ % tx_.size()], &payload, sizeof(payload), 0);

		/* The error may belong to an earlier datagram: nobody listens there. */
		if (sent < 0 && errno != ECONNREFUSED)
			fail("send", errno);
	}
}

std::vector<uint32_t> Datagrams::received_by_stack(int timeout_ms)
{
	std::vector<uint32_t> numbers;
	pollfd ready = { rx_, POLLIN, 0 };
	Payload payload;

	while (poll(&ready, 1, timeout_ms) > 0)
		if (recv(rx_, &payload, sizeof(payload), 0) == ssize_t(sizeof(payload)) &&
		    payload.magic == MAGIC)
			numbers.push_back(payload.number);
	return numbers;
}
