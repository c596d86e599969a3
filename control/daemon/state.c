/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pinned state, which others make and remove as well: a command that detaches the last
 * interface, one that attaches the first, an administrator who unmounts the BPF file
 * system. The pin's inode tells whether what is mapped is still what is pinned.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/run.h"

/* Note what is pinned now. False if nothing is. */
static bool note_pin(unsigned long *ret_ino, unsigned long *ret_dev)
{
	char path[RXAQM_PIN_PATH_LEN];
	struct stat st;

	if (stat(rxaqm_state_path("meta_map", path), &st))
		return false;
	*ret_ino = st.st_ino;
	*ret_dev = st.st_dev;
	return true;
}

static void look_for_bpffs(struct rxaqm_run *run)
{
	struct rxaqm_error error = {};
	bool gone = rxaqm_state_check_bpffs(&error) != 0;

	if (gone && !run->bpffs_lost)
		rxaqm_run_log(LOG_ERR, "%s; until then packets pass untouched", error.text);
	if (!gone && run->bpffs_lost)
		rxaqm_run_log(LOG_NOTICE, "the BPF file system is back");
	run->bpffs_lost = gone;
}

bool rxaqm_run_state_check(struct rxaqm_run *run)
{
	unsigned long ino = 0, dev = 0;
	bool pinned = note_pin(&ino, &dev);

	if (pinned && run->state.meta && ino == run->state_ino && dev == run->state_dev &&
	    run->state.meta->abi_version == RXAQM_ABI_VERSION)
		return true;
	rxaqm_state_unmap(&run->state);
	if (!pinned) {
		look_for_bpffs(run);
		return false;
	}
	run->bpffs_lost = false;
	if (rxaqm_state_open(&run->state, true, NULL)) {
		rxaqm_state_unmap(&run->state);
		return false;
	}
	run->state_ino = ino;
	run->state_dev = dev;
	return true;
}

void rxaqm_run_state_changed(struct rxaqm_run *run)
{
	/* What plane.c has mapped may already be unpinned again. */
	rxaqm_state_unmap(&run->state);
	rxaqm_run_state_check(run);
}

struct rxaqm_iface *rxaqm_run_entry(const struct rxaqm_link *link)
{
	const struct rxaqm_run *run = link->run;
	struct rxaqm_iface *iface;

	if (link->state != RXAQM_LINK_ATTACHED || link->slot < 0 || !run->state.meta)
		return NULL;
	iface = &run->state.iface[link->slot];
	if (RXAQM_READ_ONCE(iface->state) != RXAQM_IFACE_ATTACHED ||
	    iface->prog_id != link->prog_id)
		return NULL;
	return iface;
}
