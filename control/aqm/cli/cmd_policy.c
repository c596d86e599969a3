/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm policy show|set|load|save */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/audit.h"
#include "cli/cmd.h"
#include "base/json_file.h"
#include "base/now.h"
#include "attach/hint.h"
#include "state/machine.h"
#include "command/options.h"
#include "base/out.h"
#include "base/parse.h"
#include "state/locate.h"
#include "state/trial.h"
#include "config/policy_file.h"
#include "attach/sockets.h"
#include "attach/attach.h"

struct args {
	const char *ifname; /* set: may be a pattern */
	bool all; /* set: there is no ifname */
	char **words; /* settings, or a file */
	const char *queues; /* as typed */
};

static const struct rxaqm_option set_options[] = {
	{ "all", 'a', NULL, "All interfaces that are attached, in all network namespaces",
	  RXAQM_FLAG(all) },
	{ "queue", 'q', "LIST", "Only these queues: 3, 0-7, 0-3,6; default: all",
	  RXAQM_WORD(queues) },
	{ 0 },
};

/* The current interface, the policies being worked on, and the chosen queues. */
struct work {
	struct rxaqm_state *state;
	const struct args *args;
	bool change; /* not only to show */
	struct rxaqm_iface *iface;
	struct rxaqm_policy policies[RXAQM_MAX_QUEUES];
	unsigned char chosen[RXAQM_MAX_QUEUES];
};

static int work_open(struct work *work, bool change, struct rxaqm_error *error)
{
	int err = change ? rxaqm_machine_check_capabilities(error) : 0;

	work->change = change;
	if (!err && change)
		err = rxaqm_state_lock(work->state, error);
	if (!err)
		err = rxaqm_cmd_open(work->state, change, error);
	return err ? err : rxaqm_machine_check_readable(error);
}

/* Load the policies of @iface (NULL: to be found), called @ifname. */
static int work_load(struct work *work, struct rxaqm_iface *iface, const char *ifname,
		     struct rxaqm_error *error)
{
	const char *queues = work->args->queues;
	unsigned int nr;
	int err;

	if (!iface)
		iface = rxaqm_iface_find(work->state, ifname, error);
	if (!iface)
		return -error->err;
	work->iface = iface;
	if (iface->state != RXAQM_IFACE_ATTACHED)
		return rxaqm_error_set(error, RXAQM_EXIT_NOT_ATTACHED, ENOENT,
				       "not attached to \"%s\": a command was interrupted; the next "
				       "attach or detach cleans up",
				       ifname);
	if (work->change)
		rxaqm_trial_undo(work->state, iface);
	nr = iface->nr_queues;
	memcpy(work->policies, rxaqm_state_policy(work->state, iface, 0),
	       nr * sizeof(*work->policies));
	err = rxaqm_parse_queues(queues, nr, work->chosen);
	if (err == -ERANGE)
		return rxaqm_bad(error, "--queue \"%s\": \"%s\" has the queues 0 to %u", queues,
				 ifname, nr - 1);
	if (err)
		return rxaqm_bad(error,
				 "--queue \"%s\" is not a list of queues such as 3, 0-7 or 0-3,6",
				 queues);
	return 0;
}

/* Open and load, for the one interface that is named. */
static int work_begin(struct work *work, bool change, struct rxaqm_error *error)
{
	const char *ifname = work->args->ifname;
	int err = work_open(work, change, error);

	return err ? err : work_load(work, NULL, ifname, error);
}

/* Does a queue start to use stamps by this change, or was such a signal given again? */
static bool wants_stamps_now(const struct work *work, bool signal_named)
{
	unsigned int i;

	for (i = 0; i < work->iface->nr_queues; i++) {
		__u8 before = rxaqm_state_policy(work->state, work->iface, i)->signal;

		if (work->chosen[i] && work->policies[i].signal != RXAQM_SIGNAL_BUSY &&
		    (signal_named || before == RXAQM_SIGNAL_BUSY))
			return true;
	}
	return false;
}

/* Check the chosen policies after the change, and put them in force, all at once. @signal_named:
 * the operator has given a signal, maybe the same one: then stamps that someone turned off come
 * back.
 */
static int work_commit(struct work *work, const char *ifname, bool signal_named,
		       struct rxaqm_error *error)
{
	struct rxaqm_iface *found;
	unsigned int i;
	int err = 0;

