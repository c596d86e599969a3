/* SPDX-License-Identifier: GPL-2.0-only */
/* Windows and buffers of single TCP sockets. */
#include <string.h>

#include "doctor/checks/sockets.h"

/* How much of the window is in flight: bytes that arrive in a round trip, over the window. */
DOCTOR_SCORE(window_share)
{
	double rate = (double)socket->received / doctor_window_s(snap);
	__u32 rtt_us = socket->rcv_rtt_us;

	/* The receiver's estimate is too long without timestamps, or if the sender pauses. */
	if (socket->srtt_us && socket->srtt_us < rtt_us)
		rtt_us = socket->srtt_us;
	if (!socket->seen_before || !doctor_known(socket->rcv_wnd) || rtt_us < 1000 ||
	    socket->recv_queue > socket->rcv_wnd / 2 || socket->rmem_alloc > socket->rcvbuf / 2)
		return 0;
	return rate * rtt_us / 1e6 / socket->rcv_wnd;
}

DOCTOR_SCORE(fixed_share)
{
	return socket->rcvbuf_locked ? window_share(snap, socket) : 0;
}

DOCTOR_SCORE(limited_share)
{
	__u64 max = doctor_sysctl(snap, "net.ipv4.tcp_rmem", 2, 0);

	return !socket->rcvbuf_locked && max && socket->rcvbuf >= max ? window_share(snap, socket) :
									0;
}

static enum doctor_verdict judge_share(const struct doctor_snapshot *snap,
				       struct doctor_finding *finding, doctor_score_fn score)
{
	const struct doctor_socket *worst = doctor_top_flow(snap, score);
	double share = worst ? score(snap, worst) : 0;

	doctor_note(finding, "window_used", share * 100, DOCTOR_PERCENT, SOCKETS);
	doctor_note(finding, "locked", (double)snap->sockets.locked, DOCTOR_COUNT, SOCKETS);
	if (!worst || share < 0.8)
		return DOCTOR_CLEAR;
	doctor_say_socket(snap, finding, worst);
	doctor_note(finding, "window", worst->rcv_wnd, DOCTOR_BYTES, SOCKETS);
	doctor_note(finding, "rtt", worst->rcv_rtt_us, DOCTOR_US, SOCKETS);
	doctor_note_rise(finding, "rate", (double)worst->received / doctor_window_s(snap),
			 DOCTOR_BYTES_PER_S, SOCKETS);
	doctor_note(finding, "buffer", worst->rcvbuf, DOCTOR_BYTES, SOCKETS);
	doctor_note(finding, "buffer_for_1_gbit",
		    125e6 * worst->rcv_rtt_us / 1e6 * 256 / (worst->scaling_ratio ?: 128),
		    DOCTOR_BYTES, "BDP * 256 / scaling_ratio");
	return DOCTOR_FOUND;
}

DOCTOR_JUDGE(judge_fixed)
{
	if (!strcmp(snap->sockets.source, "diag"))
		return doctor_blind(finding, "sock_diag does not tell whether SO_RCVBUF was set");
	return judge_share(snap, finding, fixed_share);
}

DOCTOR_JUDGE(judge_limit)
{
	doctor_say_rmem(snap, finding, true);
	return judge_share(snap, finding, limited_share);
}

DOCTOR_SCORE(huge_share)
{
	double bdp_1_gbit = 125e6 * (socket->rcv_rtt_us ?: 1000) / 1e6;

	/* Full at both ends of the window: a burst is what buffers are for. */
	if (socket->rcvbuf_locked || !socket->seen_before ||
	    socket->rmem_alloc < socket->rcvbuf / 2 ||
	    socket->was_rmem_alloc < socket->rcvbuf / 4 || socket->rmem_alloc < 4 << 20 ||
	    socket->rcvbuf < 2 * bdp_1_gbit)
		return 0;
	return socket->rmem_alloc;
}

DOCTOR_JUDGE(judge_huge)
{
	const struct doctor_socket *worst = doctor_top_flow(snap, huge_share);

	doctor_note(finding, "over_limit", (double)snap->sockets.rmem_over, DOCTOR_COUNT, SOCKETS);
	doctor_note(finding, "at_maximum", (double)snap->sockets.rb_at_max, DOCTOR_COUNT, SOCKETS);
	doctor_say_rmem(snap, finding, false);
	if (!worst)
		return DOCTOR_CLEAR;
	doctor_say_socket(snap, finding, worst);
	doctor_note(finding, "memory_used", worst->rmem_alloc, DOCTOR_BYTES, SOCKETS);
	doctor_note(finding, "memory_limit", worst->rcvbuf, DOCTOR_BYTES, SOCKETS);
	doctor_note(finding, "rtt", worst->rcv_rtt_us, DOCTOR_US, SOCKETS);
	return DOCTOR_FOUND;
}

static bool tells_ratio(const struct doctor_socket *socket)
{
	return doctor_is_flow(socket) && socket->scaling_ratio;
}

/* How much of its memory is not payload, of 256. */
DOCTOR_SCORE(waste)
{
	return socket->received >= 1000000 ? 256 - (double)socket->scaling_ratio : 0;
}

