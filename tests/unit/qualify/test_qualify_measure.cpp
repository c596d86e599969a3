// SPDX-License-Identifier: GPL-2.0-only
/* qualify: test frames, and figures from samples. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <arpa/inet.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include "qualify/measure/figure.h"
#include "qualify/measure/frame.h"
#include "qualify/qualify.h"
#include "qualify/rows/row.h"
}

using Catch::Matchers::WithinRel;

namespace
{

struct Samples {
	struct qualify_samples samples = {};

	Samples(const std::vector<double> &values)
	{
		for (double value : values)
			qualify_samples_add(&samples, value);
		qualify_samples_sort(&samples);
	}
	~Samples()
	{
		qualify_samples_free(&samples);
	}
};

/* A row whose figures are freed. */
struct Row {
	struct qualify_row row = {};

	~Row()
	{
		for (size_t i = 0; i < row.figures.nr; i++) {
			for (size_t j = 0; j < row.figures.at[i].curves.nr; j++)
				free(row.figures.at[i].curves.at[j].points.at);
			free(row.figures.at[i].curves.at);
		}
		free(row.figures.at);
	}
};

struct qualify_frame frame_of(int kind, size_t size)
{
	struct qualify_frame frame = {};

	frame.kind = static_cast<enum qualify_kind>(kind);
	frame.size = size;
	frame.flow = 5;
	memset(frame.to, 0x11, sizeof(frame.to));
	memset(frame.from, 0x22, sizeof(frame.from));
	return frame;
}

/* The Internet checksum over @at, with @sum from before: 0xffff if the one in it is right. */
uint32_t sum_of(const unsigned char *at, size_t size, uint32_t sum = 0)
{
	for (size_t i = 0; i + 1 < size; i += 2)
		sum += uint32_t(at[i] << 8 | at[i + 1]);
	if (size & 1)
		sum += uint32_t(at[size - 1] << 8);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

} // namespace

TEST_CASE("frames of all kinds have their mark, the size asked for, and fit", "[qualify]")
{
	for (int kind = 0; kind < QUALIFY_NR_KINDS; kind++) {
		for (size_t size :
		     { size_t(0), size_t(60), size_t(200), size_t(1514), size_t(99999) }) {
			unsigned char buf[QUALIFY_FRAME_MAX];
			struct qualify_frame frame = frame_of(kind, size);
			struct qualify_mark mark;
			size_t len = qualify_frame_build(buf, &frame, 0x12345678,
							 0x123456789abcdefULL);

			CAPTURE(qualify_kinds[kind], size);
			CHECK(len >= QUALIFY_FRAME_MIN);
			CHECK(len <= QUALIFY_FRAME_MAX);
			if (size >= 80 && size <= QUALIFY_FRAME_MAX)
				CHECK(len == size);
			REQUIRE(qualify_frame_mark(buf, len, &mark));
			CHECK(mark.seq == 0x12345678);
			CHECK(mark.sent_ns == 0x123456789abcdefULL);
			/* A snap length that cuts the mark. */
			CHECK_FALSE(qualify_frame_mark(buf, 50, &mark));
		}
	}
	CHECK(qualify_kinds[QUALIFY_NR_KINDS] == nullptr);
}

TEST_CASE("the shortest datagram is a shortest frame", "[qualify]")
{
	unsigned char buf[QUALIFY_FRAME_MAX];
	struct qualify_frame frame = frame_of(QUALIFY_UDP4, 0);

	CHECK(qualify_frame_build(buf, &frame, 1, 1) == QUALIFY_FRAME_MIN);
}

TEST_CASE("a tunnel's headers, and by flow what is in it or these", "[qualify]")
{
	struct {
		int kind, protocol, inner_at;
	} const tunnels[] = { { QUALIFY_VXLAN, 17, 64 },     { QUALIFY_GRE, 47, 38 },
			      { QUALIFY_IPIP, 4, 34 },	     { QUALIFY_VXLAN_OUTER, 17, 64 },
			      { QUALIFY_GRE_OUTER, 47, 38 }, { QUALIFY_IPIP_OUTER, 4, 34 } };

	for (const auto &tunnel : tunnels) {
		unsigned char buf[2][QUALIFY_FRAME_MAX];
		const bool outer = tunnel.kind >= QUALIFY_VXLAN_OUTER;
		const int at = tunnel.inner_at;

		CAPTURE(qualify_kinds[tunnel.kind]);
		for (unsigned flow = 0; flow < 2; flow++) {
			struct qualify_frame frame = frame_of(tunnel.kind, 0);

			frame.flow = 5 + flow;
			qualify_frame_build(buf[flow], &frame, 1, 1);
			CHECK(sum_of(buf[flow] + 14, 20) == 0xffff);
			CHECK(sum_of(buf[flow] + at, 20) == 0xffff);
		}
		CHECK(buf[0][23] == tunnel.protocol);
		CHECK(buf[0][at + 9] == 17);
		/* Source addresses, and the ports in it. */
		CHECK((memcmp(buf[0] + 26, buf[1] + 26, 4) != 0) == outer);
		CHECK((memcmp(buf[0] + at + 12, buf[1] + at + 12, 4) != 0) == !outer);
		CHECK((memcmp(buf[0] + at + 20, buf[1] + at + 20, 4) != 0) == !outer);
	}
}

