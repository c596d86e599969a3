/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/netns.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/each.h"
#include "base/fields.h"

#define FIRST_NETNS "/proc/1/ns/net"

/* The namespace in which the command was started, if it has entered another one. */
static int origin_fd = -1;
/* Set while visiting a namespace other than the one the command works in. */
static bool away;

static int open_named(const char *name)
{
	char path[PATH_MAX];

	/* These are directories. */
	if (!*name || !strcmp(name, ".") || !strcmp(name, "..")) {
		errno = ENOENT;
		return -1;
	}
	if (snprintf(path, sizeof(path), "%s/%s", RXAQM_NETNS_DIR, name) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return open(path, O_RDONLY | O_CLOEXEC);
}

int rxaqm_netns_enter(const char *name, struct rxaqm_error *error)
{
	int fd, err = 0;

	fd = open_named(name);
	if (fd < 0)
		return rxaqm_failed(error, errno,
				    "no network namespace \"%s\" in %s: %s; see \"ip netns list\"",
				    name, RXAQM_NETNS_DIR, strerror(errno));
	origin_fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (setns(fd, CLONE_NEWNET))
		err = rxaqm_failed(error, errno, "cannot enter network namespace \"%s\": %s%s",
				   name, strerror(errno), errno == EPERM ? "; run as root" : "");
	close(fd);
	return err;
}

static __u64 ino_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ino;
}

__u64 rxaqm_netns_ino(void)
{
	return ino_of("/proc/thread-self/ns/net");
}

/* Call @each in the namespace @fd, unless it is the current one, and come back. Closes @fd. */
static void call_in(int fd, void (*each)(void *arg), void *arg)
{
	int home_fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	__u64 home_ino = rxaqm_netns_ino();
	bool was_away = away;

	if (fd >= 0 && home_fd >= 0 && !setns(fd, CLONE_NEWNET)) {
		away = true;
		if (rxaqm_netns_ino() != home_ino)
			each(arg);
		away = was_away;
		/* The namespace was ours a moment ago: going back cannot fail. */
		if (setns(home_fd, CLONE_NEWNET))
			_exit(RXAQM_EXIT_FAILED);
	}
	if (home_fd >= 0)
		close(home_fd);
	if (fd >= 0)
		close(fd);
}

void rxaqm_netns_outer(void (*each)(void *arg), void *arg)
{
	each(arg);
	call_in(open(FIRST_NETNS, O_RDONLY | O_CLOEXEC), each, arg);
	call_in(dup(origin_fd), each, arg);
}

/* Inodes of the namespaces that were entered, or whose mounts were read. */
struct seen {
	RXAQM_LIST(__u64);
};

struct tour {
	struct seen netns, mounts;
	void (*each)(void *arg);
	void *arg;
};

/* Remember @ino. True if it is new. */
static bool note(struct seen *seen, __u64 ino)
{
	const __u64 *known;

	return ino && !rxaqm_list_find(known, seen, *known == ino) && rxaqm_list_put(seen, ino);
}

/* Enter the network namespace at @path, unless that was done before. */
static void visit(struct tour *tour, const char *path)
{
	if (note(&tour->netns, ino_of(path)))
		call_in(open(path, O_RDONLY | O_CLOEXEC), tour->each, tour->arg);
}

/* Visit the namespaces, named or not, that are mounted where process @pid is. */
static void visit_mounts(struct tour *tour, const char *pid)
{
	char path[PATH_MAX + 64], point[PATH_MAX], *line = NULL;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", pid);
	if (!note(&tour->mounts, ino_of(path)))
		return;
	snprintf(path, sizeof(path), "/proc/%s/mountinfo", pid);
	file = fopen(path, "re");
	while (file && getline(&line, &size, file) > 0) {
		/* A mount whose path has a blank (written as \040) is not found here. */
		if (sscanf(line, "%*s %*s %*s net:[%*u] %4095s", point) != 1)
			continue;
		snprintf(path, sizeof(path), "/proc/%s/root%s", pid, point);
		visit(tour, path);
	}
	free(line);
	if (file)
		fclose(file);
}

/* Visit the namespaces of /proc/@pid/@what: of threads ("task"), or of open files ("fd"). */
static void visit_dir(struct tour *tour, const char *pid, const char *what)
{
	char path[128], target[16];

	snprintf(path, sizeof(path), "/proc/%s/%s", pid, what);
	rxaqm_each_entry(entry, path) {
		bool is_fd = !strcmp(what, "fd");

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/%s/%.20s%s", pid, what, entry->d_name,
			 is_fd ? "" : "/ns/net");
		if (readlink(path, target, sizeof(target)) > 5 && !strncmp(target, "net:[", 5))
			visit(tour, path);
	}
}

void rxaqm_netns_each(void (*each)(void *arg), void *arg)
{
	struct tour tour = { .each = each, .arg = arg };

	each(arg);
	note(&tour.netns, rxaqm_netns_ino());
	visit_mounts(&tour, "self");
	rxaqm_each_entry(entry, "/proc") {
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		visit_dir(&tour, entry->d_name, "task");
		visit_dir(&tour, entry->d_name, "fd");
		visit_mounts(&tour, entry->d_name);
	}
	free(tour.netns.at);
	free(tour.mounts.at);
}

/* glibc has functions for these since 2.36. Their numbers are the same everywhere
 * (asm-generic/unistd.h), their constants those of <linux/mount.h>, which old systems lack.
 */
#define NR_FSOPEN 430
#define NR_FSCONFIG 431
#define NR_FSMOUNT 432
#define CLOSE_AT_EXEC 1 /* FSOPEN_CLOEXEC, FSMOUNT_CLOEXEC */
#define CREATE 6 /* FSCONFIG_CMD_CREATE */
#define READ_ONLY 1 /* MOUNT_ATTR_RDONLY */

/* A sysfs shows the namespace in which it was mounted: make a new one that is mounted nowhere. */
int rxaqm_netns_mount_sysfs(bool writable)
{
	int fs_fd = (int)syscall(NR_FSOPEN, "sysfs", CLOSE_AT_EXEC), fd;

	if (fs_fd < 0)
		return -errno;
	fd = (int)syscall(NR_FSCONFIG, fs_fd, CREATE, NULL, NULL, 0);
	if (!fd)
		fd = (int)syscall(NR_FSMOUNT, fs_fd, CLOSE_AT_EXEC, writable ? 0 : READ_ONLY);
	if (fd < 0)
		fd = -errno;
	close(fs_fd);
	return fd;
}

int rxaqm_netns_sysfs(bool writable)
{
	/* Keep the one of the command's own namespace: releasing a sysfs takes long. */
	static int kept_fd = -1;
	int fd = -EPERM;

	if (kept_fd >= 0 && !away && !writable) {
		fd = fcntl(kept_fd, F_DUPFD_CLOEXEC, 0);
		return fd < 0 ? -errno : fd;
	}
	if (rxaqm_netns_ino() != ino_of(FIRST_NETNS))
		fd = rxaqm_netns_mount_sysfs(writable);
	/* A service without CAP_SYS_ADMIN has the /sys that it was started with, and may not even
	 * see which namespace is the first.
	 */
	if (fd == -EPERM) {
		fd = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	if (fd >= 0 && !away && !writable)
		kept_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return fd;
}
