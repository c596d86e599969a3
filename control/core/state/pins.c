/* SPDX-License-Identifier: GPL-2.0-only */
#include "state/pins.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/each.h"
#include "state/dispatcher.h"
#include "state/own_programs.h"
#include "state/libxdp_lock.h"
#include "nic/netns.h"
#include "nic/known_netns.h"

#define MAX_PINS 32 /* of a dispatcher: it has ten slots */

/* A directory of libxdp's. */
struct pins {
	char path[PATH_MAX];
	unsigned int ifindex;
	__u32 dispatcher;
	unsigned int nr;
	struct pin {
		char name[32];
		__u32 prog_id;
	} pin[MAX_PINS];
};

struct sweep {
	const struct rxaqm_state *state;
	const struct rxaqm_iface *iface; /* whose program is removed */
	__u32 prog_id; /* its program; 0: not noted */
	enum rxaqm_pins_where where;
	int removed;
	int err;
};

/* The program that is pinned as @path, itself or by its link; 0 if unknown. */
static __u32 pinned_prog_id(const char *path)
{
	const char *suffix = strrchr(path, '-');
	struct bpf_link_info link = {};
	struct bpf_prog_info prog = {};
	bool is_link = suffix && !strcmp(suffix, "-link");

	if (is_link)
		return rxaqm_bpf_info(bpf_obj_get(path), &link, sizeof(link)) ? 0 : link.prog_id;
	return rxaqm_bpf_info(bpf_obj_get(path), &prog, sizeof(prog)) ? 0 : prog.id;
}

static bool read_pins(const char *name, struct pins *pins)
{
	char path[PATH_MAX + 64];
	struct dirent *entry;
	DIR *dir;

	memset(pins, 0, sizeof(*pins));
	if (sscanf(name, "dispatch-%u-%u", &pins->ifindex, &pins->dispatcher) != 2)
		return false;
	if (snprintf(pins->path, sizeof(pins->path), "%s/%s", rxaqm_libxdp_dir(), name) >=
	    (int)sizeof(pins->path))
		return false;
	dir = opendir(pins->path);
	if (!dir)
		return false;
	while ((entry = readdir(dir)) && pins->nr < MAX_PINS) {
		struct pin *pin = &pins->pin[pins->nr];

		if (entry->d_name[0] == '.' || strlen(entry->d_name) >= sizeof(pin->name))
			continue;
		snprintf(path, sizeof(path), "%s/%s", pins->path, entry->d_name);
		snprintf(pin->name, sizeof(pin->name), "%s", entry->d_name);
		pin->prog_id = pinned_prog_id(path);
		pins->nr++;
	}
	closedir(dir);
	return true;
}

/* Call @each with all of libxdp's directories until it returns true. */
static bool any_pins(bool (*each)(struct pins *pins, void *arg), void *arg)
{
	struct pins pins;
	bool found = false;

	rxaqm_each_entry(entry, rxaqm_libxdp_dir())
		found = found || (read_pins(entry->d_name, &pins) && each(&pins, arg));
	return found;
}

bool rxaqm_pins_have(unsigned int ifindex, __u32 dispatcher)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/dispatch-%u-%u", rxaqm_libxdp_dir(), ifindex, dispatcher);
	return !access(path, F_OK);
}

struct look {
	__u32 prog_id;
	bool found;
};

static void look_here(void *arg)
{
	struct look *look = arg;

	look->found = look->found || rxaqm_xdp_in_known_netns(look->prog_id) > 0;
}

/* Is the dispatcher on an interface, or may it be, as far as @where matters? */
static bool in_service(__u32 dispatcher, enum rxaqm_pins_where where)
{
	struct look look = { .prog_id = dispatcher };
	int fd = bpf_prog_get_fd_by_id(dispatcher);

	if (fd < 0)
		return errno != ENOENT;
	close(fd);
	if (where == RXAQM_PINS_OF_SURELY_DEAD)
		return rxaqm_xdp_in_known_netns(dispatcher);
	rxaqm_netns_each(look_here, &look);
	return look.found;
}

static bool has(const struct pins *pins, __u32 prog_id)
{
	unsigned int i;

	for (i = 0; i < pins->nr; i++)
		if (pins->pin[i].prog_id == prog_id)
			return true;
	return false;
}

