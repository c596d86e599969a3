/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stalls of Tx completions, by BQL's detector (Linux 6.9, lib/dynamic_queue_limits.c). It is off
 * until someone writes a threshold; this is the only probe that changes a setting. A guard process,
 * started before, restores it however this process ends. If the guard is killed as well, with the
 * whole cgroup, the next run restores it from the notes in the lock file.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/dirs.h"
#include "base/json_file.h"
#include "base/lock_file.h"
#include "doctor/collect/collect.h"
#include "doctor/deep/deep.h"
#include "nic/netns.h"

/* 4 to 128 jiffies are allowed: 40 ms fit any kernel of 100 to 1000 Hz. */
#define THRESHOLD_MS 40
#define MAX_QUEUES 4096

struct watched {
	__u32 ifindex, queue;
	char dir[96]; /* relative to sysfs */
	__u64 stalls;
};

struct watch {
	struct doctor_deep *deep;
	int sysfs_fd;
	RXAQM_LIST(struct watched) queues;
};

static int write_number(int dir_fd, const char *dir, const char *name, __u64 value)
{
	char path[160], text[24];
	int fd, len, err = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = openat(dir_fd, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = snprintf(text, sizeof(text), "%llu\n", value);
	if (write(fd, text, (size_t)len) != len)
		err = -errno;
	close(fd);
	return err;
}

/* BQL is in use, and its stall detector exists and is off. */
static bool is_off(const struct doctor_queue *queue)
{
	return queue->tx && !queue->stall_thrs_ms && queue->bql_limit && queue->bql_limit != ~0ULL;
}

bool doctor_stalls_possible(const struct doctor_snapshot *snap)
{
	const struct doctor_iface *iface;
	const struct doctor_queue *queue;

	rxaqm_list_each(iface, &snap->after.ifaces) {
		if (rxaqm_list_find(queue, &iface->queues, is_off(queue)))
			return true;
	}
	return false;
}

static void find_queues(struct watch *watch)
{
	const struct doctor_iface *iface;
	const struct doctor_queue *queue;
	struct watched *to;

	rxaqm_list_each(iface, &watch->deep->snap->after.ifaces) {
		rxaqm_list_each(queue, &iface->queues) {
			if (!is_off(queue) || watch->queues.nr == MAX_QUEUES)
				continue;
			to = rxaqm_list_add(&watch->queues);
			if (!to)
				return;
			to->ifindex = iface->ifindex;
			to->queue = queue->id;
			snprintf(to->dir, sizeof(to->dir),
				 "class/net/%s/queues/tx-%u/byte_queue_limits", iface->name,
				 queue->id);
		}
	}
}

/* Reset the threshold only if it is still ours: another program's stays. */
static int switch_off(int sysfs_fd, const char *dir)
{
	if (doctor_read_u64(sysfs_fd, 0, "%s/stall_thrs", dir) != THRESHOLD_MS)
		return 0;
	return write_number(sysfs_fd, dir, "stall_thrs", 0);
}

static int restore(const struct watch *watch)
{
	const struct watched *queue;
	int err = 0, failed;

	rxaqm_list_each(queue, &watch->queues) {
		failed = switch_off(watch->sysfs_fd, queue->dir);
		err = failed ? failed : err;
	}
	return err;
}

/* Each line is a network namespace and a directory. Lines of other namespaces stay. */
void doctor_stalls_undo(int lock_fd, int sysfs_fd)
{
	unsigned long long netns;
	char *text, *line, *rest, dir[96];
	size_t len;

	text = rest = rxaqm_read_all(lock_fd, MAX_QUEUES * sizeof(dir), &len);
	if (!text || ftruncate(lock_fd, 0) || lseek(lock_fd, 0, SEEK_SET)) {
		free(text);
		return;
	}
	while ((line = strsep(&rest, "\n"))) {
		if (sscanf(line, "%llu %95s", &netns, dir) != 2)
			continue;
		if (netns != rxaqm_netns_ino() || switch_off(sysfs_fd, dir))
			dprintf(lock_fd, "%s\n", line);
	}
	free(text);
}

/* The guard: report that it runs, then restore when the other end of @fd closes, which happens when
 * the probe ends or is killed. Its own session keeps it from the signals of a terminal or process
 * group.
 */
static void guard(const struct watch *watch, int fd)
{
	char byte = 0;

	setsid();
	if (write(fd, &byte, 1) == 1) {
		while (read(fd, &byte, 1) < 0 && errno == EINTR)
			;
	}
	_exit(-restore(watch));
}

static void switch_on(struct watch *watch)
{
	unsigned long long netns = rxaqm_netns_ino();
	struct watched *queue;

	rxaqm_list_each(queue, &watch->queues)
		dprintf(watch->deep->lock_fd, "%llu %s\n", netns, queue->dir);
	rxaqm_list_each(queue, &watch->queues) {
		queue->stalls = doctor_read_u64(watch->sysfs_fd, ~0ULL, "%s/stall_cnt", queue->dir);
		if (write_number(watch->sysfs_fd, queue->dir, "stall_thrs", THRESHOLD_MS))
			queue->stalls = ~0ULL;
	}
}

static void read_stalls(struct watch *watch)
{
	const struct watched *queue;
	size_t seen = 0;

	rxaqm_list_each(queue, &watch->queues) {
		__u64 now = doctor_read_u64(watch->sysfs_fd, ~0ULL, "%s/stall_cnt", queue->dir);

		if (queue->stalls == ~0ULL || now == ~0ULL)
			continue;
		seen++;
		if (now <= queue->stalls)
			continue;
		rxaqm_list_put(&watch->deep->snap->deep_stalls,
			       (struct doctor_deep_stalls){
				       .ifindex = queue->ifindex,
				       .queue = queue->queue,
				       .stalls = now - queue->stalls,
				       .longest_ms = doctor_read_u64(watch->sysfs_fd, 0,
								     "%s/stall_max", queue->dir) });
	}
	doctor_map_set(&watch->deep->snap->deep, "stalls_queues", seen);
}

void doctor_stalls_watch(struct doctor_deep *deep, int sysfs_fd)
{
	struct watch watch = { .deep = deep, .sysfs_fd = sysfs_fd };
	off_t before = lseek(deep->lock_fd, 0, SEEK_CUR);
	int ends[2] = { -1, -1 }, status = 0;
	char byte;
	pid_t pid;

	find_queues(&watch);
	if (!watch.queues.nr) {
		doctor_cannot_see(deep->snap, "stalls of Tx completions",
				  "no Tx queue has BQL with a stall detector (Linux 6.9) that is off");
		return;
	}
	pid = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) ? -1 : fork();
	if (!pid) {
		close(ends[1]);
		guard(&watch, ends[0]);
	}
	close(ends[0]);
	if (pid < 0 || read(ends[1], &byte, 1) != 1) {
		doctor_cannot_see(deep->snap, "stalls of Tx completions",
				  "no process could be started that undoes the change: %s",
				  strerror(errno));
	} else {
		switch_on(&watch);
		doctor_deep_ran(deep, "stalls", doctor_deep_wait(deep));
		read_stalls(&watch);
	}
	close(ends[1]);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && !status)
		(void)!ftruncate(deep->lock_fd, before); /* a note too many does no harm */
	if (status)
		doctor_cannot_see(deep->snap, "whether the detector of Tx stalls is off again",
				  "%s: write 0 to stall_thrs of the Tx queues",
				  WIFEXITED(status) ? strerror(WEXITSTATUS(status)) : "killed");
	free(watch.queues.at);
}