	for (i = 0; i < work->iface->nr_queues && !err; i++) {
		if (!work->chosen[i])
			continue;
		err = rxaqm_policy_check(&work->policies[i], error);
		if (!err)
			err = rxaqm_hint_check_policy(work->iface, ifname, &work->policies[i],
						      error);
	}
	if (!err && wants_stamps_now(work, signal_named)) {
		found = rxaqm_iface_find(work->state, ifname, error);
		err = found == work->iface ?
			      rxaqm_attach_stamps(work->state, found, ifname, error) :
		      found ? rxaqm_failed(error, EXDEV,
					   "\"%s\" is in another network namespace; use --netns NAME",
					   ifname) :
			      -error->err;
	}
	if (err)
		return err;
	if (error->text[0])
		rxaqm_log_notice("%s", error->text);
	error->text[0] = '\0';
	rxaqm_audit(ifname, rxaqm_state_policy(work->state, work->iface, 0), work->policies,
		    work->iface->nr_queues);
	memcpy(rxaqm_state_draft(work->state, work->iface), work->policies,
	       work->iface->nr_queues * sizeof(work->policies[0]));
	rxaqm_entry_find_way_out(work->iface, ifname);
	rxaqm_state_use_draft(work->iface);
	return 0;
}

static int assign(struct rxaqm_policy *policy, char **words, __u64 now_ns,
		  struct rxaqm_error *error)
{
	int err = rxaqm_setting_once(words, error);

	for (; *words && !err; words++)
		err = rxaqm_setting_assign(policy, *words, now_ns, error);
	return err;
}

static void print_policy(struct rxaqm_out *out, const struct rxaqm_policy *policy)
{
	const struct rxaqm_key *setting;
	__u64 now_ns = rxaqm_now_ns();

	for (setting = rxaqm_settings; setting->name; setting++) {
		rxaqm_out_text(out, " %s=", setting->name);
		rxaqm_key_out(out, setting, "%s", policy, now_ns);
	}
	rxaqm_out_text(out, "\n");
}

/* Print which queues of a run are served by AF_XDP sockets. */
static void print_sockets(struct rxaqm_out *out, const struct work *work, unsigned int first,
			  unsigned int last)
{
	bool any = false;
	unsigned int i;

	rxaqm_out_array(out, "socket_queues");
	for (i = first; i <= last; i++) {
		if (!rxaqm_socket_serves(rxaqm_state_queue(work->state, work->iface, i)))
			continue;
		if (!any)
			rxaqm_out_text(out, "    to sockets: queue");
		any = true;
		rxaqm_out_u64(out, NULL, " %llu", i);
	}
	rxaqm_out_end(out);
	if (any)
		rxaqm_out_text(out, "\n");
}

/* Print one line for consecutive queues with the same policy, and who has set it. */
static int policy_show(struct work *work, const struct args *args, struct rxaqm_error *error)
{
	const struct rxaqm_policy *policies = work->policies;
	struct rxaqm_out out;
	unsigned int nr, i, last;

	if (work_begin(work, false, error))
		return -1;
	nr = work->iface->nr_queues;
	rxaqm_out_begin(&out, "policy", rxaqm_json);
	rxaqm_out_str(&out, "interface", "%s:\n", args->ifname);
	rxaqm_out_array(&out, "policies");
	for (i = 0; i < nr; i = last + 1) {
		last = i;
		if (!work->chosen[i])
			continue;
		while (last + 1 < nr && work->chosen[last + 1] &&
		       !memcmp(&policies[i], &policies[last + 1], sizeof(policies[i])))
			last++;
		rxaqm_out_object(&out, NULL);
		rxaqm_out_u64(&out, "first_queue", "  queue %llu", i);
		rxaqm_out_u64(&out, "last_queue", last > i ? "-%llu" : NULL, last);
		rxaqm_out_text(&out, ":");
		print_policy(&out, &policies[i]);
		rxaqm_settings_sources_out(&out, &policies[i], rxaqm_now_ns());
		print_sockets(&out, work, i, last);
		rxaqm_out_end(&out);
	}
	rxaqm_out_end(&out);
	rxaqm_out_close(&out, false);
	return RXAQM_EXIT_OK;
}

static int set_iface(struct rxaqm_iface *iface, const char *ifname, void *arg,
		     struct rxaqm_error *error)
{
	__u64 now_ns = rxaqm_now_ns(); /* a lease ends for all queues at once */
	struct work *work = arg;
	bool signal_named = false;
	unsigned int queue;
	char **word;
	int err = work_load(work, iface, ifname, error);

	for (queue = 0; !err && queue < work->iface->nr_queues; queue++)
		if (work->chosen[queue])
			err = assign(&work->policies[queue], work->args->words, now_ns, error);
	for (word = work->args->words; *word; word++)
		signal_named |= !strncmp(*word, "signal=", strlen("signal="));
	return err ? err : work_commit(work, ifname, signal_named, error);
}

int rxaqm_cmd_set(struct rxaqm_state *state, const char *ifname, char **words,
		  struct rxaqm_error *error)
{
	const struct args args = { .ifname = ifname, .words = words, .queues = "all" };
	static struct work work;

	work.state = state;
	work.args = &args;
	work.change = true;
	return set_iface(NULL, ifname, &work, error);
}

