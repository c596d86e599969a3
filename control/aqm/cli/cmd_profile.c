/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm profile show|check */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "command/options.h"
#include "base/fields.h"
#include "base/out.h"
#include "base/parse.h"
#include "profile/profile_keys.h"
#include "profile/match.h"
#include "report/profile_show.h"

/* A walk over profiles. */
struct walk {
	struct rxaqm_out out;
	unsigned int nr;
	int exit_code; /* of a failure that was logged */
	RXAQM_LIST(struct rxaqm_profile) good; /* check: to compare the next ones with */
};

static void begin(struct walk *walk, const char *what)
{
	rxaqm_out_begin(&walk->out, what, rxaqm_json);
	rxaqm_out_array(&walk->out, "profiles");
}

static int finish(struct walk *walk, int err)
{
	rxaqm_out_end(&walk->out);
	if (err == -ENOENT)
		rxaqm_log_error("no profile in %s; correct RXAQM_PROFILE_PATH",
				rxaqm_profile_path());
	else if (err)
		rxaqm_log_error("%s", strerror(-err));
	/* main() reports a failed write. */
	return err || rxaqm_out_close(&walk->out, false) ? RXAQM_EXIT_FAILED : walk->exit_code;
}

static int show_one(const struct rxaqm_profile *profile, const struct rxaqm_error *error, void *arg)
{
	struct walk *walk = arg;

	if (error) {
		walk->exit_code = rxaqm_log_failure(error);
		return 0;
	}
	rxaqm_out_object(&walk->out, NULL);
	rxaqm_out_text(&walk->out, walk->nr++ ? "\n" : "");
	rxaqm_profile_out(&walk->out, profile);
	rxaqm_out_end(&walk->out);
	return 0;
}

/* Show the profile of an interface, compared with what the machine says. */
static void show_interface(struct walk *walk, struct rxaqm_nic_facts *facts,
			   const struct rxaqm_profile *profile)
{
	unsigned int conflicts;

	rxaqm_out_object(&walk->out, NULL);
	conflicts = rxaqm_profile_out_interface(&walk->out, profile, facts);
	rxaqm_out_end(&walk->out);
	if (!conflicts)
		return;
	rxaqm_log_error("profile \"%s\" conflicts with \"%s\" in %llu %s%s, marked above; "
			"correct \"%s\", or choose another with --profile",
			profile->name, facts->ifname, RXAQM_COUNTED(conflicts, "fact"),
			profile->path);
	walk->exit_code = RXAQM_EXIT_FAILED;
}

static int profile_show(char **words, struct rxaqm_error *error)
{
	struct rxaqm_profile profile;
	struct rxaqm_nic_facts facts;
	const char *name = *words;
	/* If an interface and a profile have the same name ("veth"), the interface is meant. */
	bool is_interface = name && !rxaqm_nic_facts_read(name, &facts);
	struct walk walk = {};
	int err = 0;

	if (is_interface)
		err = rxaqm_profile_for_nic(&facts, &profile, error);
	else if (name)
		err = rxaqm_profile_by_name(name, &profile, error);
	if (err == -ENOENT && !is_interface && !strchr(name, '/'))
		rxaqm_error_set(error, RXAQM_EXIT_USAGE, ENOENT,
				"no profile and no interface is called \"%s\"; \"rxaqm profile "
				"show\" has all profiles",
				name);
	if (err)
		return -1;
	begin(&walk, "profile-show");
	if (is_interface)
		show_interface(&walk, &facts, &profile);
	else if (name)
		show_one(&profile, NULL, &walk);
	else
		err = rxaqm_profile_each(show_one, &walk);
	return finish(&walk, err);
}

/* Refuse @profile if only its name decides between it and one seen before. */
static int check_ambiguous(struct walk *walk, const struct rxaqm_profile *profile,
			   struct rxaqm_error *error)
{
	struct rxaqm_profile *good;
	size_t i;

	for (i = 0; i < walk->good.nr; i++) {
		good = &walk->good.at[i];
		if (rxaqm_match_beside(good, profile) && rxaqm_match_same(good, profile))
			return rxaqm_bad(error,
					 "%s:%u: same [Match] as \"%s\"; add a condition to one",
					 profile->path, profile->match[0].line, good->path);
	}
	return rxaqm_list_put(&walk->good, *profile) ? 0 : rxaqm_no_memory(error);
}

static int check_one(const struct rxaqm_profile *profile, const struct rxaqm_error *error,
		     void *arg)
{
	struct walk *walk = arg;
	struct rxaqm_out *out = &walk->out;
	struct rxaqm_error ambiguous;

	if (!error && check_ambiguous(walk, profile, &ambiguous))
		error = &ambiguous;
	if (error)
		walk->exit_code = rxaqm_log_failure(error);
	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "path", error ? NULL : "%s: ok\n", profile->path);
	rxaqm_out_bool(out, "ok", NULL, NULL, !error);
	if (error)
		rxaqm_out_str(out, "error", NULL, error->text);
	rxaqm_out_end(out);
	return 0;
}

static int profile_check(char **files, struct rxaqm_error *error)
{
	struct rxaqm_profile profile;
	struct walk walk = {};
	int err = 0;

	begin(&walk, "profile-check");
	if (!*files)
		err = rxaqm_profile_each(check_one, &walk);
	for (; *files; files++) {
		bool bad = rxaqm_profile_read(*files, &profile, error);

		check_one(&profile, bad ? error : NULL, &walk);
	}
	free(walk.good.at);
	return finish(&walk, err);
}

static const struct rxaqm_command commands[] = {
	{ .name = "rxaqm profile show",
	  .args = "[NAME|IFACE]",
	  .help = "Show a profile, an interface's profile beside what the machine says, or all.",
	  .max_words = 1 },
	{ .name = "rxaqm profile check",
	  .args = "[FILE...]",
	  .help = "Check profiles: these files, or all that are installed.",
	  .max_words = UINT_MAX },
	{ .name = NULL },
};

static void print_keys(void)
{
	rxaqm_keys_list(stdout, rxaqm_match_keys);
	rxaqm_keys_list(stdout, rxaqm_fact_keys);
}

int rxaqm_cmd_profile(int argc, char **argv, struct rxaqm_call *call)
{
	static const struct rxaqm_command profile = {
		.name = "rxaqm profile",
		.args = "show|check ...",
		.help = "What is known of NIC drivers.",
		.more = print_keys,
		.leads = true,
		.commands = commands,
	};
	int (*const actions[])(char **words, struct rxaqm_error *error) = { profile_show,
									    profile_check };
	char **words;
	int chosen;

	if (argc > 1 && !strcmp(argv[1], "list"))
		return rxaqm_bad(&call->error,
				 "profile list is gone: \"rxaqm profile show\" has all profiles");
	words = rxaqm_command_read(&profile, argc, argv, NULL, &chosen, &call->error);
	return words ? actions[chosen](words, &call->error) : -1;
}
