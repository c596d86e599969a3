/* SPDX-License-Identifier: GPL-2.0-only */
#include "daemon/link_list.h"

#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "daemon/clock.h"
#include "daemon/lease_renewal.h"
#include "daemon/link.h"
#include "daemon/log.h"
#include "daemon/reconcile.h"
#include "daemon/state.h"

#define NONE (~0U)

struct rxaqm_link *rxaqm_run_link_find(const struct rxaqm_run *run, unsigned int ifindex)
{
	struct rxaqm_link *link;

	for (link = run->links; link; link = link->next)
		if (link->ifindex == ifindex && !link->removed)
			return link;
	return NULL;
}

static void free_link(struct rxaqm_link *link)
{
	rxaqm_run_clock_free(link);
	rxaqm_run_forget_overload(link);
	rxaqm_run_forget(link);
	free(link);
}

static void add_link(struct rxaqm_run *run, unsigned int ifindex, const char *name)
{
	const struct rxaqm_config_iface *section = rxaqm_config_find(&run->config, name);
	struct rxaqm_link *link, **end = &run->links;

	if (!section)
		return;
	link = calloc(1, sizeof(*link));
	if (!link)
		return; /* the next listing finds it again */
	link->run = run;
	link->ifindex = ifindex;
	snprintf(link->name, sizeof(link->name), "%s", name);
	link->section = section;
	link->slot = -1;
	link->configure = true;
	link->reapply = run->reapply;
	link->found = !run->begun;
	link->seen = true;
	/* The kernel's name for a new interface may be replaced in a moment. An interface that
	 * existed at the start, or before its section did, is not new.
	 */
	rxaqm_run_try_again(link, run->begun && !run->reapply ? run->config.settle_ns : 0);
	while (*end)
		end = &(*end)->next;
	*end = link;
}

static void rename_link(struct rxaqm_link *link, const char *name)
{
	const struct rxaqm_config_iface *section = rxaqm_config_find(&link->run->config, name);

	rxaqm_link_log(link, LOG_INFO, "is called %s now", name);
	snprintf(link->name, sizeof(link->name), "%s", name);
	if (section == link->section)
		return;
	link->section = section;
	link->configure = true;
	rxaqm_run_try_again(link, link->run->config.settle_ns);
}

void rxaqm_run_link_removed(struct rxaqm_link *link)
{
	rxaqm_link_log(link, LOG_INFO, "is gone");
	link->removed = true;
	link->run->recover = 10;
}

/* Compare the list with the kernel's interfaces. */
static void list_interfaces(struct rxaqm_run *run)
{
	struct if_nameindex *all = if_nameindex(), *one;
	struct rxaqm_link *link;

	if (!all)
		return;
	run->rescan = false;
	for (link = run->links; link; link = link->next)
		link->seen = false;
	for (one = all; one->if_index; one++) {
		link = rxaqm_run_link_find(run, one->if_index);
		if (!link) {
			add_link(run, one->if_index, one->if_name);
			continue;
		}
		link->seen = true;
		if (strcmp(link->name, one->if_name))
			rename_link(link, one->if_name);
	}
	if_freenameindex(all);
	run->begun = true;
	run->reapply = false;
	for (link = run->links; link; link = link->next)
		if (!link->seen && !link->removed)
			rxaqm_run_link_removed(link);
}

static void free_removed(struct rxaqm_run *run)
{
	struct rxaqm_link **at = &run->links, *link;

	while ((link = *at)) {
		if (link->removed) {
			*at = link->next;
			free_link(link);
		} else {
			at = &link->next;
		}
	}
}

/* Was every interface tried? Those blocked by another command count as tried after ready_by_ns. */
static bool all_tried(const struct rxaqm_run *run)
{
	const struct rxaqm_link *link;

	for (link = run->links; link; link = link->next)
		if (link->blocked && rxaqm_ns_after(run->ready_by_ns, rxaqm_now_ns()))
			return false;
	return true;
}

/* Do what is due for the links with a section of their own (@own), or for the others. */
static void sync_links(struct rxaqm_run *run, bool own)
{
	struct rxaqm_link *link;

	for (link = run->links; link; link = link->next) {
		if (link->removed || rxaqm_run_is_own(link) != own)
			continue;
		if (link->verify)
			rxaqm_run_verify(link);
		if (link->due_ns && !rxaqm_ns_after(link->due_ns, rxaqm_now_ns()))
			rxaqm_run_reconcile(link);
	}
}

void rxaqm_run_sync(struct rxaqm_run *run)
{
	struct rxaqm_link *link;

	run->due_ns = 0;
	if (run->rescan)
		list_interfaces(run);
	sync_links(run, true);
	sync_links(run, false);
	free_removed(run);
	for (link = run->links; link; link = link->next)
		if (link->due_ns)
			rxaqm_run_sync_by(run, link->due_ns);
	rxaqm_run_renew_leases(run);
	rxaqm_run_clocks(run);
	rxaqm_run_notify(run, !run->ready && all_tried(run));
}

void rxaqm_run_links_reconfigure(struct rxaqm_run *run, struct rxaqm_config *old)
{
	struct rxaqm_link *link;

	for (link = run->links; link; link = link->next) {
		link->section = rxaqm_config_find(&run->config, link->name);
		link->configure = true;
		link->reapply = true;
		rxaqm_run_forget(link);
		rxaqm_run_forget_overload(link);
		/* If it was never ours it needs no detaching. */
		if (!link->section && link->state != RXAQM_LINK_ATTACHED &&
		    link->state != RXAQM_LINK_LOST)
			link->removed = true;
		rxaqm_run_try_again(link, 0);
	}
	rxaqm_config_free(old);
	run->rescan = true;
	run->reapply = true;
}
