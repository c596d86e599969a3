/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "qualify/record/record.h"

/* Units that are written otherwise when the number is large or small. */
static const struct scale {
	const char *unit, *shown;
	double from, factor;
} scales[] = {
	{ "ns", "s", 1e9, 1e-9 },   { "ns", "ms", 1e6, 1e-6 },	  { "ns", "us", 1e3, 1e-3 },
	{ "ns", "ns", 0, 1 },	    { "pps", "Mpps", 1e6, 1e-6 }, { "pps", "kpps", 1e3, 1e-3 },
	{ "pps", "pps", 0, 1 },	    { "bytes", "MB", 1e6, 1e-6 }, { "bytes", "kB", 1e4, 1e-3 },
	{ "bytes", "bytes", 0, 1 }, { "share", "%", 0, 100 },	  { "count", "", 0, 1 },
};

static void write_number(double value, const char *unit, char *buf)
{
	double size = fabs(value);
	int digits = size >= 100 || size == floor(size) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
	const char *blank = *unit ? " " : "";

	if ((size > 0 && size < 0.01) || size >= 1e7)
		snprintf(buf, QUALIFY_NUMBER_LEN, "%.3g%s%s", value, blank, unit);
	else
		snprintf(buf, QUALIFY_NUMBER_LEN, "%.*f%s%s", digits, value, blank, unit);
}

const char *qualify_format(double value, const char *unit, char buf[QUALIFY_NUMBER_LEN])
{
	const struct scale *scale;

	if (!isfinite(value))
		return "-";
	for (scale = scales; scale < scales + sizeof(scales) / sizeof(scales[0]); scale++) {
		if (!strcmp(scale->unit, unit) && fabs(value) >= scale->from) {
			write_number(value * scale->factor, scale->shown, buf);
			return buf;
		}
	}
	write_number(value, unit, buf);
	return buf;
}

const char *qualify_format_figure(const struct qualify_figure *figure,
				  char buf[QUALIFY_NUMBER_LEN * 2])
{
	return *figure->words ? figure->words : qualify_format(figure->median, figure->unit, buf);
}

const char *qualify_verdict_name(unsigned int verdict)
{
	static const char *const names[] = { "unknown", "pass", "warn", "fail" };

	return verdict < QUALIFY_NR_VERDICTS ? names[verdict] : "?";
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
