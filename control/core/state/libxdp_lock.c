/* SPDX-License-Identifier: GPL-2.0-only */
#include "state/libxdp_lock.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lock_file.h"

/* As in libxdp. */
static const char *bpffs(void)
{
	return secure_getenv("LIBXDP_BPFFS") ?: "/sys/fs/bpf";
}

const char *rxaqm_libxdp_dir(void)
{
	static char dir[PATH_MAX];

	if (snprintf(dir, sizeof(dir), "%s/xdp", bpffs()) >= (int)sizeof(dir))
		return "";
	return dir;
}

/* Open the directory. libxdp follows links, and iproute2 leaves a link to tc/. So a link of root's
 * own is followed, but only to a directory beside it. -1: errno says why.
 */
static int open_dir(void)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(rxaqm_libxdp_dir(), flags);
	char path[PATH_MAX], target[NAME_MAX + PATH_MAX];
	const char *name = target;
	struct stat fs, st;
	ssize_t len;

	if (fd >= 0 || errno == ENOENT)
		return fd;
	len = readlink(rxaqm_libxdp_dir(), target, sizeof(target) - 1);
	while (len > 0 && target[len - 1] == '/')
		len--;
	if (len > 0 && !lstat(rxaqm_libxdp_dir(), &st) && !st.st_uid) {
		target[len] = '\0';
		if (!strncmp(target, bpffs(), strlen(bpffs())) && target[strlen(bpffs())] == '/')
			name += strlen(bpffs()) + 1;
		if (!strchr(name, '/') &&
		    snprintf(path, sizeof(path), "%s/%s", bpffs(), name) < (int)sizeof(path))
			fd = open(path, flags);
	}
	if (fd >= 0 && !stat(bpffs(), &fs) && !fstat(fd, &st) && fs.st_dev == st.st_dev)
		return fd;
	if (fd >= 0)
		close(fd);
	errno = ENOTDIR; /* also where the link leads nowhere */
	return -1;
}

int rxaqm_libxdp_lock(int tries, struct rxaqm_error *error)
{
	char holder[RXAQM_LOCK_HOLDER];
	int fd = open_dir();
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0 || fstat(fd, &st) || st.st_uid || (st.st_mode & 022)) {
		if (fd >= 0)
			close(fd);
		return rxaqm_failed(
			error, ENOTDIR,
			"\"%s\", where libxdp pins programs, is not a directory that only root can "
			"change; see \"ls -ld %s\", and remove it",
			rxaqm_libxdp_dir(), rxaqm_libxdp_dir());
	}
	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (--tries > 0 && !usleep(50 * 1000))
			continue;
		close(fd);
		rxaqm_lock_holder(rxaqm_libxdp_dir(), holder);
		return rxaqm_failed(error, ETIMEDOUT,
				    "another program holds libxdp's lock on \"%s\"%s%s; see \"fuser "
				    "%s\"",
				    rxaqm_libxdp_dir(), *holder ? ": " : "", holder,
				    rxaqm_libxdp_dir());
	}
	return fd;
}

int rxaqm_libxdp_wait(struct rxaqm_error *error)
{
	int fd = rxaqm_libxdp_lock(RXAQM_LIBXDP_LOCK_TRIES, error);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || fd == -ENOENT ? 0 : fd;
}
