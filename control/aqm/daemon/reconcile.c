/* SPDX-License-Identifier: GPL-2.0-only */
/* Bring an interface in line with its section of the configuration. */
#include "daemon/reconcile.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach.h"
#include "attach/undo.h"
#include "base/now.h"
#include "base/parse.h"
#include "daemon/link.h"
#include "daemon/log.h"
#include "daemon/section_plan.h"
#include "daemon/state.h"
#include "decide.h"
#include "policy/changes.h"
#include "state/locate.h"
#include "state/xdp_slot.h"

/* Least time between attachments, should a NIC's rings change again and again. */
#define REFRESH_GAP_NS (5 * RXAQM_NSEC_PER_SEC)

static void log_change(void *arg, const char *text)
{
	rxaqm_link_log((const struct rxaqm_link *)arg, LOG_NOTICE, "%s; by the configuration",
		       text);
}

/* Set the policies of @iface's queues: those that were kept, or @policy of its section. */
static void set_policy(struct rxaqm_link *link, struct rxaqm_iface *iface,
		       const struct rxaqm_policy *policy)
{
	struct rxaqm_state *state = &link->run->state;
	const struct rxaqm_policy *old = rxaqm_state_policy(state, iface, 0);
	struct rxaqm_policy *policies = rxaqm_state_draft(state, iface);
	struct rxaqm_error error = {};
	bool stamps = false;
	unsigned int i;

	for (i = 0; i < iface->nr_queues; i++) {
		policies[i] = link->kept && i < link->nr_kept ? link->kept[i] : *policy;
		rxaqm_settings_keep_times(&policies[i], &old[i]);
		stamps |= old[i].signal == RXAQM_SIGNAL_BUSY &&
			  policies[i].signal != RXAQM_SIGNAL_BUSY;
	}
	if (stamps)
		rxaqm_attach_stamps(state, iface, link->name, &error);
	if (error.text[0])
		rxaqm_link_log(link, LOG_WARNING, "%s", error.text);
	if (!link->kept)
		rxaqm_changes_each(old, policies, iface->nr_queues, log_change, link);
	if (memcmp(policies, old, iface->nr_queues * sizeof(*policies)))
		rxaqm_state_use_draft(iface);
	iface->config_digest = rxaqm_config_digest(link->section);
	if (link->kept)
		return;
	link->lease_until_ns = policy->lease_until_ns;
	/* Earlier looks were under another policy. */
	rxaqm_run_forget_overload(link);
}

static void keep_policies(struct rxaqm_link *link, const struct rxaqm_iface *iface)
{
	size_t bytes = iface->nr_queues * sizeof(*link->kept);

	free(link->kept);
	link->nr_kept = iface->nr_queues;
	link->kept = malloc(bytes);
	if (link->kept)
		memcpy(link->kept, rxaqm_state_policy(&link->run->state, iface, 0), bytes);
}

/* Take off the program of a state that is gone: only the daemon knows its id. */
static int take_off_lost(struct rxaqm_link *link, struct rxaqm_error *error)
{
	char command[RXAQM_TAKE_OFF_COMMAND];
	int err;

	if (link->state != RXAQM_LINK_LOST)
		return 0;
	err = rxaqm_undo_unknown(link->ifindex, link->prog_id, error);
	if (err)
		return rxaqm_failed(error, -err,
				    "cannot take off the XDP program (id %u) whose state is gone: %s; run "
				    "\"%s\"",
				    link->prog_id, strerror(-err),
				    rxaqm_xdp_take_off_command(link->name, link->ifindex, command));
	if (error->text[0])
		rxaqm_link_log(link, LOG_WARNING, "%s", error->text);
	link->state = RXAQM_LINK_NEW;
	return 0;
}

static int attach(struct rxaqm_link *link, struct rxaqm_plan *plan, const char *why,
		  struct rxaqm_error *error)
{
	struct rxaqm_run *run = link->run;
	struct rxaqm_iface *iface;
	int err;

	err = take_off_lost(link, error);
	if (err)
		return err;
	error->text[0] = '\0';
	iface = rxaqm_attach(&run->state, plan, error);
	if (!iface)
		return -EIO;
	if (error->text[0])
		rxaqm_link_log(link, LOG_WARNING, "%s", error->text);
	set_policy(link, iface, &plan->policy);
	rxaqm_link_event(link, -1, RXAQM_LOG_ATTACHED, LOG_NOTICE,
			 "attached%s%s%s, %s mode, profile %s, %llu %s%s", why ? " anew (" : "",
			 why ? why : "", why ? ")" : "",
			 iface->flags & RXAQM_IFACE_GENERIC ? "generic" : "native", iface->profile,
			 RXAQM_COUNTED(iface->nr_queues, "queue"));
	rxaqm_run_attached(link, iface);
	rxaqm_run_state_changed(run);
	return 0;
}

