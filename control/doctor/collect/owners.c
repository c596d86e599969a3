/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes that hold sockets, and whether they get the CPU time they want. */
#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/each.h"
#include "base/now.h"
#include "base/procfs.h"
#include "doctor/collect/collect.h"
#include "doctor/snapshot/get.h"
#include "doctor/sockets/sockets.h"

#define PATIENCE_NS (50 * RXAQM_NSEC_PER_MSEC)
#define MAX_THREADS 256

/* Its state, last CPU and nice value. */
static void read_stat(struct doctor_owner *owner, __u32 tid)
{
	char line[1024];

	if (!doctor_read_line(AT_FDCWD, line, sizeof(line), "/proc/%u/task/%u/stat", owner->pid,
			      tid) ||
	    !*rxaqm_stat_field(line, 3))
		return;
	snprintf(owner->state, sizeof(owner->state), "%c", *rxaqm_stat_field(line, 3));
	owner->cpu = *rxaqm_stat_field(line, 39) ? atoi(rxaqm_stat_field(line, 39)) : -1;
	owner->nice = atoi(rxaqm_stat_field(line, 19));
}

/* The time that the quotas of the cgroup at @path and its ancestors took; ~0: not known. */
static __u64 throttled_below(const char *mount, char *path)
{
	static const struct {
		const char *name;
		__u64 per_us;
	} forms[] = { { "throttled_usec ", 1 }, { "throttled_time ", 1000 } }; /* cgroup v1 */
	char file[600], *text, *at, *slash = path;
	__u64 us = ~0ULL;
	size_t i;

	while (slash) {
		snprintf(file, sizeof(file), "/sys/fs/cgroup%s%s/cpu.stat", mount, path);
		text = doctor_read(AT_FDCWD, file);
		for (i = 0; text && i < sizeof(forms) / sizeof(forms[0]); i++) {
			at = strstr(text, forms[i].name);
			if (at)
				us = (us == ~0ULL ? 0 : us) +
				     strtoull(at + strlen(forms[i].name), NULL, 10) /
					     forms[i].per_us;
		}
		free(text);
		slash = strrchr(path, '/');
		if (slash)
			*slash = '\0';
	}
	return us;
}

/* A line of /proc/PID/cgroup is NUMBER:CONTROLLERS:/PATH; CONTROLLERS is empty for v2. */
static __u64 throttled_us(__u32 pid)
{
	char line[512], file[64], controllers[64], *path;
	__u64 us = ~0ULL;

	snprintf(file, sizeof(file), "/proc/%u/cgroup", pid);
	rxaqm_each_line(line, file) {
		path = strchr(line, '/');
		if (us != ~0ULL || !path)
			continue;
		path[strcspn(path, "\n")] = '\0';
		if (strstr(line, "::/"))
			us = throttled_below("", path);
		else if (sscanf(line, "%*[0-9]:%63[^:]", controllers) == 1 &&
			 (!strcmp(controllers, "cpu") || !strncmp(controllers, "cpu,", 4)))
			us = throttled_below("/cpu", path);
	}
	return us;
}

/* The run time of thread @tid at the first look; @first notes it. */
static __u64 ran_before(struct doctor_owner *owner, bool first, __u32 tid, __u64 run_ns)
{
	struct doctor_thread_run *run;

	run = rxaqm_list_find(run, &owner->runs, run->tid == tid);
	if (!run && first)
		rxaqm_list_put(&owner->runs,
			       (struct doctor_thread_run){ .tid = tid, .run_ns = run_ns });
	return run ? run->run_ns : 0;
}

/* Sum the run and wait times of all threads, and find where the busiest one runs: the one that ran
 * most since the first look, as a thread that has worked for hours may be idle now.
 */
static void read_threads(struct doctor_owner *owner, bool first, __u64 *ret_run, __u64 *ret_wait)
{
	__u32 busiest = owner->pid, tid;
	struct doctor_schedstat times;
	unsigned int nr = 0;
	__u64 most = 0, run;
	char path[64];

	*ret_run = *ret_wait = 0;
	snprintf(path, sizeof(path), "/proc/%u/task", owner->pid);
	rxaqm_each_entry(entry, path) {
		if (nr++ == MAX_THREADS)
			break;
		tid = (__u32)strtoul(entry->d_name, NULL, 10);
		if (!tid || !doctor_read_schedstat(tid, &times))
			continue;
		*ret_run += times.run_ns;
		*ret_wait += times.wait_ns;
		run = times.run_ns - ran_before(owner, first, tid, times.run_ns);
		if (run >= most) {
			most = run;
			busiest = tid;
		}
	}
	owner->busiest_run_ns = most;
	read_stat(owner, busiest);
}

