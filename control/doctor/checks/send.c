/* SPDX-License-Identifier: GPL-2.0-only */
/* Flows that programs here send, and their buffers. */
#include "doctor/checks/sockets.h"

DOCTOR_SCORE(by_send_wait)
{
	/* The buffer is twice what is in flight (tcp_sndbuf_expand): a round trip always waits. */
	if (!socket->acked || !socket->seen_before ||
	    socket->not_sent < 4ULL * socket->cwnd * socket->mss)
		return 0;
	return (double)socket->not_sent * doctor_window_s(snap) * 1e6 / (double)socket->acked;
}

DOCTOR_JUDGE(judge_not_sent)
{
	const struct doctor_socket *worst = doctor_top_flow(snap, by_send_wait);
	double wait = worst ? by_send_wait(snap, worst) : 0;

	doctor_note(finding, "waits_to_be_sent", wait, DOCTOR_US, SOCKETS);
	if (!worst || wait < 1e6 || worst->not_sent < 1 << 20)
		return DOCTOR_CLEAR;
	doctor_say_socket(snap, finding, worst);
	doctor_note(finding, "not_sent", worst->not_sent, DOCTOR_BYTES, SOCKETS);
	return DOCTOR_FOUND;
}

/* The program limits what is in flight: it is the same at both ends of the window, matches rate
 * times round trip, is below what network and receiver would take, with nothing left to send and
 * with answers coming back. An unused cwnd stays just above it (RFC 7661).
 */
DOCTOR_SCORE(by_own_window)
{
	double window = doctor_window_s(snap);
	double by_rate = (double)socket->acked / window * socket->srtt_us / 1e6;
	double in_flight = (double)socket->packets_out * socket->mss;
	double before = (double)socket->was_packets_out * socket->mss;

	if (!socket->seen_before || !socket->app_limited || socket->not_sent >= socket->mss ||
	    !socket->received || socket->srtt_us < 5000 || in_flight < 32768 ||
	    in_flight > before * 1.25 || before > in_flight * 1.25 || by_rate > in_flight * 1.4 ||
	    by_rate < in_flight * 0.6 || socket->cwnd_limited ||
	    socket->cwnd <= socket->packets_out ||
	    (socket->rwnd_limited_ms + socket->sndbuf_limited_ms) > window * 100)
		return 0;
	return (double)socket->acked;
}

DOCTOR_JUDGE(judge_own_window)
{
	const struct doctor_socket *worst = doctor_top_flow(snap, by_own_window);

	doctor_note(finding, "in_flight", worst ? (double)worst->packets_out * worst->mss : 0,
		    DOCTOR_BYTES, SOCKETS);
	if (!worst)
		return DOCTOR_CLEAR;
	doctor_say_socket(snap, finding, worst);
	doctor_note(finding, "cwnd", (double)worst->cwnd * worst->mss, DOCTOR_BYTES, SOCKETS);
	doctor_note(finding, "rtt", worst->srtt_us, DOCTOR_US, SOCKETS);
	doctor_note_rise(finding, "rate", (double)worst->acked / doctor_window_s(snap),
			 DOCTOR_BYTES_PER_S, SOCKETS);
	return DOCTOR_FOUND;
}

DOCTOR_SCORE(by_sndbuf)
{
	return doctor_or_0(socket->sndbuf_limited_ms);
}

DOCTOR_SCORE(by_rwnd)
{
	return doctor_or_0(socket->rwnd_limited_ms);
}

/* The share of the window that a flow spent waiting for what @score counts, as the kernel tells it.
 */
static enum doctor_verdict judge_limit(const struct doctor_snapshot *snap,
				       struct doctor_finding *finding, doctor_score_fn score)
{
	const struct doctor_socket *worst = doctor_top_flow(snap, score);
	double share = worst ? score(snap, worst) / 10 / doctor_window_s(snap) : 0;

