/* SPDX-License-Identifier: GPL-2.0-only */
#include "state/locate.h"

#include <net/if.h>
#include <string.h>

#include "base/fields.h"
#include "base/now.h"
#include "nic/netns.h"
#include "state/dispatcher.h"
#include "state/own_programs.h"

/* Returns @ifindex if the program with the id @arg is on it, 0 if not, or -errno. */
static int look(unsigned int ifindex, void *arg)
{
	const __u32 *prog_id = arg;
	struct rxaqm_xdp_progs progs;
	int err = rxaqm_xdp_read(ifindex, &progs);

	return rxaqm_xdp_has(&progs, *prog_id) ? (int)ifindex : err;
}

/* Index of the interface here that has the program @prog_id, probably @ifindex. 0: none has. */
static int find_program(__u32 prog_id, unsigned int ifindex)
{
	int found = look(ifindex, &prog_id);

	return found || !rxaqm_xdp_exists(prog_id) ? found : rxaqm_xdp_each(look, &prog_id);
}

int rxaqm_iface_place(const struct rxaqm_iface *iface, unsigned int *ret_ifindex)
{
	int found = find_program(iface->prog_id, iface->ifindex);
	bool home = iface->netns_ino == rxaqm_netns_ino();
	char ifname[IF_NAMESIZE];

	if (ret_ifindex)
		*ret_ifindex = found > 0 ? (unsigned int)found : 0;
	if (found)
		return found > 0 ? RXAQM_PLACE_HERE : found;
	if (home && if_indextoname(iface->ifindex, ifname)) {
		if (ret_ifindex)
			*ret_ifindex = iface->ifindex;
		return RXAQM_PLACE_BARE;
	}
	if (home && errno != ENXIO)
		return -errno;
	if (rxaqm_xdp_exists(iface->prog_id))
		return RXAQM_PLACE_ELSEWHERE;
	return home ? RXAQM_PLACE_GONE : RXAQM_PLACE_LOST;
}

/* The programs that were seen on interfaces. To look for one at a time would take long where there
 * are many namespaces.
 */
static struct {
	RXAQM_LIST(__u32);
	__u64 at_ns;
	bool unsure; /* the kernel could not be asked for all */
} seen;

/* What is on an interface may be believed for longer than what is on none. */
#define SEEN_NS (10 * RXAQM_NSEC_PER_SEC)
#define UNSEEN_NS (100 * RXAQM_NSEC_PER_MSEC)

static int note(unsigned int ifindex, void *arg)
{
	struct rxaqm_xdp_progs progs;
	int err = rxaqm_xdp_read(ifindex, &progs);
	unsigned int i;

	(void)arg;
	for (i = 0; i < progs.nr; i++)
		if (!rxaqm_list_put(&seen, progs.id[i]))
			err = -ENOMEM;
	return err;
}

static void look_here(void *arg)
{
	seen.unsure |= rxaqm_xdp_each(note, arg) != 0;
}

static bool was_seen(__u32 prog_id)
{
	const __u32 *id;

	if (!seen.at_ns || rxaqm_ns_since(rxaqm_now_ns(), seen.at_ns) > SEEN_NS)
		return false;
	return rxaqm_list_find(id, &seen, *id == prog_id);
}

static void look_everywhere(void)
{
	if (seen.at_ns && rxaqm_ns_since(rxaqm_now_ns(), seen.at_ns) < UNSEEN_NS)
		return;
	seen.nr = 0;
	seen.unsure = false;
	rxaqm_netns_each(look_here, NULL);
	seen.at_ns = rxaqm_now_ns();
}

bool rxaqm_iface_is_hidden(const struct rxaqm_iface *iface)
{
	if (!rxaqm_xdp_exists(iface->prog_id) || !rxaqm_netns_sees_processes() ||
	    was_seen(iface->prog_id))
		return false;
	look_everywhere();
	return !seen.unsure && !was_seen(iface->prog_id);
}

static int cannot_ask(const char *ifname, int err, struct rxaqm_error *error)
{
	return rxaqm_failed(error, err,
			    "cannot ask the kernel for interface \"%s\" and its XDP programs: %s; try "
			    "again",
			    ifname, strerror(err));
}

/* There is no entry of @ifname, but one of that name may be in another namespace. */
static void missing(const struct rxaqm_state *state, const char *ifname, struct rxaqm_error *error)
{
	const struct rxaqm_iface *iface = NULL;
	bool elsewhere = false;

	while ((iface = rxaqm_iface_next(state, iface)))
		elsewhere |= !strcmp(iface->name, ifname) && iface->state == RXAQM_IFACE_ATTACHED &&
			     rxaqm_iface_place(iface, NULL) == RXAQM_PLACE_ELSEWHERE;
	rxaqm_error_set(error, RXAQM_EXIT_NOT_ATTACHED, ENOENT, "not attached to \"%s\"%s", ifname,
			elsewhere ?
				" in this network namespace, but in another; use --netns NAME, "
				"or, if it has no name, \"nsenter --net=/proc/PID/ns/net\" with "
				"the PID of a process in it" :
				"; see \"rxaqm status\"");
}

struct rxaqm_iface *rxaqm_iface_find(const struct rxaqm_state *state, const char *ifname,
				     struct rxaqm_error *error)
{
	unsigned int ifindex = if_nametoindex(ifname), at;
	int err = ifindex || errno == ENODEV ? 0 : -errno;
	struct rxaqm_iface *iface = NULL, *bare = NULL;
	struct rxaqm_xdp_progs progs = {};

	if (ifindex && state->meta)
		err = rxaqm_xdp_read(ifindex, &progs);
	while (ifindex && (iface = rxaqm_iface_next(state, iface))) {
		if (rxaqm_xdp_has(&progs, iface->prog_id))
			return iface;
		if (err || iface->ifindex != ifindex)
			continue;
		err = rxaqm_iface_place(iface, &at);
		if (err == RXAQM_PLACE_BARE && at == ifindex)
			bare = iface;
		err = err < 0 ? err : 0;
	}
	if (err)
		cannot_ask(ifname, -err, error);
	else if (!bare)
		missing(state, ifname, error);
	return err ? NULL : bare;
}

struct rxaqm_iface *rxaqm_iface_find_attached(const struct rxaqm_state *state, const char *ifname,
					      struct rxaqm_error *error)
{
	struct rxaqm_iface *iface = rxaqm_iface_find(state, ifname, error);
	int place = iface ? rxaqm_iface_place(iface, NULL) : RXAQM_PLACE_HERE;

	if (place < 0)
		cannot_ask(ifname, -place, error);
	else if (iface && (place != RXAQM_PLACE_HERE || iface->state != RXAQM_IFACE_ATTACHED))
		missing(state, ifname, error);
	else
		return iface;
	return NULL;
}
