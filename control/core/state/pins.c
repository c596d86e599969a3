/* SPDX-License-Identifier: GPL-2.0-only */
#include "state/pins.h"

#include <bpf/bpf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/each.h"
#include "state/dispatcher.h"
#include "state/own_programs.h"
#include "state/libxdp_lock.h"

/* The program that is pinned as @path, itself or by its link; 0 if unknown. */
static __u32 pinned_prog_id(const char *path)
{
	const char *suffix = strrchr(path, '-');
	struct bpf_link_info link = {};
	struct bpf_prog_info prog = {};

	if (suffix && !strcmp(suffix, "-link"))
		return rxaqm_bpf_info(bpf_obj_get(path), &link, sizeof(link)) ? 0 : link.prog_id;
	return rxaqm_bpf_info(bpf_obj_get(path), &prog, sizeof(prog)) ? 0 : prog.id;
}

bool rxaqm_pins_have(unsigned int ifindex, __u32 dispatcher)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/dispatch-%u-%u", rxaqm_libxdp_dir(), ifindex, dispatcher);
	return !access(path, F_OK);
}

/* Is it @prog_id, or, if that is 0, one of ours that no entry of @state has? */
static bool is_meant(__u32 pinned, const struct rxaqm_state *state, __u32 prog_id)
{
	const struct rxaqm_iface *iface = NULL;

	if (prog_id || !rxaqm_xdp_is_ours(pinned))
		return pinned == prog_id;
	while ((iface = rxaqm_iface_next(state, iface)))
		if (iface->prog_id == pinned)
			return false;
	return true;
}

/* Remove the pins in the directory @dir that are meant, and then @dir, if it is empty. */
static int remove_from(const char *dir, const struct rxaqm_state *state, __u32 prog_id)
{
	char path[PATH_MAX + 64];
	int removed = 0, err = 0;
	__u32 pinned;

	rxaqm_each_entry(entry, dir) {
		snprintf(path, sizeof(path), "%s/%.40s", dir, entry->d_name);
		pinned = entry->d_name[0] == '.' ? 0 : pinned_prog_id(path);
		if (!pinned || !is_meant(pinned, state, prog_id))
			continue;
		if (!unlink(path))
			removed++;
		else if (errno != ENOENT)
			err = -errno;
	}
	rmdir(dir);
	return err ? err : removed;
}

int rxaqm_pins_remove(const struct rxaqm_state *state, __u32 prog_id, struct rxaqm_error *error)
{
	int lock_fd = rxaqm_libxdp_lock(RXAQM_LIBXDP_LOCK_TRIES, error), err, removed = 0;
	char dir[PATH_MAX];

	if (lock_fd < 0)
		return lock_fd == -ENOENT ? 0 : lock_fd;
	rxaqm_each_entry(entry, rxaqm_libxdp_dir()) {
		if (strncmp(entry->d_name, "dispatch-", strlen("dispatch-")) ||
		    snprintf(dir, sizeof(dir), "%s/%s", rxaqm_libxdp_dir(), entry->d_name) >=
			    (int)sizeof(dir))
			continue;
		err = remove_from(dir, state, prog_id);
		if (removed >= 0)
			removed = err < 0 ? err : removed + err;
	}
	close(lock_fd);
	return removed;
}
