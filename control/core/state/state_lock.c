/* SPDX-License-Identifier: GPL-2.0-only */
/* The lock that all commands take which change the state. It is the directory of the pins. */
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lock_file.h"
#include "state/limit.h"
#include "state/state.h"

#define LOCK_TRIES 200 /* of 50 ms */
#define TELL_TRIES 40

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

/* Who waits is told so after a moment: for whom, and once. */
static void tell_waiting(void)
{
	char holder[RXAQM_LOCK_HOLDER];

	rxaqm_lock_holder(rxaqm_state_dir(), holder);
	rxaqm_log_notice("waiting for the lock of all commands%s%s", *holder ? ", held by " : "",
			 holder);
}

static int lock_failed(int err, struct rxaqm_error *error)
{
	char holder[RXAQM_LOCK_HOLDER];

	if (err != -EAGAIN)
		return rxaqm_failed(error, -err,
				    "cannot lock \"%s\": %s; run as root, with a BPF file system "
				    "that is writable",
				    rxaqm_state_dir(), strerror(-err));
	rxaqm_lock_holder(rxaqm_state_dir(), holder);
	return rxaqm_failed(error, EBUSY,
			    "another rxaqm command has held the lock on \"%s\" for 10 s%s%s; see "
			    "\"fuser %s\"",
			    rxaqm_state_dir(), *holder ? ": " : "", holder, rxaqm_state_dir());
}

/* The directory of the pins is the lock: it is where the state is, whatever /run a command sees.
 * Without a BPF file system there is nothing to lock, and the next step fails for that reason.
 */
static int lock(struct rxaqm_state *state, int tries, struct rxaqm_error *error)
{
	int fd, err, i;

	if (rxaqm_state_check_bpffs(NULL))
		return 0;
	fd = lock_dir();
	for (i = 1; fd == -EAGAIN && i < tries && !rxaqm_state_check_dir(NULL); i++) {
		if (i == TELL_TRIES)
			tell_waiting();
		usleep(50 * 1000);
		fd = lock_dir();
	}
	err = rxaqm_state_check_dir(error);
	if (err && fd >= 0)
		close(fd);
	if (err)
		return err;
	if (fd < 0)
		return lock_failed(fd, error);
	state->lock_fd = fd;
	rxaqm_limit_begin();
	return 0;
}

void rxaqm_state_unlock(struct rxaqm_state *state)
{
	if (state->lock_fd < 0)
		return;
	rmdir(rxaqm_state_dir()); /* fails if something is pinned */
	close(state->lock_fd);
	state->lock_fd = -1;
	rxaqm_limit_end();
}

int rxaqm_state_lock(struct rxaqm_state *state, struct rxaqm_error *error)
{
	return lock(state, LOCK_TRIES, error);
}

int rxaqm_state_trylock(struct rxaqm_state *state)
{
	return lock(state, 1, NULL);
}

enum rxaqm_iface_state rxaqm_iface_state_now(const struct rxaqm_iface *iface, bool *ret_at_work)
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
