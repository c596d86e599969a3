/* SPDX-License-Identifier: GPL-2.0-only */
/* Queues between driver and stack: CPU backlogs, timers of NAPIs, and overload that outlives its
 * cause.
 */
#include "doctor/checks/check.h"

#define STAT "/proc/stat"
#define SOFTNET "/proc/net/softnet_stat"

/* softnet_stat is of all network namespaces. What the backlog drops of an interface is in its
 * rx_dropped, too (net/core/dev.c:enqueue_to_backlog).
 */
static void say_whose(const struct doctor_snapshot *snap, struct doctor_finding *finding)
{
	__u64 ours = doctor_all_rose(snap, "rx_dropped", true);

	if (!snap->namespaces.nr)
		return;
	doctor_say(finding, "whose", ", of the whole host; %llu were for interfaces here",
		   (unsigned long long)ours);
	if ((double)ours < doctor_window_s(snap))
		finding->severity = DOCTOR_LOW;
}

DOCTOR_JUDGE(judge_backlog)
{
	__u64 limit = doctor_sysctl(snap, "net.core.netdev_max_backlog", 0, 1000);
	__u64 total = 0, processed = 0, most = 0, rise;
	const struct doctor_cpu *was, *is;

	if (!snap->after.cpus.nr)
		return doctor_blind(finding, SOFTNET " cannot be read");
	rxaqm_list_each(is, &snap->after.cpus) {
		was = doctor_cpu_before(snap, is->id);
		if (!was)
			continue;
		/* Its columns have 32 bits. */
		rise = (__u32)(is->dropped - was->dropped);
		total += rise;
		processed += (__u32)(is->processed - was->processed);
		if (rise <= most)
			continue;
		most = rise;
		doctor_say_cpu(finding, is->id, SOFTNET);
	}
	doctor_note_count(finding, "drops", total, SOFTNET);
	doctor_note_count(finding, "processed", processed, SOFTNET);
	doctor_note(finding, "limit", (double)limit, DOCTOR_COUNT, "net.core.netdev_max_backlog");
	doctor_say(finding, "larger", "%llu", limit < 2048 ? 4096ULL : 2ULL * limit);
	doctor_say_busiest(snap, finding);
	doctor_say_cpus(snap, finding, most ? (__s32)doctor_noted(finding, "cpu") : -1);
	say_whose(snap, finding);
	return doctor_judge_share(snap, finding, (double)total, (double)(processed + total));
}

/* Found if the host is overloaded now at a rate that was no overload before a spike. */
DOCTOR_JUDGE(judge_sticky)
{
	const struct doctor_past *now, *past, *calm = NULL;
	bool spiked = false;

	if (snap->past.nr < 3)
		return doctor_blind(finding, "needs several windows: rxaqm doctor --watch");
	now = &snap->past.at[snap->past.nr - 1];
	for (past = snap->past.at; past < now; past++) {
		if (past->busiest_permille < 900 && !past->standing &&
		    past->rx_bytes_per_s >= now->rx_bytes_per_s)
			calm = past;
		else if (calm && past->rx_bytes_per_s > calm->rx_bytes_per_s)
			spiked = true;
	}
	doctor_say_busiest(snap, finding);
	doctor_note_rise(finding, "rate", (double)now->rx_bytes_per_s, DOCTOR_BYTES_PER_S,
			 "rx_bytes of all interfaces");
	doctor_note_share(finding, "busiest", now->busiest_permille / 10.0, STAT);
	doctor_note(finding, "calm_rate", calm ? (double)calm->rx_bytes_per_s : 0,
		    DOCTOR_BYTES_PER_S, "an earlier window");
	return doctor_found_if(calm && spiked && (now->standing || now->busiest_permille >= 950));
}

const struct doctor_check doctor_checks_backlog[] = {
	{ DOCTOR_CHECK("rx-overload-sticks", CPU, LOOP, HIGH, MEASURED),
	  .reads = "windows before this one (--watch): bytes received, the busiest CPU",
	  .rule = "overloaded at a rate that was no overload before a spike",
	  .cause =
		  "The load has gone and the overload stays: ${rate} now, and ${calm_rate} was no problem before.",
	  .because =
		  "A queue that stands makes round trips long; long round trips make senders' frames small; small "
		  "frames make more packets and ACKs, which keep the queue standing.",
	  .clear = "no overload has outlived its spike",
	  .now = "keep the queue short: " ENFORCE_FOR("${iface}") " " SET(
		  "net.ipv4.tcp_min_tso_segs=8"),
	  .keep = KEEP("net.ipv4.tcp_min_tso_segs=8") " mode=enforce in rxaqm.conf(5)",
	  .undo = "`rxaqm detach ${iface}` " UNSET("net.ipv4.tcp_min_tso_segs=2"),
	  .expect = "busiest from ${busiest} back to where it was before the spike",
	  .risk = "larger bursts per flow; " ENFORCE_RISK,
	  .shown = "Meta: hourly spikes, hours of overload",
	  .reference = "Meta, TCP self-throttling behind an overloaded receive queue",
	  .judge = judge_sticky },
	{ DOCTOR_CHECK("backlog-drops", BACKLOG, ARRIVAL, HIGH, MEASURED),
	  .reads = "softnet_stat, second column; rx_dropped; netdev_max_backlog",
	  .rule = "1/s or more; low if they are those of other network namespaces",
	  .cause =
		  "The backlog of CPU ${cpu} is full: ${drops} packets dropped before the stack${whose|}.",
	  .because = "RPS, tunnels, veth and loopback put packets into a queue of ${limit} a CPU, "
		     "and that CPU does not keep up.",
	  .clear =
		  "${drops} drops of ${processed} packets in the backlog of CPUs, of the whole host",
	  .now = RPS(
		  "${mask}") " spreads what ${iface} receives over more CPUs. `sysctl -w net.core.netdev_max_backlog=${larger}` for bursts only",
	  SYSCTL_KEPT("net.core.netdev_max_backlog", "${larger}", "${limit}"),
	  .expect = "drops from ${drops} to 0 if it was a burst",
	  .risk = "a longer backlog is a longer delay",
	  .after = "rx-starved cpu-steal " CPU_FULL " udp-reader-shares-cpu",
	  .shown = "p13_backlog", .reference = "net/core/net-procfs.c:softnet_seq_show",
	  .essential = true, .judge = judge_backlog },
	{}
};
