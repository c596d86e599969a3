/* SPDX-License-Identifier: GPL-2.0-only */
/* What an interface lost, why, and the words for it. */
#include <string.h>

#include "doctor/checks/ifaces.h"
#include "doctor/checks/load.h"

/* Packets that rxaqm itself dropped. */
static __u64 dropped_by_rxaqm(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	const struct doctor_attached *queue;
	__u64 sum = 0;

	rxaqm_list_each(queue, &snap->attached)
		sum += queue->ifindex == iface->ifindex ? queue->dropped : 0;
	return sum;
}

/* The loss by known counters, or the sum of a counter of the queues if that is larger. */
static __u64 lost(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		  const char *id, const char **ret_name)
{
	__u64 sum = doctor_loss_by(snap, iface, id, ret_name), queues = 0, value;
	const struct doctor_queue *queue;
	size_t field = 0;
	bool tx = false;

	/* Some drivers add the ring's drops to rx_dropped. */
	if (!strcmp(id, "rx-dropped")) {
		value = doctor_loss_by(snap, iface, "nic-ring-overflow", NULL);
		return sum > value ? sum - value : 0;
	}
	if (!strcmp(id, "xdp-drops"))
		queues = dropped_by_rxaqm(snap, iface);
	else if (!strcmp(id, "nic-ring-overflow"))
		field = offsetof(struct doctor_queue, drops);
	else if (!strcmp(id, "nic-no-memory"))
		field = offsetof(struct doctor_queue, alloc_fails);
	else if ((tx = !strcmp(id, "tx-hangs")))
		field = offsetof(struct doctor_queue, hangs);
	else if ((tx = !strcmp(id, "veth-drops")))
		field = offsetof(struct doctor_queue, qdisc_drops);
	rxaqm_list_each(queue, &iface->queues) {
		if (!field || queue->tx != tx)
			continue;
		value = doctor_queue_rise_at(snap, iface, queue, field);
		queues += doctor_or_0(value);
	}
	/* Packets that its own qdisc dropped never reached the other end. */
	if (!strcmp(id, "veth-drops"))
		return sum > queues ? sum - queues : 0;
	return sum > queues ? sum : queues;
}

/* Why a ring is full: the CPU is too slow, the CPU has time, the NIC did not even use its free
 * entries, or nothing takes packets out.
 */
enum ring {
	RING_SLOW,
	RING_IDLE,
	RING_FREE,
	RING_STUCK
};

static const struct {
	const char *name, *words[RING_STUCK + 1];
} ring_words[] = {
	{ "why",
	  { "The CPU of a queue did not take packets in time.",
	    "No CPU is even half busy receiving: bursts are longer than the ring, or the NIC writes "
	    "packets to memory too late.",
	    "No CPU is even half busy, and the ring had free entries (rx_no_buffer_count): the NIC writes to memory too late: PCIe or its power saving.",
	    "Nothing was taken out of the ring: the NIC or its driver hangs." } },
	{ "take",
	  { "an AQM keeps the wait short: " ENFORCE_FOR("${iface}"),
	    "`ethtool -A ${iface} rx on tx on` makes the switch wait",
	    "compare LnkSta with LnkCap in lspci -vv. ",
	    "`dmesg | tail -n 50` may tell why. `ip link set ${iface} down` `ip link set ${iface} up`" } },
	{ "undo",
	  { "`rxaqm detach ${iface}`", "`ethtool -A ${iface} rx off tx off`",
	    "`echo default >/sys/module/pcie_aspm/parameters/policy`", "nothing was changed" } },
	{ "risk",
	  { ENFORCE_RISK, "many drivers reset the link for it", "more power is used",
	    "the link is down for some seconds" } },
};

/* Softirqs of any kind for half of the time make a CPU a suspect; so do unknown times. */
static bool are_idle(const struct doctor_snapshot *snap)
{
	const struct doctor_load *load;
	struct doctor_loads loads;

	if (!doctor_loads(snap, &loads, NULL) || !loads.nr)
		return false;
	rxaqm_list_each(load, &loads) {
		if (load->receiving >= 50 || load->softirq >= 50)
			return false;
	}
	return true;
}

#define GROW "`ethtool -G ${iface} rx ${ring_max}`"
#define SHRINK "`ethtool -G ${iface} rx ${ring}`"

