// SPDX-License-Identifier: GPL-2.0-only
/* Recorded traces, as build/replay reads them. */
#include <catch2/catch_test_macros.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" {
#include "../../replay/replay.h"
}

TEST_CASE("trace: lines", "[replay]")
{
	static const struct {
		const char *line, *says; /* "": good */
	} rows[] = {
		{ "1000,3,250,1514,2,data,0", "" },
		{ "9223372036854775807,4095,10000000000,4294967295,3,exempt,1", "" },
		{ "9223372036854775808,0,0,0,0,data,0", "now_ns \"9223372036854775808\" is not" },
		{ "1,4096,0,0,0,data,0", "queue \"4096\" is not a number from 0 to 4095" },
		{ "1,0,10000000001,0,0,data,0", "sojourn_ns \"10000000001\" is not a number" },
		{ "1,0,0,4294967296,0,data,0", "len \"4294967296\" is not" },
		{ "1,0,0,0,4,data,0", "ecn \"4\" is not a number from 0 to 3" },
		{ "1,0,0,0,0,syn,0", "" },
		{ "1,0,0,0,0,udp,0", "kind \"udp\" is not data, tcp, ack, exempt or syn" },
		{ "1,0,0,0,0,data,2", "drained \"2\" is not a number from 0 to 1" },
		{ "1,0,0,0,0,data,", "drained \"\" is not" },
		{ "1,0,-5,0,0,data,0", "sojourn_ns \"-5\" is not" },
		{ "1, 0,0,0,0,data,0", "queue \" 0\" is not" },
		{ "1,0,5us,0,0,data,0", "sojourn_ns \"5us\" is not" },
		{ "1,0,0,0,0,data", "too few fields; expected now_ns,queue" },
		{ "1,0,0,0,0,data,0,0,0", "too many fields" },
		{ "", "too few fields" },
		{ "000000000000000000000000000000000000001,0,0,0,0,data,0", "" },
		{ "1,0,0,0,0,a kind that is much too long,0", "kind \"a kind that" },
	};

	for (const auto &row : rows) {
		rxaqm_trace_packet packet;
		rxaqm_error error = {};
		bool good = !*row.says;

		INFO(row.line);
		std::string line = row.line;
		CHECK((rxaqm_trace_parse(line.data(), &packet, &error) == 0) == good);
		INFO(error.text);
		CHECK(std::string(error.text).find(row.says) == 0);
	}

	rxaqm_trace_packet packet;
	char line[] = "1000,3,250,1514,2,ack,1";
	REQUIRE(rxaqm_trace_parse(line, &packet, NULL) == 0);
	CHECK(packet.now_ns == 1000);
	CHECK(packet.queue == 3);
	CHECK(packet.sojourn_ns == 250);
	CHECK(packet.len == 1514);
	CHECK(packet.ecn == RXAQM_IP_ECT0);
	CHECK(packet.kind == RXAQM_KIND_ACK);
	CHECK(packet.drained);
	CHECK(packet.flow == 0); /* a recording without flows */

	char with_flow[] = "1000,3,250,1514,2,ack,1,4294967295";
	REQUIRE(rxaqm_trace_parse(with_flow, &packet, NULL) == 0);
	CHECK(packet.flow == 4294967295);
}

TEST_CASE("trace: files", "[replay]")
{
	const std::string header = RXAQM_TRACE_HEADER "\n";
	static const struct {
		const char *body;
		bool with_header;
		int packets;
		const char *says; /* after that many; "": the end */
	} rows[] = {
		{ "1,0,0,0,0,data,0\n1,1,0,0,0,data,0\n2,0,0,0,0,data,0", true, 3, "" },
		{ "\n# note\r\n1,0,0,0,0,data,0\r\n\n#\n", true, 1, "" },
		{ "", true, 0, "" },
		{ "", false, 0, "t.csv: no trace; expected a header" },
		{ "# only\n", false, 0, "t.csv: no trace" },
		{ "1,0,0,0,0,data,0\n", false, 0, "t.csv:1: the header is missing" },
		{ "5,0,0,0,0,data,0\n4,1,0,0,0,data,0\n", true, 1,
		  "t.csv:3: now_ns \"4\" goes back behind 5" },
		{ "# x\n5,0,0,0,0,data,0\n5,0,0,0,9,data,0\n", true, 1, "t.csv:4: ecn \"9\"" },
	};

	for (const auto &row : rows) {
		std::string text = (row.with_header ? header : "") + row.body;
		rxaqm_error error = {};
		rxaqm_trace_packet packet;
		rxaqm_trace trace = {};
		int ret, packets = 0;

		trace.file = text.empty() ? fopen("/dev/null", "r") :
					    fmemopen(text.data(), text.size(), "r");
		trace.path = "t.csv";
		while ((ret = rxaqm_trace_next(&trace, &packet, &error)) > 0)
			packets++;
		INFO(text);
		INFO(error.text);
		CHECK(packets == row.packets);
		CHECK((ret == 0) == !*row.says);
		CHECK(std::string(error.text).find(row.says) == 0);
		free(trace.buf);
		fclose(trace.file);
	}
}
