/* SPDX-License-Identifier: GPL-2.0-only */
/* Causes outside this host: the path, the sender. */
#include <string.h>

#include "doctor/checks/ifaces.h"
#include "doctor/checks/sockets.h"

/* For .after: what loses packets on their way to TCP. */
#define LOST_HERE                                                                                    \
	"duplex-mismatch wire-errors link-slow link-full nic-ring-overflow nic-port-discards "       \
	"nic-no-memory nic-allowance frames-too-long checksum-errors backlog-drops xdp-drops "       \
	"veth-drops tun-drops ingress-drops ip-undelivered conntrack-full conntrack-race rp-filter " \
	"tcp-queue-drop tcp-pruned"

DOCTOR_JUDGE(judge_reorder)
{
	static const char names[] =
		"TcpExt.TCPSACKReorder|TcpExt.TCPTSReorder|TcpExt.TCPRenoReorder";
	__u64 events, segments;

	/* Counted by senders, for what they sent: few ACKs come back for each segment. */
	if (!doctor_counters(snap, names, &events) ||
	    !doctor_counter(snap, "Tcp.OutSegs", &segments))
		return doctor_blind(finding, "/proc/net/netstat has no counters of reordering");
	doctor_note_counter(snap, finding, "events", names);
	doctor_note_counter(snap, finding, "segments", "Tcp.OutSegs");
	doctor_note_counter(snap, finding, "out_of_order", "TcpExt.TCPOFOQueue");
	doctor_note_counter(snap, finding, "received", "Tcp.InSegs");
	doctor_say_keep(finding, doctor_say_busiest(snap, finding), NULL, NULL);
	return doctor_found_if(segments >= 1000 && events * 1000 > segments);
}

/* A host that only receives sends nothing again: it sees loss as segments that come behind a gap.
 */
DOCTOR_JUDGE(judge_gaps)
{
	double share = doctor_gap_percent(snap);

	doctor_note_counter(snap, finding, "behind", "TcpExt.TCPOFOQueue");
	doctor_note_counter(snap, finding, "twice",
			    "TcpExt.TCPDSACKOldSent|TcpExt.TCPDSACKOfoSent");
	doctor_note_counter(snap, finding, "segments", "Tcp.InSegs");
	doctor_note_share(finding, "share", share, "TCPOFOQueue less DSACKs, over Tcp.InSegs");
	/* TCP itself fills links until some are lost; one loss holds back a window of segments. */
	if (share < 20)
		finding->severity = DOCTOR_LOW;
	return doctor_found_if(share >= 10);
}

/* Loss on a long path, for a control that takes each loss for congestion. Use the shortest round
 * trip: loss lengthens the smoothed one.
 */
DOCTOR_SCORE(by_long_loss)
{
	if (doctor_or_0(socket->min_rtt_us) < 50000 || socket->segs_out < 100 ||
	    (double)socket->retrans < doctor_window_s(snap) ||
	    (strcmp(socket->ca, "cubic") && strcmp(socket->ca, "reno")))
		return 0;
	return (double)socket->retrans;
}

DOCTOR_SCORE(by_loss)
{
	return (double)socket->retrans;
}

/* The share of segments that were sent again and did not arrive twice. False: not known. */
static bool note_loss(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		      double *ret_lost, double *ret_share)
{
	__u64 retrans, segments, twice = 0;

	if (!doctor_counter(snap, "Tcp.RetransSegs", &retrans) ||
	    !doctor_counter(snap, "Tcp.OutSegs", &segments)) {
		doctor_blind(finding, "/proc/net/snmp has no counters of TCP");
		return false;
	}
	/* The peer reports what came twice. */
	doctor_counter(snap, "TcpExt.TCPDSACKRecv", &twice);
	*ret_lost = retrans > twice ? (double)(retrans - twice) : 0;
	*ret_share = segments ? *ret_lost * 100 / (double)segments : 0;
	doctor_note_count(finding, "retransmitted", retrans, "Tcp.RetransSegs");
	doctor_note_count(finding, "needlessly", twice, "TcpExt.TCPDSACKRecv");
	doctor_note_count(finding, "segments", segments, "Tcp.OutSegs");
	doctor_note_share(finding, "share", *ret_share, "Tcp.RetransSegs / Tcp.OutSegs");
	return true;
}

static void say_flow(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		     const struct doctor_socket *worst)
{
	doctor_say_socket(snap, finding, worst);
	doctor_say(finding, "control", "%s", worst->ca);
	if (doctor_known(worst->min_rtt_us))
		doctor_note(finding, "min_rtt", worst->min_rtt_us, DOCTOR_US, SOCKETS);
	doctor_note(finding, "rtt", worst->srtt_us, DOCTOR_US, SOCKETS);
	doctor_note(finding, "cwnd", worst->cwnd, DOCTOR_NUMBER, SOCKETS);
}

