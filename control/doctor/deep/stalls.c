/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stalls of Tx completions, by the detector of BQL (Linux 6.9, lib/dynamic_queue_limits.c), which
 * is off until someone writes a threshold. This one is: the only probe that changes a setting. What
 * it changes is noted in a file before, and both are undone after; a doctor that was killed leaves
 * the note, and the next one undoes it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lock_file.h"
#include "base/dirs.h"
#include "doctor/collect/collect.h"
#include "doctor/deep/deep.h"
#include "nic/netns.h"

/* Of 4 to 128 jiffies: any kernel of 100 to 1000 Hz takes this. */
#define THRESHOLD_MS 40
#define MAX_QUEUES 4096

struct watched {
	__u32 ifindex, queue;
	char dir[96]; /* below sysfs */
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
	len = snprintf(text, sizeof(text), "%llu\n", (unsigned long long)value);
	if (write(fd, text, (size_t)len) != len)
		err = -errno;
	close(fd);
	return err;
}

/* BQL is in use, and its detector is there and off. */
static bool is_off(const struct doctor_queue *queue)
{
	return queue->tx && !queue->stall_thrs_ms && queue->bql_limit && queue->bql_limit != ~0ULL;
}

bool doctor_stalls_possible(const struct doctor_snapshot *snap)
{
	const struct doctor_iface *iface;
	const struct doctor_queue *queue;

	rxaqm_list_each(iface, &snap->after.ifaces) {
		rxaqm_list_each(queue, &iface->queues) {
			if (is_off(queue))
				return true;
		}
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

/* Locked while it holds; what another doctor has noted, or has left, is not touched. NULL with
 * errno.
 */
static FILE *open_note(const char *path)
{
	int fd = rxaqm_lock_file(path);
	FILE *note = NULL;

	errno = fd < 0 ? -fd : lseek(fd, 0, SEEK_END) ? EEXIST : 0;
	if (!errno)
		note = fdopen(fd, "r+");
	if (fd >= 0 && !note)
		close(fd);
	return note;
}

/* A line a queue. On the disk, or as near as /run is to one, before anything is changed. */
static int write_note(const struct watch *watch, FILE *note)
{
	const struct watched *queue;

	rxaqm_list_each(queue, &watch->queues)
		fprintf(note, "%s\n", queue->dir);
	return fflush(note) || ferror(note) ? -EIO : 0;
}

/* Of the queue at @dir; 0 if it is gone. -errno. */
static int read_threshold(int sysfs_fd, const char *dir)
{
	char path[160], text[24] = "";
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/stall_thrs", dir);
	fd = openat(sysfs_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ENODEV ? 0 : -errno;
	got = read(fd, text, sizeof(text) - 1);
	got = got < 0 && errno != ENODEV ? -errno : 0;
	close(fd);
	return got ? (int)got : atoi(text);
}

/* Only what is as we set it: another's threshold is left alone. 1: it was; -errno. */
static int restore_queue(int sysfs_fd, const char *dir)
{
	int now = read_threshold(sysfs_fd, dir);

	if (now != THRESHOLD_MS)
		return now < 0 ? now : 0;
	return write_number(sysfs_fd, dir, "stall_thrs", 0) ?: 1;
}

/* How many were; -errno: some could not be, or what is noted cannot be read. */
static int restore(int sysfs_fd, FILE *note)
{
	int nr = 0, err = 0, done;
	char dir[96], *end;

	rewind(note);
	while (fgets(dir, sizeof(dir), note)) {
		end = strchr(dir, '\n');
		/* Cut short, so nothing was changed yet. */
		if (!end && feof(note))
			break;
		if (end)
			*end = '\0';
		done = end && !strncmp(dir, "class/net/", 10) ? restore_queue(sysfs_fd, dir) :
								-EBADMSG;
		nr += done > 0;
		err = done < 0 ? done : err;
	}
	return ferror(note) ? -EIO : err ?: nr;
}

int doctor_stalls_restore(int sysfs_fd, const char *path)
{
	FILE *note;
	int fd, nr;

	if (access(path, F_OK))
		return errno == ENOENT ? 0 : -errno;
	fd = rxaqm_lock_file(path);
	/* Who holds the lock is at work, and undoes it himself. */
	if (fd < 0)
		return fd == -EWOULDBLOCK ? 0 : fd;
	note = fdopen(fd, "r");
	if (!note) {
		nr = -errno;
		close(fd);
		return nr;
	}
	nr = restore(sysfs_fd, note);
	if (nr >= 0)
		unlink(path);
	fclose(note);
	return nr;
}

static void switch_on(struct watch *watch)
{
	struct watched *queue;

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
		struct doctor_deep_stalls *to;

		if (queue->stalls == ~0ULL || now == ~0ULL)
			continue;
		seen++;
		to = now > queue->stalls ? rxaqm_list_add(&watch->deep->snap->deep_stalls) : NULL;
		if (!to)
			continue;
		*to = (struct doctor_deep_stalls){
			.ifindex = queue->ifindex,
			.queue = queue->queue,
			.stalls = now - queue->stalls,
			.longest_ms = doctor_read_u64(watch->sysfs_fd, 0, "%s/stall_max",
						      queue->dir),
		};
	}
	doctor_map_set(&watch->deep->snap->deep, "stalls_queues", seen);
}

void doctor_stalls_watch(struct doctor_deep *deep, int sysfs_fd, const char *path)
{
	struct watch watch = { .deep = deep, .sysfs_fd = sysfs_fd };
	FILE *note;
	__u64 took_ns;
	int err;

	find_queues(&watch);
	if (!watch.queues.nr) {
		doctor_cannot_see(
			deep->snap, "stalls of Tx completions",
			"no Tx queue has BQL with a detector of stalls (6.9 has) that is off");
		return;
	}
	note = open_note(path);
	if (!note || write_note(&watch, note)) {
		doctor_cannot_see(deep->snap, "stalls of Tx completions",
				  "nothing is changed without a note in %s: %s", path,
				  strerror(errno));
	} else {
		switch_on(&watch);
		took_ns = doctor_deep_wait(deep);
		read_stalls(&watch);
		err = restore(sysfs_fd, note);
		if (err >= 0)
			unlink(path);
		else
			doctor_cannot_see(deep->snap,
					  "whether the detector of Tx stalls is off again",
					  "%s; the next \"rxaqm doctor\" tries again, by %s",
					  strerror(-err), path);
		doctor_deep_ran(deep, "stalls", took_ns);
	}
	if (note)
		fclose(note);
	free(watch.queues.at);
}

/* A network namespace has its own: interfaces of two may have the same name. */
static const char *note_path(char buf[RXAQM_DIRS_PATH_LEN])
{
	char name[40];

	snprintf(name, sizeof(name), "doctor-stalls-%u", doctor_deep_netns());
	return rxaqm_runtime_path(name, buf, RXAQM_DIRS_PATH_LEN);
}

void doctor_probe_stalls(struct doctor_deep *deep)
{
	int sysfs_fd = rxaqm_netns_mount_sysfs(true);
	char path[RXAQM_DIRS_PATH_LEN];

	if (sysfs_fd < 0) {
		doctor_cannot_see(deep->snap, "stalls of Tx completions",
				  "no mount of sysfs of our own to write to: %s",
				  strerror(-sysfs_fd));
		return;
	}
	mkdir(rxaqm_runtime_path("", path, sizeof(path)), 0755);
	doctor_stalls_watch(deep, sysfs_fd, note_path(path));
	close(sysfs_fd);
}

int doctor_stalls_recover(struct rxaqm_error *error)
{
	char path[RXAQM_DIRS_PATH_LEN];
	int sysfs_fd, nr;

	if (access(note_path(path), F_OK) && errno == ENOENT)
		return 0;
	sysfs_fd = rxaqm_netns_mount_sysfs(true);
	nr = sysfs_fd < 0 ? sysfs_fd : doctor_stalls_restore(sysfs_fd, path);
	if (sysfs_fd >= 0)
		close(sysfs_fd);
	if (nr >= 0)
		return nr;
	return rxaqm_failed(error, -nr,
			    "the detector of Tx stalls, left on by a \"doctor --deep\" that was "
			    "killed at the queues that %s names, cannot be switched off: %s; try "
			    "again, or write 0 to their stall_thrs and remove that file",
			    path, strerror(-nr));
}