static void note_owner(struct doctor_snapshot *snap, __u32 pid)
{
	struct doctor_owner *owner;

	if (rxaqm_list_find(owner, &snap->owners, owner->pid == pid))
		return;
	owner = rxaqm_list_add(&snap->owners);
	if (!owner)
		return;
	owner->pid = pid;
	owner->cpu = -1;
	owner->throttled_us = throttled_us(pid);
	/* Absolute values; the second look makes them differences. */
	read_threads(owner, true, &owner->run_ns, &owner->wait_ns);
	doctor_read_line(AT_FDCWD, owner->comm, sizeof(owner->comm), "/proc/%u/comm", pid);
}

/* Note the process as an owner if one of its descriptors is a noted socket. */
static void look_at(struct doctor_snapshot *snap, const char *pid)
{
	char path[64], target[64];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%.16s/fd", pid);
	rxaqm_each_entry(entry, path) {
		struct doctor_socket *socket;
		unsigned long long inode;

		snprintf(path, sizeof(path), "/proc/%.16s/fd/%.16s", pid, entry->d_name);
		len = readlink(path, target, sizeof(target) - 1);
		if (len < 0)
			continue;
		target[len] = '\0';
		if (sscanf(target, "socket:[%llu]", &inode) != 1)
			continue;
		socket = rxaqm_list_find(socket, &snap->sockets.notable, socket->inode == inode);
		if (!socket)
			continue;
		socket->owner = (__u32)strtoul(pid, NULL, 10);
		note_owner(snap, socket->owner);
	}
}

static bool all_known(const struct doctor_sockets *sockets)
{
	const struct doctor_socket *socket;

	return !rxaqm_list_find(socket, &sockets->notable, socket->inode && !socket->owner);
}

static void free_runs(struct doctor_owner *owner)
{
	free(owner->runs.at);
	owner->runs.at = NULL;
	owner->runs.nr = 0;
}

/* Turn the absolute times into what was used since the first look. */
static void make_differences(struct doctor_snapshot *snap, size_t nr)
{
	struct doctor_owner *owner;
	__u64 run, wait;

	rxaqm_list_each(owner, &snap->owners) {
		if (owner >= snap->owners.at + nr) {
			free_runs(owner);
			owner->run_ns = owner->wait_ns = owner->throttled_us = ~0ULL;
			owner->busiest_run_ns = ~0ULL;
			continue;
		}
		read_threads(owner, false, &run, &wait);
		free_runs(owner);
		owner->throttled_us = doctor_since(owner->throttled_us, throttled_us(owner->pid));
		/* A thread that ended takes its time out of the sum. */
		owner->run_ns = run > owner->run_ns ? run - owner->run_ns : 0;
		owner->wait_ns = wait > owner->wait_ns ? wait - owner->wait_ns : 0;
	}
}

void doctor_owners_find(struct doctor_snapshot *snap, bool second)
{
	/* CPU time of this process, which other programs on a busy host do not use up. */
	__u64 until = rxaqm_clock_ns(CLOCK_PROCESS_CPUTIME_ID) + PATIENCE_NS;
	size_t nr = snap->owners.nr;

	rxaqm_each_entry(entry, "/proc") {
		if (all_known(&snap->sockets))
			break;
		/* This process may have inherited sockets from its parent, but it reads none of
		 * them.
		 */
		if (!isdigit((unsigned char)entry->d_name[0]) || atoi(entry->d_name) == getpid())
			continue;
		if (rxaqm_clock_ns(CLOCK_PROCESS_CPUTIME_ID) > until) {
			doctor_cannot_see(snap, "who holds each socket",
					  "reading /proc was stopped after 50 ms of CPU time");
			break;
		}
		look_at(snap, entry->d_name);
	}
	if (second)
		make_differences(snap, nr);
}
