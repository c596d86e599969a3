/* SPDX-License-Identifier: GPL-2.0-only */
/* What /proc tells: kernel threads that receive, programs that use CPU time, and other network
 * namespaces.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/each.h"
#include "base/now.h"
#include "base/procfs.h"
#include "doctor/collect/collect.h"
#include "nic/netns.h"

#define MAX_PROGRAMS 4096
/* A program that used less CPU time disturbs nobody. */
#define LEAST_PERCENT 10
#define MAX_HOGS 16
#define MAX_NAMESPACES 256
/* How many threads to look at every 100 ms; each costs a read. */
#define LOOKED_AT 64
#define PF_KTHREAD 0x00200000 /* include/linux/sched.h: a thread of the kernel */

struct program {
	__u32 pid;
	__u64 run_ns; /* of its first thread; multi-threaded programs are seen by their sockets */
};

struct doctor_programs {
	RXAQM_LIST(struct program);
	__u64 at_ns;
};

static bool receives(const char *comm)
{
	return !strncmp(comm, "ksoftirqd/", 10) || !strncmp(comm, "napi/", 5) ||
	       !strncmp(comm, "backlog_napi/", 13);
}

/* Add @pid if it is a kernel thread that receives. */
static void add_thread(struct doctor_sample *sample, __u32 pid, __u64 longest_wait_ns)
{
	struct doctor_thread thread = { .pid = pid, .longest_wait_ns = longest_wait_ns };
	struct doctor_schedstat times;
	char stat[512];

	if (!doctor_read_line(AT_FDCWD, thread.comm, sizeof(thread.comm), "/proc/%u/comm", pid) ||
	    !receives(thread.comm) || !doctor_read_schedstat(pid, &times) ||
	    !doctor_read_line(AT_FDCWD, stat, sizeof(stat), "/proc/%u/stat", pid) ||
	    !(strtoul(rxaqm_stat_field(stat, 9), NULL, 10) & PF_KTHREAD))
		return;
	thread.cpu = atoi(rxaqm_stat_field(stat, 39));
	thread.run_ns = times.run_ns;
	thread.wait_ns = times.wait_ns;
	rxaqm_list_put(&sample->threads, thread);
}

struct doctor_programs *doctor_programs_first(struct doctor_snapshot *snap)
{
	struct doctor_programs *programs = calloc(1, sizeof(*programs));
	struct doctor_schedstat times;

	if (!programs)
		return NULL;
	rxaqm_each_entry(entry, "/proc") {
		__u32 pid = (__u32)strtoul(entry->d_name, NULL, 10);

		if (!pid)
			continue;
		add_thread(&snap->before, pid, ~0ULL);
		if (programs->nr < MAX_PROGRAMS && doctor_read_schedstat(pid, &times))
			rxaqm_list_put(programs, (struct program){ pid, times.run_ns });
	}
	programs->at_ns = rxaqm_now_ns();
	if (!snap->before.threads.nr)
		doctor_cannot_see(snap, "kernel threads that receive",
				  "no ksoftirqd has a schedstat in /proc (a container?)");
	return programs;
}

/* The mean wait of a thread since the last look: at least one wait was that long. */
void doctor_look_at_threads(struct doctor_snapshot *snap)
{
	struct doctor_schedstat times;
	struct doctor_thread *thread;
	__u64 waits, mean_ns;

	rxaqm_list_each(thread, &snap->before.threads) {
		if (thread == snap->before.threads.at + LOOKED_AT)
			break;
		if (!doctor_read_schedstat(thread->pid, &times))
			continue;
		waits = thread->looked.waits ? times.waits - thread->looked.waits : 0;
		mean_ns = waits ? (times.wait_ns - thread->looked.wait_ns) / waits : 0;
		if (thread->longest_wait_ns == ~0ULL || mean_ns > thread->longest_wait_ns)
			thread->longest_wait_ns = mean_ns;
		thread->looked.wait_ns = times.wait_ns;
		thread->looked.waits = times.waits;
	}
}

void doctor_threads_again(struct doctor_snapshot *snap)
{
	const struct doctor_thread *known;

	rxaqm_list_each(known, &snap->before.threads)
		add_thread(&snap->after, known->pid, known->longest_wait_ns);
}

static void add_hog(struct doctor_snapshot *snap, __u32 pid, __u64 run_ns)
{
	struct doctor_hog *hog = snap->hogs.nr < MAX_HOGS ? rxaqm_list_add(&snap->hogs) : NULL;
	char stat[512];

	if (!hog)
		return;
	hog->pid = pid;
	hog->run_ns = run_ns;
	hog->cpu = -1;
	doctor_read_line(AT_FDCWD, hog->comm, sizeof(hog->comm), "/proc/%u/comm", pid);
	if (doctor_read_line(AT_FDCWD, stat, sizeof(stat), "/proc/%u/stat", pid))
		hog->cpu = atoi(rxaqm_stat_field(stat, 39));
}

/* Count a namespace once: the first program found in it stands for it. */
static void add_namespace(struct doctor_snapshot *snap, __u32 pid, __u64 ours, ino_t *inodes)
{
	struct doctor_netns *netns;
	struct stat st;
	char path[48];
	size_t i;

	snprintf(path, sizeof(path), "/proc/%u/ns/net", pid);
	if (stat(path, &st) || st.st_ino == ours)
		return;
	for (i = 0; i < snap->namespaces.nr && inodes[i] != st.st_ino; i++)
		;
	if (i == MAX_NAMESPACES)
		return;
	netns = i < snap->namespaces.nr ? &snap->namespaces.at[i] :
					  rxaqm_list_add(&snap->namespaces);
	if (!netns || netns->programs++)
		return;
	inodes[i] = st.st_ino;
	netns->pid = pid;
	doctor_read_line(AT_FDCWD, netns->comm, sizeof(netns->comm), "/proc/%u/comm", pid);
}

void doctor_programs_second(struct doctor_snapshot *snap, struct doctor_programs *first)
{
	static ino_t inodes[MAX_NAMESPACES];
	const struct program *program;
	struct doctor_schedstat times;
	__u64 run_ns, window_ns, ours = rxaqm_netns_ino();

	if (!first)
		return;
	window_ns = rxaqm_now_ns() - first->at_ns;
	rxaqm_list_each(program, first) {
		if (!doctor_read_schedstat(program->pid, &times))
			continue;
		run_ns = times.run_ns - program->run_ns;
		if (run_ns >= window_ns / 100 * LEAST_PERCENT)
			add_hog(snap, program->pid, run_ns);
		add_namespace(snap, program->pid, ours, inodes);
	}
	free(first->at);
	free(first);
}