void doctor_probe_stalls(struct doctor_deep *deep)
{
	int sysfs_fd = rxaqm_netns_mount_sysfs(true);

	if (sysfs_fd < 0) {
		doctor_cannot_see(deep->snap, "stalls of Tx completions",
				  "cannot mount a sysfs to write to: %s", strerror(-sysfs_fd));
		return;
	}
	doctor_stalls_watch(deep, sysfs_fd);
	close(sysfs_fd);
}

int doctor_deep_lock(struct rxaqm_error *error)
{
	char path[RXAQM_DIRS_PATH_LEN], copy[RXAQM_DIRS_PATH_LEN];
	struct stat st;
	int fd, sysfs_fd;

	rxaqm_runtime_path("doctor-deep", path, sizeof(path));
	mkdir(dirname(strcpy(copy, path)), 0755);
	fd = rxaqm_lock_file(path);
	if (fd == -EWOULDBLOCK)
		return rxaqm_failed(error, EBUSY,
				    "another \"rxaqm doctor --deep\" is at work, and one disturbs the "
				    "figures of the other: run it when that has ended (\"fuser %s\" "
				    "tells its pid)",
				    path);
	if (fd < 0)
		return rxaqm_failed(error, -fd,
				    "cannot lock \"%s\" for --deep: %s; run as root, or name a "
				    "directory that can be written to with RUNTIME_DIRECTORY",
				    path, strerror(-fd));
	if (fstat(fd, &st) || !st.st_size)
		return fd;
	sysfs_fd = rxaqm_netns_mount_sysfs(true);
	if (sysfs_fd >= 0) {
		doctor_stalls_undo(fd, sysfs_fd);
		close(sysfs_fd);
	}
	return fd;
}
