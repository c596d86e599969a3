/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm attach */
#include <string.h>

#include "cli/audit.h"
#include "cli/cmd.h"
#include "config/config.h"
#include "base/now.h"
#include "figures/figures.h"
#include "attach/hint.h"
#include "attach/hooks.h"
#include "state/machine.h"
#include "report/status_notes.h"
#include "command/options.h"
#include "base/out.h"
#include "nic/ethtool.h"
#include "attach/attach.h"
#include "state/locate.h"

struct args {
	const char *ifname;
	char **words; /* settings, and before find_ifname() the interface */
	const char *quoted; /* the word after "--": not a setting, whatever it contains */
	const char *profile;
	enum rxaqm_xdp_mode mode;
	enum rxaqm_hook hook;
	enum rxaqm_queue_key key;
	bool no_reset;
};

static const struct rxaqm_option attach_options[] = {
	{ "mode", 'm', "MODE", "XDP mode: native (default) or generic",
	  RXAQM_CHOICE(mode, rxaqm_xdp_mode_words) },
	{ "profile", 'p', "PROFILE", "NIC profile by name or file; default: by driver",
	  RXAQM_WORD(profile) },
	{ "hook", 'H', "HOOK", "How the Rx path is watched: auto (default), tp, kprobe",
	  RXAQM_CHOICE(hook, rxaqm_hook_words) },
	{ "key", 'k', "KEY", "What a queue is: auto (default), queue, cpu",
	  RXAQM_CHOICE(key, rxaqm_queue_key_words) },
	{ "no-reset", 0, NULL, "Refuse where the driver is known to reset the NIC's clock for XDP",
	  RXAQM_FLAG(no_reset) },
	{ 0 },
};

/* Take the interface out of the words: what is left are settings. */
static void find_ifname(struct args *args)
{
	char **word, **setting = args->words;

	for (word = args->words; *word; word++) {
		if (strchr(*word, '=') && *word != args->quoted) {
			*setting++ = *word;
			continue;
		}
		if (args->ifname)
			rxaqm_usage_error("too many arguments: \"%s\"", *word);
		args->ifname = *word;
	}
	*setting = NULL;
	if (!args->ifname)
		rxaqm_usage_error("an interface is missing");
}

static int prepare(const struct args *args, struct rxaqm_plan *plan, struct rxaqm_error *error)
{
	char **word;
	int err;

	if (rxaqm_setting_once(args->words, error))
		return -EINVAL;
	*plan = (struct rxaqm_plan){
		.ifname = args->ifname,
		.generic = args->mode == RXAQM_XDP_GENERIC,
		.hook = args->hook,
		.key = args->key,
	};
	if (plan->key == RXAQM_KEY_CPU && !plan->generic)
		return rxaqm_bad(error, "--key cpu goes with --mode generic: in native mode a "
					"queue is an Rx queue of the NIC");
	/* Without these not even the queues of an interface in another namespace can be counted. */
	err = rxaqm_machine_check_capabilities(error);
	if (!err)
		err = rxaqm_plan_make(plan, args->profile, error);
	for (word = args->words; !err && *word; word++)
		err = rxaqm_setting_assign(&plan->policy, *word, rxaqm_now_ns(), error);
	return err ? err : rxaqm_policy_check(&plan->policy, error);
}

/* Warn if the clock is known to be reset, or refuse. */
static int check_clock(const struct rxaqm_plan *plan, bool no_reset, struct rxaqm_error *error)
{
	if (!rxaqm_plan_resets_clock(plan))
		return 0;
	if (no_reset)
		return rxaqm_error_set(
			error, RXAQM_EXIT_UNSUPPORTED, EOPNOTSUPP,
			"--no-reset: driver \"%s\" resets the clock of \"%s\", /dev/ptp%d, when an "
			"XDP program comes or goes; --mode generic leaves the driver alone",
			plan->nic.driver, plan->ifname, rxaqm_nic_phc(plan->ifname));
	rxaqm_log_notice("driver \"%s\" resets the clock of \"%s\", /dev/ptp%d, when an XDP program "
			 "comes or goes; what it loses by that is put back (--no-reset refuses)",
			 plan->nic.driver, plan->ifname, rxaqm_nic_phc(plan->ifname));
	return 0;
}

static void log_warnings(const struct rxaqm_profile *profile)
{
	unsigned int i;

	for (i = 0; i < profile->nr_notes; i++)
		if (profile->note[i].warning)
			rxaqm_log_notice("profile %s: %s", profile->name, profile->note[i].text);
}

