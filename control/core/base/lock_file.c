/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 10

int rxaqm_lock_file(const char *path)
{
	struct stat locked, now;
	int fd, err, tries;

	for (tries = 0; tries < TRIES; tries++) {
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0)
			return -errno;
		err = flock(fd, LOCK_EX | LOCK_NB) ? -errno : 0;
		if (!err && !fstat(fd, &locked) && !lstat(path, &now) &&
		    locked.st_ino == now.st_ino && locked.st_dev == now.st_dev)
			return fd;
		close(fd);
		if (err)
			return err;
		/* Who had it has removed it since: the lock of another file. */
	}
	return -EWOULDBLOCK;
}