/* Where CPUs have time, interrupts may come late. */
static void say_coalescing(struct doctor_finding *finding, const struct doctor_iface *iface)
{
	if (iface->rx_usecs == ~0U)
		doctor_say_ours(finding, "coalesce",
				"`ethtool -c ${iface}` shows how late interrupts come: `ethtool -C "
				"${iface} rx-usecs 8` if later. ");
	if (iface->rx_usecs == ~0U || iface->rx_usecs <= 8)
		return;
	doctor_say(finding, "rx_usecs", "%u", iface->rx_usecs);
	doctor_say_ours(finding, "coalesce",
			"`ethtool -C ${iface} rx-usecs 8` interrupts may come ${rx_usecs} us late. ");
	doctor_say_ours(finding, "slower", " `ethtool -C ${iface} rx-usecs ${rx_usecs}`");
}

/* e1000e, igb and igc count how often a packet found no free entry of the ring. */
static bool had_room(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	__u64 waited;

	return doctor_is_one_of(iface->driver, "e1000e igb igc") && are_idle(snap) &&
	       doctor_iface_rise(snap, iface, true, "rx_no_buffer_count", &waited) && !waited &&
	       doctor_iface_rose(snap, iface, "rx_missed_errors");
}

static void say_ring(struct doctor_finding *finding, const struct doctor_iface *iface,
		     enum ring state)
{
	size_t i;

	for (i = 0; i < sizeof(ring_words) / sizeof(ring_words[0]); i++)
		doctor_say_ours(finding, ring_words[i].name, "%s", ring_words[i].words[state]);
	doctor_say_keep(finding, iface, "ethtool.ring-rx ${ring_max}", "RxBufferSize=${ring_max}");
	if (state == RING_SLOW)
		doctor_say_ours(finding, "keep", "mode=enforce in rxaqm.conf(5)");
	if (state == RING_FREE)
		doctor_say_ours(finding, "keep",
				"pcie_aspm.policy=performance on the kernel's "
				"command line");
	if (state == RING_STUCK)
		doctor_say_ours(finding, "keep",
				"another version of the driver, or of the NIC's firmware");
	if (state == RING_IDLE)
		say_coalescing(finding, iface);
	if ((state == RING_IDLE || state == RING_FREE) && doctor_known(iface->pcie_width))
		doctor_say_ours(finding, "power",
				"`echo performance >/sys/module/pcie_aspm/parameters/policy` if lspci "
				"-vv shows that the link of the NIC saves power (ASPM Enabled)");
	if (state == RING_STUCK || state == RING_FREE || !doctor_known(iface->rx_ring) ||
	    !doctor_known(iface->rx_ring_max) || iface->rx_ring >= iface->rx_ring_max)
		return;
	/* A larger ring is the remedy only if CPUs have time. */
	if (state == RING_IDLE) {
		doctor_say_ours(finding, "take", "%s", GROW " ");
		doctor_say_ours(finding, "undo", "%s", SHRINK);
	} else {
		doctor_say_ours(finding, "grow", "%s", " " GROW " for bursts only");
		doctor_say_ours(finding, "shrink", "%s", " " SHRINK);
	}
}

/* Where CPUs have time, a larger ring takes the bursts; without pauses they are lost. */
static void say_pauses(struct doctor_finding *finding, const struct doctor_iface *iface, bool idle)
{
	doctor_say_keep(finding, iface, "ethtool.pause-autoneg off ethtool.pause-tx off",
			"TxFlowControl=no");
	if (!idle || !doctor_known(iface->rx_ring) || iface->rx_ring >= iface->rx_ring_max)
		return;
	doctor_say_ours(finding, "ring_first", "%s", GROW " first: CPUs have time. ");
	doctor_say_ours(finding, "ring_back", "%s", SHRINK " ");
	doctor_say_keep(finding, iface, "ethtool.ring-rx ${ring_max}", "RxBufferSize=${ring_max}");
}

/* ${larger}: twice what is reserved for interrupts, at least 1/64 and at most 1/20 of the memory.
 */