DOCTOR_JUDGE(judge_long_loss)
{
	const struct doctor_socket *worst = doctor_top_flow(snap, by_long_loss);
	double lost, share;

	if (!note_loss(snap, finding, &lost, &share))
		return DOCTOR_BLIND;
	if (!worst)
		return DOCTOR_CLEAR;
	say_flow(snap, finding, worst);
	return DOCTOR_FOUND;
}

DOCTOR_JUDGE(judge_loss)
{
	const struct doctor_socket *worst = doctor_top_flow(snap, by_loss);
	double lost, share;
	__u64 syns, opens;

	if (!note_loss(snap, finding, &lost, &share))
		return DOCTOR_BLIND;
	doctor_note_counter(snap, finding, "timeouts", "TcpExt.TCPTimeouts");
	syns = doctor_note_counter(snap, finding, "syns", "TcpExt.TCPSynRetrans");
	opens = doctor_note_counter(snap, finding, "opens", "Tcp.ActiveOpens");
	/* A lost SYN delays a connection by 1 s, though it is one segment among many. */
	if (lost < doctor_window_s(snap) ||
	    (share < 1 && ((double)syns < doctor_window_s(snap) || syns * 5 < opens)))
		return DOCTOR_CLEAR;
	if (worst) {
		say_flow(snap, finding, worst);
		doctor_say(finding, "flow", " Most by %s to %s, %s.", worst->local, worst->remote,
			   worst->ca);
	}
	doctor_say_busiest(snap, finding);
	doctor_say_ours(finding, "what", "%s",
			share < 1 ? "${syns} SYNs for ${opens} connections" :
				    "${share} of the segments");
	return DOCTOR_FOUND;
}

DOCTOR_SCORE(by_small_segments)
{
	const struct doctor_iface *iface = doctor_iface_at(snap, socket->ifindex);

	/* Loopback has no path: a segment there is one write of the sender, or half of a window. */
	if (iface && iface->link_type == DOCTOR_LOOPBACK)
		return 0;
	if (socket->data_segs_in < 1000 || socket->advmss < 1000 ||
	    socket->rcv_mss >= socket->advmss / 2 ||
	    /* The kernel bounds it to half of a window (tcp_bound_to_half_wnd), which may be small.
	     */
	    socket->rcv_mss >= socket->rcv_wnd / 3 ||
	    /* Small because the sender writes little, not because of the path. */
	    socket->received / socket->data_segs_in < socket->rcv_mss * 9 / 10)
		return 0;
	return (double)socket->received;
}

DOCTOR_JUDGE(judge_mss)
{
	const struct doctor_socket *worst = doctor_top_flow(snap, by_small_segments);

	doctor_note(finding, "mss", worst ? worst->rcv_mss : 0, DOCTOR_BYTES, SOCKETS);
	doctor_note(finding, "possible", worst ? worst->advmss : 0, DOCTOR_BYTES, SOCKETS);
	if (!worst)
		return DOCTOR_CLEAR;
	doctor_say_socket(snap, finding, worst);
	doctor_say_mtu(finding, doctor_iface_at(snap, worst->ifindex));
	return DOCTOR_FOUND;
}

