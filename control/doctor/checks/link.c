/* SPDX-License-Identifier: GPL-2.0-only */
/* Links: full, slower than their NICs, or with different duplex at both ends. */
#include <string.h>

#include "doctor/checks/ifaces.h"

#define SPEED LINK ", speed"
/* Hardly any NIC is slower today. */
#define SLOW_MBIT 100
#define SLOW_PERCENT 50
#define FULL_PERCENT 95

/* Percent of the speed on the wire, where each frame has 24 bytes (preamble, gap, checksum) that
 * the kernel does not count.
 */
static double use_of(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		     const char *bytes, const char *packets)
{
	__u64 nr_bytes = doctor_iface_rose(snap, iface, bytes);
	__u64 nr_packets = doctor_iface_rose(snap, iface, packets);

	return (double)(nr_bytes + nr_packets * 24) * 8 / doctor_window_s(snap) /
	       ((double)iface->speed_mbit * 1e6) * 100;
}

static bool is_half(const struct doctor_iface *iface)
{
	return !strcmp(iface->duplex, "half");
}

/* The fuller direction, in percent of the link's speed; 0: not known, or no real link. */
static double link_use(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	static const char *const virtual[] = { "veth", "tun", "bridge", "802.1Q VLAN Support" };
	double received, sent;
	size_t i;

	/* The speed that these report is not a limit. */
	for (i = 0; i < sizeof(virtual) / sizeof(virtual[0]); i++) {
		if (!strcmp(iface->driver, virtual[i]))
			return 0;
	}
	if (iface->speed_mbit <= 0)
		return 0;
	received = use_of(snap, iface, "rx_bytes", "rx_packets");
	sent = use_of(snap, iface, "tx_bytes", "tx_packets");
	return is_half(iface) ? received + sent : received > sent ? received : sent;
}

static bool is_slow(const struct doctor_iface *iface)
{
	return iface->speed_mbit > 0 &&
	       (iface->speed_mbit <= SLOW_MBIT || iface->speed_mbit < iface->speed_max_mbit ||
		is_half(iface));
}

static double slow_use(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	return is_slow(iface) ? link_use(snap, iface) : 0;
}

static double full_use(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	return is_slow(iface) ? 0 : link_use(snap, iface);
}

static void say_link(struct doctor_finding *finding, const struct doctor_iface *iface, double use)
{
	doctor_note_share(finding, "used", use, SPEED);
	if (!iface)
		return;
	doctor_say_iface(finding, iface);
	doctor_say(finding, "mbit", "%lld", (long long)iface->speed_mbit);
	doctor_say(finding, "speed", "%lld Mbit/s%s", (long long)iface->speed_mbit,
		   is_half(iface) ? ", half duplex" : "");
	if (iface->speed_max_mbit > 0)
		doctor_say(finding, "possible", "%lld Mbit/s", (long long)iface->speed_max_mbit);
}

DOCTOR_JUDGE(judge_slow)
{
	double use;
	const struct doctor_iface *iface = doctor_worst_iface(snap, slow_use, &use);

	say_link(finding, iface, use);
	if (use < SLOW_PERCENT)
		finding->severity = DOCTOR_LOW;
	return doctor_found_if(use >= SLOW_PERCENT ||
			       (iface && (iface->speed_max_mbit > 0 || is_half(iface))));
}

DOCTOR_JUDGE(judge_full)
{
	double use;
	const struct doctor_iface *iface = doctor_worst_iface(snap, full_use, &use);

	say_link(finding, iface, use);
	/* A link cannot carry more than its speed: if it does, the speed is not real (virtio, a
	 * shaper).
	 */
	return doctor_found_if(use >= FULL_PERCENT && use <= 105);
}

/* Only half duplex has collisions; frames that they cut show that the other end is in full duplex.
 */
static double mismatch(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	__u64 collisions = doctor_iface_rose(snap, iface, "collisions");
	__u64 damaged = doctor_loss_by(snap, iface, "wire-errors", NULL) +
			doctor_iface_rose(snap, iface, "tx_carrier_errors") +
			doctor_iface_rose(snap, iface, "tx_window_errors");

	return (double)(collisions < damaged ? collisions : damaged);
}

