// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel and the consumers say of AF_XDP sockets. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/xdp_diag.h>

extern "C" {
#include "report/status_notes.h"
#include "attach/sockets.h"
#include "nic/netlink.h"
#include "cli/top.h"
}

namespace
{

constexpr uint64_t MS = RXAQM_NSEC_PER_MSEC, SEC = RXAQM_NSEC_PER_SEC;

using Bytes = std::vector<char>;

template<typename T> void append(Bytes &bytes, const T &value)
{
	const char *from = reinterpret_cast<const char *>(&value);

	bytes.insert(bytes.end(), from, from + sizeof(value));
	bytes.resize((bytes.size() + 3) & ~size_t(3));
}

template<typename T> void attribute(Bytes &bytes, uint16_t type, const T &value)
{
	append(bytes, nlattr{ uint16_t(NLA_HDRLEN + sizeof(value)), type });
	append(bytes, value);
}

/* One message of a dump; @attributes follow its header. */
Bytes message(uint16_t type, const Bytes &body)
{
	Bytes bytes;
	nlmsghdr nl = {};

	nl.nlmsg_len = uint32_t(NLMSG_HDRLEN + body.size());
	nl.nlmsg_type = type;
	append(bytes, nl);
	bytes.insert(bytes.end(), body.begin(), body.end());
	return bytes;
}

Bytes socket_message(uint32_t ifindex, uint32_t queue, uint32_t entries, uint64_t full)
{
	xdp_diag_stats stats = {};
	Bytes body;

	stats.n_rx_full = full;
	stats.n_fill_ring_empty = full + 1;
	append(body, xdp_diag_msg{});
	attribute(body, XDP_DIAG_INFO, xdp_diag_info{ ifindex, queue });
	attribute(body, XDP_DIAG_UID, uint32_t(1000));
	if (entries)
		attribute(body, XDP_DIAG_RX_RING, xdp_diag_ring{ entries });
	attribute(body, XDP_DIAG_STATS, stats);
	return message(SOCK_DIAG_BY_FAMILY, body);
}

Bytes operator+(Bytes a, const Bytes &b)
{
	a.insert(a.end(), b.begin(), b.end());
	return a;
}

std::unique_ptr<rxaqm_sockets> none_yet()
{
	auto sockets = std::make_unique<rxaqm_sockets>();

	memset(sockets.get(), 0, sizeof(*sockets));
	return sockets;
}

/* Take in what was received. 1: that was the end; 0: more is to come; or -errno. */
int parse(rxaqm_sockets &sockets, const Bytes &bytes)
{
	bool torn = false;

	return rxaqm_netlink_parse(bytes.data(), bytes.size(), rxaqm_sockets_take, &sockets, &torn);
}

/* A queue that goes to a socket, and the policy that goes with it. */
rxaqm_queue served()
{
	rxaqm_queue q;

	memset(&q, 0, sizeof(q));
	q.flags = RXAQM_QUEUE_SOCKET | RXAQM_QUEUE_POLLED;
	q.policy.interval_ns = 40 * MS;
	q.signal = RXAQM_SIGNAL_BUSY;
	return q;
}

} /* namespace */

TEST_CASE("sockets: the kernel's answer is read", "[sockets]")
{
	auto sockets = none_yet();
	const Bytes done = message(NLMSG_DONE, Bytes(4));
	const Bytes first = socket_message(7, 3, 0, 0) + socket_message(7, 3, 2048, 12);
	const Bytes second = socket_message(8, 3, 64, 0) + done;

	CHECK(parse(*sockets, first) == 0);
	CHECK(parse(*sockets, second) == 1);
	REQUIRE(sockets->nr == 3);
	CHECK_FALSE(rxaqm_sockets_find(sockets.get(), 7, 3)); /* not known before the end */
	sockets->known = true;
	const rxaqm_socket_diag *found = rxaqm_sockets_find(sockets.get(), 7, 3);
	REQUIRE(found);
	CHECK(found->ring_entries == 2048);
	CHECK(found->ring_full == 12);
	CHECK(found->no_frame == 13);
	CHECK(found->uid == 1000);
	CHECK_FALSE(rxaqm_sockets_find(sockets.get(), 7, 2));
	CHECK_FALSE(rxaqm_sockets_find(sockets.get(), 9, 3));
	CHECK(rxaqm_sockets_find(sockets.get(), 8, 3)->ring_entries == 64);
}

TEST_CASE("sockets: a refusal, and damage, are told", "[sockets]")
{
	auto sockets = none_yet();
	nlmsgerr refused = {};
	Bytes body;

	refused.error = -ENOENT;
	append(body, refused);
	Bytes bytes = message(NLMSG_ERROR, body);
	CHECK(parse(*sockets, bytes) == -ENOENT);

	bytes = socket_message(7, 3, 2048, 12);
	for (size_t cut = 1; cut < bytes.size(); cut++) {
		Bytes part(bytes.begin(), bytes.end() - long(cut));
		CAPTURE(cut);
		CHECK(parse(*sockets, part) == -EBADMSG);
	}
	/* Lengths that lie. */
	for (uint32_t len : { 0U, 15U, 16U, 24U, 1000000U, ~0U }) {
		Bytes lies = bytes;
		memcpy(lies.data(), &len, sizeof(len));
		CAPTURE(len);
		CHECK(parse(*sockets, lies) == -EBADMSG);
	}
	for (uint16_t len : { 0, 3, 200, 65535 }) {
		Bytes lies = bytes;
		memcpy(lies.data() + NLMSG_HDRLEN + sizeof(xdp_diag_msg), &len, sizeof(len));
		CAPTURE(len);
		CHECK(parse(*sockets, lies) == -EBADMSG);
	}
	CHECK(sockets->nr == 0);
}

