/* SPDX-License-Identifier: GPL-2.0-only */
/* What CPUs do, and the kernel threads that receive. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/collect/collect.h"

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h: a thread of the kernel */

static struct doctor_cpu *find(struct doctor_sample *sample, __u64 id)
{
	struct doctor_cpu *cpu;

	rxaqm_list_each(cpu, &sample->cpus) {
		if (cpu->id == id)
			return cpu;
	}
	return NULL;
}

/* user nice system idle iowait irq softirq steal guest guest_nice; guests are in user. */
static void parse_stat(struct doctor_sample *sample, const char *text)
{
	const char *line, *end;

	for (line = text; line; line = end ? end + 1 : NULL) {
		unsigned long long v[8];
		struct doctor_cpu *cpu;
		unsigned int id;

		end = strchr(line, '\n');
		/* Not the sum of all, "cpu  1 2 ...". */
		if (strncmp(line, "cpu", 3) || !isdigit((unsigned char)line[3]) ||
		    sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &id, &v[0], &v[1],
			   &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) != 9)
			continue;
		cpu = rxaqm_list_add(&sample->cpus);
		if (!cpu)
			return;
		*cpu = (struct doctor_cpu){
			.id = id,
			.user = v[0] + v[1],
			.system = v[2],
			.idle = v[3],
			.iowait = v[4],
			.irq = v[5],
			.softirq = v[6],
			.steal = v[7],
			.backlog = ~0ULL,
			.sibling = ~0U,
			.numa_node = ~0U,
		};
	}
}

/* net/core/net-procfs.c:softnet_seq_show. Columns came one by one; the CPU is the 13th. */
static void parse_softnet(struct doctor_sample *sample, char *text)
{
	enum {
		PROCESSED,
		DROPPED,
		SQUEEZED,
		RPS = 9,
		LIMITED,
		BACKLOG,
		CPU
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
		cpu->squeezed = v[SQUEEZED];
		cpu->rps = v[RPS];
		cpu->flow_limited = v[LIMITED];
		cpu->backlog = nr > BACKLOG ? v[BACKLOG] : ~0ULL;
	}
}

/* "NET_RX: N N ...", below a line that names the CPUs. */
static void parse_softirqs(struct doctor_sample *sample, char *text)
{
	char *header = strsep(&text, "\n"), *line, *word;

	while ((line = strsep(&text, "\n"))) {
		char *values = strstr(line, "NET_RX:");

		if (!values)
			continue;
		values += strlen("NET_RX:");
		while (header && (word = strsep(&header, " "))) {
			struct doctor_cpu *cpu;

			if (strncmp(word, "CPU", 3))
				continue;
			cpu = find(sample, strtoull(word + 3, NULL, 10));
			if (cpu)
				cpu->net_rx = strtoull(values, &values, 10);
			else
				strtoull(values, &values, 10);
		}
	}
}

void doctor_collect_cpus(struct doctor_snapshot *snap, struct doctor_sample *sample)
{
	static const struct {
		const char *path, *what;
		void (*parse)(struct doctor_sample *sample, char *text);
	} files[] = {
		{ "/proc/net/softnet_stat", "the backlog of CPUs", parse_softnet },
		{ "/proc/softirqs", "softirqs of CPUs", parse_softirqs },
	};
	char *text = doctor_read_or_note(snap, "/proc/stat", "the load of CPUs");
	size_t i;

	if (!text)
		return;
	parse_stat(sample, text);
	free(text);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		text = doctor_read_or_note(snap, files[i].path, files[i].what);
		if (text)
			files[i].parse(sample, text);
		free(text);
	}
	doctor_collect_clocks(sample);
}

static bool receives(const char *comm)
{
	return !strncmp(comm, "ksoftirqd/", 10) || !strncmp(comm, "napi/", 5) ||
	       !strncmp(comm, "backlog_napi/", 13);
}

static void collect_thread(struct doctor_sample *sample, const char *pid)
{
	char comm[32], dir[32], stat[512];
	struct doctor_thread *thread;
	__u64 run_ns, wait_ns;

	snprintf(dir, sizeof(dir), "/proc/%.16s", pid);
	if (!doctor_read_line(AT_FDCWD, comm, sizeof(comm), "%s/comm", dir) || !receives(comm) ||
	    !doctor_read_schedstat(dir, &run_ns, &wait_ns) ||
	    !doctor_read_line(AT_FDCWD, stat, sizeof(stat), "%s/stat", dir) ||
	    !(strtoul(doctor_stat_field(stat, 9), NULL, 10) & PF_KTHREAD))
		return;
	thread = rxaqm_list_add(&sample->threads);
	if (!thread)
		return;
	*thread = (struct doctor_thread){ .pid = (__u32)strtoul(pid, NULL, 10),
					  .cpu = atoi(doctor_stat_field(stat, 39)),
					  .run_ns = run_ns,
					  .wait_ns = wait_ns };
	snprintf(thread->comm, sizeof(thread->comm), "%s", comm);
}

void doctor_collect_threads(struct doctor_snapshot *snap, struct doctor_sample *sample)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			collect_thread(sample, entry->d_name);
	}
	if (proc)
		closedir(proc);
	if (!sample->threads.nr)
		doctor_cannot_see(snap, "kernel threads that receive",
				  "no ksoftirqd has a schedstat in /proc (a container?)");
}
