/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames for tests: Ethernet, VLAN tags, IPv4 or IPv6, TCP, UDP or anything else, with
 * right lengths and checksums. Say what matters in a Packet and build() it.
 */
#ifndef RXAQM_TESTS_PACKETS_HPP
#define RXAQM_TESTS_PACKETS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "xdp_config.h"

namespace packets
{

using Bytes = std::vector<uint8_t>;

constexpr uint8_t TCP = 6, UDP = 17, ICMP = 1, IGMP = 2, ICMPV6 = 58, OSPF = 89, VRRP = 112;
constexpr uint8_t HOPOPTS = 0, ROUTING = 43, FRAGMENT = 44, AH = 51, DSTOPTS = 60;
constexpr uint8_t FIN = 0x01, SYN = 0x02, RST = 0x04, PSH = 0x08, ACK = 0x10, URG = 0x20,
		  ECE = 0x40, CWR = 0x80;

/* An IPv6 extension header of @units times 8 bytes (AH: what its length field counts). */
struct Ext {
	uint8_t protocol;
	unsigned units;
};

/* Some key of flow hashes. */
using FlowKey = std::array<__u64, RXAQM_FLOW_KEY>;

inline FlowKey flow_key(unsigned seed)
{
	std::mt19937_64 random(seed);
	FlowKey key;

	for (__u64 &word : key)
		word = random();
	return key;
}

struct Packet {
	std::vector<uint16_t> vlans; /* TCIs, outermost first */
	uint16_t ethertype = 0; /* of a frame that is not IP; 0: as version says */
	int version = 4;
	uint8_t tos = 0; /* or traffic class */
	unsigned ip_options = 0; /* IPv4, 32-bit words */
	std::vector<Ext> ext; /* IPv6 */
	int fragment = -1; /* offset in units of 8 bytes; -1: not a fragment */
	bool more_fragments = false;
	uint8_t protocol = TCP;
	uint16_t sport = 40000, dport = 80;
	uint32_t source = 1, dest = 2; /* last words of the addresses */
	uint8_t flags = ACK;
	uint8_t reserved = 0; /* low nibble beside the TCP data offset */
	uint32_t seq = 1, ack = 1;
	uint16_t window = 512;
	Bytes tcp_options; /* a multiple of 4 bytes */
	size_t payload = 0;
	size_t padding = 0; /* bytes after the IP packet */
};

inline void put16(Bytes &out, uint32_t value)
{
	out.push_back(uint8_t(value >> 8));
	out.push_back(uint8_t(value));
}

inline void put32(Bytes &out, uint32_t value)
{
	put16(out, value >> 16);
	put16(out, value);
}

inline uint16_t get16(const uint8_t *p)
{
	return uint16_t(p[0] << 8 | p[1]);
}

/* The Internet checksum (RFC 1071) of @n bytes, on top of @sum. */
inline uint16_t checksum(const uint8_t *p, size_t n, uint64_t sum = 0)
{
	for (size_t i = 0; i < n; i++)
		sum += i % 2 ? p[i] : uint32_t(p[i]) << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return uint16_t(~sum);
}

inline Bytes timestamps(uint32_t value = 7, uint32_t echo = 8)
{
	Bytes out = { 1, 1, 8, 10 };

	put32(out, value);
	put32(out, echo);
	return out;
}

inline Bytes sack(uint32_t from, uint32_t to)
{
	Bytes out = { 1, 1, 5, 10 };

	put32(out, from);
	put32(out, to);
	return out;
}

inline Bytes build_l4(const Packet &p)
{
	Bytes out;

	if (p.fragment <= 0 && p.protocol == TCP) {
		put16(out, p.sport);
		put16(out, p.dport);
		put32(out, p.seq);
		put32(out, p.ack);
		out.push_back(uint8_t((20 + p.tcp_options.size()) / 4 << 4 | (p.reserved & 0xf)));
		out.push_back(p.flags);
		put16(out, p.window);
		put32(out, 0);
		out.insert(out.end(), p.tcp_options.begin(), p.tcp_options.end());
	} else if (p.fragment <= 0 && p.protocol == UDP) {
		put16(out, p.sport);
		put16(out, p.dport);
		put16(out, uint32_t(8 + p.payload));
		put16(out, 0);
	}
	for (size_t i = 0; i < p.payload; i++)
		out.push_back(uint8_t(i * 7 + 1));
	return out;
}

/* Fill in the checksum of the TCP or UDP header at @l4 with pseudo-header sum @pseudo. */
inline void sum_l4(const Packet &p, Bytes &l4, uint64_t pseudo)
{
	size_t at = p.protocol == TCP ? 16 : 6;
	uint16_t sum;

	if (p.fragment > 0 || (p.protocol != TCP && p.protocol != UDP))
		return;
	sum = checksum(l4.data(), l4.size(), pseudo + p.protocol + l4.size());
	if (p.protocol == UDP && !sum)
		sum = 0xffff;
	l4[at] = uint8_t(sum >> 8);
	l4[at + 1] = uint8_t(sum);
}

inline uint64_t pseudo_sum(const uint8_t *addresses, size_t n)
{
	return uint16_t(~checksum(addresses, n));
}

inline void append_ip4(Bytes &out, const Packet &p)
{
	Bytes l4 = build_l4(p), ip;
	unsigned hlen = 20 + 4 * p.ip_options;
	uint16_t sum;

	ip.push_back(uint8_t(0x40 | hlen / 4));
	ip.push_back(p.tos);
	put16(ip, uint32_t(hlen + l4.size()));
	put16(ip, 0x1234);
	put16(ip, (p.fragment > 0 ? uint32_t(p.fragment) : 0) | (p.more_fragments ? 0x2000 : 0));
	ip.push_back(64);
	ip.push_back(p.protocol);
	put16(ip, 0);
	put32(ip, 0x0a000000 | p.source);
	put32(ip, 0x0a000000 | p.dest);
	for (unsigned i = 0; i < 4 * p.ip_options; i++)
		ip.push_back(1); /* no operation */
	sum = checksum(ip.data(), ip.size());
	ip[10] = uint8_t(sum >> 8);
	ip[11] = uint8_t(sum);
	sum_l4(p, l4, pseudo_sum(&ip[12], 8));
	out.insert(out.end(), ip.begin(), ip.end());
	out.insert(out.end(), l4.begin(), l4.end());
}

inline Bytes build_ext(const Packet &p, uint8_t &first)
{
	std::vector<Ext> chain = p.ext;
	Bytes out;

	if (p.fragment >= 0)
		chain.push_back({ FRAGMENT, 1 });
	first = chain.empty() ? p.protocol : chain[0].protocol;
	for (size_t i = 0; i < chain.size(); i++) {
		uint8_t next = i + 1 < chain.size() ? chain[i + 1].protocol : p.protocol;
		size_t begin = out.size(), len = chain[i].units * 8;

		out.resize(begin + len);
		out[begin] = next;
		out[begin + 1] = uint8_t(chain[i].units - 1);
		if (chain[i].protocol == AH)
			out[begin + 1] = uint8_t(len / 4 - 2);
		if (chain[i].protocol == FRAGMENT) {
			uint32_t word = uint32_t(p.fragment < 0 ? 0 : p.fragment) << 3;

			word |= p.more_fragments;
			out[begin + 1] = 0;
			out[begin + 2] = uint8_t(word >> 8);
			out[begin + 3] = uint8_t(word);
		}
	}
	return out;
}

inline void append_ip6(Bytes &out, const Packet &p)
{
	Bytes l4 = build_l4(p), ip, ext;
	uint8_t first;

	ext = build_ext(p, first);
	put32(ip, 0x60000000 | uint32_t(p.tos) << 20 | 0x12345);
	put16(ip, uint32_t(ext.size() + l4.size()));
	ip.push_back(first);
	ip.push_back(64);
	for (uint32_t last : { p.source, p.dest }) {
		put32(ip, 0xfd000000);
		put32(ip, 0);
		put32(ip, 0);
		put32(ip, last);
	}
	sum_l4(p, l4, pseudo_sum(&ip[8], 32));
	out.insert(out.end(), ip.begin(), ip.end());
	out.insert(out.end(), ext.begin(), ext.end());
	out.insert(out.end(), l4.begin(), l4.end());
}

inline size_t ip_offset(const Packet &p)
{
	return 14 + 4 * p.vlans.size();
}

inline Bytes build(const Packet &p)
{
	Bytes out = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2 };
	uint16_t type = p.ethertype ? p.ethertype : uint16_t(p.version == 6 ? 0x86dd : 0x0800);

	for (size_t i = 0; i < p.vlans.size(); i++) {
		put16(out, i + 1 < p.vlans.size() ? 0x88a8 : 0x8100);
		put16(out, p.vlans[i]);
	}
	put16(out, type);
	if (p.ethertype)
		out.resize(out.size() + p.payload);
	else if (p.version == 6)
		append_ip6(out, p);
	else
		append_ip4(out, p);
	out.resize(out.size() + p.padding);
	return out;
}

/* True if the IPv4 header at @ip has the checksum that a full computation gives. */
inline bool ip4_checksum_ok(const uint8_t *ip)
{
	return checksum(ip, (ip[0] & 0xfu) * 4) == 0;
}

} /* namespace packets */

#endif /* RXAQM_TESTS_PACKETS_HPP */