TEST_CASE("a tag that was taken out leaves the mark where it is found", "[qualify]")
{
	unsigned char buf[QUALIFY_FRAME_MAX];
	struct qualify_frame frame = frame_of(QUALIFY_VLAN, 200);
	size_t len = qualify_frame_build(buf, &frame, 7, 9);
	struct qualify_mark mark;

	REQUIRE((buf[12] << 8 | buf[13]) == 0x8100);
	memmove(buf + 12, buf + 16, len - 16);
	REQUIRE(qualify_frame_mark(buf, len - 4, &mark));
	CHECK(mark.seq == 7);
}

TEST_CASE("checksums of frames are right", "[qualify]")
{
	unsigned char buf[QUALIFY_FRAME_MAX];

	for (int kind : { QUALIFY_UDP4, QUALIFY_TCP4, QUALIFY_STREAM, QUALIFY_FRAGMENT }) {
		for (size_t size : { size_t(100), size_t(101) }) {
			struct qualify_frame frame = frame_of(kind, size);
			size_t len = qualify_frame_build(buf, &frame, 3, 4);

			CAPTURE(qualify_kinds[kind], size);
			CHECK(sum_of(buf + 14, 20) == 0xffff);
			if (kind == QUALIFY_TCP4 || kind == QUALIFY_STREAM) {
				uint32_t pseudo = sum_of(buf + 26, 8, uint32_t(len) - 34 + 6);

				CHECK(sum_of(buf + 34, len - 34, pseudo) == 0xffff);
			}
		}
	}
	struct qualify_frame frame = frame_of(QUALIFY_UDP6, 200);
	size_t len = qualify_frame_build(buf, &frame, 3, 4);
	uint32_t pseudo = sum_of(buf + 22, 32, uint32_t(len) - 54 + 17);

	CHECK(sum_of(buf + 54, len - 54, pseudo) == 0xffff);
}

TEST_CASE("segments of a stream follow each other, others do not", "[qualify]")
{
	unsigned char buf[QUALIFY_FRAME_MAX];
	uint32_t at[2][2];

	for (int i = 0; i < 2; i++) {
		for (uint32_t seq = 0; seq < 2; seq++) {
			struct qualify_frame frame = frame_of(i ? QUALIFY_TCP4 : QUALIFY_STREAM,
							      1000);

			qualify_frame_build(buf, &frame, seq, 0);
			memcpy(&at[i][seq], buf + 38, 4);
			at[i][seq] = ntohl(at[i][seq]);
		}
	}
	CHECK(at[0][1] - at[0][0] == 1000 - 54);
	CHECK(at[1][1] - at[1][0] != 1000 - 54);
}

/* "Verifying the RSS Hash Calculation", learn.microsoft.com. */
TEST_CASE("Toeplitz gives the known answers", "[qualify]")
{
	static const __u8 key[40] = { 0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
				      0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
				      0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
				      0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa };
	static const __u8 data[12] = { 66,  9,	149,	   187,	       161,	  142,
				       100, 80, 2794 >> 8, 2794 & 255, 1766 >> 8, 1766 & 255 };

	CHECK(qualify_toeplitz(key, data, 8) == 0x323e8fc2);
	CHECK(qualify_toeplitz(key, data, 12) == 0x51ccc178);
}

TEST_CASE("what RSS hashes of a flow is what its frame has", "[qualify]")
{
	unsigned char buf[QUALIFY_FRAME_MAX];
	struct qualify_frame frame = frame_of(QUALIFY_UDP4, 0);
	__u8 tuple[12];

	for (unsigned flow : { 0U, 1U, 255U, 256U, 59999U, 60001U }) {
		frame.flow = flow;
		qualify_frame_build(buf, &frame, 0, 0);
		CHECK(qualify_frame_tuple(flow, true, tuple) == 12);
		CHECK(!memcmp(tuple, buf + 26, 12));
		CHECK(qualify_frame_tuple(flow, false, tuple) == 8);
	}
}

