/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the window has enough to judge by. */
#include <string.h>

#include "doctor/checks/ifaces.h"

DOCTOR_JUDGE(judge_reset)
{
	const struct doctor_iface *iface;
	const char *reset = "";
	unsigned int nr = 0;
	__u64 packets;

	rxaqm_list_each(iface, &snap->after.ifaces) {
		/* An interface that was not there before: container hosts get new ones all the
		 * time.
		 */
		if (!doctor_iface_before(snap, iface) ||
		    doctor_iface_stat(snap, iface, "rx_packets", &packets))
			continue;
		nr++;
		reset = iface->name;
	}
	doctor_note(finding, "resets", nr, DOCTOR_COUNT, LINK);
	if (!nr)
		return DOCTOR_CLEAR;
	return doctor_blind(
		finding,
		"%s was reset: its counters started again and prove nothing, and a reset hides faults "
		"for a while; run the doctor again",
		reset);
}

/* Blind if no packet came, or an interface appeared or went. A veth may: it goes with its
 * container.
 */
DOCTOR_JUDGE(judge_window)
{
	const struct doctor_iface *iface, *now;
	__u64 packets = 0;

	rxaqm_list_each(iface, &snap->after.ifaces) {
		packets += doctor_iface_rose(snap, iface, "rx_packets");
		if (!doctor_iface_before(snap, iface) && strcmp(iface->driver, "veth"))
			return doctor_blind(finding,
					    "%s appeared within the window; run the doctor again",
					    iface->name);
	}
	rxaqm_list_each(iface, &snap->before.ifaces) {
		now = doctor_iface_at(snap, iface->ifindex);
		if (!now && strcmp(iface->driver, "veth"))
			return doctor_blind(finding,
					    "%s disappeared within the window; run the doctor again",
					    iface->name);
	}
	doctor_note_count(finding, "packets", packets, LINK);
	if ((double)packets < doctor_window_s(snap))
		return doctor_blind(finding,
				    "no packets came in the window: run the doctor while it is slow");
	return DOCTOR_CLEAR;
}

const struct doctor_check doctor_checks_window_valid[] = {
	{ DOCTOR_CHECK("window-empty", NIC, SETTING, LOW, MEASURED),
	  .reads = "rx_packets of each interface, twice; which interfaces there are",
	  .rule = "never: if no packet came, or an interface came or went, the doctor cannot judge",
	  NEVER_FOUND, .clear = "${packets} packets came", .shown = "n01_bcmgenet_eee",
	  .reference = "statistics.rst", .essential = true, .judge = judge_window },
	{ DOCTOR_CHECK("counters-reset", NIC, SETTING, LOW, MEASURED),
	  .reads = "rx_packets of each interface, twice",
	  .rule = "never: if a counter went back, the doctor cannot judge", NEVER_FOUND,
	  .clear = "${resets} interfaces were reset in the window", .essential = true,
	  .shown = "Meta: the fix by touching any setting",
	  .reference = "Meta: the fix by touching any setting", .judge = judge_reset },
	{}
};
