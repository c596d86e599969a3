/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/netns.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_NETNS "/proc/1/ns/net"

/* The namespace that the command was started in, if it has entered another one. */
static int origin_fd = -1;

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
	origin_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
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
	return ino_of("/proc/self/ns/net");
}

/* Call @each in the namespace @fd, unless that is home, and come back. Closes @fd. */
static void call_in(int fd, void (*each)(void *arg), void *arg)
{
	int home_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	__u64 home_ino = rxaqm_netns_ino();

	if (fd >= 0 && home_fd >= 0 && !setns(fd, CLONE_NEWNET)) {
		if (rxaqm_netns_ino() != home_ino)
			each(arg);
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

void rxaqm_netns_each(void (*each)(void *arg), void *arg)
{
	DIR *dir = opendir(RXAQM_NETNS_DIR);
	struct dirent *entry;

	rxaqm_netns_outer(each, arg);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			call_in(open_named(entry->d_name), each, arg);
	if (dir)
		closedir(dir);
}

/* A mounted sysfs shows the namespace it was mounted in. If that is another one than
 * ours, open a fresh one that is mounted nowhere.
 */
int rxaqm_netns_sysfs(bool writable)
{
	bool shown = rxaqm_netns_ino() == ino_of(FIRST_NETNS);
	int fs_fd = shown ? -1 : fsopen("sysfs", FSOPEN_CLOEXEC), fd;

	/* A service without CAP_SYS_ADMIN has the /sys that it was started with, and it may not
	 * even see which namespace the first is.
	 */
	if (shown || (fs_fd < 0 && errno == EPERM)) {
		fd = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	if (fs_fd < 0)
		return -errno;
	fd = fsconfig(fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
	if (!fd)
		fd = fsmount(fs_fd, FSMOUNT_CLOEXEC, writable ? 0 : MOUNT_ATTR_RDONLY);
	if (fd < 0)
		fd = -errno;
	close(fs_fd);
	return fd;
}
