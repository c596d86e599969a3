/* SPDX-License-Identifier: GPL-2.0-only */
/* IP: fragments. */
#include "doctor/rules/ifaces.h"

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

DOCTOR_JUDGE(judge_ids)
{
	__u64 datagrams, seconds = doctor_sysctl(snap, "net.ipv4.ipfrag_time", 0, 30);
	double rate, wraps_at;

	if (!doctor_counter(snap, "Ip.ReasmOKs", &datagrams) || !seconds)
		return doctor_blind(finding, "no counters of fragments in /proc/net/snmp");
	rate = (double)datagrams / doctor_window_s(snap);
	wraps_at = 65536.0 / (double)seconds;
	doctor_say(finding, "old", "%llu", (unsigned long long)seconds);
	doctor_note_rise(finding, "rate", rate, DOCTOR_PER_S, "Ip.ReasmOKs");
	doctor_note(finding, "wraps_at", wraps_at, DOCTOR_PER_S, "65536 / net.ipv4.ipfrag_time");
	return doctor_found_if(rate > wraps_at);
}

/* How what came is spread over queues, or CPUs. */
struct places {
	__u64 total, most;
	unsigned int nr;
	const struct doctor_iface *iface; /* of the queue that has most; NULL: it is a CPU */
	__u32 number;
};

/* @value: ~0 is not known. */
static void add_place(struct places *places, __u64 value, const struct doctor_iface *iface,
		      __u32 number)
{
	if (value == ~0ULL)
		return;
	places->nr++;
	places->total += value;
	if (value < places->most || !value)
		return;
	places->most = value;
	places->iface = iface;
	places->number = number;
}

/* Fragments by Rx queue, as the probe counted them. */
static void probed_places(const struct doctor_snapshot *snap, struct places *places)
{
	const struct doctor_deep_fragments *queue;
	const struct doctor_iface *iface;

	rxaqm_list_each(queue, &snap->deep_fragments) {
		iface = doctor_iface_at(snap, queue->ifindex);
		if (iface && queue->queue != ~0U)
			add_place(places, queue->fragments, iface, queue->queue);
	}
}

/* All packets by Rx queue, of interfaces with several. */
static void queue_places(const struct doctor_snapshot *snap, struct places *places)
{
	const struct doctor_iface *iface;
	const struct doctor_queue *queue;

	rxaqm_list_each(iface, &snap->after.ifaces) {
		rxaqm_list_each(queue, &iface->queues) {
			if (iface->rx_queues > 1 && !queue->tx)
				add_place(places, doctor_queue_rise(snap, iface, queue, packets),
					  iface, queue->id);
		}
	}
}

static void cpu_places(const struct doctor_snapshot *snap, struct places *places)
{
	size_t i;

	for (i = 0; i < snap->after.cpus.nr && i < snap->before.cpus.nr; i++)
		add_place(places,
			  doctor_since(snap->before.cpus.at[i].processed,
				       snap->after.cpus.at[i].processed),
			  NULL, snap->after.cpus.at[i].id);
}

/* One queue has nearly all, and fragments are many: they have no ports to be spread by. Counted by
 * the probe; else inferred from what queues, or CPUs, have of all packets.
 */
DOCTOR_JUDGE(judge_spread)
{
	const char *source = "--deep: net:netif_receive_skb";
	struct places places = {};
	struct fragments all;

	if (!note_fragments(snap, finding, &all))
		return DOCTOR_BLIND;
	if (doctor_probed(snap, "fragments")) {
		probed_places(snap, &places);
		finding->confidence = DOCTOR_MEASURED;
	} else {
		queue_places(snap, &places);
		source = "packets by queue: qstats, ethtool -S";
	}
	if (!places.total) {
		places = (struct places){};
		cpu_places(snap, &places);
		finding->confidence = DOCTOR_INFERRED;
		source = "/proc/net/softnet_stat";
	}
	doctor_note_share(finding, "largest_share",
			  places.total ? (double)places.most * 100 / (double)places.total : 0,
			  source);
	if (places.iface)
		doctor_say(finding, "where", "Rx queue %u of %s", places.number,
			   places.iface->name);
	else
		doctor_say(finding, "where", "CPU %u", places.number);
	/* A CPU of two has more than half of something always. */
	return doctor_found_if(all.many &&
			       places.nr > (finding->confidence == DOCTOR_MEASURED ? 1 : 2) &&
			       places.most * 10 > places.total * 8);
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
	{ DOCTOR_CHECK("ip-fragment-ids", IP, ARRIVAL, MEDIUM, INFERRED),
	  .reads = "Ip.ReasmOKs, ipfrag_time",
	  .rule = "more fragmented datagrams a second than 65536 / ipfrag_time",
	  .cause =
		  "Fragmented datagrams come so fast that their 16-bit IDs repeat while old pieces wait.",
	  .because = "${rate}, and IDs repeat within ipfrag_time above ${wraps_at}: pieces of "
		     "different datagrams are put together, and only checksums notice.",
	  .clear = "${rate} fragmented datagrams, IDs repeat above ${wraps_at}",
	  SYSCTL("net.ipv4.ipfrag_time", "2", "${old}"), .expect = "IDs repeat above 32768/s only",
	  .risk = "pieces that come 2 s late are lost", .after = "ip-fragments",
	  .reference = "RFC 4963", .judge = judge_ids },
	{ DOCTOR_CHECK("ip-fragments-one-queue", IP, SKEWED, MEDIUM, INFERRED),
	  .reads =
		  "Ip.ReasmReqds; packets by Rx queue, or by CPU; --deep: net:netif_receive_skb, fragments by queue",
	  .rule = "fragments are 1 % or more, and one of three or more queues has 80 % of all packets; --deep: one of "
		  "two has 80 % of the fragments",
	  .cause = "${where} has ${largest_share} of what comes: fragments are not spread.",
	  .because = "RSS hashes ports, and all but the first piece have none.",
	  .clear =
		  "${largest_share} of packets on one queue or CPU (${where}), ${fragments} fragments",
	  SMALLER_MESSAGES, .expect = "packets spread over all queues", .after = "ip-fragments",
	  .reference = "Documentation/networking/scaling.rst, RSS", .judge = judge_spread },
	{}
};
