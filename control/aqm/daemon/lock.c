/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One daemon at a time. A record lock, since it tells who holds it, and ends with its
 * holder, however that ends. The file itself says nothing and stays.
 */
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/run.h"

int rxaqm_run_lock(struct rxaqm_error *error)
{
	static int fd; /* held until the process ends */
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char path[RXAQM_CONFIG_PATH_LEN];
	const char *dir;
	int err;

	rxaqm_runtime_path("daemon.lock", path, sizeof(path));
	dir = dirname(path);
	if (mkdir(dir, 0755) && errno != EEXIST)
		return rxaqm_failed(error, errno,
				    "cannot make directory \"%s\": %s; run as root, or name "
				    "another with RUNTIME_DIRECTORY",
				    dir, strerror(errno));
	rxaqm_runtime_path("daemon.lock", path, sizeof(path));
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return rxaqm_failed(error, errno, "cannot open lock file \"%s\": %s; run as root",
				    path, strerror(errno));
	if (!fcntl(fd, F_SETLK, &lock))
		return 0;
	err = errno;
	if (err != EAGAIN && err != EACCES)
		return rxaqm_failed(error, err, "cannot lock \"%s\": %s", path, strerror(err));
	if (fcntl(fd, F_GETLK, &lock) || lock.l_type == F_UNLCK || lock.l_pid <= 0)
		return rxaqm_failed(error, EBUSY, "another daemon holds \"%s\"; see \"fuser %s\"",
				    path, path);
	return rxaqm_failed(error, EBUSY,
			    "another daemon runs, with pid %d (it holds \"%s\"); stop it first, or "
			    "have it read its configuration again: \"kill -HUP %d\"",
			    lock.l_pid, path, lock.l_pid);
}