TEST_CASE("a figure of samples", "[qualify]")
{
	Samples odd({ 3, 1, 2 });
	Row row;
	struct qualify_figure *figure = qualify_figure_add(&row.row, "name", "ns", "method of %d",
							   3);

	CHECK(qualify_samples_quantile(&odd.samples, 0.5) == 2);
	CHECK(qualify_samples_quantile(&odd.samples, 0) == 1);
	CHECK(qualify_samples_quantile(&odd.samples, 1) == 3);
	REQUIRE(figure);
	CHECK(std::isnan(figure->median));
	qualify_figure_samples(figure, &odd.samples, 0.5);
	qualify_curve_cdf(figure, "all", &odd.samples);
	CHECK(figure->n == 3);
	CHECK(figure->median == 2);
	CHECK(figure->p99 == 3);
	CHECK(figure->min == 1);
	CHECK(figure->max == 3);
	CHECK(figure->error == 0.5);
	CHECK_THAT(figure->cv, WithinRel(std::sqrt(2.0 / 3) / 2, 1e-9));
	CHECK(std::string(figure->method) == "method of 3");
	REQUIRE(figure->curves.nr == 1);
	REQUIRE(figure->curves.at[0].points.nr == 3);
	CHECK(figure->curves.at[0].distribution);
	CHECK(figure->curves.at[0].points.at[2].x == 3);
	CHECK(figure->curves.at[0].points.at[2].y == 1);
}

TEST_CASE("a figure without samples says nothing", "[qualify]")
{
	Samples none({});
	Row row;
	struct qualify_figure *figure = qualify_figure_add(&row.row, "name", "ns", "method");

	qualify_figure_samples(figure, &none.samples, 1);
	qualify_curve_cdf(figure, "none", &none.samples);
	CHECK(std::isnan(figure->median));
	CHECK(figure->n == 0);
	CHECK(figure->curves.nr == 0);
	/* No memory for a figure. */
	qualify_figure_number(nullptr, 1, 1, 1);
	qualify_figure_words(nullptr, "x");
	qualify_curve_cdf(nullptr, "x", &none.samples);
}

TEST_CASE("Allan deviation: of a constant rate none, of a known course the known", "[qualify]")
{
	std::vector<double> line, zigzag;

	for (int i = 0; i < 100; i++) {
		line.push_back(7.0 * i);
		zigzag.push_back(i & 1 ? 10 : -10);
	}
	CHECK(qualify_allan_ppb(line.data(), line.size(), 0.1, 1) < 1e-9);
	/* Second differences of +-40 ns over 0.1 s: 40 / sqrt(2) / 1e8 * 1e9. */
	CHECK_THAT(qualify_allan_ppb(zigzag.data(), zigzag.size(), 0.1, 1),
		   WithinRel(40 / std::sqrt(2.0) * 10, 1e-9));
	CHECK(std::isnan(qualify_allan_ppb(line.data(), 4, 0.1, 2)));
	CHECK(std::isnan(qualify_allan_ppb(line.data(), 4, 0.1, 0)));
}

TEST_CASE("the resolution of stamps", "[qualify]")
{
	const std::vector<__u64> eights{ 1000, 1008, 1040, 1024 }, ones{ 5, 7, 10 },
		same{ 9, 9, 9 };

	CHECK(qualify_resolution(eights.data(), eights.size()) == 8);
	CHECK(qualify_resolution(ones.data(), ones.size()) == 1);
	CHECK(qualify_resolution(same.data(), same.size()) == 0);
}

TEST_CASE("how completions come is not told by frames on an idle CPU alone", "[qualify]")
{
	struct Case {
		bool completes;
		std::vector<double> held, shares;
		const char *design;
	};
	const std::vector<double> full(9, 510), split(9, 0.1), all(9, 1);

	for (const Case &c : std::vector<Case>{
		     { true, full, split, "split" },
		     { true, full, all, "shared" },
		     { false, full, split, "none: " },
		     /* The frame that was to hold the CPU did not come. */
		     { false, {}, {}, "unknown: 0 of 9 rounds" },
		     { false, { 510 }, { 0.1 }, "unknown: 1 of 9 rounds" },
		     { true, {}, {}, "unknown: 0 of 9 rounds" },
		     { true, std::vector<double>(9, 60), split, "unknown: the 60 packets" },
	     }) {
		Samples held(c.held), shares(c.shares);
		Row row;

		qualify_put_design(&row.row, c.completes, &held.samples, &shares.samples);
		const auto &figure = row.row.figures.at[0];
		const std::string detail = figure.detail;

		CHECK((figure.words + (detail.empty() ? "" : ": " + detail)).find(c.design) == 0);
	}
}