static int policy_set(struct work *work, const struct args *args, struct rxaqm_error *error)
{
	struct rxaqm_policy scratch;
	int err;

	if (!*args->words)
		return rxaqm_bad(error, "nothing to set: name at least one KEY=VALUE");
	/* Report a bad setting before a missing interface. */
	rxaqm_policy_init(&scratch);
	err = assign(&scratch, args->words, 0, error);
	if (err)
		return err;
	err = work_open(work, true, error);
	if (err)
		return err;
	if (args->all || rxaqm_is_pattern(args->ifname))
		return rxaqm_change_each(work->state, args->ifname, set_iface, work, error);
	return set_iface(NULL, args->ifname, work, error);
}

static int policy_load(struct work *work, const struct args *args, struct rxaqm_error *error)
{
	const char *path = args->words[0];
	FILE *file = NULL;
	char *text = NULL;
	size_t len;
	int err;

	if (!path || args->words[1])
		return rxaqm_bad(error, "name one file to load, or - for standard input");
	/* Before the lock, for which other commands and the daemon wait: a pipe may take long. */
	err = rxaqm_file_read(path, &text, &len, error);
	if (!err && !(file = fmemopen(text, len, "r")))
		err = rxaqm_no_memory(error);
	err = err ?: work_begin(work, true, error);
	if (!err)
		err = rxaqm_policy_file_parse(file, strcmp(path, "-") ? path : "<stdin>",
					      work->policies, work->iface->nr_queues,
					      rxaqm_now_ns(), error);
	if (file)
		fclose(file);
	free(text);
	return err ? err : work_commit(work, args->ifname, false, error);
}

static int policy_save(struct work *work, const struct args *args, struct rxaqm_error *error)
{
	struct rxaqm_policies policies = { .policy = work->policies };
	int err;

	if (args->words[0] && args->words[1])
		return rxaqm_bad(error, "name one file to save to");
	err = work_begin(work, false, error);
	if (err)
		return err;
	policies.nr_queues = work->iface->nr_queues;
	policies.now_ns = rxaqm_now_ns();
	if (args->words[0])
		return rxaqm_file_print(args->words[0], rxaqm_policy_file_print, &policies, 0666,
					error);
	rxaqm_policy_file_print(stdout, &policies); /* main() reports a failed write */
	return 0;
}

static const struct rxaqm_command commands[] = {
	{ .name = "rxaqm policy show",
	  .args = "IFACE",
	  .help = "Show the policy of each queue.",
	  .options = &set_options[1],
	  .max_words = RXAQM_SETTING_WORDS },
	{ .name = "rxaqm policy set",
	  .args = "IFACE|PATTERN|--all KEY=VALUE ...",
	  .help = "Change settings of all queues at once. A PATTERN is, for example, 'eth*'.",
	  .options = set_options,
	  .max_words = RXAQM_SETTING_WORDS,
	  .settings = rxaqm_settings },
	/* Files name their queues. */
	{ .name = "rxaqm policy load",
	  .args = "IFACE FILE",
	  .help = "Read the policies from FILE (- for standard input).",
	  .max_words = RXAQM_SETTING_WORDS },
	{ .name = "rxaqm policy save",
	  .args = "IFACE [FILE]",
	  .help = "Write the policies to FILE (default: standard output).",
	  .max_words = RXAQM_SETTING_WORDS,
	  .no_json = "policy save writes a policy file; policy show prints JSON" },
	{ .name = NULL },
};
typedef int policy_action(struct work *work, const struct args *args, struct rxaqm_error *error);
static policy_action *const actions[] = { policy_show, policy_set, policy_load, policy_save };

static void print_keys(void)
{
	puts("\nshow and set take --queue=LIST, for some queues only: 3, 0-7, 0-3,6.\n"
	     "attach and files take the same keys.");
	rxaqm_keys_list(stdout, rxaqm_settings);
	rxaqm_presets_list(stdout);
}

int rxaqm_cmd_policy(int argc, char **argv, struct rxaqm_call *call)
{
	static const struct rxaqm_command policy = {
		.name = "rxaqm policy",
		.args = "show|set|load|save ...",
		.help = "What is done to the queues.",
		.more = print_keys,
		.leads = true,
		.commands = commands,
	};
	static struct args args = { .queues = "all" };
	static struct work work; /* 300 kB; what it points to lives as long */
	int chosen;

	args.words = rxaqm_command_read(&policy, argc, argv, &args, &chosen, &call->error);
	if (!args.words)
		return -1;
	if (!args.all && !*args.words)
		rxaqm_usage_error("an interface is missing");
	if (!args.all)
		args.ifname = *args.words++;
	work.state = &call->state;
	work.args = &args;
	return actions[chosen](&work, &args, &call->error);
}
