/* SPDX-License-Identifier: GPL-2.0-only */
/* The way back from an attach, complete or interrupted. */
#include "attach/undo.h"

#include <net/if.h>
#include <string.h>

#include "attach/stamps.h"
#include "attach/xdp.h"
#include "nic/netns.h"
#include "state/locate.h"
#include "state/pins.h"
#include "state/trial.h"

void rxaqm_entry_set_state(struct rxaqm_iface *iface, enum rxaqm_iface_state state)
{
	__atomic_store_n(&iface->state, state, __ATOMIC_RELEASE);
}

static bool is_of_another(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
			  __u32 prog_id)
{
	const struct rxaqm_iface *other = NULL;

	while ((other = rxaqm_iface_next(state, other)))
		if (other != iface && other->prog_id == prog_id)
			return true;
	return false;
}

/* Take the program of @iface off @ifindex, and out of what libxdp has pinned. */
static int take_off(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
		    unsigned int ifindex, struct rxaqm_error *error)
{
	__u32 prog_id = iface->prog_id, found;
	int err = rxaqm_xdp_find_ours(ifindex, &found);

	/* An interrupted attach may have died before it noted its program's id; or that is damaged.
	 */
	if (err == RXAQM_OWNER_OURS && !is_of_another(state, iface, found))
		prog_id = found;
	if (err >= 0)
		err = rxaqm_xdp_detach(ifindex, prog_id, error);
	if (!err)
		err = rxaqm_pins_remove(state, prog_id, error);
	if (err >= 0 && iface->flags & RXAQM_IFACE_DISPATCHER)
		err = rxaqm_xdp_drop_empty(ifindex);
	return err < 0 ? err : 0;
}

int rxaqm_undo_attach(const struct rxaqm_state *state, struct rxaqm_iface *iface,
		      struct rxaqm_error *error)
{
	/* Otherwise the driver is not involved. */
	bool clock = !(iface->flags & RXAQM_IFACE_GENERIC) ||
		     (iface->flags & RXAQM_IFACE_HWTSTAMP_SAVED);
	enum rxaqm_iface_state before = iface->state;
	struct rxaqm_phc_keep keep;
	char ifname[IF_NAMESIZE];
	unsigned int ifindex;
	int err = rxaqm_iface_place(iface, &ifindex);
	bool elsewhere = err == RXAQM_PLACE_ELSEWHERE, here;

	if (err < 0)
		return err;
	if (!ifindex)
		ifindex = iface->ifindex;
	here = if_indextoname(ifindex, ifname);
	if (!here && errno != ENXIO)
		return -errno;
	rxaqm_phc_keep_begin(&keep, here && clock ? ifname : NULL);
	rxaqm_entry_set_state(iface, RXAQM_IFACE_DETACHING);
	rxaqm_phc_keep_arm(&keep);
	err = take_off(state, iface, ifindex, error);
	if (!err && elsewhere && rxaqm_xdp_stays(iface->prog_id))
		err = -EBUSY;
	if (!err) {
		rxaqm_state_clear_sockets(state, iface);
		if (here)
			rxaqm_stamps_restore(iface, ifname, &keep, error);
	}
	/* If it runs on, it is attached as before. */
	rxaqm_entry_set_state(iface, err ? before : RXAQM_IFACE_FREE);
	rxaqm_phc_keep_end(&keep, iface->flags & RXAQM_IFACE_CLOCK_RESETS, error);
	return err;
}

int rxaqm_not_undone(const struct rxaqm_iface *iface, int err, struct rxaqm_error *error)
{
	/* libxdp's lock could not be taken, and @error says so. */
	if (err == -ETIMEDOUT || err == -ENOTDIR)
		return err;
	return rxaqm_failed(error, -err, "cannot take the XDP program (id %u) off \"%s\": %s",
			    iface->prog_id, iface->name, strerror(-err));
}

int rxaqm_undo_unknown(unsigned int ifindex, __u32 prog_id, struct rxaqm_error *error)
{
	char ifname[IF_NAMESIZE];
	struct rxaqm_phc_keep keep;
	int err;

	rxaqm_phc_keep_begin(&keep, if_indextoname(ifindex, ifname));
	rxaqm_phc_keep_arm(&keep);
	err = rxaqm_xdp_detach(ifindex, prog_id, error);
	rxaqm_phc_keep_end(&keep, false, error);
	return err;
}

void rxaqm_undo_interrupted(struct rxaqm_state *state, struct rxaqm_error *error)
{
	__u64 netns_ino = rxaqm_netns_ino();
	struct rxaqm_iface *iface = NULL;
	char ifname[IF_NAMESIZE];

	rxaqm_trial_undo_killed(state);
	while ((iface = rxaqm_iface_next(state, iface))) {
		if (iface->netns_ino != netns_ino)
			continue;
		if (iface->state != RXAQM_IFACE_ATTACHED)
			rxaqm_undo_attach(state, iface, error);
		else if (!if_indextoname(iface->ifindex, ifname) && errno == ENXIO &&
			 !rxaqm_xdp_exists(iface->prog_id))
			rxaqm_entry_set_state(iface, RXAQM_IFACE_FREE);
	}
}

struct room {
	struct rxaqm_state *state;
	struct rxaqm_error *error;
	/* By slot: its interface was attached in a namespace that exists. */
	bool reached[RXAQM_MAX_IFACES];
};

static void recover_here(void *arg)
{
	__u64 netns_ino = rxaqm_netns_ino();
	struct rxaqm_iface *iface = NULL;
	struct room *room = arg;

	rxaqm_undo_interrupted(room->state, room->error);
	while ((iface = rxaqm_iface_next(room->state, iface)))
		if (iface->netns_ino == netns_ino)
			room->reached[iface - room->state->iface] = true;
}

void rxaqm_undo_everywhere(struct rxaqm_state *state, struct rxaqm_error *error)
{
	struct room room = { .state = state, .error = error };
	struct rxaqm_iface *iface = NULL;

	rxaqm_netns_each(recover_here, &room);
	while ((iface = rxaqm_iface_next(state, iface)))
		/* If its namespace is gone, too, the entry is of use only while the program exists.
		 */
		if (!room.reached[iface - state->iface] && !rxaqm_xdp_exists(iface->prog_id))
			rxaqm_entry_set_state(iface, RXAQM_IFACE_FREE);
}
