/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clean.h"

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

/* The process that has locked @st, by /proc/locks; 0: none that can be seen. */
static int holder_pid(const struct stat *st)
{
	unsigned int major_nr, minor_nr;
	unsigned long ino;
	char line[256];
	int pid, found = 0;
	FILE *file = fopen("/proc/locks", "re");

	if (!file)
		return 0;
	/* "1: FLOCK  ADVISORY  WRITE 123 00:1c:456 0 EOF"; who waits has "->" before FLOCK. */
	while (!found && fgets(line, sizeof(line), file))
		if (sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%lu ", &pid, &major_nr, &minor_nr,
			   &ino) == 4 &&
		    ino == st->st_ino && makedev(major_nr, minor_nr) == st->st_dev)
			found = pid;
	fclose(file);
	return found;
}

const char *rxaqm_lock_holder(const char *path, char buf[RXAQM_LOCK_HOLDER])
{
	char name[32], command[RXAQM_LOCK_HOLDER - 32];
	const char *program;
	struct stat st;
	ssize_t len, i;
	int pid, fd;

	buf[0] = '\0';
	pid = stat(path, &st) ? 0 : holder_pid(&st);
	if (!pid)
		return buf;
	snprintf(name, sizeof(name), "/proc/%d/cmdline", pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, command, sizeof(command) - 1);
	if (fd >= 0)
		close(fd);
	if (len < 0)
		len = 0;
	command[len] = '\0';
	/* The program without its directory, and its words with blanks between them. */
	program = strrchr(command, '/') ? strrchr(command, '/') + 1 : command;
	for (i = 0; i + 1 < len; i++)
		if (!command[i])
			command[i] = ' ';
	snprintf(buf, RXAQM_LOCK_HOLDER, "%s%s(pid %d)", program, *program ? " " : "", pid);
	rxaqm_clean(buf);
	return buf;
}