void rxaqm_run_note_detached(const struct rxaqm_link *link, const struct rxaqm_iface *iface)
{
	unsigned int i;
	int err;

	for (i = 0; i < iface->nr_queues; i++) {
		const struct rxaqm_policy *policy = rxaqm_state_policy(&link->run->state, iface, i);

		if (policy->mode != RXAQM_MODE_ENFORCE &&
		    rxaqm_setting_source(policy, "mode") == RXAQM_SOURCE_OPERATOR)
			break;
	}
	if (i == iface->nr_queues)
		return;
	err = rxaqm_detached_note(link->name, iface->config_digest);
	if (err)
		rxaqm_link_log(link, LOG_WARNING,
			       "cannot note that an operator has switched it off: %s",
			       strerror(-err));
}

/* Detach @iface and attach it again, for the reason @why. Its queues keep their policies, unless
 * link->configure asks for those of the section.
 */
static int attach_anew(struct rxaqm_link *link, struct rxaqm_iface *iface, struct rxaqm_plan *plan,
		       const char *why, struct rxaqm_error *error)
{
	int err;

	if (!link->configure)
		keep_policies(link, iface);
	if (link->kept)
		plan->policy = link->kept[0];
	link->refreshed_ns = rxaqm_now_ns();
	link->revive = false;
	if (link->kept)
		rxaqm_run_note_detached(link, iface);
	err = rxaqm_run_detach(link, iface, error);
	if (err)
		return err;
	return attach(link, plan, why, error);
}

/* Is a lease of the configuration still that of the section? The section's digest does not tell. */
static bool lease_is_same(const struct rxaqm_link *link, const struct rxaqm_iface *iface)
{
	unsigned int i;

	for (i = 0; i < iface->nr_queues; i++) {
		const struct rxaqm_policy *policy = rxaqm_state_policy(&link->run->state, iface, i);

		if (policy->lease_ns != link->section->lease_ns &&
		    rxaqm_setting_source(policy, "lease") == RXAQM_SOURCE_CONFIG)
			return false;
	}
	return true;
}

/* If an earlier daemon has applied the section, and this is not a reload, keep what an operator has
 * changed since. Leases of the section are renewed from now on.
 */
static void take_over(struct rxaqm_link *link, const struct rxaqm_iface *iface)
{
	if (!link->configure || link->reapply ||
	    iface->config_digest != rxaqm_config_digest(link->section) ||
	    !lease_is_same(link, iface))
		return;
	link->configure = false;
	link->lease_until_ns = rxaqm_now_ns();
}

/* @iface is attached already, by an earlier daemon or by an operator. */
static int adopt(struct rxaqm_link *link, struct rxaqm_iface *iface, struct rxaqm_plan *plan,
		 struct rxaqm_error *error)
{
	bool known = rxaqm_link_iface(link) == iface;
	const char *why;

	take_over(link, iface);
	why = link->configure ? rxaqm_run_differs(link->section, iface, plan) : NULL;
	/* Keep its mode, whoever chose it, unless the configuration says otherwise. */
	if (!link->configure || !link->section->xdp_mode_set)
		plan->generic = iface->flags & RXAQM_IFACE_GENERIC;
	if (!link->configure)
		plan->key = iface->flags & RXAQM_IFACE_BY_CPU	? RXAQM_KEY_CPU :
			    iface->flags & RXAQM_IFACE_BY_QUEUE ? RXAQM_KEY_QUEUE :
								  RXAQM_KEY_AUTO;
	if (!why && link->revive)
		why = "its driver had lost the XDP program";
	if (!why) {
		why = rxaqm_entry_outgrown(iface, link->name);
		if (why && link->refreshed_ns &&
		    rxaqm_ns_since(rxaqm_now_ns(), link->refreshed_ns) < REFRESH_GAP_NS) {
			rxaqm_run_try_again(link, REFRESH_GAP_NS);
			return 0;
		}
	}
	if (why)
		return attach_anew(link, iface, plan, why, error);
	if (rxaqm_entry_find_way_out(iface, link->name)) {
		rxaqm_state_draft(&link->run->state, iface);
		rxaqm_state_use_draft(iface);
	}
	if (link->configure)
		set_policy(link, iface, &plan->policy);
	if (!known)
		rxaqm_link_event(
			link, -1, RXAQM_LOG_ATTACHED, LOG_NOTICE,
			"was attached already, %s mode; its settings are those of [Interface %s]",
			iface->flags & RXAQM_IFACE_GENERIC ? "generic" : "native",
			link->section->match);
	rxaqm_run_attached(link, iface);
	return 0;
}