static void say_reserve(const struct doctor_snapshot *snap, struct doctor_finding *finding)
{
	__u64 is = doctor_sysctl(snap, "vm.min_free_kbytes", 0, 0), kb = snap->memory_bytes / 1024;
	__u64 larger = 2 * is > kb / 64 ? 2 * is : kb / 64;

	if (!doctor_known(snap->memory_bytes))
		return;
	doctor_note(finding, "memory", (double)snap->memory_bytes, DOCTOR_BYTES, "sysconf(3)");
	larger = larger > kb / 20 ? kb / 20 : larger;
	doctor_say(finding, "larger", "%llu", (unsigned long long)(larger > is ? larger : is));
	if (is)
		doctor_say(finding, "smaller", "%llu", (unsigned long long)is);
}

static void say_sizes(struct doctor_finding *finding, const struct doctor_iface *iface)
{
	doctor_say_queues(finding, iface);
	if (doctor_known(iface->rx_ring))
		doctor_note(finding, "ring", iface->rx_ring, DOCTOR_NUMBER, "ethtool -g");
	if (doctor_known(iface->rx_ring_max))
		doctor_note(finding, "ring_max", iface->rx_ring_max, DOCTOR_NUMBER, "ethtool -g");
	if (doctor_known(iface->pcie_width) && doctor_known(iface->pcie_max_width))
		doctor_say(finding, "pcie", "x%u of x%u", iface->pcie_width, iface->pcie_max_width);
}

/* Note ${others}: the other interfaces that lost something, and how much. */
static void say_others(const struct doctor_snapshot *snap, struct doctor_finding *finding)
{
	const struct doctor_iface *iface;
	char text[160] = "";
	size_t at = 0;
	__u64 events;

	rxaqm_list_each(iface, &snap->after.ifaces) {
		if (doctor_is_sum(iface) || iface == finding->iface || at > 100)
			continue;
		events = lost(snap, iface, finding->check->id, &(const char *){ NULL });
		if ((double)events >= doctor_window_s(snap))
			at += (size_t)snprintf(text + at, sizeof(text) - at, "; %llu at %s",
					       (unsigned long long)events, iface->name);
	}
	doctor_say(finding, "others", "%s", text);
}

enum doctor_verdict doctor_judge_nic(const struct doctor_snapshot *snap,
				     struct doctor_finding *finding)
{
	const struct doctor_iface *iface;
	__u64 events, most = 0, passed;
	const char *name;

	if (!snap->after.ifaces.nr)
		return doctor_blind(finding, "no interface is up");
	rxaqm_list_each(iface, &snap->after.ifaces) {
		events = doctor_is_sum(iface) ? 0 : lost(snap, iface, finding->check->id, &name);
		if (events <= most)
			continue;
		most = events;
		finding->iface = iface;
		finding->counter = *name ? name : "qstats";
	}
	iface = finding->iface;
	passed = !iface ? doctor_all_rose(snap, "rx_packets", false) :
			  doctor_iface_rose(snap, iface,
					    strncmp(finding->counter, "tx", 2) ? "rx_packets" :
										 "tx_packets");
	doctor_note_count(finding, "events", most, LINK ", qstats, " ETHTOOL);
	doctor_note_count(finding, "packets", passed, LINK);
	if (!iface)
		return DOCTOR_CLEAR;
	doctor_say_iface(finding, iface);
	doctor_say(finding, "counter", "%s", finding->counter);
	doctor_say_ours(finding, "less", "%s",
			strstr(finding->counter, "linklocal") ?
				"cache on this host what it asks the cloud itself (DNS, time, metadata): "
				"this allowance is the same for all machine types" :
				"a larger machine type, or less traffic");
	doctor_note_count(finding, "by_rxaqm", dropped_by_rxaqm(snap, iface),
			  "rxaqm, its counters");
	say_sizes(finding, iface);
	doctor_say_keep(finding, iface, NULL, NULL);
	if (!strcmp(finding->check->id, "frames-too-long"))
		doctor_say_mtu(finding, iface);
	if (!strcmp(finding->check->id, "nic-pauses"))
		say_pauses(finding, iface, are_idle(snap));
	if (!strcmp(finding->check->id, "nic-no-memory"))
		say_reserve(snap, finding);
	if (!strcmp(finding->check->id, "nic-ring-overflow"))
		say_ring(finding, iface,
			 !doctor_iface_rose(snap, iface, "rx_packets") ? RING_STUCK :
			 had_room(snap, iface)			       ? RING_FREE :
			 are_idle(snap)				       ? RING_IDLE :
									 RING_SLOW);
	say_others(snap, finding);
	return doctor_judge_share(snap, finding, (double)most, (double)passed);
}
