/* SPDX-License-Identifier: GPL-2.0-only */
/* The directory of the pins: its path, whether it is safe, and its use as a lock. */
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/lock_file.h"
#include "state/state.h"

#define LOCK_TRIES 200 /* of 50 ms */
/* So that the path of every pin fits. */
#define BPFFS_MAX 180
#define PIN_PATH_LEN 256

static const char *bpffs_dir(void)
{
	const char *dir = getenv("RXAQM_BPFFS");

	return dir && *dir ? dir : "/sys/fs/bpf";
}

const char *rxaqm_state_dir(void)
{
	static char dir[BPFFS_MAX + sizeof("/rxaqm")];

	snprintf(dir, sizeof(dir), "%s/rxaqm", bpffs_dir());
	return dir;
}

int rxaqm_state_check_path(struct rxaqm_error *error)
{
	size_t len = strlen(bpffs_dir());

	if (len <= BPFFS_MAX)
		return 0;
	return rxaqm_error_set(error, RXAQM_EXIT_USAGE, ENAMETOOLONG,
			       "RXAQM_BPFFS is a path of %zu characters; name a BPF file system whose "
			       "path has %d at most",
			       len, BPFFS_MAX);
}

const char *rxaqm_state_path(const char *name)
{
	static char path[PIN_PATH_LEN];

	snprintf(path, sizeof(path), "%s/%s", rxaqm_state_dir(), name);
	return path;
}

int rxaqm_state_check_bpffs(struct rxaqm_error *error)
{
	struct statfs fs;

	if (!statfs(bpffs_dir(), &fs) && fs.f_type == BPF_FS_MAGIC)
		return 0;
	return rxaqm_failed(
		error, ENOENT,
		"\"%s\" is not a BPF file system; mount it with \"mount -t bpf -o mode=0700 bpf "
		"%s\", or, inside \"ip netns exec\", which hides it, run rxaqm outside with "
		"--netns NAME",
		bpffs_dir(), bpffs_dir());
}

/* Is it a directory of root's, with none of @for_others in its mode, or else with @unless as well?
 */
static bool is_safe(const char *path, mode_t for_others, mode_t unless)
{
	struct stat st;

	/* If it is missing, or may not be looked at, whoever opens it reports that. */
	if (lstat(path, &st))
		return true;
	return S_ISDIR(st.st_mode) && !st.st_uid &&
	       (!(st.st_mode & for_others) || (st.st_mode & unless));
}

int rxaqm_state_check_dir(struct rxaqm_error *error)
{
	char resolved[PATH_MAX];

	if (is_safe(rxaqm_state_dir(), 077, 0) &&
	    (!realpath(bpffs_dir(), resolved) || is_safe(resolved, 022, S_ISVTX)))
		return 0;
	return rxaqm_failed(
		error, ENOTDIR,
		"\"%s\" is not a directory that only root can change, so rxaqm does not trust what "
		"is in it; see \"ls -ld %s\", remove it, and keep others out with \"chmod 0700 "
		"%s\"",
		rxaqm_state_dir(), rxaqm_state_dir(), bpffs_dir());
}

/* Make the directory, if it is missing, and lock it. Returns its descriptor; -EAGAIN if another has
 * the lock or has just removed the directory.
 */
static int lock_dir(void)
{
	const char *path = rxaqm_state_dir();
	int fd, err;

	/* Only root: a directory that others had made would block root's. */
	if (geteuid())
		return -EPERM;
	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	err = rxaqm_lock_opened(fd, path);
	if (!err)
		return fd;
	close(fd);
	return err == -EWOULDBLOCK || err == -ESTALE ? -EAGAIN : err;
}

/* The directory of the pins is the lock: it is where the state is, whatever /run a command sees.
 * Without a BPF file system there is nothing to lock, and the next step fails for that reason.
 */
static int lock(struct rxaqm_state *state, int tries, struct rxaqm_error *error)
{
	int fd, err;

	if (rxaqm_state_check_bpffs(NULL))
		return 0;
	fd = lock_dir();
	while (fd == -EAGAIN && --tries > 0 && !rxaqm_state_check_dir(NULL)) {
		usleep(50 * 1000);
		fd = lock_dir();
	}
	err = rxaqm_state_check_dir(error);
	if (err && fd >= 0)
		close(fd);
	if (err)
		return err;
	if (fd >= 0) {
		state->lock_fd = fd;
		return 0;
	}
	if (fd == -EAGAIN)
		return rxaqm_failed(error, EBUSY,
				    "another rxaqm command has held the lock on \"%s\" for 10 s; "
				    "see \"fuser %s\"",
				    rxaqm_state_dir(), rxaqm_state_dir());
	return rxaqm_failed(
		error, -fd,
		"cannot lock \"%s\": %s; run as root, with a BPF file system that is writable",
		rxaqm_state_dir(), strerror(-fd));
}

void rxaqm_state_unlock(struct rxaqm_state *state)
{
	if (state->lock_fd < 0)
		return;
	rmdir(rxaqm_state_dir()); /* fails if something is pinned */
	close(state->lock_fd);
	state->lock_fd = -1;
}

int rxaqm_state_lock(struct rxaqm_state *state, struct rxaqm_error *error)
{
	return lock(state, LOCK_TRIES, error);
}

int rxaqm_state_trylock(struct rxaqm_state *state)
{
	return lock(state, 1, NULL);
}

enum rxaqm_iface_state rxaqm_state_of(const struct rxaqm_iface *iface, bool *ret_at_work)
{
	__u32 state = RXAQM_READ_ONCE(iface->state);
	int fd;

	*ret_at_work = false;
	if (state == RXAQM_IFACE_FREE || state == RXAQM_IFACE_ATTACHED)
		return state;
	fd = open(rxaqm_state_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return state;
	if (flock(fd, LOCK_SH | LOCK_NB))
		*ret_at_work = errno == EWOULDBLOCK;
	else /* no command works now; one may have completed its change meanwhile */
		state = RXAQM_READ_ONCE(iface->state);
	close(fd);
	return state;
}
