/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm profile list|show|check */
#include <libgen.h>
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

/* A walk over profiles, and what it does with each. */
struct walk {
	struct rxaqm_out out;
	void (*print)(struct walk *walk, const struct rxaqm_profile *profile);
	unsigned int nr;
	char directory[PATH_MAX]; /* list: of the previous profile */
	int exit_code; /* of a failure that was logged */
	RXAQM_LIST(struct rxaqm_profile) good; /* check: to compare the next ones with */
};

static int print_one(const struct rxaqm_profile *profile, const struct rxaqm_error *error,
		     void *arg)
{
	struct walk *walk = arg;

	if (error) {
		walk->exit_code = rxaqm_log_failure(error);
		return 0;
	}
	rxaqm_out_object(&walk->out, NULL);
	walk->print(walk, profile);
	rxaqm_out_end(&walk->out);
	return 0;
}

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

/* The conditions of [Match] besides the driver: "NapiPoll=bnxt_poll_p5". */
static const char *conditions(const struct rxaqm_profile *profile, char *buf, size_t size)
{
	size_t len = 0;
	unsigned int i;

	snprintf(buf, size, "-");
	for (i = 0; i < profile->nr_matches && len < size; i++) {
		if (!strcmp(rxaqm_match_name(&profile->match[i]), "Driver"))
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%s=%s", len ? " " : "",
					rxaqm_match_name(&profile->match[i]),
					profile->match[i].value);
	}
	return buf;
}

/* If a value leaves no room for the next one, that is on a line below. */
static void list_one(struct walk *walk, const struct rxaqm_profile *profile)
{
	char all[256], path[PATH_MAX];
	const struct {
		const char *key;
		int width;
		const char *title, *value;
	} columns[] = {
		{ "name", 20, "name", profile->name },
		{ "driver", 10, "driver", profile->driver },
		{ "conditions", 22, "and", conditions(profile, all, sizeof(all)) },
		{ "completion_design", 9, "design", rxaqm_design_names[profile->design] },
	};
	size_t nr = sizeof(columns) / sizeof(columns[0]), i;
	const char *directory = dirname(strcpy(path, profile->path));
	struct rxaqm_out *out = &walk->out;
	int begin = 0, used = 0;

	if (strcmp(walk->directory, directory)) {
		rxaqm_out_text(out, "%sin %s:\n", walk->directory[0] ? "\n" : "", directory);
		for (i = 0; i < nr; i++)
			rxaqm_out_text(out, "%-*s%s", i + 1 < nr ? columns[i].width : 0,
				       columns[i].title, i + 1 < nr ? " " : "\n");
	}
	strcpy(walk->directory, directory);
	for (i = 0; i < nr; begin += columns[i++].width + 1) {
		if (used && used >= begin) {
			rxaqm_out_text(out, "\n");
			used = 0;
		}
		rxaqm_out_text(out, "%*s%s", begin - used, "", columns[i].value);
		rxaqm_out_str(out, columns[i].key, NULL, columns[i].value);
		used = begin + (int)strlen(columns[i].value);
	}
	rxaqm_out_str(out, "path", NULL, profile->path);
	rxaqm_out_text(out, "\n");
}

/* Print @profile, or (NULL) all of them. */
static int print_profiles(const char *what,
			  void (*print)(struct walk *walk, const struct rxaqm_profile *profile),
			  const struct rxaqm_profile *profile)
{
	struct walk walk = { .print = print };

	begin(&walk, what);
	return finish(&walk, profile ? print_one(profile, NULL, &walk) :
				       rxaqm_profile_each(print_one, &walk));
}

static int profile_list(char **words, struct rxaqm_error *error)
{
	(void)words;
	(void)error;
	return print_profiles("profile-list", list_one, NULL);
}

static void show_one(struct walk *walk, const struct rxaqm_profile *profile)
{
	if (walk->nr++)
		rxaqm_out_text(&walk->out, "\n");
	rxaqm_profile_out(&walk->out, profile);
}

/* Show the profile of an interface, compared with what the machine says. */
static int show_interface(struct rxaqm_nic_facts *facts, const struct rxaqm_profile *profile)
{
	struct walk walk = {};
	unsigned int conflicts;

	begin(&walk, "profile-show");
	rxaqm_out_object(&walk.out, NULL);
	conflicts = rxaqm_profile_out_interface(&walk.out, profile, facts);
	rxaqm_out_end(&walk.out);
	if (conflicts) {
		rxaqm_log_error("profile \"%s\" conflicts with \"%s\" in %llu %s%s, marked above; "
				"correct \"%s\", or choose another with --profile",
				profile->name, facts->ifname, RXAQM_COUNTED(conflicts, "fact"),
				profile->path);
		walk.exit_code = RXAQM_EXIT_FAILED;
	}
	return finish(&walk, 0);
}

static int profile_show(char **words, struct rxaqm_error *error)
{
	struct rxaqm_profile profile;
	struct rxaqm_nic_facts facts;
	const char *name = *words;
	int err;

	if (!name)
		return print_profiles("profile-show", show_one, NULL);
	/* If an interface and a profile have the same name ("veth"), the interface is meant. */
	if (!rxaqm_nic_facts_read(name, &facts)) {
		if (rxaqm_profile_for_nic(&facts, &profile, error))
			return -1;
		return show_interface(&facts, &profile);
	}
	err = rxaqm_profile_by_name(name, &profile, error);
	if (err == -ENOENT && !strchr(name, '/'))
		rxaqm_error_set(error, RXAQM_EXIT_USAGE, ENOENT,
				"no profile and no interface is called \"%s\"; see \"rxaqm "
				"profile list\"",
				name);
	return err ?: print_profiles("profile-show", show_one, &profile);
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
	{ .name = "rxaqm profile list", .help = "List the profiles of NIC drivers." },
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
static int (*const actions[])(char **words, struct rxaqm_error *error) = { profile_list,
									   profile_show,
									   profile_check };
#define NR_ACTIONS (int)(sizeof(actions) / sizeof(actions[0]))

int rxaqm_cmd_profile(int argc, char **argv, struct rxaqm_call *call)
{
	int chosen = rxaqm_command_choose(commands, argc, argv, &call->error);

	if (chosen < 0)
		return chosen;
	if (chosen == NR_ACTIONS) {
		rxaqm_keys_list(stdout, rxaqm_match_keys);
		rxaqm_keys_list(stdout, rxaqm_fact_keys);
		return RXAQM_EXIT_OK;
	}
	return actions[chosen](rxaqm_options_read(&commands[chosen], argc - 1, argv + 1, NULL),
			       &call->error);
}
