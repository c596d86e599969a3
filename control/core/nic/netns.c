/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/netns.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/each.h"
#include "base/fields.h"

#define FIRST_NETNS "/proc/1/ns/net"

/* The namespace in which the command was started, if it has entered another one. */
static int origin_fd = -1;
/* Set while visiting a namespace other than the one the command works in. */
static bool away;

/* Open @path, a network namespace. Anything else that has been put there is not even opened, since
 * it may wait or act. -1: errno says why; EINVAL: it is none.
 */
static int open_netns(const char *path, int flags)
{
	int at_fd = open(path, O_PATH | O_CLOEXEC | flags), fd = -1;
	struct statfs fs;
	char same[32];

	if (at_fd < 0)
		return -1;
	snprintf(same, sizeof(same), "/proc/self/fd/%d", at_fd);
	if (fstatfs(at_fd, &fs) || fs.f_type != NSFS_MAGIC)
		errno = EINVAL;
	else
		fd = open(same, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && ioctl(fd, NS_GET_NSTYPE) != CLONE_NEWNET) {
		close(fd);
		errno = EINVAL;
		fd = -1;
	}
	close(at_fd);
	return fd;
}

/* Links are not followed. */
static int open_named(const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", RXAQM_NETNS_DIR, name) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return open_netns(path, O_NOFOLLOW);
}

int rxaqm_netns_enter(const char *name, struct rxaqm_error *error)
{
	int fd, err = 0;

	fd = open_named(name);
	if (fd < 0)
		return rxaqm_failed(error, errno,
				    "no network namespace \"%s\" in %s: %s; see \"ip netns list\"",
				    name, RXAQM_NETNS_DIR,
				    errno == EINVAL ? "it is something else, such as a link" :
						      strerror(errno));
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

struct tour {
	RXAQM_LIST(__u64); /* inodes of the namespaces entered */
	void (*each)(void *arg);
	void *arg;
};

/* Enter the network namespace @fd, unless that was done before. Closes @fd. */
static void visit(struct tour *tour, int fd)
{
	const __u64 *known;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) &&
	    !rxaqm_list_find(known, tour, *known == (__u64)st.st_ino) &&
	    rxaqm_list_put(tour, st.st_ino))
		call_in(fd, tour->each, tour->arg);
	else if (fd >= 0)
		close(fd);
}

/* Enter that of process @pid. */
static void visit_process(struct tour *tour, const char *pid)
{
	const __u64 *known;
	char path[64];
	__u64 ino;

	snprintf(path, sizeof(path), "/proc/%.20s/ns/net", pid);
	ino = ino_of(path);
	if (ino && !rxaqm_list_find(known, tour, *known == ino))
		visit(tour, open_netns(path, 0));
}

void rxaqm_netns_each(void (*each)(void *arg), void *arg)
{
	struct tour tour = { .each = each, .arg = arg };

	each(arg);
	rxaqm_list_put(&tour, rxaqm_netns_ino());
	rxaqm_each_entry(entry, RXAQM_NETNS_DIR)
		visit(&tour, open_named(entry->d_name));
	rxaqm_each_entry(entry, "/proc")
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			visit_process(&tour, entry->d_name);
	free(tour.at);
}

bool rxaqm_netns_sees_processes(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct rights[2] = {};

	return !syscall(SYS_capget, &header, rights) &&
	       (rights[0].effective & 1U << CAP_SYS_PTRACE);
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