const struct doctor_check doctor_checks_path[] = {
	{ DOCTOR_CHECK("reordering", PATH, ELSEWHERE, LOW, MEASURED),
	  .reads =
		  "TCPSACKReorder, TCPTSReorder, TCPRenoReorder over Tcp.OutSegs; TCPOFOQueue, Tcp.InSegs",
	  .rule = "more than 1 of 1000 segments sent",
	  .cause = "Packets overtake each other: senders here saw it ${events} times.",
	  .because =
		  "${segments} segments were sent. Of ${received} received, ${out_of_order} came out of order. The "
		  "path or a bond reorders them, or RPS and RFS move a flow between CPUs.",
	  .clear = "${events} reorderings in ${segments} segments",
	  .now = "compare with RPS and RFS off. " RPS("0") " if RPS is on there", .keep = "${keep}",
	  .undo = "the old masks", .expect = "events from ${events} to 0 if it was this host",
	  .risk = "RPS off loads one CPU a queue",
	  .after = "ip-fragments tcp-loss loss-on-long-path", .shown = "n05_r8169_tso",
	  .reference = "snmp_counter.rst; RFC 8985", .judge = judge_reorder },
	{ DOCTOR_CHECK("tcp-gaps", PATH, ELSEWHERE, MEDIUM, INFERRED),
	  .reads = "TcpExt.TCPOFOQueue, TCPDSACKOldSent, TCPDSACKOfoSent; Tcp.InSegs",
	  .rule = "1/s or more, and 10 % or more of the segments received come behind a gap and did not come twice; low "
		  "below 20 %",
	  .cause =
		  "${share} of the TCP segments received come behind a gap: packets to this host are lost.",
	  .because =
		  "${behind} of ${segments} segments waited for one before them until the sender had sent it again "
		  "(${twice} came twice: those were only late). Programs get nothing meanwhile.",
	  .clear = "${share} of the TCP segments received came behind a gap",
	  .now = "`rxaqm doctor --deep` shows what the kernel here drops; run the doctor at the sender, too, and look at the "
		 "drops of the switch's port between them",
	  .keep = "what helped", .expect = "share from ${share} to below 1 %",
	  .after = LOST_HERE " tcp-loss loss-on-long-path reordering",
	  .shown = "g07_receiver_sees_loss", .reference = "snmp_counter.rst, TcpExtTCPOFOQueue",
	  .judge = judge_gaps },
	{ DOCTOR_CHECK("loss-on-long-path", PATH, ELSEWHERE, MEDIUM, INFERRED),
	  .reads = "retransmissions, shortest RTT, congestion control of flows",
	  .rule = "a flow with cubic or reno retransmits 1/s or more at a shortest round trip of 50 ms or more",
	  .cause = "${program} sends over a long path that loses packets, with ${control}.",
	  .because =
		  "${socket}: shortest round trip ${min_rtt|not known}, window ${cwnd} segments. Each "
		  "loss takes part of the window, and growing back takes many such round trips.",
	  .clear = "${share} of segments sent again, none by loss-based control on a long path",
	  SYSCTL("net.ipv4.tcp_congestion_control", "bbr", "${control}"),
	  .expect = "a published case went from 2.1 to 9.7 Gbit/s at 144 ms",
	  .risk = "BBR takes more than its share beside others",
	  .after =
		  "cq-shared rx-queue-standing rx-queues-few rx-cpu-busy rx-cpus-busy nic-ring-overflow",
	  .shown = "Google: 2.1 to 9.7 Gbit/s at 144 ms",
	  .reference = "Google, TCP bulk flows over 144 ms", .judge = judge_long_loss },
	{ DOCTOR_CHECK("tcp-loss", PATH, ELSEWHERE, MEDIUM, MEASURED),
	  .reads =
		  "Tcp.RetransSegs over Tcp.OutSegs, less TCPDSACKRecv; TCPTimeouts, TCPSynRetrans; RTT of flows",
	  .rule = "1/s or more, and 1 % or more of the segments sent, are sent again and did not arrive twice; or 1/s "
		  "or more are SYNs, one for five connections",
	  .cause = "${what} sent from here are lost and sent again.",
	  .because =
		  "${retransmitted} of ${segments} segments were sent again, with ${timeouts} timeouts and ${syns} "
		  "SYNs. Shortest round trip ${min_rtt|not known}, smoothed ${rtt|not known}: the difference is waiting.${flow|}",
	  .clear = "${share} of the segments sent are lost",
	  .now = "find where: mtr -T towards the peer; ethtool -S at both ends, the drops of the switch's port between them; the figures of a wireless link. `ethtool -K ${iface} tso off gso off` if all peers lose alike: the NIC's offloads",
	  .keep = "what helped", .undo = "`ethtool -K ${iface} tso on gso on` if that was tried",
	  .expect = "retransmitted from ${retransmitted} to below 1 of 1000 segments",
	  .after =
		  "loss-on-long-path tx-hangs too-big-to-forward tx-qdisc-drops tx-qdisc-standing neighbour-full "
		  "syn-queue-full listen-overflow cq-shared rx-queue-standing rx-starved rx-late " LOST_HERE
		  " " READERS " " CPU_FULL,
	  .shown = "c29_echomuse_loss", .reference = "snmp_counter.rst; RFC 8985",
	  .judge = judge_loss },
	{ SOCKET_CHECK("small-mss", PATH, ELSEWHERE, LOW, MEASURED),
	  .reads = "rcv_mss, advmss, bytes a segment of flows",
	  .rule = "full segments of less than half of what this host would take",
	  .cause = "${program} receives segments of ${mss}; this host would take ${possible}.",
	  .because = "On ${socket}: a smaller MTU or a tunnel on the path, or a clamp of the MSS.",
	  .clear = "no large flow has segments of less than half of what is possible",
	  .now = "the same MTU on the whole path. `ip link set ${iface} mtu 9000` at both ends and between",
	  .keep = "${keep}", .undo = "`ip link set ${iface} mtu ${mtu}`",
	  .expect = "fewer packets for the same bytes: by the factor ${possible} over ${mss}",
	  .risk = "a hop with a smaller MTU that sends no ICMP loses large packets",
	  .shown = "f03_ec2_mtu9001",
	  .reference = "Google, TCP bulk flows: MTU 8,896, 9.7 to 12.5 Gbit/s",
	  .judge = judge_mss },
	{}
};
