/* SPDX-License-Identifier: GPL-2.0-only */
#include "attach/attach.h"

#include <string.h>
#include <sys/random.h>

#include "attach/hint.h"
#include "attach/hooks.h"
#include "base/now.h"
#include "state/limit.h"
#include "state/locate.h"
#include "nic/netns.h"
#include "state/pins.h"
#include "state/libxdp_lock.h"
#include "attach/stamps.h"
#include "attach/undo.h"
#include "attach/xdp.h"

/* Append the text of @more to @error. */
static void also(struct rxaqm_error *error, const struct rxaqm_error *more)
{
	if (more->text[0])
		rxaqm_error_add(error, "%s", more->text);
	if (error && more->err) {
		error->exit_code = more->exit_code;
		error->err = more->err;
	}
}

/* Does a queue's policy use stamps? */
static bool wants_stamps(const struct rxaqm_state *state, const struct rxaqm_iface *iface)
{
	unsigned int i;

	for (i = 0; iface->stamp != RXAQM_STAMP_NONE && i < iface->nr_queues; i++)
		if (rxaqm_state_policy(state, iface, i)->signal != RXAQM_SIGNAL_BUSY)
			return true;
	return false;
}

/* Stamps in generic mode need a tracing program of their own. */
static int sync_generic(const struct rxaqm_state *state, struct rxaqm_error *error)
{
	const struct rxaqm_iface *iface = NULL;
	bool wanted = false;

	while ((iface = rxaqm_iface_next(state, iface)))
		wanted |= (iface->flags & RXAQM_IFACE_GENERIC) && wants_stamps(state, iface);
	return rxaqm_hooks_generic(wanted, error);
}

/* If no interface is left, remove the tracing programs and all pins. */
static int remove_if_unused(struct rxaqm_state *state, struct rxaqm_error *error)
{
	if (rxaqm_iface_next(state, NULL))
		return sync_generic(state, error);
	/* From here on the state counts as never completed. */
	__atomic_store_n(&state->meta->abi_version, 0, __ATOMIC_RELEASE);
	return rxaqm_hooks_remove(error);
}

/* Open the state, or create it if there is none worth keeping. */
static int make_state(struct rxaqm_state *state, struct rxaqm_error *error)
{
	int err;

	err = rxaqm_state_open(state, true, error);
	if (!err) {
		rxaqm_undo_interrupted(state, error);
		return 0;
	}
	if (err != -ENOENT)
		return err;
	error->text[0] = '\0';
	err = rxaqm_hooks_remove(error);
	if (!err)
		err = rxaqm_hooks_begin(error);
	if (!err)
		err = rxaqm_state_complete(state, error);
	if (err)
		rxaqm_hooks_remove(NULL);
	return err;
}

/* Trace the Rx path if @iface has stamps to see there that are @wanted, or if a @hook is asked for
 * by name. Only then, since tracing costs every packet of the host a little, and the kernel may
 * refuse it.
 */
static int watch_rx(struct rxaqm_state *state, const struct rxaqm_iface *iface, bool wanted,
		    enum rxaqm_hook hook, struct rxaqm_error *error)
{
	int used;

	if (iface->flags & (RXAQM_IFACE_HINT | RXAQM_IFACE_GENERIC))
		wanted = false;
	if (!wanted && hook == RXAQM_HOOK_AUTO)
		return 0;
	if (state->meta->hook != RXAQM_HOOK_AUTO) {
		if (hook == RXAQM_HOOK_AUTO || hook == state->meta->hook)
			return 0;
		return rxaqm_failed(error, EBUSY,
				    "hook \"%s\" is in use and shared by all interfaces; to "
				    "change it, run \"rxaqm detach --all\" first",
				    rxaqm_hook_in_use(state->meta));
	}
	used = rxaqm_hooks_rx_stamp(hook, error);
	if (used < 0)
		return used;
	state->meta->hook = (__u32)used;
	return 0;
}

/* Draw the key of flow hashes (flow_id.h). */
static void draw_key(__u64 key[RXAQM_FLOW_KEY])
{
	const size_t bytes = RXAQM_FLOW_KEY * sizeof(*key);
	__u64 time_ns = rxaqm_now_ns();
	unsigned int i;

	/* Early at boot there may be no random numbers: then use the time. */
	if (getrandom(key, bytes, GRND_NONBLOCK) == (ssize_t)bytes)
		return;
	for (i = 0; i < RXAQM_FLOW_KEY; i++) {
		time_ns = (time_ns ^ time_ns >> 29) * 0x94d049bb133111ebULL + i;
		key[i] = time_ns ^ time_ns >> 32;
	}
}

/* Attach the program of @iface. An obstacle to hint may appear only now. Unless hint was asked for
 * by name, the other program is attached then, and @error says why.
 */
