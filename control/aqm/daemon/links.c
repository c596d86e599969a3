/* SPDX-License-Identifier: GPL-2.0-only */
/* The interfaces that sections of the configuration are for, as they come, go and change names;
 * what has become of each, and when what failed is tried again.
 */
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "config/config.h"
#include "daemon/run.h"

#define RETRY_MIN_NS RXAQM_NSEC_PER_SEC
#define RETRY_MAX_NS (60 * RXAQM_NSEC_PER_SEC)
/* What the kernel tells so soon after an attempt, the attempt has caused. */
#define ECHO_NS RXAQM_NSEC_PER_SEC

/* What has failed, and policies that were kept, are of no matter any more. */
static void forget(struct rxaqm_link *link)
{
	link->retry_ns = 0;
	free(link->complaint);
	link->complaint = NULL;
	free(link->kept);
	link->kept = NULL;
}

void rxaqm_run_attached(struct rxaqm_link *link, const struct rxaqm_iface *iface)
{
	if (iface->prog_id != link->prog_id && !link->kept)
		rxaqm_run_overload_free(link);
	rxaqm_detached_forget(link->name);
	link->state = RXAQM_LINK_ATTACHED;
	link->slot = (int)(iface - link->run->state.iface);
	link->prog_id = iface->prog_id;
	link->configure = false;
	link->reapply = false;
	forget(link);
}

void rxaqm_run_release(struct rxaqm_link *link, const char *why)
{
	rxaqm_run_log(LOG_WARNING, "%s: %s; stays so until the configuration is read again",
		      link->name, why);
	link->state = RXAQM_LINK_RELEASED;
	link->slot = -1;
}

void rxaqm_run_try_again(struct rxaqm_link *link, __u64 after_ns)
{
	link->due_ns = rxaqm_now_ns() + after_ns;
	link->due_at = time(NULL) + (time_t)(after_ns / RXAQM_NSEC_PER_SEC);
	rxaqm_run_sync_by(link->run, link->due_ns);
}

/* What kernel or NIC cannot do, they cannot a minute later. All else may pass. */
static bool is_final(const struct rxaqm_error *error)
{
	return error->exit_code == RXAQM_EXIT_UNSUPPORTED &&
	       (error->err == EOPNOTSUPP || /* and these two are what the verifier says */
		error->err == EACCES || error->err == E2BIG);
}

void rxaqm_run_failed(struct rxaqm_link *link, const struct rxaqm_error *error)
{
	link->state = RXAQM_LINK_FAILED;
	link->slot = -1;
	/* It went, or got another name, meanwhile: the kernel's message about that comes. */
	if (if_nametoindex(link->name) != link->ifindex) {
		link->run->rescan = true;
		rxaqm_run_try_again(link, RXAQM_RUN_LOCKED_NS);
		return;
	}
	link->tried_ns = rxaqm_now_ns();
	link->retry_ns = link->retry_ns ? 2 * link->retry_ns : RETRY_MIN_NS;
	if (link->retry_ns > RETRY_MAX_NS)
		link->retry_ns = RETRY_MAX_NS;
	if (!link->complaint || strcmp(link->complaint, error->text)) {
		rxaqm_run_log(LOG_ERR, "%s: %s; tried again %swhen the interface changes",
			      link->name, error->text,
			      is_final(error) ? "" : "1s to 60s later, and ");
		free(link->complaint);
		link->complaint = strdup(error->text);
	}
	if (!is_final(error))
		rxaqm_run_try_again(link, link->retry_ns);
}

void rxaqm_run_changed(struct rxaqm_link *link)
{
	__u64 now_ns = rxaqm_now_ns(), due_ns = link->tried_ns + link->retry_ns / 2;

	if (link->state != RXAQM_LINK_FAILED || rxaqm_ns_since(now_ns, link->tried_ns) < ECHO_NS)
		return;
	if (!rxaqm_ns_after(due_ns, now_ns))
		due_ns = now_ns + RXAQM_RUN_LOCKED_NS;
	if (link->due_ns && !rxaqm_ns_after(link->due_ns, due_ns))
		return;
	rxaqm_run_log(LOG_INFO, "%s: has changed, which is a reason to try again", link->name);
	rxaqm_run_try_again(link, due_ns - now_ns);
}

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
	rxaqm_run_overload_free(link);
	forget(link);
	free(link);
}

static void add(struct rxaqm_run *run, unsigned int ifindex, const char *name)
{
	const struct rxaqm_config_iface *section = rxaqm_config_find(&run->config, name);
	struct rxaqm_link *link, **end = &run->links;

	if (!section)
		return;
	link = calloc(1, sizeof(*link));
	if (!link)
		return; /* seen again with the next listing */
	link->run = run;
	link->ifindex = ifindex;
	snprintf(link->name, sizeof(link->name), "%s", name);
	link->section = section;
	link->slot = -1;
	link->configure = true;
	link->reapply = run->reapply;
	link->found = !run->begun;
	link->seen = true;
	/* A name given by the kernel may be replaced in a moment. What is there at the start, or
	 * only has a section now, is not new.
	 */
	rxaqm_run_try_again(link, run->begun && !run->reapply ? run->config.settle_ns : 0);
	while (*end)
		end = &(*end)->next;
	*end = link;
}

static void rename_link(struct rxaqm_link *link, const char *name)
{
	const struct rxaqm_config_iface *section = rxaqm_config_find(&link->run->config, name);

	rxaqm_run_log(LOG_INFO, "%s: is called %s now", link->name, name);
	snprintf(link->name, sizeof(link->name), "%s", name);
	if (section == link->section)
		return;
	link->section = section;
	link->configure = true;
	rxaqm_run_try_again(link, link->run->config.settle_ns);
}

void rxaqm_run_link_removed(struct rxaqm_link *link)
{
	rxaqm_run_log(LOG_INFO, "%s: is gone", link->name);
	link->removed = true;
	link->run->recover = 10;
}

/* Compare the list with what the kernel has. */
static void list(struct rxaqm_run *run)
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
			add(run, one->if_index, one->if_name);
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

static void sweep(struct rxaqm_run *run)
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

/* Was every interface tried? Nobody is waited for longer than commands wait. */
static bool all_tried(const struct rxaqm_run *run)
{
	const struct rxaqm_link *link;

	for (link = run->links; link; link = link->next)
		if (link->blocked && rxaqm_ns_after(run->ready_by_ns, rxaqm_now_ns()))
			return false;
	return true;
}

/* Do what is due of those with a section of their own, or of the others. */
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

	if (run->rescan)
		list(run);
	sync_links(run, true);
	sync_links(run, false);
	rxaqm_run_waiting(run);
	sweep(run);
	for (link = run->links; link; link = link->next)
		if (link->due_ns)
			rxaqm_run_sync_by(run, link->due_ns);
	rxaqm_run_leases(run);
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
		forget(link);
		rxaqm_run_overload_free(link);
		/* What was never ours needs no detaching. */
		if (!link->section && link->state != RXAQM_LINK_ATTACHED &&
		    link->state != RXAQM_LINK_LOST)
			link->removed = true;
		rxaqm_run_try_again(link, 0);
	}
	rxaqm_config_free(old);
	run->rescan = true;
	run->reapply = true;
}
