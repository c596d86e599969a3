/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets of a library that knows nothing of ours, and what they are: tests/corpus/packets.py. */
#include <catch2/catch_test_macros.hpp>

#include <map>

#include "corpus.hpp"
#include "ack.h"
#include "flow_id.h"
#include "packets.hpp"

TEST_CASE("corpus: every frame is of the class it was made for", "[corpus]")
{
	std::map<int, unsigned> seen;

	corpus_frames([&](const CorpusFrame &frame) {
		const uint8_t *data = frame.bytes.data();
		rxaqm_packet pkt;

		rxaqm_packet_classify(&pkt, data, data + frame.bytes.size(), &frame.policy);
		CAPTURE(frame.name, frame.bytes.size(), frame.whole);
		CHECK(int(pkt.kind) == frame.kind);
		if (pkt.kind != RXAQM_KIND_EXEMPT) {
			CHECK(int(pkt.ecn) == frame.ecn);
			CHECK(pkt.ip_off == frame.ip_off);
		}
		seen[frame.kind]++;
	});
	for (int kind = RXAQM_KIND_TCP; kind <= RXAQM_KIND_EXEMPT; kind++)
		CHECK(seen[kind] > 1000);
}

TEST_CASE("corpus: an ACK that tells something is never dropped", "[corpus]")
{
	constexpr __u64 GAP = 5 * RXAQM_NSEC_PER_MSEC;
	__u64 now_ns = RXAQM_NSEC_PER_SEC, since_ns = 0;
	std::vector<rxaqm_ack_flow> table(RXAQM_ACK_FLOWS);
	unsigned dropped = 0, number = 0;

	corpus_segments([&](const CorpusSegment &segment) {
		const rxaqm_frame frame = { segment.bytes.data(), __u32(segment.bytes.size()) };
		rxaqm_packet pkt = {};
		rxaqm_ack_news ack = {};

		number++;
		now_ns += segment.us * RXAQM_NSEC_PER_USEC;
		if (segment.what == CorpusSegment::BEGIN) {
			table.assign(RXAQM_ACK_FLOWS, {});
			number = 0;
			return;
		}
		CAPTURE(segment.name, number, segment.expect);
		rxaqm_frame_parse(&pkt, &frame);
		if (segment.what == CorpusSegment::DATA) {
			CHECK(int(pkt.kind) == RXAQM_KIND_TCP);
			return;
		}
		if (segment.what == CorpusSegment::UNASKED) {
			since_ns = now_ns;
			return;
		}
		if (pkt.kind == RXAQM_KIND_SYN)
			return; /* not asked about */
		REQUIRE(pkt.kind == RXAQM_KIND_ACK);
		REQUIRE(rxaqm_ack_read(&ack, &frame,
				       rxaqm_flow_id(&pkt, &frame, NULL, 0,
						     packets::flow_key(1).data()),
				       pkt.l4_off));
		bool drop = rxaqm_ack_thin(&table[ack.id % RXAQM_ACK_FLOWS], &ack, GAP, since_ns,
					   now_ns);
		if (segment.expect != "any")
			CHECK(drop == (segment.expect == "drop"));
		dropped += drop;
	});
	CHECK(dropped > 1000);
}
