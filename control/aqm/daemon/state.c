/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pinned state. Others create and remove it, too: a command that attaches the first interface
 * or detaches the last one, an administrator who unmounts the BPF file system. The id of meta_map
 * shows whether the mapped state is still the pinned one. Also: is an interface still attached as
 * the daemon knows it?
 */
#include "daemon/state.h"

#include <linux/bpf.h>
#include <net/if.h>

#include "attach/xdp.h"
#include "base/now.h"
#include "daemon/link.h"
#include "daemon/log.h"
#include "state/locate.h"

static void look_for_bpffs(struct rxaqm_run *run)
{
	struct rxaqm_error error = {};
	bool gone = rxaqm_state_check_bpffs(&error) != 0;

	if (gone && !run->bpffs_lost)
		rxaqm_run_log(LOG_ERR, "%s; until then packets pass untouched", error.text);
	if (!gone && run->bpffs_lost)
		rxaqm_run_log(LOG_NOTICE, "the BPF file system is back");
	run->bpffs_lost = gone;
}

bool rxaqm_run_state_open(struct rxaqm_run *run)
{
	struct bpf_map_info meta;
	int err = rxaqm_state_map_info("meta_map", &meta);

	/* If the kernel cannot be asked, it stays as it is. */
	if (run->state.meta && run->state.meta->abi_version == RXAQM_ABI_VERSION &&
	    (err ? err != -ENOENT : meta.id == run->state_id))
		return true;
	rxaqm_state_unmap(&run->state);
	if (err) {
		look_for_bpffs(run);
		return false;
	}
	run->bpffs_lost = false;
	if (rxaqm_state_open(&run->state, true, NULL)) {
		rxaqm_state_unmap(&run->state);
		return false;
	}
	run->state_id = meta.id;
	return true;
}

void rxaqm_run_state_changed(struct rxaqm_run *run)
{
	/* The state that attach.c has mapped may already be unpinned again. */
	rxaqm_state_unmap(&run->state);
	rxaqm_run_state_open(run);
}

/* A command is changing it: look again in a moment. */
static void look_again(struct rxaqm_link *link)
{
	link->verify = true;
	rxaqm_run_sync_by(link->run, rxaqm_now_ns() + RXAQM_RUN_LOCKED_NS);
}

/* A command has attached @link as @iface: leave it so. The digest makes a later daemon do the same.
 */
static void attached_by_command(struct rxaqm_link *link, struct rxaqm_iface *iface)
{
	struct rxaqm_run *run = link->run;
	unsigned int ifindex;

	if (rxaqm_state_trylock(&run->state)) {
		look_again(link);
		return;
	}
	rxaqm_iface_place(iface, &ifindex);
	if (iface->state == RXAQM_IFACE_ATTACHED && ifindex == link->ifindex) {
		if (link->section)
			iface->config_digest = rxaqm_config_digest(link->section);
		rxaqm_link_log(link, LOG_NOTICE,
			       "attached by a command; its policy stays as it is until the "
			       "configuration is read again");
		/* Under the lock, since this removes the note that it was detached. */
		rxaqm_run_attached(link, iface);
		link->lease_until_ns = 0;
	}
	rxaqm_state_unlock(&run->state);
}

void rxaqm_run_verify(struct rxaqm_link *link)
{
	struct rxaqm_run *run = link->run;
	struct rxaqm_error error = {};
	struct rxaqm_xdp_progs progs;
	struct rxaqm_iface *iface;
	int place = RXAQM_PLACE_BARE;

	link->verify = false;
	if (link->state != RXAQM_LINK_ATTACHED && link->state != RXAQM_LINK_RELEASED)
		return;
	/* It was removed or renamed: the kernel's message about that will come. */
	if (if_nametoindex(link->name) != link->ifindex) {
		run->rescan = true;
		return;
	}
	rxaqm_run_state_open(run);
	iface = rxaqm_iface_find(&run->state, link->name, &error);
	if (iface)
		place = rxaqm_iface_place(iface, NULL);
	/* A command is changing it, or the kernel cannot be asked. */
	if (iface ? iface->state != RXAQM_IFACE_ATTACHED || place < 0 : error.err != ENOENT) {
		look_again(link);
		return;
	}
	if (place == RXAQM_PLACE_HERE) {
		if (rxaqm_link_iface(link) != iface)
			attached_by_command(link, iface);
		return;
	}
	if (link->state == RXAQM_LINK_RELEASED)
		return;
	if (rxaqm_xdp_read(link->ifindex, &progs)) {
		look_again(link);
		return;
	}
	if (!iface && rxaqm_xdp_has(&progs, link->prog_id)) {
		rxaqm_link_log(link, LOG_WARNING, "its state is gone, packets pass untouched%s",
			       run->bpffs_lost ? "" : "; attaching anew");
		link->state = RXAQM_LINK_LOST;
		link->configure = true;
		rxaqm_run_try_again(link, run->bpffs_lost ? RXAQM_RUN_LOST_NS : 0);
		return;
	}
	rxaqm_run_release(link,
			  iface ? "its XDP program was taken off" : "was detached by a command");
}

void rxaqm_run_check_arrivals(struct rxaqm_link *link, const struct rxaqm_iface *iface)
{
	const struct rxaqm_arrivals before = link->arrivals;
	struct rxaqm_arrivals *now = &link->arrivals;
	__u64 unseen;

	rxaqm_arrivals_take(&link->run->state, iface, link->name, now);
	if (now->seen != (before.attached_ns == now->attached_ns ? before.seen : 0))
		link->blind = 0;
	unseen = rxaqm_arrivals_unseen(&before, now);
	/* It is told twice at most, and attached anew once: that may not help. */
	if (!unseen || link->revive || link->blind > 1)
		return;
	link->revive = !link->blind++;
	rxaqm_link_log(link, LOG_WARNING,
		       "received %llu packets, of which the XDP program saw none: the driver has "
		       "lost it%s",
		       unseen,
		       link->revive ? "; attaching anew" :
				      " again; packets pass untouched until it sees some");
	if (link->revive)
		rxaqm_run_try_again(link, 0);
}
