/* SPDX-License-Identifier: GPL-2.0-only */
#include "state/locate.h"

#include <net/if.h>
#include <string.h>

#include "state/pins.h"
#include "state/dispatcher.h"
#include "nic/netns.h"
#include "nic/known_netns.h"

/* Is the program of @iface on the interface @ifindex of this namespace? */
static bool is_on(const struct rxaqm_iface *iface, unsigned int ifindex)
{
	struct rxaqm_xdp_progs progs;

	rxaqm_xdp_read(ifindex, &progs);
	return rxaqm_xdp_has(&progs, iface->prog_id);
}

unsigned int rxaqm_iface_ifindex(const struct rxaqm_iface *iface)
{
	struct if_nameindex *all, *one;
	unsigned int found = 0;

	if (is_on(iface, iface->ifindex))
		return iface->ifindex;
	if (!rxaqm_xdp_exists(iface->prog_id))
		return 0;
	all = if_nameindex();
	for (one = all; one && one->if_index && !found; one++)
		if (is_on(iface, one->if_index))
			found = one->if_index;
	if (all)
		if_freenameindex(all);
	return found;
}

/* Was @iface, when attached, the interface @ifindex of the namespace entered? */
static bool was_here(const struct rxaqm_iface *iface, unsigned int ifindex)
{
	return iface->ifindex == ifindex && iface->netns_ino == rxaqm_netns_ino();
}

struct rxaqm_iface *rxaqm_iface_find(const struct rxaqm_state *state, const char *ifname)
{
	unsigned int ifindex = state->meta ? if_nametoindex(ifname) : 0;
	struct rxaqm_iface *iface = NULL, *lost = NULL;
	struct rxaqm_xdp_progs progs;

	if (!ifindex)
		return NULL;
	rxaqm_xdp_read(ifindex, &progs);
	while ((iface = rxaqm_iface_next(state, iface))) {
		if (rxaqm_xdp_has(&progs, iface->prog_id))
			return iface;
		if (was_here(iface, ifindex) && !rxaqm_iface_ifindex(iface))
			lost = iface;
	}
	return lost;
}

int rxaqm_iface_missing(const struct rxaqm_state *state, const char *ifname,
			struct rxaqm_error *error)
{
	struct rxaqm_iface *iface = NULL;

	if (!if_nametoindex(ifname) && errno != ENODEV)
		return rxaqm_failed(error, errno, "cannot ask the kernel for interface \"%s\": %s",
				    ifname, strerror(errno));
	while ((iface = rxaqm_iface_next(state, iface)))
		if (!strcmp(iface->name, ifname) && iface->state == RXAQM_IFACE_ATTACHED &&
		    !rxaqm_iface_ifindex(iface) && !rxaqm_iface_taken_off(iface))
			return rxaqm_error_set(error, RXAQM_EXIT_NOT_ATTACHED, ENOENT,
					       "not attached to \"%s\" in this network namespace, "
					       "but in another; use --netns NAME, or, if it has no "
					       "name, \"nsenter --net=/proc/PID/ns/net\" with the PID "
					       "of a process in it",
					       ifname);
	return rxaqm_error_set(error, RXAQM_EXIT_NOT_ATTACHED, ENOENT,
			       "not attached to \"%s\"; see \"rxaqm status\"", ifname);
}

bool rxaqm_iface_is_bare(const struct rxaqm_iface *iface)
{
	char ifname[IF_NAMESIZE];

	return was_here(iface, iface->ifindex) && if_indextoname(iface->ifindex, ifname) &&
	       !rxaqm_iface_ifindex(iface);
}

/* A search for the program of @iface, which exists. */
struct search {
	const struct rxaqm_iface *iface;
	int near; /* result in the namespace it was attached in; -ENOENT: not seen yet */
	bool there; /* an interface with its index is still in that namespace */
	bool found;
};

static void look_at_home(void *arg)
{
	struct search *search = arg;
	const struct rxaqm_iface *iface = search->iface;
	char ifname[IF_NAMESIZE];

	if (!was_here(iface, iface->ifindex))
		return;
	search->there = if_indextoname(iface->ifindex, ifname);
	search->near = iface->flags & RXAQM_IFACE_DISPATCHER ?
			       rxaqm_pins_in_known_netns(iface->prog_id) :
			       rxaqm_xdp_in_known_netns(iface->prog_id);
}

static void look_anywhere(void *arg)
{
	struct search *search = arg;

	search->found = search->found || rxaqm_iface_ifindex(search->iface);
}

/* Is the program of @iface, which exists, pinned and on no interface any more? The namespace that
 * it was attached in knows where interfaces have moved from there. But it need not know the
 * machine's first one, where a physical interface goes when its namespace is deleted.
 */
static bool is_stranded(const struct rxaqm_iface *iface, bool *ret_there)
{
	struct search search = { .iface = iface, .near = -ENOENT };

	look_at_home(&search);
	if (search.near == -ENOENT)
		rxaqm_netns_each(look_at_home, &search);
	if (!search.near)
		rxaqm_netns_each(look_anywhere, &search);
	*ret_there = search.there;
	return !search.near && !search.found;
}

bool rxaqm_iface_taken_off(const struct rxaqm_iface *iface)
{
	bool there;

	return !rxaqm_xdp_exists(iface->prog_id) || rxaqm_iface_is_bare(iface) ||
	       is_stranded(iface, &there);
}

bool rxaqm_iface_is_gone(const struct rxaqm_iface *iface)
{
	bool there;

	if (rxaqm_xdp_exists(iface->prog_id))
		return is_stranded(iface, &there) && !there;
	return was_here(iface, iface->ifindex) && !rxaqm_iface_is_bare(iface);
}
