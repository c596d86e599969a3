/* SPDX-License-Identifier: GPL-2.0-only */
#include "state/pins.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "state/dispatcher.h"
#include "state/own_programs.h"
#include "state/libxdp_lock.h"

/* Read the id of the program that is pinned as @path, itself or by its link. */
static int pinned_prog_id(const char *path, __u32 *ret_id)
{
	const char *suffix = strrchr(path, '-');
	struct bpf_link_info link = {};
	struct bpf_prog_info prog = {};
	bool is_link = suffix && !strcmp(suffix, "-link");
	int err = is_link ? rxaqm_bpf_info(bpf_obj_get(path), &link, sizeof(link)) :
			    rxaqm_bpf_info(bpf_obj_get(path), &prog, sizeof(prog));

	*ret_id = is_link ? link.prog_id : prog.id;
	return err;
}

bool rxaqm_pins_have(unsigned int ifindex, __u32 dispatcher)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/dispatch-%u-%u", rxaqm_libxdp_dir(), ifindex, dispatcher);
	return !access(path, F_OK) || errno != ENOENT;
}

/* Is what is pinned as @path @prog_id, or, if that is 0, one of ours that no entry of @state has?
 * 1, 0 or -errno.
 */
static int is_meant(const char *path, const struct rxaqm_state *state, __u32 prog_id)
{
	const struct rxaqm_iface *iface = NULL;
	__u32 pinned;
	int ret = pinned_prog_id(path, &pinned);

	if (ret || prog_id)
		return ret ? ret : pinned == prog_id;
	ret = rxaqm_xdp_owner(pinned);
	while (ret == RXAQM_OWNER_OURS && (iface = rxaqm_iface_next(state, iface)))
		if (iface->prog_id == pinned)
			return 0;
	return ret < 0 ? ret : ret == RXAQM_OWNER_OURS;
}

/* Remove the pins in the directory @path that are meant, and then @path, if it is empty. Returns
 * their number or -errno.
 */
static int remove_from(const char *path, const struct rxaqm_state *state, __u32 prog_id)
{
	char pin[PATH_MAX + 64];
	int removed = 0, err = 0, meant;
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while ((entry = readdir(dir))) {
		snprintf(pin, sizeof(pin), "%s/%.40s", path, entry->d_name);
		meant = entry->d_name[0] == '.' ? 0 : is_meant(pin, state, prog_id);
		if (meant > 0 && !unlink(pin))
			removed++;
		else if (meant > 0)
			meant = -errno;
		if (meant < 0 && meant != -ENOENT)
			err = meant;
	}
	closedir(dir);
	rmdir(path);
	return err ? err : removed;
}

int rxaqm_pins_remove(const struct rxaqm_state *state, __u32 prog_id, struct rxaqm_error *error)
{
	int lock_fd = rxaqm_libxdp_lock(RXAQM_LIBXDP_LOCK_TRIES, error), err, removed = 0;
	DIR *dir = lock_fd < 0 ? NULL : opendir(rxaqm_libxdp_dir());
	struct dirent *entry;
	char path[PATH_MAX];

	if (lock_fd < 0)
		return lock_fd == -ENOENT ? 0 : lock_fd;
	if (!dir)
		removed = -errno;
	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "dispatch-", strlen("dispatch-")) ||
		    snprintf(path, sizeof(path), "%s/%s", rxaqm_libxdp_dir(), entry->d_name) >=
			    (int)sizeof(path))
			continue;
		err = remove_from(path, state, prog_id);
		if (removed >= 0)
			removed = err < 0 ? err : removed + err;
	}
	if (dir)
		closedir(dir);
	close(lock_fd);
	return removed;
}