DOCTOR_JUDGE(judge_truesize)
{
	const struct doctor_socket *worst = doctor_top_socket(snap, tells_ratio, waste), *socket;
	bool seen = false;

	rxaqm_list_each(socket, &snap->sockets.notable)
		seen |= tells_ratio(socket);
	if (!seen && snap->sockets.nr_tcp)
		return doctor_blind(finding,
				    "no scaling_ratio: the kernel (before 6.6) or sock_diag "
				    "does not tell it");
	doctor_note(finding, "payload_share", (worst ? worst->scaling_ratio : 256) * 100.0 / 256,
		    DOCTOR_PERCENT, SOCKETS);
	if (!worst || worst->scaling_ratio >= 64)
		return DOCTOR_CLEAR;
	doctor_say_socket(snap, finding, worst);
	doctor_note_rise(finding, "bytes_a_segment",
			 worst->data_segs_in ?
				 (double)worst->received / (double)worst->data_segs_in :
				 0,
			 DOCTOR_BYTES, SOCKETS);
	return DOCTOR_FOUND;
}

const struct doctor_check doctor_checks_window[] = {
	{ SOCKET_CHECK("tcp-rcvbuf-fixed", TCP, SETTING, HIGH, MEASURED),
	  .reads = "socket table: SO_RCVBUF lock, window, RTT, bytes received",
	  .rule = "SO_RCVBUF was set, and 80 % or more of the window is in flight all the time",
	  .cause = "${program} fixed its receive buffer (SO_RCVBUF): the window is the limit.",
	  .because =
		  "On ${socket}, a window of ${window} at a round trip of ${rtt} allows ${rate}; a buffer that "
		  "a program sets is not tuned by the kernel, and is silently cut to net.core.rmem_max.",
	  .clear = "${window_used} of a window in flight where SO_RCVBUF is set (${locked} sockets)",
	  .now = "take setsockopt(SO_RCVBUF) out of the program; often it has a setting for that",
	  .undo = "put it back",
	  .expect =
		  "from ${rate} to what the path gives; 1 Gbit/s at ${rtt} needs ${buffer_for_1_gbit}",
	  .risk = "the kernel may use up to tcp_rmem[2] for such a socket", .after = READERS,
	  .shown = "Google: buffers set by programs",
	  .reference = "socket(7) SO_RCVBUF; Google, TCP bulk flows: buffers set by programs",
	  .judge = judge_fixed },
	{ SOCKET_CHECK("tcp-window-limit", TCP, SETTING, MEDIUM, MEASURED),
	  .reads = "socket table: buffer, window, RTT, bytes received; tcp_rmem[2]",
	  .rule = "the buffer is at tcp_rmem[2], and 80 % or more of the window is in flight",
	  .cause = "The largest receive window that tcp_rmem allows is too small for the path.",
	  .because = "On ${socket}, a window of ${window} at a round trip of ${rtt} allows ${rate}.",
	  .clear = "${window_used} of a window at tcp_rmem[2] in flight", OTHER_RMEM,
	  .expect = "1 Gbit/s at ${rtt} needs a buffer of ${buffer_for_1_gbit}",
	  .risk = "a slow reader may hold that much memory: watch tcp-buffers-huge",
	  .after = READERS, .shown = "Google: 276 to 6600 Mbit/s at 121 ms",
	  .reference =
		  "tcp_rmem in ip-sysctl.rst; Google, TCP bulk flows: 276 to 6600 Mbit/s at 121 ms",
	  .judge = judge_limit },
	{ SOCKET_CHECK("tcp-buffers-huge", TCP, MEMORY, MEDIUM, MEASURED),
	  .reads = "socket table: receive memory, buffer, RTT",
	  .rule = "half of the buffer, 4 MB or more, in use all the time, and the buffer beyond 2 BDP of 1 Gbit/s",
	  .cause =
		  "A receive buffer was tuned far beyond what its path needs: ${memory_used} stand in it.",
	  .because = "${program}, ${socket}, round trip ${rtt}, limit ${memory_limit}.",
	  .clear = "${over_limit} sockets above their limit, ${at_maximum} at tcp_rmem[2]",
	  OTHER_RMEM, .expect = "at most ${other_size} a socket instead of ${memory_used}",
	  .risk = "flows with a long path get a smaller window",
	  .after =
		  "tcp-reader-stopped tcp-reader-slow reader-waits-for-cpu tcp-window-stuck tcp-collapse",
	  .shown = "n12_tcp_mem_one_app",
	  .reference = "Cloudflare 2023: 558 sockets above 5 MB at 20 ms", .judge = judge_huge },
	{ DOCTOR_CHECK("tcp-truesize", TCP, SERVICE, MEDIUM, MEASURED),
	  .reads = "socket table: scaling_ratio (6.6 or later), bytes a segment",
	  .rule = "a socket that received 1 MB or more has a scaling_ratio below 64 of 256",
	  .cause =
		  "Only ${payload_share} of receive memory is payload: each packet costs too much of it.",
	  .because =
		  "On ${socket}, ${bytes_a_segment} a segment. Messages are small, or the driver gives each packet a "
		  "page or more.",
	  .clear = "${payload_share} of receive memory is payload at worst",
	  .now = "if segments are small: larger writes at the sender; else look at the driver's "
		 "rx-copybreak and header split (ethtool --show-tunable, -g)",
	  .expect = "a window up to 4 times as large in the same memory",
	  .risk = "copybreak costs a copy", .shown = "Cloudflare: 3 times the data",
	  .reference = "net/ipv4/tcp_input.c:tcp_measure_rcv_mss", .judge = judge_truesize },
	{}
};
