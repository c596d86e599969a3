/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <string.h>

#include "qualify/record/record.h"

const char *qualify_format_figure(const struct qualify_figure *figure, char buf[QUALIFY_FIGURE_LEN])
{
	if (!*figure->words)
		return rxaqm_format_number(figure->median, figure->unit, buf);
	snprintf(buf, QUALIFY_FIGURE_LEN, "%s%s%s", figure->words, *figure->detail ? ": " : "",
		 figure->detail);
	return buf;
}

const char *qualify_row_words(const struct qualify_row *row, char buf[QUALIFY_WHY_LEN])
{
	snprintf(buf, QUALIFY_WHY_LEN, "%s%s%s", row->why, *row->meaning ? ": " : "", row->meaning);
	return buf;
}

void qualify_facts(const struct qualify_record *record, struct qualify_fact facts[QUALIFY_FACTS])
{
	char cpus[24] = "", link[32] = "", mtu[16] = "";
	const char *const words[QUALIFY_FACTS][3] = {
		{ "Host", record->host, "" },
		{ "Interface", record->interface, "" },
		{ "Class", record->nic_class, "" },
		{ "Driver", record->driver, record->driver_version },
		{ "Firmware", record->firmware, "" },
		{ "Bus", record->bus, record->pcie },
		{ "Link", link, "" },
		{ "MTU", mtu, "" },
		{ "CPU", record->cpu, cpus },
		{ "Kernel", record->kernel, "" },
		{ "Peer", record->peer, "" },
		{ "NIC profile", *record->profile ? record->profile : "none", "" },
		{ "Date", record->time, "" },
		{ "rxaqm", record->rxaqm, "" },
	};
	size_t i;

	if (qualify_known(record->cpus) && record->cpus != ~0U)
		snprintf(cpus, sizeof(cpus), "%u CPUs", record->cpus);
	if (record->speed_mbit > 0)
		snprintf(link, sizeof(link), "%lld Mbit/s", record->speed_mbit);
	if (record->mtu && record->mtu != ~0U)
		snprintf(mtu, sizeof(mtu), "%u", record->mtu);
	for (i = 0; i < QUALIFY_FACTS; i++) {
		facts[i].name = words[i][0];
		snprintf(facts[i].value, sizeof(facts[i].value), "%.120s%s%.120s", words[i][1],
			 *words[i][1] && *words[i][2] ? ", " : "", words[i][2]);
	}
}
