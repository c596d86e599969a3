/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs: who takes CPU time, and which live in other network namespaces. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "doctor/collect/collect.h"
#include "base/now.h"

#define MAX_PROGRAMS 4096
/* Those that took less are nobody's trouble. */
#define LEAST_PERCENT 10
#define MAX_HOGS 16
#define MAX_NAMESPACES 256

struct program {
	__u32 pid;
	__u64 run_ns;
};

struct doctor_programs {
	RXAQM_LIST(struct program);
	__u64 at_ns;
};

/* Of its first thread: a program of many is told by its sockets. */
static bool run_of(__u32 pid, __u64 *ret_run_ns)
{
	char dir[32];
	__u64 wait_ns;

	snprintf(dir, sizeof(dir), "/proc/%u", pid);
	return doctor_read_schedstat(dir, ret_run_ns, &wait_ns);
}

struct doctor_programs *doctor_programs_first(void)
{
	struct doctor_programs *programs = calloc(1, sizeof(*programs));
	DIR *proc = programs ? opendir("/proc") : NULL;
	struct dirent *entry;
	struct program *to;
	__u64 run_ns;

	while (proc && programs->nr < MAX_PROGRAMS && (entry = readdir(proc))) {
		__u32 pid = (__u32)strtoul(entry->d_name, NULL, 10);

		to = pid && run_of(pid, &run_ns) ? rxaqm_list_add(programs) : NULL;
		if (to)
			*to = (struct program){ pid, run_ns };
	}
	if (proc)
		closedir(proc);
	if (programs)
		programs->at_ns = rxaqm_now_ns();
	return programs;
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
		hog->cpu = atoi(doctor_stat_field(stat, 39));
}

/* A namespace that no program before lived in is another one. */
static void add_namespace(struct doctor_snapshot *snap, __u32 pid, ino_t ours, ino_t *inodes)
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
	__u64 run_ns, window_ns;
	struct stat ours = {};

	if (!first)
		return;
	window_ns = rxaqm_now_ns() - first->at_ns;
	stat("/proc/thread-self/ns/net", &ours);
	rxaqm_list_each(program, first) {
		if (!run_of(program->pid, &run_ns))
			continue;
		run_ns -= program->run_ns;
		if (run_ns >= window_ns / 100 * LEAST_PERCENT)
			add_hog(snap, program->pid, run_ns);
		add_namespace(snap, program->pid, ours.st_ino, inodes);
	}
	free(first->at);
	free(first);
}