TEST_CASE("sockets: more than there is room for are left out", "[sockets]")
{
	auto sockets = none_yet();
	const Bytes one = socket_message(7, 3, 2048, 0);

	for (int i = 0; i < RXAQM_SOCKETS_MAX + 5; i++)
		REQUIRE(parse(*sockets, one) == 0);
	CHECK(sockets->nr == RXAQM_SOCKETS_MAX);
}

TEST_CASE("sockets: what the consumer says goes where the kernel says nothing", "[sockets]")
{
	const uint64_t now = 100 * SEC;
	rxaqm_socket_diag diag = {};
	rxaqm_socket socket;
	rxaqm_iface iface = {};
	rxaqm_wait wait = {};
	rxaqm_queue q = served();

	iface.ring_entries = 256;
	wait.wait_ns = 3 * MS;
	wait.updated_ns = now - 2 * MS;
	wait.ring_full = 5;
	wait.ring_entries = 512;
	rxaqm_socket_look(&iface, &q, &wait, nullptr, now, &socket);
	CHECK(socket.ring_entries == 512);
	CHECK(socket.ring_full == 5);
	CHECK(socket.wait_state == RXAQM_WAIT_VALID);
	CHECK(socket.wait_ns == 3 * MS);
	CHECK(socket.wait_age_ns == 2 * MS);
	CHECK(socket.nic_ns == 0);

	diag.ring_entries = 2048;
	diag.ring_full = 9;
	wait.updated_ns = now - SEC;
	q.flags |= RXAQM_QUEUE_STANDING;
	q.drained_ns = now - 10 * MS;
	rxaqm_socket_look(&iface, &q, &wait, &diag, now, &socket);
	CHECK(socket.ring_entries == 2048);
	CHECK(socket.ring_full == 9);
	CHECK(socket.wait_state == RXAQM_WAIT_STALE);
	CHECK(socket.wait_ns == 0);
	CHECK(socket.wait_age_ns == SEC);
	CHECK(socket.nic_ns == 10 * MS);
	q.packet_ns = 10000;
	rxaqm_socket_look(&iface, &q, &wait, &diag, now, &socket);
	CHECK(socket.nic_ns == 2560000);
	q.signal = RXAQM_SIGNAL_HINT;
	q.flags |= RXAQM_QUEUE_SAMPLED;
	q.sample_sojourn_ns = 7;
	rxaqm_socket_look(&iface, &q, &wait, &diag, now, &socket);
	CHECK(socket.nic_ns == 7);
}

TEST_CASE("sockets: stamps are expected where a program sees them", "[sockets]")
{
	rxaqm_queue q = served();
	rxaqm_iface iface = {};

	CHECK_FALSE(rxaqm_socket_lets_stamps_be(&iface, &q));
	iface.flags = RXAQM_IFACE_HINT;
	CHECK(rxaqm_socket_lets_stamps_be(&iface, &q));
	iface.flags = RXAQM_IFACE_GENERIC;
	CHECK(rxaqm_socket_lets_stamps_be(&iface, &q));
	iface.flags = 0;
	q.flags = 0;
	CHECK(rxaqm_socket_lets_stamps_be(&iface, &q));
}

TEST_CASE("sockets: top has the consumer's wait behind the row", "[sockets]")
{
	static rxaqm_top_row row;
	char text[RXAQM_TOP_CELL];

	CHECK(std::string(rxaqm_top_socket(&row, text)) == "");
	row.now.queue.flags = RXAQM_QUEUE_SOCKET;
	CHECK(std::string(rxaqm_top_socket(&row, text)) == ", xsk -");
	row.socket.wait_state = RXAQM_WAIT_VALID;
	row.socket.wait_ns = 1234567;
	CHECK(std::string(rxaqm_top_socket(&row, text)) == ", xsk 1.23ms");
}

TEST_CASE("top: a table that has no room leaves out columns, the most spared first", "[sockets]")
{
	static rxaqm_top top;
	enum rxaqm_top_column columns[RXAQM_TOP_COLUMNS];
	char title[RXAQM_TOP_CELL];

	CHECK(rxaqm_top_fit(&top, 200, columns) == RXAQM_TOP_COLUMNS);
	for (unsigned width : { 80, 100, 120, 140 }) {
		unsigned nr = rxaqm_top_fit(&top, width, columns), used = 0;

		for (unsigned i = 0; i < nr; i++)
			used += unsigned(strlen(rxaqm_top_cell(&top, columns[i], nullptr, title))) +
				1;
		CAPTURE(width, nr, used);
		CHECK(used - 1 <= width);
		CHECK(columns[nr - 1] == RXAQM_TOP_MODE);
	}
}
