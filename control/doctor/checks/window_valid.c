/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the window has enough to judge by. */
#include <string.h>

#include "doctor/checks/ifaces.h"

/* Blind if no packet came, or an interface appeared, went or was reset. A veth may appear or go: it
 * does with its container.
 */
DOCTOR_JUDGE(judge_window)
{
	const struct doctor_iface *iface, *now;
	__u64 packets = 0, came;

	rxaqm_list_each(iface, &snap->after.ifaces) {
		if (doctor_iface_stat(snap, iface, "rx_packets", &came))
			packets += came;
		else if (doctor_iface_before(snap, iface))
			return doctor_blind(
				finding,
				"%s was reset: its counters started again and prove nothing, and a "
				"reset hides faults for a while; run the doctor again",
				iface->name);
		else if (strcmp(iface->driver, "veth"))
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
	  .rule = "never: if no packet came, or an interface came, went or was reset, the doctor cannot judge",
	  NEVER_FOUND, .clear = "${packets} packets came", .shown = "n01_bcmgenet_eee",
	  .reference = "statistics.rst; Meta: the fix by touching any setting", .essential = true,
	  .judge = judge_window },
	{}
};