DOCTOR_JUDGE(judge_duplex)
{
	double least;
	const struct doctor_iface *iface = doctor_worst_iface(snap, mismatch, &least);

	doctor_note_count(finding, "collisions",
			  iface ? doctor_iface_rose(snap, iface, "collisions") : 0, LINK);
	doctor_note_count(finding, "damaged",
			  iface ? doctor_loss_by(snap, iface, "wire-errors", NULL) : 0, LINK);
	if (!iface)
		return DOCTOR_CLEAR;
	doctor_say_iface(finding, iface);
	if (iface->speed_mbit > 0)
		doctor_say(finding, "mbit", "%lld", (long long)iface->speed_mbit);
	if (*iface->duplex)
		doctor_say(finding, "duplex", "%s", iface->duplex);
	return doctor_judge_share(snap, finding, least,
				  (double)doctor_iface_rose(snap, iface, "rx_packets"));
}

const struct doctor_check doctor_checks_link[] = {
	{ DOCTOR_CHECK("duplex-mismatch", WIRE, SETTING, HIGH, INFERRED),
	  .reads = "collisions, rx_crc_errors, rx_frame_errors, tx_carrier_errors; duplex",
	  .rule = "1/s or more of collisions, and as many damaged or cut frames",
	  .cause = "The two ends of the link of ${iface} do not agree on duplex: ${collisions} collisions beside "
		   "${damaged} damaged frames.",
	  .because =
		  "Only half duplex has collisions (here: ${duplex|not known}); an end in full duplex sends while it receives. "
		  "It happens if one end is set by hand and the other one uses autonegotiation.",
	  .clear = "${collisions} collisions beside ${damaged} damaged frames",
	  .now = "`ethtool -s ${iface} autoneg on` and the same at the port of the switch",
	  .keep = "no speed or duplex by hand, at either end",
	  .undo = "`ethtool -s ${iface} autoneg off speed ${mbit} duplex half`",
	  .expect = "collisions from ${collisions} to 0",
	  .risk = "the link goes down for some seconds", .shown = "c09_duplex",
	  .reference = "IEEE 802.3 clause 28; statistics.rst", .judge = judge_duplex },
	{ DOCTOR_CHECK("link-slow", WIRE, ELSEWHERE, MEDIUM, MEASURED),
	  .reads =
		  "speed and duplex of the link, and what the NIC can do; bytes and packets of both directions",
	  .rule = "a link of 100 Mbit/s or less, slower than its NIC, or half duplex (whose directions share it), is 50 % "
		  "full; low if it is not",
	  .cause = "The link of ${iface} has only ${speed}, and is ${used} full.",
	  .because =
		  "The NIC can do: ${possible|not known}. If autonegotiation chose less, the reason is a cable, a port or a "
		  "setting.",
	  .clear = "links that are slower than their NICs are ${used} full",
	  .now = "`ethtool ${iface}` shows what both ends advertise: another cable (all four pairs), another port. `ethtool -s ${iface} autoneg on` if a speed was set by hand",
	  .keep = "no speed by hand, at either end",
	  .undo = "`ethtool -s ${iface} autoneg off speed ${mbit} duplex full` if that was set by hand",
	  .expect = "used from ${used} to a tenth of that at ten times the speed",
	  .risk = "the link goes down for some seconds", .after = "duplex-mismatch",
	  .shown = "c31_link_100m", .reference = "ethtool(8)", .judge = judge_slow },
	{ DOCTOR_CHECK("link-full", WIRE, ARRIVAL, MEDIUM, MEASURED),
	  .reads = "speed of the link; bytes and packets of both directions",
	  .rule = "95 % or more of the speed, with 24 bytes a frame that the kernel does not count",
	  .cause = "The link of ${iface} is full: ${used} of ${speed}.",
	  .because =
		  "Packets that do not fit wait or are lost at the sending end of the link: for received packets, that "
		  "is the switch.",
	  .clear = "the fullest link is ${used} full",
	  .now = "a faster link, a second one (bonding), or less traffic; the drops of the switch's port show what is "
		 "lost there",
	  .expect = "used below 90 %", .after = "link-slow", .shown = "w2_link_full",
	  .reference = "ethtool(8); statistics.rst", .judge = judge_full },
	{}
};