static int put_program(struct rxaqm_state *state, struct rxaqm_iface *iface,
		       const struct rxaqm_plan *plan, struct rxaqm_error *error)
{
	struct rxaqm_xdp_config config = {
		.iface = (__u32)(iface - state->iface),
		.queue_base = iface->queue_base,
		.nr_queues = iface->nr_queues,
		.ring_entries = iface->ring_entries,
		.by_cpu = !!(iface->flags & RXAQM_IFACE_BY_CPU),
		.no_sockets = !rxaqm_afxdp_known(),
	};
	int err;

	draw_key(config.flow_key);
	if (iface->flags & RXAQM_IFACE_HINT) {
		err = rxaqm_hint_attach(plan->ifname, iface, &config, error);
		if (!err || plan->policy.signal == RXAQM_SIGNAL_HINT)
			return err;
		iface->flags &= ~RXAQM_IFACE_HINT;
		iface->stamp = rxaqm_stamps_usable(plan->profile.stamp, plan->ifname);
		err = watch_rx(state, iface, wants_stamps(state, iface), plan->hook, error);
		if (err)
			return err;
	}
	return rxaqm_xdp_attach(plan->ifname, iface, &config, error);
}

/* Change the machine as the entry @iface says. */
static int put_on(struct rxaqm_state *state, struct rxaqm_iface *iface,
		  const struct rxaqm_plan *plan, struct rxaqm_error *error)
{
	struct rxaqm_error more = {};
	struct rxaqm_phc_keep keep;
	int err;

	rxaqm_phc_keep_begin(&keep, plan->ifname);
	err = watch_rx(state, iface, wants_stamps(state, iface), plan->hook, &more);
	if (!err)
		err = sync_generic(state, &more);
	if (!err)
		err = rxaqm_stamps_enable(iface, plan->ifname,
					  (enum rxaqm_signal)plan->policy.signal, &keep, &more);
	if (!err) {
		rxaqm_phc_keep_arm(&keep);
		err = put_program(state, iface, plan, &more);
	}
	rxaqm_phc_keep_end(&keep, iface->flags & RXAQM_IFACE_CLOCK_RESETS, &more);
	also(error, &more);
	return err;
}

/* Can this kernel do what @plan wants? */
static int check_kernel(const struct rxaqm_plan *plan, struct rxaqm_error *error)
{
	bool stamps = plan->policy.signal == RXAQM_SIGNAL_STAMP;

	if (rxaqm_kernel_is_whole() || !(plan->generic || stamps))
		return 0;
	return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, EOPNOTSUPP,
			       "cannot attach \"%s\" with %s: this kernel's BPF has no atomic "
			       "instructions that return a value, which came with Linux 5.12; native "
			       "mode with signal=auto or busy works",
			       plan->ifname, plan->generic ? "--mode generic" : "signal=stamp");
}

struct rxaqm_iface *rxaqm_attach(struct rxaqm_state *state, const struct rxaqm_plan *plan,
				 struct rxaqm_error *error)
{
	struct rxaqm_error more = {};
	struct rxaqm_iface *iface;
	int err, hint;

	/* Undoing needs libxdp's lock, too: if that is not free now, leave nothing to undo. */
	err = check_kernel(plan, error);
	if (!err)
		err = rxaqm_libxdp_wait(error);
	if (!err)
		err = make_state(state, error);
	if (err)
		return NULL;
	/* It was attached before, but its program was taken off: undo that. */
	iface = rxaqm_iface_find(state, plan->ifname, &more);
	err = iface ? rxaqm_undo_attach(state, iface, error) : 0;
	if (err)
		rxaqm_not_undone(iface, err, error);
	else if (!iface && more.err != ENOENT)
		*error = more;
	if (err || (!iface && more.err != ENOENT))
		return NULL;
	more = (struct rxaqm_error){};
	if (!rxaqm_state_room(state, rxaqm_plan_queues(plan)))
		rxaqm_undo_everywhere(state, error);
	hint = rxaqm_hint_choose(plan, error);
	iface = hint < 0 ? NULL : rxaqm_entry_new(state, plan, hint, error);
	if (!iface)
		goto fail;
	rxaqm_entry_set_state(iface, RXAQM_IFACE_ATTACHING);

	if (put_on(state, iface, plan, error))
		goto fail;
	rxaqm_entry_set_state(iface, RXAQM_IFACE_ATTACHED);
	return iface;

fail:
	rxaqm_limit_check(error);
	if (iface && !rxaqm_undo_attach(state, iface, &more) && more.text[0])
		rxaqm_error_add(error, "%s", more.text);
	remove_if_unused(state, NULL);
	return NULL;
}

