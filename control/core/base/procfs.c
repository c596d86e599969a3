/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/procfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool rxaqm_ticks_read(const char *line, unsigned int *ret_cpu, struct rxaqm_ticks *ticks)
{
	/* Not the sum of all, "cpu  1 2 ...". */
	return !strncmp(line, "cpu", 3) && line[3] != ' ' &&
	       sscanf(line + 3, "%u %llu %llu %llu %llu %llu %llu %llu %llu", ret_cpu, &ticks->user,
		      &ticks->nice, &ticks->system, &ticks->idle, &ticks->iowait, &ticks->irq,
		      &ticks->softirq, &ticks->steal) == 9;
}

__u64 rxaqm_ticks_all(const struct rxaqm_ticks *ticks)
{
	return ticks->user + ticks->nice + ticks->system + ticks->idle + ticks->iowait +
	       ticks->irq + ticks->softirq + ticks->steal;
}

const char *rxaqm_stat_field(const char *stat, int field)
{
	const char *at = strrchr(stat, ')');
	int i;

	for (i = 2; at && i < field; i++) {
		at = strchr(at, ' ');
		if (at)
			at++;
	}
	return at ?: "";
}

__s64 rxaqm_backlog_drops(const char *path)
{
	unsigned int dropped = 0, cpus = 0;
	FILE *file = fopen(path, "re");
	__u32 packets = 0;
	char line[512];
	bool bad = false;

	if (!file)
		return -errno;
	/* A line a CPU, of hexadecimal numbers: processed, dropped, ... */
	for (; !bad && fgets(line, sizeof(line), file); cpus++) {
		bad = sscanf(line, "%*x %x", &dropped) != 1;
		packets += dropped;
	}
	fclose(file);
	return bad || !cpus ? -EINVAL : (__s64)packets;
}
