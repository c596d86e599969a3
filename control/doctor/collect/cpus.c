/* SPDX-License-Identifier: GPL-2.0-only */
/* Times and packet counters of CPUs. */
#include <stdlib.h>
#include <string.h>

#include "base/procfs.h"
#include "doctor/collect/collect.h"

static struct doctor_cpu *find(struct doctor_sample *sample, __u64 id)
{
	struct doctor_cpu *cpu;

	return rxaqm_list_find(cpu, &sample->cpus, cpu->id == id);
}

static void parse_stat(void *to, char *text)
{
	struct doctor_sample *sample = to;
	const char *line, *end;

	for (line = text; line; line = end ? end + 1 : NULL) {
		struct rxaqm_ticks ticks;
		struct doctor_cpu *cpu;
		unsigned int id;

		end = strchr(line, '\n');
		if (!rxaqm_ticks_read(line, &id, &ticks))
			continue;
		cpu = rxaqm_list_add(&sample->cpus);
		if (!cpu)
			return;
		cpu->id = id;
		cpu->user = ticks.user + ticks.nice; /* guests are in them */
		cpu->system = ticks.system;
		cpu->idle = ticks.idle;
		cpu->iowait = ticks.iowait;
		cpu->irq = ticks.irq;
		cpu->softirq = ticks.softirq;
		cpu->steal = ticks.steal;
		cpu->net_tx = cpu->timer = cpu->block = ~0ULL;
		cpu->tasklet = cpu->sched = cpu->rcu = ~0ULL;
	}
}

/* net/core/net-procfs.c:softnet_seq_show. Newer kernels have more columns; the CPU is the 13th. */
static void parse_softnet(void *sample, char *text)
{
	enum {
		PROCESSED,
		DROPPED,
		CPU = 12,
	};
	char *line;
	__u64 row;

	for (row = 0; (line = strsep(&text, "\n")); row++) {
		unsigned long v[16] = {};
		struct doctor_cpu *cpu;
		int nr = 0;
		char *word;

		while (nr < 16 && (word = strsep(&line, " ")))
			v[nr++] = strtoul(word, NULL, 16);
		cpu = find(sample, nr > CPU ? v[CPU] : row);
		if (nr < 3 || !cpu)
			continue;
		cpu->processed = v[PROCESSED];
		cpu->dropped = v[DROPPED];
	}
}

/* "NET_RX: N N ...": a line for each kind, below a line that names the CPUs. */
static void parse_softirqs(void *sample, char *text)
{
	char *header = strsep(&text, "\n"), *line, *at, *end;
	const struct doctor_softirq *kind;
	struct doctor_cpu *cpu;
	__u64 id;

	while (header && (at = strsep(&text, "\n"))) {
		line = at + strspn(at, " ");
		at = strsep(&line, ":");
		for (kind = doctor_softirqs; kind->name && strcmp(at, kind->name); kind++)
			;
		if (!kind->name || !line)
			continue;
		for (at = header; (at = strstr(at, "CPU")); at = end) {
			id = strtoull(at + 3, &end, 10);
			cpu = find(sample, id);
			id = strtoull(line, &line, 10);
			if (cpu)
				*(__u64 *)((char *)cpu + kind->at) = id;
		}
	}
}

void doctor_collect_cpus(struct doctor_snapshot *snap, struct doctor_sample *sample)
{
	doctor_parse(snap, "/proc/stat", "the load of CPUs", parse_stat, sample);
	doctor_parse(snap, "/proc/net/softnet_stat", "the backlog of CPUs", parse_softnet, sample);
	doctor_parse(snap, "/proc/softirqs", "softirqs of CPUs", parse_softirqs, sample);
}