int rxaqm_attach_stamps(struct rxaqm_state *state, struct rxaqm_iface *iface, const char *ifname,
			struct rxaqm_error *error)
{
	bool stamped = iface->stamp != RXAQM_STAMP_NONE;
	int err = watch_rx(state, iface, stamped, RXAQM_HOOK_AUTO, error);

	if (!err && stamped && (iface->flags & RXAQM_IFACE_GENERIC))
		err = rxaqm_hooks_generic(true, error);
	if (err)
		return rxaqm_limit_check(error) ?: err;
	return rxaqm_stamps_turn_on(iface, ifname, error);
}

int rxaqm_detach(struct rxaqm_state *state, struct rxaqm_iface *iface, struct rxaqm_error *error)
{
	int err = rxaqm_undo_attach(state, iface, error);

	return err ? rxaqm_not_undone(iface, err, error) : remove_if_unused(state, error);
}

struct visit {
	struct rxaqm_state *state;
	struct rxaqm_error *error;
	int detached;
	int err;
	bool unsure[RXAQM_MAX_IFACES]; /* the kernel could not be asked for its interface */
};

/* Let its packets pass untouched from now on, wherever it is. */
static void switch_off(struct rxaqm_state *state, struct rxaqm_iface *iface)
{
	struct rxaqm_policy *policies;
	unsigned int i;

	if (!state->policy)
		return;
	policies = rxaqm_state_draft(state, iface);
	for (i = 0; i < iface->nr_queues; i++)
		policies[i].mode = RXAQM_MODE_OFF;
	rxaqm_state_use_draft(iface);
}

/* Detach the interfaces of the namespace entered. */
static void detach_here(void *arg)
{
	struct rxaqm_iface *iface = NULL;
	struct visit *visit = arg;
	int err;

	rxaqm_undo_interrupted(visit->state, visit->error);
	while ((iface = rxaqm_iface_next(visit->state, iface))) {
		struct rxaqm_error one = {};
		int place = rxaqm_iface_place(iface, NULL);

		if (place >= 0 && place != RXAQM_PLACE_HERE && place != RXAQM_PLACE_BARE)
			continue;
		err = place < 0 ? place : rxaqm_undo_attach(visit->state, iface, &one);
		if (err) {
			switch_off(visit->state, iface);
			visit->unsure[iface - visit->state->iface] = true;
			visit->err = rxaqm_not_undone(iface, err, &one);
			rxaqm_error_add(&one, "its queues are set to mode=off; try again");
		} else {
			visit->detached++;
		}
		also(visit->error, &one);
	}
}

/* The interface of @iface is in no namespace that was found: it is gone, or in one that nothing
 * shows. Removing its pins takes its program out of libxdp's dispatcher there. A program that is
 * attached directly stays, switched off.
 */
static int detach_unreached(struct rxaqm_state *state, struct rxaqm_iface *iface,
			    struct rxaqm_error *error)
{
	int err = rxaqm_pins_remove(state, iface->prog_id, error);
	int place = err < 0 ? err : rxaqm_iface_place(iface, NULL);
	bool gone = place == RXAQM_PLACE_GONE;

	if (place < 0)
		return rxaqm_not_undone(iface, place, error);
	if (gone || !rxaqm_xdp_stays(iface->prog_id)) {
		if (!gone && (iface->flags & RXAQM_IFACE_HWTSTAMP_SAVED))
			rxaqm_failed(error, ENODEV,
				     "the timestamp configuration of \"%s\" was not put back: it is "
				     "gone, or in a network namespace that cannot be entered",
				     iface->name);
		rxaqm_entry_set_state(iface, RXAQM_IFACE_FREE);
		return 0;
	}
	switch_off(state, iface);
	return rxaqm_failed(error, ENODEV,
			    "\"%s\" is in a network namespace that has no name in " RXAQM_NETNS_DIR
			    " and no process in it, as far as can be seen from here: its program "
			    "cannot be taken off, and is set to mode=off; once that namespace has "
			    "ended, \"rxaqm detach --all\" frees its slot",
			    iface->name);
}

int rxaqm_detach_all(struct rxaqm_state *state, struct rxaqm_error *error)
{
	struct visit visit = { .state = state, .error = error };
	struct rxaqm_iface *iface = NULL;
	int err;

	rxaqm_netns_each(detach_here, &visit);
	while ((iface = rxaqm_iface_next(state, iface))) {
		struct rxaqm_error reason = {};

		if (visit.unsure[iface - state->iface])
			continue;
		err = detach_unreached(state, iface, &reason);
		if (!err)
			visit.detached++;
		if (reason.text[0] && !visit.err)
			*error = reason;
		if (err && !visit.err)
			visit.err = err;
	}
	err = remove_if_unused(state, error);
	return visit.err ? visit.err : err ? err : visit.detached;
}