/* Do all programs of the dead dispatcher @arg run under this one? */
static bool supersedes(struct pins *pins, void *arg)
{
	const struct pins *dead = arg;
	unsigned int i;

	if (pins->ifindex != dead->ifindex || pins->dispatcher == dead->dispatcher)
		return false;
	for (i = 0; i < dead->nr; i++)
		if (!dead->pin[i].prog_id || !has(pins, dead->pin[i].prog_id))
			return false;
	return in_service(pins->dispatcher, RXAQM_PINS_OF_DEAD);
}

static void remove_pin(const struct pins *pins, const char *name, struct sweep *sweep)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", pins->path, name);
	if (!unlink(path))
		sweep->removed++;
	else if (errno != ENOENT && !sweep->err)
		sweep->err = -errno;
}

/* Is it the program to be removed? If its id was not noted: one of ours that no other entry has. */
static bool is_unwanted(const struct pin *pin, const struct sweep *sweep)
{
	const struct rxaqm_iface *other = NULL;

	if (sweep->prog_id)
		return pin->prog_id == sweep->prog_id;
	if (!rxaqm_xdp_is_ours(pin->prog_id))
		return false;
	while ((other = rxaqm_iface_next(sweep->state, other)))
		/* Another entry without a noted id may be in a namespace out of reach: the program
		 * may be its.
		 */
		if (other != sweep->iface && (!other->prog_id || other->prog_id == pin->prog_id))
			return false;
	return true;
}

/* Remove the unwanted pins, if the dispatcher is on no interface that matters. */
static bool sweep_pins(struct pins *pins, void *arg)
{
	struct sweep *sweep = arg;
	unsigned int i = 0, left = 0;
	bool alive;

	while (i < pins->nr && !is_unwanted(&pins->pin[i], sweep))
		i++;
	if (pins->nr && i == pins->nr)
		return false;
	alive = in_service(pins->dispatcher, sweep->where);
	if (alive && sweep->where != RXAQM_PINS_ALL)
		return false;
	for (i = 0; i < pins->nr; i++) {
		if (is_unwanted(&pins->pin[i], sweep))
			remove_pin(pins, pins->pin[i].name, sweep);
		else
			pins->pin[left++] = pins->pin[i];
	}
	pins->nr = left;
	if (left && !alive && any_pins(supersedes, pins))
		for (i = 0; i < left; i++)
			remove_pin(pins, pins->pin[i].name, sweep);
	if (rmdir(pins->path) && errno != ENOTEMPTY && errno != ENOENT && !sweep->err)
		sweep->err = -errno;
	return false;
}

struct dispatched {
	__u32 prog_id;
	int near;
};

static bool look_for(struct pins *pins, void *arg)
{
	struct dispatched *at = arg;
	int near;

	if (!has(pins, at->prog_id))
		return false;
	near = rxaqm_xdp_in_known_netns(pins->dispatcher);
	/* One dispatcher of unknown place makes the result unknown. */
	if (near || at->near == -ENOENT)
		at->near = near;
	return near > 0;
}

int rxaqm_pins_in_known_netns(__u32 prog_id)
{
	struct dispatched at = { .prog_id = prog_id, .near = -ENOENT };
	int lock_fd = rxaqm_libxdp_lock(1, NULL);

	if (lock_fd < 0)
		return lock_fd;
	any_pins(look_for, &at);
	close(lock_fd);
	return at.near;
}

int rxaqm_pins_sweep(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
		     __u32 prog_id, enum rxaqm_pins_where where, struct rxaqm_error *error)
{
	struct sweep sweep = {
		.state = state,
		.iface = iface,
		.prog_id = prog_id,
		.where = where,
	};
	/* A cleanup that is repeated need not wait. */
	int lock_fd = rxaqm_libxdp_lock(where == RXAQM_PINS_OF_SURELY_DEAD ?
						1 :
						RXAQM_LIBXDP_LOCK_TRIES,
					error);

	if (lock_fd < 0)
		return lock_fd == -ENOENT ? 0 : lock_fd;
	any_pins(sweep_pins, &sweep);
	close(lock_fd);
	return sweep.err ? sweep.err : sweep.removed;
}
