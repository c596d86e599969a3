/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 10

int rxaqm_lock_opened(int fd, const char *path)
{
	struct stat locked, now;

	if (flock(fd, LOCK_EX | LOCK_NB))
		return -errno;
	if (fstat(fd, &locked) || lstat(path, &now) || locked.st_ino != now.st_ino ||
	    locked.st_dev != now.st_dev)
		return -ESTALE;
	return 0;
}

int rxaqm_lock_file(const char *path)
{
	int fd, err, tries;

	for (tries = 0; tries < TRIES; tries++) {
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0)
			return -errno;
		err = rxaqm_lock_opened(fd, path);
		if (!err)
			return fd;
		close(fd);
		if (err != -ESTALE)
			return err;
	}
	return -EWOULDBLOCK;
}
