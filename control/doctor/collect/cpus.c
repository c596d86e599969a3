/* SPDX-License-Identifier: GPL-2.0-only */
/* What CPUs do, and the kernel threads that receive. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/collect/collect.h"

/* Threads that are looked at each 100 ms: a read each. */
#define LOOKED_AT 64
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
			.net_tx = ~0ULL,
			.timer = ~0ULL,
			.block = ~0ULL,
			.tasklet = ~0ULL,
			.sched = ~0ULL,
			.rcu = ~0ULL,
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
		LIMITED = 10,
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
		cpu->flow_limited = v[LIMITED];
	}
}

/* "NET_RX: N N ...", a line a kind, below one that names the CPUs. */
static void parse_softirqs(struct doctor_sample *sample, char *text)
{
	static const struct {
		const char *name;
		size_t at;
	} kinds[] = {
		{ "NET_RX:", offsetof(struct doctor_cpu, net_rx) },
		{ "NET_TX:", offsetof(struct doctor_cpu, net_tx) },
		{ "TIMER:", offsetof(struct doctor_cpu, timer) },
		{ "BLOCK:", offsetof(struct doctor_cpu, block) },
		{ "TASKLET:", offsetof(struct doctor_cpu, tasklet) },
		{ "SCHED:", offsetof(struct doctor_cpu, sched) },
		{ "RCU:", offsetof(struct doctor_cpu, rcu) },
	};
	char *header = strsep(&text, "\n"), *line, *at, *end;
	struct doctor_cpu *cpu;
	size_t i;
	__u64 id;

	while (header && (line = strsep(&text, "\n"))) {
		line += strspn(line, " ");
		for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]) &&
			    strncmp(line, kinds[i].name, strlen(kinds[i].name));
		     i++)
			;
		if (i == sizeof(kinds) / sizeof(kinds[0]))
			continue;
		line += strlen(kinds[i].name);
		for (at = header; (at = strstr(at, "CPU")); at = end) {
			id = strtoull(at + 3, &end, 10);
			cpu = find(sample, id);
			id = strtoull(line, &line, 10);
			if (cpu)
				*(__u64 *)((char *)cpu + kinds[i].at) = id;
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
					  .wait_ns = wait_ns,
					  .longest_wait_ns = ~0ULL };
	snprintf(thread->comm, sizeof(thread->comm), "%s", comm);
}

/* How long a thread waited each time since the last look, on average: at least one wait was as
 * long.
 */
void doctor_look_at_threads(struct doctor_look *looks, const struct doctor_sample *sample)
{
	unsigned long long run, wait, slices;
	struct doctor_wait *look;
	char line[128];
	size_t i;

	if (!looks->at)
		looks->at = calloc(sample->threads.nr + 1, sizeof(*looks->at));
	for (i = 0; looks->at && i < sample->threads.nr && i < LOOKED_AT; i++) {
		look = &looks->at[i];
		if (!doctor_read_line(AT_FDCWD, line, sizeof(line), "/proc/%u/schedstat",
				      sample->threads.at[i].pid) ||
		    sscanf(line, "%llu %llu %llu", &run, &wait, &slices) != 3)
			continue;
		if (look->slices && slices > look->slices &&
		    (wait - look->wait_ns) / (slices - look->slices) > look->longest_ns)
			look->longest_ns = (wait - look->wait_ns) / (slices - look->slices);
		look->wait_ns = wait;
		look->slices = slices;
	}
}

void doctor_looks_done(struct doctor_look *looks, const struct doctor_sample *before,
		       struct doctor_sample *after)
{
	struct doctor_thread *thread;
	size_t i;

	for (i = 0; looks->at && i < before->threads.nr && i < LOOKED_AT; i++) {
		rxaqm_list_each(thread, &after->threads) {
			if (thread->pid == before->threads.at[i].pid)
				thread->longest_wait_ns = looks->at[i].longest_ns;
		}
	}
	free(looks->at);
	looks->at = NULL;
}

void doctor_collect_threads(struct doctor_snapshot *snap, struct doctor_sample *sample)
{
	const struct doctor_thread *known;
	struct dirent *entry;
	char pid[16];
	DIR *proc;

	/* Only what is in both is compared: all of /proc is looked through once. */
	if (sample == &snap->after) {
		rxaqm_list_each(known, &snap->before.threads) {
			snprintf(pid, sizeof(pid), "%u", known->pid);
			collect_thread(sample, pid);
		}
		return;
	}
	proc = opendir("/proc");
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
