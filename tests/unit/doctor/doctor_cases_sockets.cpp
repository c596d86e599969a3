// SPDX-License-Identifier: GPL-2.0-only
/* Golden bundles of sockets: who does not read, and what was made too small or too large. */
#include "doctor_case.hpp"

static void udp_drops(Bundle &bundle, const char *fields)
{
	bundle.socket(
		std::string(R"({"proto":"udp","state":"","remote":"0.0.0.0:0","drops":50000,)") +
		fields + "}");
	bundle.rise("Udp.RcvbufErrors", 50000);
}

static void stuck_socket(Bundle &bundle)
{
	bundle.owner(5, 0).socket(R"({"rcvbuf":67108864,"rmem_alloc":64637712,
		"was_rmem_alloc":41040,"recv_queue":56122686,"was_recv_queue":28960,
		"rcv_wnd":11284480,"received":390000000,"read":390000000})");
}

/* clang-format off: a row a cause */
const std::vector<Case> &doctor_cases_sockets()
{
	static const std::vector<Case> cases = {
		{ "tcp-reader-stopped",
		  {},
		  [](Bundle &b) {
			  b.owner(0, 0).socket(R"({"recv_queue":60000,"was_recv_queue":20000,
				"received":40000,"rmem_alloc":90000,"was_rmem_alloc":30000})");
		  } },
		{ "tcp-reader-stopped",
		  { "tcp-zero-window" },
		  [](Bundle &b) {
			  b.owner(0, 0, 0, "T")
				  .socket(R"({"recv_queue":120000,"was_recv_queue":120000,
				"rcv_wnd":0,"rmem_alloc":131072,"was_rmem_alloc":131072})");
			  b.set("/sockets/zero_window", "1");
		  } },
		/* Fixed SO_RCVBUF and no reader: what is dropped is a consequence. */
		{ "tcp-reader-stopped",
		  { "tcp-queue-drop" },
		  [](Bundle &b) {
			  b.socket(R"({"recv_queue":60000,"was_recv_queue":20000,"received":40000,
				"rcvbuf_locked":true,"rcvbuf":65536,"rmem_alloc":73984})");
			  b.rise("TcpExt.TCPRcvQDrop", 13);
		  } },
		{ "tcp-reader-slow",
		  { "tcp-collapse", "tcp-window-stuck", "tcp-buffers-huge" },
		  [](Bundle &b) {
			  b.owner(100, 0).socket(R"({"recv_queue":6000000,"was_recv_queue":5000000,
				"received":2000000,"read":1000000,"rcvbuf":33554432,
				"rmem_alloc":30000000,"was_rmem_alloc":28000000,
				"rcv_wnd":11000000})");
			  b.rise("TcpExt.TCPRcvCollapsed", 4000)
				  .rise("TcpExt.TCPWantZeroWindowAdv", 900);
		  } },
		{ "listen-overflow",
		  {},
		  [](Bundle &b) {
			  b.owner(1, 0).socket(
				  R"({"state":"listen","remote":"0.0.0.0:0","recv_queue":129,
				"send_queue":128})");
			  b.rise("TcpExt.ListenOverflows", 500).rise("TcpExt.ListenDrops", 500);
		  } },
		{ "tcp-memory",
		  { "tcp-pruned" },
		  [](Bundle &b) {
			  b.set("/after/counters/sockstat.TCP.mem", "390000");
			  b.rise("TcpExt.TCPMemoryPressures", 20).rise("TcpExt.RcvPruned", 700);
		  } },
		{ "tcp-rcvbuf-fixed",
		  {},
		  [](Bundle &b) {
			  b.owner(5, 0).socket(
				  R"({"rcvbuf_locked":true,"rcvbuf":131072,"rcv_wnd":65536,
				"received":32000000,"read":32000000,"data_segs_in":22000})");
		  } },
		{ "tcp-window-limit",
		  {},
		  [](Bundle &b) {
			  b.owner(5, 0).socket(
				  R"({"rcvbuf":33554432,"rcv_wnd":16777216,"rcv_rtt_us":121000,"srtt_us":121000,
				"received":1300000000,"read":1300000000})");
		  } },
		{ "tcp-collapse",
		  { "tcp-window-stuck", "tcp-buffers-huge" },
		  [](Bundle &b) {
			  b.owner(5, 0).socket(R"({"rcvbuf":33554432,"rmem_alloc":20000000,
				"was_rmem_alloc":20000000,"received":90000000,"read":90000000,
				"rcv_wnd":18000000})");
			  b.rise("TcpExt.TCPRcvCollapsed", 4000)
				  .rise("TcpExt.TCPWantZeroWindowAdv", 900);
		  } },
		{ "tcp-pruned", {}, [](Bundle &b) { b.rise("TcpExt.OfoPruned", 800); } },
		{ "tcp-queue-drop", {}, [](Bundle &b) { b.rise("TcpExt.TCPRcvQDrop", 800); } },
		/* As a reader that has just become slow leaves it. */
		{ "tcp-window-stuck",
		  { "tcp-zero-window" },
		  [](Bundle &b) {
			  stuck_socket(b);
			  b.rise("TcpExt.TCPWantZeroWindowAdv", 900)
				  .rise("TcpExt.TCPToZeroWindowAdv", 300);
		  } },
		{ "tcp-buffers-huge",
		  {},
		  [](Bundle &b) {
			  b.owner(5, 0).socket(R"({"rcvbuf":33554432,"rmem_alloc":20000000,
				"was_rmem_alloc":20000000,"received":90000000,"read":90000000})");
		  } },
		{ "tcp-zero-window",
		  {},
		  [](Bundle &b) {
			  b.rise("TcpExt.TCPToZeroWindowAdv", 200)
				  .rise("TcpExt.TCPFromZeroWindowAdv", 200);
		  } },
		{ "tcp-truesize",
		  {},
		  [](Bundle &b) {
			  b.owner(5, 0).socket(
				  R"({"scaling_ratio":20,"received":5000000,"read":5000000,
				"data_segs_in":50000})");
		  } },
		{ "tcp-not-sent",
		  {},
		  [](Bundle &b) {
			  b.owner(5, 0).socket(
				  R"({"not_sent":4000000,"acked":10000000,"cwnd":20,"mss":1448})");
		  } },
		{ "udp-reader-stopped",
		  { "udp-overflow" },
		  [](Bundle &b) {
			  udp_drops(b,
				    R"("rcvbuf":212992,"rmem_alloc":212000,"was_rmem_alloc":212000)");
		  } },
		{ "udp-reader-shares-cpu",
		  { "udp-overflow" },
		  [](Bundle &b) {
			  udp_drops(b,
				    R"("rcvbuf":212992,"rmem_alloc":200000,"was_rmem_alloc":1000)");
			  b.rise("Udp.InDatagrams", 90000)
				  .owner(40, 55, 1)
				  .softirq(1, 45)
				  .softirq(0, 0);
		  } },
		/* They leave it hardly any time: it reads less than a hundredth. */
		{ "udp-reader-shares-cpu",
		  { "udp-overflow" },
		  [](Bundle &b) {
			  udp_drops(b,
				    R"("rcvbuf":212992,"rmem_alloc":212000,"was_rmem_alloc":212000)");
			  b.rise("Udp.InDatagrams", 300)
				  .owner(70, 53, 1)
				  .softirq(1, 45)
				  .softirq(0, 0);
		  } },
		{ "udp-reader-slow",
		  { "udp-overflow" },
		  [](Bundle &b) {
			  udp_drops(b,
				    R"("rcvbuf":212992,"rmem_alloc":212000,"was_rmem_alloc":212000)");
			  b.rise("Udp.InDatagrams", 90000).owner(99, 0);
		  } },
		{ "udp-burst",
		  { "udp-overflow" },
		  [](Bundle &b) {
			  udp_drops(b, R"("rcvbuf":212992,"rmem_alloc":1000,"was_rmem_alloc":0)");
			  b.rise("Udp.InDatagrams", 90000).owner(20, 0);
		  } },
		{ "udp-overflow", {}, [](Bundle &b) { b.rise("Udp6.RcvbufErrors", 300); } },
		{ "udp-memory", {}, [](Bundle &b) { b.rise("Udp.MemErrors", 300); } },
		{ "udp-send-buffer", {}, [](Bundle &b) { b.rise("Udp.SndbufErrors", 300); } },
	};

	return cases;
}
/* clang-format on */
