/* SPDX-License-Identifier: GPL-2.0-only */
/* The values that commands of remedies need. */
#include <stdio.h>
#include <string.h>

#include "doctor/checks/ifaces.h"
#include "doctor/checks/load.h"

#define MASK_CPUS 256

/* "0-2,5": the CPUs of the snapshot but @cpu. */
static void list_cpus(const struct doctor_snapshot *snap, __s32 cpu, char text[160])
{
	const struct doctor_cpu *first, *last, *end = snap->after.cpus.at + snap->after.cpus.nr;
	size_t at = 0;

	*text = '\0';
	for (first = snap->after.cpus.at; first < end && at < 130; first = last + 1) {
		last = first;
		if ((__s32)first->id == cpu)
			continue;
		while (last + 1 < end && last[1].id == last->id + 1 && (__s32)last[1].id != cpu)
			last++;
		at += (size_t)snprintf(text + at, 160 - at, "%s%u", at ? "," : "", first->id);
		if (last > first)
			at += (size_t)snprintf(text + at, 160 - at, "-%u", last->id);
	}
}

/* As rps_cpus takes it: words of 32 bits, a comma between (lib/bitmap-str.c). */
static void mask_cpus(const struct doctor_snapshot *snap, __s32 cpu, char text[160])
{
	__u32 words[MASK_CPUS / 32] = {};
	const struct doctor_cpu *one;
	int i, top = 0;
	size_t at = 0;

	rxaqm_list_each(one, &snap->after.cpus) {
		if (one->id >= MASK_CPUS || (__s32)one->id == cpu)
			continue;
		words[one->id / 32] |= 1U << one->id % 32;
		top = (int)(one->id / 32) > top ? (int)(one->id / 32) : top;
	}
	for (i = top; i >= 0; i--)
		at += (size_t)snprintf(text + at, 160 - at, i == top ? "%x" : ",%08x", words[i]);
}

void doctor_say_cpus(const struct doctor_snapshot *snap, struct doctor_finding *finding, __s32 cpu)
{
	const struct doctor_load *load, *idlest = NULL;
	struct doctor_loads loads;
	char text[160];

	if (snap->after.cpus.nr < 2)
		return;
	list_cpus(snap, cpu, text);
	doctor_say(finding, "free_cpus", "%s", text);
	list_cpus(snap, -1, text);
	doctor_say(finding, "all_cpus", "%s", text);
	mask_cpus(snap, cpu, text);
	doctor_say(finding, "mask", "%s", text);
	doctor_loads(snap, &loads, NULL);
	rxaqm_list_each(load, &loads) {
		if ((__s32)load->cpu != cpu && (!idlest || load->idle > idlest->idle))
			idlest = load;
	}
	if (idlest)
		doctor_say(finding, "idlest", "%u", idlest->cpu);
}

const struct doctor_iface *doctor_say_busiest(const struct doctor_snapshot *snap,
					      struct doctor_finding *finding)
{
	const struct doctor_iface *iface, *most = NULL;

	rxaqm_list_each(iface, &snap->after.ifaces) {
		__u64 packets = doctor_iface_rose(snap, iface, "rx_packets");

		if (packets && !doctor_is_sum(iface) && iface->link_type != DOCTOR_LOOPBACK &&
		    (!most || packets > doctor_iface_rose(snap, most, "rx_packets")))
			most = iface;
	}
	if (most)
		doctor_say(finding, "iface", "%s", most->name);
	return most;
}

void doctor_say_keep(struct doctor_finding *finding, const struct doctor_iface *iface,
		     const char *nm, const char *link)
{
	doctor_say_ours(finding, "keep", "the same command at boot: RUN+= for ${iface} in %s",
			"/etc/udev/rules.d/90-rxaqm-doctor.rules (udev)");
	if (!iface)
		return;
	if (nm && !strcmp(iface->managed_by, "NetworkManager"))
		doctor_say_ours(
			finding, "keep",
			"`nmcli connection modify $(nmcli -g GENERAL.CON-UUID device show ${iface}) %s`",
			nm);
	else if (link && !strcmp(iface->managed_by, "systemd-networkd"))
		doctor_say_ours(finding, "keep",
				"`udevadm info /sys/class/net/${iface}` (ID_NET_LINK_FILE); %s in "
				"[Link] of a copy in /etc/systemd/network",
				link);
}

void doctor_say_mtu(struct doctor_finding *finding, const struct doctor_iface *iface)
{
	doctor_say_keep(finding, iface, "802-3-ethernet.mtu 9000", "MTUBytes=9000");
	if (!iface)
		return;
	doctor_say(finding, "iface", "%s", iface->name);
	if (doctor_known(iface->mtu))
		doctor_note(finding, "mtu", iface->mtu, DOCTOR_NUMBER, LINK);
}