static void print_attached(const struct rxaqm_state *state, const struct rxaqm_iface *iface)
{
	struct rxaqm_note_facts facts;
	struct rxaqm_out out;

	rxaqm_out_begin(&out, "attach", rxaqm_json);
	rxaqm_out_str(&out, "interface", "%s: attached", iface->name);
	rxaqm_out_str(&out, "xdp_mode", ", %s mode",
		      iface->flags & RXAQM_IFACE_GENERIC ? "generic" : "native");
	rxaqm_out_bool(&out, "dispatcher", ", by libxdp's dispatcher", ", without dispatcher",
		       iface->flags & RXAQM_IFACE_DISPATCHER);
	rxaqm_out_str(&out, "hook", ", hook %s", rxaqm_hook_in_use(state->meta));
	rxaqm_out_str(&out, "stamp", ", stamps: %s", rxaqm_iface_stamps(iface));
	rxaqm_out_str(&out, "profile", ", profile %s", iface->profile);
	rxaqm_out_u64(&out, "nr_queues", iface->nr_queues == 1 ? ", %llu queue" : ", %llu queues",
		      iface->nr_queues);
	rxaqm_out_str(&out, "key", ", key %s", rxaqm_iface_key(iface));
	rxaqm_out_text(&out, "\n");
	rxaqm_notes_look(state, iface, iface->name, &facts);
	rxaqm_notes_out(&out, iface, iface->name, &facts);
	rxaqm_out_close(&out, false);
}

/* Attached already: fine if it was attached in the same way. Then the settings are changed. */
static int already_attached(struct rxaqm_state *state, const struct rxaqm_iface *iface,
			    const struct rxaqm_plan *plan, char **settings,
			    struct rxaqm_error *error)
{
	bool generic = iface->flags & RXAQM_IFACE_GENERIC;

	if (generic != plan->generic)
		return rxaqm_failed(error, EBUSY,
				    "\"%s\" is attached in %s mode; to change that, run \"rxaqm "
				    "detach %s\" first",
				    plan->ifname, generic ? "generic" : "native", plan->ifname);
	if (rxaqm_hint_check_policy(iface, plan->ifname, &plan->policy, error))
		return -1;
	if (*settings && rxaqm_cmd_set(state, plan->ifname, settings, error))
		return -1;
	rxaqm_log_notice("\"%s\" is attached already; %s", plan->ifname,
			 *settings ? "the settings given are in force for all its queues" :
				     "nothing changed (\"rxaqm policy set\" changes its policy)");
	return RXAQM_EXIT_OK;
}

int rxaqm_cmd_attach(int argc, char **argv, struct rxaqm_call *call)
{
	static const struct rxaqm_command command = {
		.name = "rxaqm attach",
		.args = "IFACE [KEY=VALUE ...]",
		.help = "Attach to IFACE. Keys are those of \"rxaqm policy set\" (see \"rxaqm "
			"policy --help\"); without mode=enforce the queues are only observed.",
		.options = attach_options,
		.max_words = RXAQM_SETTING_WORDS,
		.settings = rxaqm_settings,
	};
	struct rxaqm_error *error = &call->error;
	struct rxaqm_state *state = &call->state;
	static struct rxaqm_plan plan;
	struct rxaqm_policy standard;
	struct rxaqm_iface *iface;
	struct args args = {};
	int i;

	for (i = 1; i + 1 < argc && !args.quoted; i++)
		if (!strcmp(argv[i], "--"))
			args.quoted = argv[i + 1];
	args.words = rxaqm_options_read(&command, argc, argv, &args);
	find_ifname(&args);
	if (prepare(&args, &plan, error) || rxaqm_machine_check(error) ||
	    rxaqm_state_lock(state, error))
		return -1;
	if (!rxaqm_state_open(state, true, error)) {
		iface = rxaqm_iface_find_attached(state, args.ifname, error);
		if (!iface && error->err != ENOENT)
			return -1;
		if (iface) {
			rxaqm_detached_forget(args.ifname);
			return already_attached(state, iface, &plan, args.words, error);
		}
	}
	if (check_clock(&plan, args.no_reset, error))
		return -1;
	error->text[0] = '\0';
	iface = rxaqm_attach(state, &plan, error);
	if (!iface)
		return -1;
	rxaqm_detached_forget(args.ifname);
	if (error->text[0])
		rxaqm_log_notice("%s", error->text);
	rxaqm_policy_init(&standard);
	rxaqm_audit(iface->name, &standard, &plan.policy, 1);
	print_attached(state, iface);
	log_warnings(&plan.profile);
	return RXAQM_EXIT_OK;
}
