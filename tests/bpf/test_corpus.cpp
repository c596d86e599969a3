// SPDX-License-Identifier: GPL-2.0-only
/* A sample of tests/corpus/packets.py through the XDP program, with linear parts of any length. */
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "../support/corpus.hpp"
#include "decide.h"
#include "plane.hpp"

TEST_CASE("corpus: the XDP program finds the class that each frame was made for", "[corpus]")
{
	Plane plane;
	rxaqm_policy policy = simple_policy();
	unsigned number = 0, checked = 0;

	policy.exempt_dscp = 0;
	plane.set_policy(policy);
	plane.stand(100 * US);
	plane.run(data_packet()); /* takes the policy over */
	corpus_frames([&](const CorpusFrame &frame) {
		const size_t size = frame.bytes.size();
		const bool with_policy = frame.policy.nr_exempt_ports || frame.policy.exempt_dscp;

		if (number++ % 23 || with_policy || size < 14)
			return;
		for (size_t linear : { size, size / 2, size_t(number % 60) }) {
			uint64_t exempt = plane.stat(RXAQM_STAT_OVER_EXEMPT);
			uint64_t ack = plane.stat(RXAQM_STAT_OVER_ACK);

			plane.stand(5 * MS);
			plane.run_split(frame.bytes, std::min(linear, size));
			CAPTURE(frame.name, size, frame.whole, linear);
			CHECK(plane.stat(RXAQM_STAT_OVER_EXEMPT) - exempt ==
			      (frame.kind == RXAQM_KIND_EXEMPT));
			CHECK(plane.stat(RXAQM_STAT_OVER_ACK) - ack ==
			      (frame.kind == RXAQM_KIND_ACK));
		}
		checked++;
	});
	CHECK(checked > 1000);
}