/* Has an operator taken @link off since its section was applied, maybe under an earlier daemon?
 * @bare: its entry, if its program was taken off; else NULL.
 */
static bool stays_off(struct rxaqm_link *link, const struct rxaqm_iface *bare)
{
	__u32 digest = rxaqm_config_digest(link->section);

	/* It is being detached and attached again. */
	if (link->kept)
		return false;
	if (link->reapply)
		rxaqm_detached_forget(link->name);
	if (rxaqm_detached(link->name, digest)) {
		rxaqm_run_release(link, "was detached by a command");
		return true;
	}
	/* An interface that appeared while the daemon runs is another one of that name. */
	if (link->reapply || !link->found || link->state != RXAQM_LINK_NEW || !bare ||
	    bare->state != RXAQM_IFACE_ATTACHED || bare->config_digest != digest)
		return false;
	rxaqm_run_release(link, "its XDP program was taken off");
	return true;
}

static int enable(struct rxaqm_link *link, struct rxaqm_error *error)
{
	struct rxaqm_plan plan = {};
	struct rxaqm_error more = {};
	struct rxaqm_iface *iface;
	int err = rxaqm_run_plan(link->section, link->name, &plan, error);

	if (err)
		return err;
	iface = rxaqm_iface_find_attached(&link->run->state, link->name, &more);
	if (iface)
		return adopt(link, iface, &plan, error);
	if (more.err == ENOENT)
		iface = rxaqm_iface_find(&link->run->state, link->name, &more);
	if (more.err != ENOENT) {
		*error = more;
		return -more.err;
	}
	if (!stays_off(link, iface))
		return attach(link, &plan, NULL, error);
	link->configure = false;
	return 0;
}

/* enable=no, or the section is gone. */
static int disable(struct rxaqm_link *link, struct rxaqm_error *error)
{
	struct rxaqm_iface *iface = rxaqm_iface_find(&link->run->state, link->name, error);
	int err;

	if (!iface && error->err != ENOENT)
		return -error->err;
	error->text[0] = '\0';
	err = iface ? rxaqm_run_detach(link, iface, error) : take_off_lost(link, error);
	if (err)
		return err;
	if (iface)
		rxaqm_link_log(link, LOG_NOTICE, "detached, %s%s%s",
			       link->section ? "[Interface " : "no section names it any more",
			       link->section ? link->section->match : "",
			       link->section ? "] has enable=no" : "");
	rxaqm_run_state_changed(link->run);
	link->state = RXAQM_LINK_DISABLED;
	link->slot = -1;
	link->configure = false;
	link->removed = !link->section;
	return 0;
}

void rxaqm_run_reconcile(struct rxaqm_link *link)
{
	struct rxaqm_run *run = link->run;
	struct rxaqm_error error = {};
	int err;

	link->due_ns = 0;
	/* If someone else took it off, it stays off until the configuration is read again. */
	if (!link->configure &&
	    (link->state == RXAQM_LINK_RELEASED || link->state == RXAQM_LINK_DISABLED))
		return;
	err = rxaqm_state_trylock(&run->state);
	link->blocked = err == -EBUSY;
	if (link->blocked) {
		rxaqm_run_try_again(link, RXAQM_RUN_LOCKED_NS);
		return;
	}
	rxaqm_run_state_open(run);
	if (run->bpffs_lost) {
		rxaqm_state_check_bpffs(&error);
		err = -ENOENT;
	} else if (err) {
		rxaqm_failed(&error, -err, "cannot take the lock: %s", strerror(-err));
	} else if (link->section && link->section->enable) {
		err = enable(link, &error);
	} else {
		err = disable(link, &error);
	}
	rxaqm_state_unlock(&run->state);
	/* Return the megabytes that loading programs took for the kernel's BTF. */
	malloc_trim(0);
	if (err && link->state == RXAQM_LINK_LOST)
		rxaqm_run_try_again(link, RXAQM_RUN_LOST_NS);
	else if (err)
		rxaqm_run_failed(link, &error);
}
