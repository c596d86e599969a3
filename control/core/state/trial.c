/* SPDX-License-Identifier: GPL-2.0-only */
#include "state/trial.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dirs.h"
#include "base/lock_file.h"
#include "base/now.h"
#include "policy/settings.h"

/* The name has the program's id, which is unique while the program exists. The directory is not
 * that of the service, which systemd empties when it stops.
 */
static const char *path_of(const struct rxaqm_iface *iface, char path[RXAQM_DIRS_PATH_LEN])
{
	char name[32];

	snprintf(name, sizeof(name), "trial-%u", iface->prog_id);
	return rxaqm_kept_path(name, path, RXAQM_DIRS_PATH_LEN);
}

static bool read_note(int fd, const struct rxaqm_iface *iface, struct rxaqm_trial_note *note)
{
	return pread(fd, note, sizeof(*note), 0) == sizeof(*note) &&
	       note->attached_ns == iface->attached_ns && note->nr_queues == iface->nr_queues;
}

/* Open the file to read it; -1: there is no trial. */
static int open_note(const struct rxaqm_iface *iface, struct rxaqm_trial_note *note)
{
	char path[RXAQM_DIRS_PATH_LEN];
	int fd = open(path_of(iface, path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return -1;
	if (read_note(fd, iface, note)) {
		note->going_on = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
		return fd;
	}
	close(fd);
	return -1;
}

bool rxaqm_trial_look(const struct rxaqm_iface *iface, struct rxaqm_trial_note *note)
{
	int fd = open_note(iface, note);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Has nobody else set a policy? A killed trial may have noted a policy that it did not set any
 * more. If somebody else has set one instead, policy_gen is the noted one, but the lease is not.
 */
static bool is_ours(const struct rxaqm_trial_note *note, const struct rxaqm_state *state,
		    const struct rxaqm_iface *iface)
{
	if (iface->state != RXAQM_IFACE_ATTACHED)
		return false;
	if (iface->policy_gen + 1 == note->policy_gen)
		return true;
	return iface->policy_gen == note->policy_gen &&
	       rxaqm_state_policy(state, iface, 0)->lease_until_ns == note->lease_until_ns;
}

/* Restore the policies from the file @fd, and remove and close it. True if they were restored. */
static bool put_back(struct rxaqm_state *state, struct rxaqm_iface *iface, int fd)
{
	static struct rxaqm_policy before[RXAQM_MAX_QUEUES];
	size_t size = iface->nr_queues * sizeof(before[0]);
	char path[RXAQM_DIRS_PATH_LEN];
	struct rxaqm_trial_note note;
	unsigned int i;
	bool ours;

	ours = read_note(fd, iface, &note) && is_ours(&note, state, iface) &&
	       pread(fd, before, size, sizeof(note)) == (ssize_t)size;
	for (i = 0; ours && i < iface->nr_queues; i++)
		if (rxaqm_setting_source(&before[i], "lease") == RXAQM_SOURCE_CONFIG)
			before[i].lease_until_ns += rxaqm_ns_since(rxaqm_now_ns(), note.begun_ns);
	if (ours) {
		memcpy(rxaqm_state_draft(state, iface), before, size);
		rxaqm_state_use_draft(iface);
	}
	unlink(path_of(iface, path));
	close(fd);
	return ours;
}

bool rxaqm_trial_undo(struct rxaqm_state *state, struct rxaqm_iface *iface)
{
	struct rxaqm_trial_note note;
	int fd = open_note(iface, &note);

	return fd >= 0 && put_back(state, iface, fd);
}

struct rxaqm_iface *rxaqm_trial_killed(const struct rxaqm_state *state, struct rxaqm_iface *after)
{
	struct rxaqm_trial_note note;

	while ((after = rxaqm_iface_next(state, after)))
		if (after->state == RXAQM_IFACE_ATTACHED && rxaqm_trial_look(after, &note) &&
		    !note.going_on)
			break;
	return after;
}

void rxaqm_trial_undo_killed(struct rxaqm_state *state)
{
	struct rxaqm_iface *iface = NULL;

	while ((iface = rxaqm_trial_killed(state, iface)))
		rxaqm_trial_undo(state, iface);
}

/* Write the policies before the note, so that the note counts only if all is there. */
static int write_note(const struct rxaqm_trial *trial, __u64 until_ns)
{
	const struct rxaqm_iface *iface = trial->iface;
	size_t size = iface->nr_queues * sizeof(struct rxaqm_policy);
	struct rxaqm_trial_note note = {
		.attached_ns = iface->attached_ns,
		.begun_ns = rxaqm_now_ns(),
		.until_ns = until_ns,
		.lease_until_ns = rxaqm_state_policy(trial->state, iface, 0)->lease_until_ns,
		.policy_gen = iface->policy_gen,
		.nr_queues = iface->nr_queues,
		.pid = getpid(),
	};

	if (ftruncate(trial->fd, 0) ||
	    pwrite(trial->fd, rxaqm_state_policy(trial->state, iface, 0), size, sizeof(note)) !=
		    (ssize_t)size ||
	    pwrite(trial->fd, &note, sizeof(note), 0) != sizeof(note))
		return errno ? -errno : -ENOSPC;
	return 0;
}

int rxaqm_trial_begin(struct rxaqm_trial *trial, struct rxaqm_state *state,
		      struct rxaqm_iface *iface, __u64 until_ns, struct rxaqm_error *error)
{
	char path[RXAQM_DIRS_PATH_LEN], dir[RXAQM_DIRS_PATH_LEN];
	struct rxaqm_trial_note note;
	int err;

	*trial = (struct rxaqm_trial){ .state = state, .iface = iface, .fd = -1 };
	if (rxaqm_trial_look(iface, &note) && note.going_on)
		return rxaqm_failed(error, EBUSY,
				    "a trial is running there, process %d; let it end, or end it "
				    "with \"kill -INT %d\"",
				    note.pid, note.pid);
	rxaqm_trial_undo(state, iface);
	mkdir(rxaqm_kept_path("", dir, sizeof(dir)), 0755);
	trial->fd = rxaqm_lock_file(path_of(iface, path));
	err = trial->fd < 0 ? trial->fd : write_note(trial, until_ns);
	if (!err)
		return 0;
	if (trial->fd >= 0)
		close(trial->fd);
	return rxaqm_failed(error, -err,
			    "cannot save the policy to be restored in \"%s\": %s; see that its "
			    "directory exists, may be written to and has room",
			    path, strerror(-err));
}

int rxaqm_trial_put(struct rxaqm_trial *trial, const struct rxaqm_policy *policies)
{
	struct rxaqm_iface *iface = trial->iface;
	struct rxaqm_trial_note note;

	if (!read_note(trial->fd, iface, &note) || iface->state != RXAQM_IFACE_ATTACHED ||
	    iface->policy_gen != note.policy_gen)
		return -ESTALE;
	note.policy_gen++;
	note.lease_until_ns = policies->lease_until_ns;
	if (pwrite(trial->fd, &note, sizeof(note), 0) != sizeof(note))
		return errno ? -errno : -ENOSPC;
	memcpy(rxaqm_state_draft(trial->state, iface), policies,
	       iface->nr_queues * sizeof(*policies));
	rxaqm_state_use_draft(iface);
	return 0;
}

void rxaqm_trial_end(struct rxaqm_trial *trial)
{
	if (trial->fd >= 0)
		put_back(trial->state, trial->iface, trial->fd);
	trial->fd = -1;
}
