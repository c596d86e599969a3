/* SPDX-License-Identifier: GPL-2.0-only */
/* The registry has room for a limited number of interfaces and queues. Interfaces with a section of
 * their own come before those of patterns. One that finds no room waits for it.
 */
#include "daemon/room.h"

#include "attach/attach.h"
#include "attach/undo.h"
#include "daemon/link.h"
#include "daemon/log.h"

static bool is_set_by_operator(const struct rxaqm_link *link, const struct rxaqm_iface *iface)
{
	return rxaqm_setting_source(rxaqm_state_policy(&link->run->state, iface, 0), "mode") ==
	       RXAQM_SOURCE_OPERATOR;
}

/* Find the links that may be detached to make room, the newest last. Returns their number. */
static unsigned int candidates(struct rxaqm_run *run, struct rxaqm_link *link[RXAQM_MAX_IFACES],
			       struct rxaqm_iface *iface[RXAQM_MAX_IFACES])
{
	unsigned int nr = 0;
	struct rxaqm_link *one;

	for (one = run->links; one && nr < RXAQM_MAX_IFACES; one = one->next) {
		if (one->removed || !one->section || rxaqm_run_is_own(one))
			continue;
		/* A daemon that has just started may not know this attachment yet. */
		iface[nr] = rxaqm_plan_attached(&run->state, one->name);
		link[nr] = one;
		nr += iface[nr] && !is_set_by_operator(one, iface[nr]);
	}
	return nr;
}

static bool give_way(struct rxaqm_link *link, struct rxaqm_iface *iface,
		     const struct rxaqm_link *to)
{
	unsigned int nr_queues = iface->nr_queues;
	struct rxaqm_error error = {};

	if (rxaqm_run_detach(link, iface, &error)) {
		rxaqm_link_log(link, LOG_ERR, "not detached to make room for %s: %s", to->name,
			       error.text);
		return false;
	}
	link->nr_queues = nr_queues;
	rxaqm_link_log(link, LOG_WARNING,
		       "detached, to make room for %s, which has a section of its own; attached "
		       "again when there is room",
		       to->name);
	link->state = RXAQM_LINK_WAITING;
	link->slot = -1;
	link->configure = true;
	return true;
}

static bool make_room(struct rxaqm_link *to, unsigned int nr_queues)
{
	struct rxaqm_iface *iface[RXAQM_MAX_IFACES];
	struct rxaqm_link *link[RXAQM_MAX_IFACES];
	struct rxaqm_state *state = &to->run->state;
	unsigned int nr = candidates(to->run, link, iface), last = nr;
	__u64 given = 0;

	/* If detaching all of them would not make room, none is detached. */
	while (last && !rxaqm_state_room(state, nr_queues, given))
		given |= 1ULL << (iface[--last] - state->iface);
	if (!rxaqm_state_room(state, nr_queues, given))
		return false;
	while (nr-- > last)
		if (!give_way(link[nr], iface[nr], to))
			return false;
	return true;
}

/* Has someone detached all that was attached here? Then those that wait are not wanted, either. A
 * single detached one does not show that, unless it was the last.
 */
static bool all_off(const struct rxaqm_run *run)
{
	const struct rxaqm_meta_info *meta = run->state.meta;
	const struct rxaqm_link *link;
	unsigned int nr_off = 0;

	for (link = run->links; link; link = link->next) {
		if (rxaqm_link_iface(link))
			return false;
		nr_off += link->state == RXAQM_LINK_ATTACHED || link->state == RXAQM_LINK_RELEASED;
	}
	return nr_off > 1 || (nr_off && (!meta || !meta->abi_version));
}

bool rxaqm_run_leave_off(struct rxaqm_link *link)
{
	if (!all_off(link->run))
		return false;
	rxaqm_run_release(link, "all were detached by a command");
	link->configure = false;
	return true;
}

static void wait_for_room(struct rxaqm_link *link, unsigned int nr_queues)
{
	bool own = rxaqm_run_is_own(link);

	if (own ? link->state != RXAQM_LINK_WAITING : !link->run->full)
		rxaqm_link_log(link, LOG_ERR,
			       "no room for %u more queues: rxaqm serves %d interfaces and %d "
			       "queues in all; it waits until there is%s",
			       nr_queues, RXAQM_MAX_IFACES, RXAQM_MAX_QUEUES,
			       own ? "" : ", and so do others");
	link->run->full = true;
	link->state = RXAQM_LINK_WAITING;
	link->slot = -1;
	link->nr_queues = nr_queues;
	link->reapply = false; /* nothing was applied */
}

bool rxaqm_run_make_room(struct rxaqm_link *link, unsigned int nr_queues)
{
	struct rxaqm_run *run = link->run;
	struct rxaqm_error error = {};

	if (link->state == RXAQM_LINK_WAITING && !link->reapply && rxaqm_run_leave_off(link))
		return false;
	if (!run->state.meta || rxaqm_state_room(&run->state, nr_queues, 0))
		return true;
	if (!run->full)
		rxaqm_undo_everywhere(&run->state, &error);
	if (rxaqm_state_room(&run->state, nr_queues, 0) ||
	    (rxaqm_run_is_own(link) && make_room(link, nr_queues)))
		return true;
	wait_for_room(link, nr_queues);
	return false;
}