	doctor_note_share(finding, "limited", share, SOCKETS);
	if (!worst || share < 50 || worst->acked < 100000)
		return DOCTOR_CLEAR;
	doctor_say_socket(snap, finding, worst);
	doctor_note(finding, "buffer", worst->sndbuf, DOCTOR_BYTES, SOCKETS);
	doctor_note(finding, "rtt", worst->srtt_us, DOCTOR_US, SOCKETS);
	doctor_note_rise(finding, "rate", (double)worst->acked / doctor_window_s(snap),
			 DOCTOR_BYTES_PER_S, SOCKETS);
	doctor_note(finding, "buffer_for_1_gbit", 125e6 * worst->srtt_us / 1e6 * 2, DOCTOR_BYTES,
		    "BDP * 2");
	doctor_note(finding, "wmem_max", (double)doctor_sysctl(snap, "net.ipv4.tcp_wmem", 2, 0),
		    DOCTOR_BYTES, "net.ipv4.tcp_wmem[2]");
	return DOCTOR_FOUND;
}

DOCTOR_JUDGE(judge_sndbuf)
{
	return judge_limit(snap, finding, by_sndbuf);
}

DOCTOR_JUDGE(judge_rwnd)
{
	return judge_limit(snap, finding, by_rwnd);
}

DOCTOR_JUDGE(judge_send)
{
	doctor_say(finding, "was", "%s",
		   doctor_sysctl_words(snap, "net.core.wmem_default") ?: "212992");
	doctor_note(finding, "wmem_default",
		    (double)doctor_sysctl(snap, "net.core.wmem_default", 0, 0), DOCTOR_BYTES,
		    "net.core.wmem_default");
	return doctor_judge_rise(snap, finding);
}

