/* SPDX-License-Identifier: GPL-2.0-only */
/* IP: fragments. */
#include "doctor/rules/check.h"

struct fragments {
	__u64 pieces, packets, datagrams, failed;
	bool many; /* 1 % or more of what arrives */
};

/* False: nobody counts. */
static bool note_fragments(const struct doctor_snapshot *snap, struct doctor_finding *finding,
			   struct fragments *ret)
{
	double share;

	if (!doctor_counters(snap, "Ip.ReasmReqds", &ret->pieces) ||
	    !doctor_counters(snap, "Ip.InReceives", &ret->packets)) {
		doctor_blind(finding, "no counters of fragments in /proc/net/snmp");
		return false;
	}
	share = ret->packets ? (double)ret->pieces * 100 / (double)ret->packets : 0;
	doctor_note_counter(snap, finding, "fragments", "Ip.ReasmReqds");
	doctor_note_counter(snap, finding, "packets", "Ip.InReceives");
	doctor_note_share(finding, "share", share, "Ip.ReasmReqds / Ip.InReceives");
	ret->datagrams = doctor_note_counter(snap, finding, "put_together", "Ip.ReasmOKs");
	ret->failed = doctor_note_counter(snap, finding, "failed", "Ip.ReasmFails");
	if (ret->datagrams)
		doctor_note_rise(finding, "pieces", (double)ret->pieces / (double)ret->datagrams,
				 DOCTOR_NUMBER, "Ip.ReasmReqds / Ip.ReasmOKs");
	else
		doctor_say(finding, "pieces", "many");
	ret->many = share >= 1 && (double)ret->pieces / doctor_window_s(snap) >= 10;
	return true;
}

DOCTOR_JUDGE(judge_fragments)
{
	struct fragments all;

	if (!note_fragments(snap, finding, &all))
		return DOCTOR_BLIND;
	/* A tunnel makes some: while they are few and all fit, nothing is slow. */
	if (all.pieces * 5 < all.packets && all.failed * 1000 < all.datagrams)
		finding->severity = DOCTOR_LOW;
	return doctor_found_if(all.many);
}

DOCTOR_JUDGE(judge_fails)
{
	struct fragments all;

	return note_fragments(snap, finding, &all) ? doctor_found_if_often(snap, all.failed) :
						     DOCTOR_BLIND;
}

#define SMALLER_MESSAGES                                                                                    \
	.now = "send messages of at most MTU - 28 bytes (IPv6: MTU - 48), or set the same MTU on the path", \
	.keep = "the same, in the sender's configuration", .undo = "the old size",                          \
	.risk = "more datagrams for the same bytes"

const struct doctor_check doctor_checks_ip[] = {
	{ DOCTOR_CHECK("ip-fragments", IP, SERVICE, HIGH, MEASURED),
	  .reads = "Ip.ReasmReqds, ReasmOKs, ReasmFails, InReceives; the same of Ip6",
	  .rule = "fragments are 1 % or more of the packets received, and 10/s or more; low below 20 % while 999 of 1000 datagrams are put together",
	  .cause = "${share} of all packets are fragments: one lost piece loses the whole datagram.",
	  .because = "Datagrams come in ${pieces} pieces. Each that is lost takes its datagram "
		     "along, and pieces have no ports: RSS puts all of a host onto one queue.",
	  .clear = "${fragments} of ${packets} packets are fragments", SMALLER_MESSAGES,
	  .expect = "fragments from ${fragments} to 0; loss falls by the number of pieces",
	  .reference =
		  "RFC 8900; Google, benchmarking UDP bulk flows: 45 pieces make 0.01 % into 0.45 %",
	  .judge = judge_fragments },
	{ DOCTOR_CHECK("ip-reassembly-fails", IP, MEMORY, HIGH, MEASURED),
	  .reads = "Ip.ReasmFails, Ip6.ReasmFails",
	  .cause = "${failed} times the pieces of a datagram could not be put together.",
	  .because = "Pieces were lost, or more waited than ipfrag_high_thresh allows.",
	  .clear = "${failed} datagrams could not be put together", SMALLER_MESSAGES,
	  .expect = "failed from ${failed} to 0", .after = "ip-fragments",
	  .reference = "ipfrag_high_thresh in ip-sysctl.rst; snmp_counter.rst",
	  .judge = judge_fails },
	{}
};
