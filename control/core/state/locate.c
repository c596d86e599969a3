/* SPDX-License-Identifier: GPL-2.0-only */
#include "state/locate.h"

#include <net/if.h>
#include <string.h>

#include "base/fields.h"
#include "base/now.h"
#include "state/dispatcher.h"
#include "nic/netns.h"

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

/* The programs that were seen on interfaces. To look for one at a time would take long where there
 * are many namespaces.
 */
static struct {
	RXAQM_LIST(__u32);
	__u64 at_ns;
} seen;

/* What is on an interface may be believed for longer than what is on none. */
#define SEEN_NS (10 * RXAQM_NSEC_PER_SEC)
#define UNSEEN_NS (100 * RXAQM_NSEC_PER_MSEC)

static void look_here(void *arg)
{
	struct if_nameindex *interfaces = if_nameindex(), *one;
	struct rxaqm_xdp_progs progs;
	unsigned int i;

	(void)arg;
	for (one = interfaces; one && one->if_index; one++) {
		rxaqm_xdp_read(one->if_index, &progs);
		for (i = 0; i < progs.nr; i++)
			rxaqm_list_put(&seen, progs.id[i]);
	}
	if (interfaces)
		if_freenameindex(interfaces);
}

static bool was_seen(__u32 prog_id, __u64 within_ns)
{
	const __u32 *id;

	if (!seen.at_ns || rxaqm_ns_since(rxaqm_now_ns(), seen.at_ns) > within_ns)
		return false;
	return rxaqm_list_find(id, &seen, *id == prog_id);
}

static void look_everywhere(void)
{
	if (seen.at_ns && rxaqm_ns_since(rxaqm_now_ns(), seen.at_ns) < UNSEEN_NS)
		return;
	seen.nr = 0;
	rxaqm_netns_each(look_here, NULL);
	seen.at_ns = rxaqm_now_ns();
}

bool rxaqm_iface_is_hidden(const struct rxaqm_iface *iface)
{
	if (!rxaqm_xdp_exists(iface->prog_id) || !rxaqm_netns_sees_processes() ||
	    was_seen(iface->prog_id, SEEN_NS))
		return false;
	look_everywhere();
	return !was_seen(iface->prog_id, SEEN_NS);
}

bool rxaqm_iface_taken_off(const struct rxaqm_iface *iface)
{
	return !rxaqm_xdp_exists(iface->prog_id) || rxaqm_iface_is_bare(iface);
}

bool rxaqm_iface_is_gone(const struct rxaqm_iface *iface)
{
	return !rxaqm_xdp_exists(iface->prog_id) && was_here(iface, iface->ifindex) &&
	       !rxaqm_iface_is_bare(iface);
}