const struct doctor_check doctor_checks_send[] = {
	{ SOCKET_CHECK("tcp-not-sent", TX, ARRIVAL, LOW, MEASURED),
	  .reads = "socket table: bytes written and not sent, bytes acknowledged",
	  .rule = "1 MB or more, and four times of cwnd, waits in a socket to be sent, for 1 s or more",
	  .cause =
		  "Data that ${program} writes waits ${waits_to_be_sent} in its socket before it is sent.",
	  .because =
		  "On ${socket}, ${not_sent} are written and not sent: the send buffer is larger than the path.",
	  .clear = "written data waits ${waits_to_be_sent} at most to be sent",
	  SYSCTL("net.ipv4.tcp_notsent_lowat", "131072", "4294967295"),
	  .expect = "128 kB wait instead of ${not_sent}",
	  .risk = "programs that wait until they can write wake up more often",
	  .after = READERS
	  " cq-shared rx-queue-standing rx-queues-few rx-cpu-busy rx-cpus-busy tx-qdisc-standing link-full link-slow loss-on-long-path tcp-loss tcp-rwnd-limited",
	  .shown = "f01_web_slow_client", .reference = "tcp_notsent_lowat in ip-sysctl.rst",
	  .judge = judge_not_sent },
	{ SOCKET_CHECK("tcp-sndbuf-limited", TX, SETTING, MEDIUM, MEASURED),
	  .reads = "socket table twice: sndbuf_limited of flows, send buffer, RTT",
	  .rule = "a flow that sends 100 kB or more waits for its send buffer half of the time",
	  .cause =
		  "${program} sends through a buffer that is too small: it waits for it ${limited} of the time.",
	  .because =
		  "On ${socket}, a send buffer of ${buffer} at a round trip of ${rtt} allows ${rate}. A program that sets "
		  "SO_SNDBUF ends the kernel's tuning of it; tcp_wmem[2] (${wmem_max}) bounds that.",
	  .clear = "a flow waits for its send buffer ${limited} of the time at most",
	  .now = "take setsockopt(SO_SNDBUF) out of the program; often it has a setting for that; else raise "
		 "tcp_wmem[2]",
	  .undo = "put it back",
	  .expect =
		  "from ${rate} to what the path gives; 1 Gbit/s at ${rtt} needs ${buffer_for_1_gbit}",
	  .risk = "the kernel may use up to tcp_wmem[2] for such a socket",
	  .shown = "c17_sndbuf_16k",
	  .reference = "tcp(7), tcp_info: tcpi_sndbuf_limited; socket(7) SO_SNDBUF",
	  .judge = judge_sndbuf },
	{ SOCKET_CHECK("tcp-rwnd-limited", TX, ELSEWHERE, LOW, MEASURED),
	  .reads = "socket table twice: rwnd_limited of flows, RTT",
	  .rule = "a flow that sends 100 kB or more waits for the peer's window half of the time",
	  .cause =
		  "The peer of ${program} takes no more: its receive window holds the flow up ${limited} of the time.",
	  .because =
		  "On ${socket}, ${rate} at a round trip of ${rtt}. The program there reads slowly, or its receive "
		  "buffer is short: run the doctor there.",
	  .clear = "a flow waits for its peer's window ${limited} of the time at most",
	  .now = "run the doctor at the peer", .keep = "what the doctor there says",
	  .expect = "limited from ${limited} to below 10 %",
	  .after = READERS
	  " tcp-rcvbuf-fixed tcp-window-limit tcp-zero-window tcp-window-stuck tcp-collapse tcp-buffers-huge",
	  .shown = "live_cfs_tcp", .reference = "tcp(7), tcp_info: tcpi_rwnd_limited",
	  .judge = judge_rwnd },
	{ DOCTOR_CHECK("udp-send-buffer", TX, MEMORY, MEDIUM, MEASURED),
	  .reads = "Udp.SndbufErrors, wmem_default, txqueuelen",
	  .cause =
		  "${events} datagrams of programs here did not fit into a send buffer or a device queue.",
	  .because =
		  "With a send buffer (${wmem_default}) larger than the device's queue can hold, packets are "
		  "dropped below the socket instead of making the program wait.",
	  .clear = "${events} datagrams did not fit into a send buffer or queue",
	  .now = SET("net.core.wmem_default=212992") " or a larger txqueuelen",
	  SYSCTL_KEPT("net.core.wmem_default", "212992", "${was}"),
	  .expect = "events from ${events} to 0: the program waits instead",
	  .risk = "a program that may not wait sends less",
	  .after = "tx-qdisc-standing tx-qdisc-drops", .shown = "Google: buffers beyond txqueuelen",
	  .reference = "net/ipv4/udp.c:udp_sendmsg; Google, benchmarking UDP bulk flows",
	  .judge = judge_send },
	{ SOCKET_CHECK("app-window", PROGRAM, ELSEWHERE, LOW, INFERRED),
	  .reads =
		  "socket table twice: in flight, cwnd, app_limited, not sent, RTT, bytes acknowledged",
	  .rule = "the same 32 kB or more in flight at both ends of the window, RTT * rate, less than cwnd, "
		  "nothing left to send, answers from the peer",
	  .cause = "${program} has ${in_flight} in flight and waits for answers before it sends more: ${rate} at a "
		   "round trip of ${rtt}.",
	  .because =
		  "On ${socket}: cwnd (${cwnd}) is not used up, and nothing waits to be sent. Programs with a window of their "
		  "own (ssh, rsync, SMB, replication) stop there.",
	  .clear = "no flow with answers stops at a window of its own program",
	  .now = "a larger window in the program (ssh: HPN-SSH; SMB, iSCSI: more requests at a time), or "
		 "several connections",
	  .keep = "the program's configuration", .undo = "the old value",
	  .expect = "the rate grows with the window; cwnd does as well once it is used",
	  .risk = "memory at the receiver", .after = READERS,
	  .shown = "Google: ssh, 2 MiB in 144 ms are 113 Mbit/s",
	  .reference =
		  "Google, TCP bulk flows: ssh, 2 MiB in 144 ms are 113 Mbit/s; 14 to 232 MB/s with HPN",
	  .judge = judge_own_window },
	{}
};
