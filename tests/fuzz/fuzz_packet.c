/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as a frame: classify, mark, thin. The first bytes of the input are the policy
 * and the flow's slot, the rest is the frame, alone in memory of exactly its size.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ack.h"
#include "ecn.h"
#include "flow_id.h"

#define require(condition)        \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

static uint16_t ip4_sum(const uint8_t *ip)
{
	uint32_t sum = 0, i;

	for (i = 0; i < (ip[0] & 0xfU) * 4; i += 2)
		sum += rxaqm_get_be16(ip + i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static void check_classes(const struct rxaqm_packet *pkt, size_t size)
{
	bool syn = pkt->tcp_flags & (RXAQM_TCP_SYN | RXAQM_TCP_FIN | RXAQM_TCP_RST);

	require(pkt->kind <= RXAQM_KIND_EXEMPT);
	require(pkt->ecn <= RXAQM_IP_CE);
	require(pkt->dscp < 64);
	if (pkt->kind == RXAQM_KIND_EXEMPT)
		return;
	require(pkt->ip_version == 4 || pkt->ip_version == 6);
	require(pkt->ip_off + (pkt->ip_version == 4 ? 20U : 40U) <= size);
	require(pkt->l4_off <= size);
	require(pkt->l4_off > pkt->ip_off);
	if (pkt->fragment)
		require(!pkt->sport && !pkt->dport && !pkt->tcp_hlen);
	if (pkt->protocol == RXAQM_IPPROTO_TCP && !pkt->fragment)
		require(pkt->l4_off + 20U <= size);
	require(syn == (pkt->kind == RXAQM_KIND_SYN));
	if (pkt->kind != RXAQM_KIND_DATA)
		require(pkt->protocol == RXAQM_IPPROTO_TCP && !pkt->fragment);
	if (pkt->kind != RXAQM_KIND_ACK)
		return;
	require(!pkt->payload && !pkt->more_fragments);
	require(pkt->tcp_flags & RXAQM_TCP_ACK);
}

/* Read where it lies or copied: a frame is the same. */
static void check_plain(const uint8_t *data, size_t size)
{
	const struct rxaqm_frame frame = { .data = data, .size = (uint32_t)size };
	struct rxaqm_packet plain, copied = {};

	if (!rxaqm_packet_plain(data, data + size))
		return;
	rxaqm_packet_parse_plain(&plain, data);
	rxaqm_frame_parse(&copied, &frame);
	require(plain.kind == copied.kind);
	if (plain.kind != RXAQM_KIND_EXEMPT)
		require(!memcmp(&plain, &copied, sizeof(plain)));
}

/* Only the ECN field and the IPv4 checksum may change, and a right checksum stays so. */
static void check_mark(const struct rxaqm_policy *policy, const struct rxaqm_packet *pkt,
		       uint8_t *frame, size_t size)
{
	uint8_t *before = malloc(size ? size : 1);
	struct rxaqm_packet again;
	uint32_t off = pkt->ip_off;
	bool sum_ok, marked;
	size_t i;

	require(before);
	if (pkt->kind == RXAQM_KIND_EXEMPT)
		goto out; /* never marked */
	memcpy(before, frame, size);
	/* A header of zeros but for its checksum has two right ones; there is none such. */
	sum_ok = pkt->ip_version == 4 && ip4_sum(frame + off) == 0xffff;
	marked = rxaqm_ecn_mark(frame + off);
	require(marked == (pkt->ecn != RXAQM_IP_NOT_ECT));
	for (i = 0; i < size; i++) {
		uint8_t may = 0;

		if (marked && i == off + 1)
			may = pkt->ip_version == 4 ? 0x03 : 0x30;
		if (marked && pkt->ip_version == 4 && (i == off + 10 || i == off + 11))
			may = 0xff;
		require(!((frame[i] ^ before[i]) & ~may));
	}
	if (sum_ok)
		require(ip4_sum(frame + off) == 0xffff);

	rxaqm_packet_classify(&again, frame, frame + size, policy);
	if (marked) {
		require(again.ecn == RXAQM_IP_CE);
		again.ecn = pkt->ecn;
	}
	require(!memcmp(&again, pkt, sizeof(again)));
out:
	free(before);
}

static void check_ack(struct rxaqm_ack_flow flow, const struct rxaqm_packet *pkt,
		      const uint8_t *data, size_t size)
{
	const struct rxaqm_frame frame = { .data = data, .size = (uint32_t)size };
	uint64_t gap_ns = RXAQM_NSEC_PER_MSEC, now_ns = flow.passed_ns + 1000;
	bool known = flow.id & 1;
	static const __u64 key[RXAQM_FLOW_KEY] = { 1, 3, 0x9e3779b97f4a7c15 };
	uint32_t id = rxaqm_flow_id(pkt, &frame, NULL, 0, key);
	struct rxaqm_ack_news ack;

	if (rxaqm_flow_tunnel(pkt->protocol))
		id ^= rxaqm_flow_inner(&frame, pkt->protocol, pkt->l4_off, key);
	if (!rxaqm_ack_read(&ack, &frame, rxaqm_flow_of(id, 1), pkt->l4_off)) {
		require(pkt->l4_off + pkt->tcp_hlen > size);
		return;
	}
	require(ack.id);
	flow.id = known ? ack.id : 0;
	if (rxaqm_ack_thin(&flow, &ack, gap_ns, 0, now_ns))
		require(known);
	else
		require(flow.id == ack.id);
	/* The very same again is a duplicate. */
	require(!rxaqm_ack_thin(&flow, &ack, gap_ns, 0, now_ns + 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct rxaqm_policy policy;
	struct rxaqm_ack_flow flow;
	struct rxaqm_packet pkt;
	uint8_t *frame;

	if (size < sizeof(policy) + sizeof(flow))
		return 0;
	memcpy(&policy, input, sizeof(policy));
	memcpy(&flow, input + sizeof(policy), sizeof(flow));
	input += sizeof(policy) + sizeof(flow);
	size -= sizeof(policy) + sizeof(flow);
	policy.nr_exempt_ports %= RXAQM_MAX_EXEMPT_PORTS + 1;

	/* From malloc, so that a byte too far is seen. */
	frame = malloc(size ? size : 1);
	require(frame);
	if (size)
		memcpy(frame, input, size);
	rxaqm_packet_classify(&pkt, frame, frame + size, &policy);
	check_classes(&pkt, size);
	check_plain(frame, size);
	if (pkt.kind == RXAQM_KIND_ACK)
		check_ack(flow, &pkt, frame, size);
	check_mark(&policy, &pkt, frame, size);
	free(frame);
	return 0;
}
