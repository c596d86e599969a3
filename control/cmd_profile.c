/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm profile list|show|check */
#include <string.h>

#include "cmd.h"
#include "nic.h"
#include "options.h"
#include "out.h"
#include "profile.h"

/* What the callback of rxaqm_profile_each() works with. */
struct walk {
	struct rxaqm_out out;
	unsigned int nr;
	int exit_code;
};

static void note_error(struct walk *walk, const struct rxaqm_error *error)
{
	walk->exit_code = rxaqm_log_failure(error);
}

static int finish(struct walk *walk, int err)
{
	rxaqm_out_end(&walk->out);
	if (!err)
		err = rxaqm_out_close(&walk->out, false);
	if (err) {
		rxaqm_log_error("%s", strerror(-err));
		return RXAQM_EXIT_FAILED;
	}
	return walk->exit_code;
}

static int list_one(const struct rxaqm_profile *profile, const struct rxaqm_error *error, void *arg)
{
	struct walk *walk = arg;

	if (error) {
		note_error(walk, error);
		return 0;
	}
	rxaqm_out_object(&walk->out, NULL);
	rxaqm_out_str(&walk->out, "name", "%-16s", profile->name);
	rxaqm_out_str(&walk->out, "driver", " %-16s", profile->driver);
	rxaqm_out_str(&walk->out, "completion_design", " %-10s",
		      rxaqm_design_name(profile->design));
	rxaqm_out_str(&walk->out, "timestamp_coverage", " %-10s",
		      rxaqm_coverage_name(profile->coverage));
	rxaqm_out_str(&walk->out, "path", " %s\n", profile->path);
	rxaqm_out_end(&walk->out);
	return 0;
}

static int cmd_list(int argc, char **argv)
{
	const struct argp argp = { .doc = "List the profiles of NIC drivers" };
	struct walk walk = { .exit_code = RXAQM_EXIT_OK };

	rxaqm_options_parse(&argp, "profile list", argc, argv, NULL);
	rxaqm_out_open(&walk.out, stdout, rxaqm_globals.json);
	rxaqm_out_text(&walk.out, "%-16s %-16s %-10s %-10s %s\n", "name", "driver", "design",
		       "timestamps", "file");
	rxaqm_out_array(&walk.out, "profiles");
	return finish(&walk, rxaqm_profile_each(list_one, &walk));
}

static int show_one(const struct rxaqm_profile *profile, const struct rxaqm_error *error, void *arg)
{
	struct walk *walk = arg;

	if (error) {
		note_error(walk, error);
		return 0;
	}
	if (walk->nr++)
		rxaqm_out_text(&walk->out, "\n");
	rxaqm_out_object(&walk->out, NULL);
	rxaqm_profile_out(&walk->out, profile);
	rxaqm_out_end(&walk->out);
	return 0;
}

/* A profile by its name, or by the driver of an interface. */
static int find_profile(const char *name, struct rxaqm_profile *profile, struct rxaqm_error *error)
{
	char driver[32];
	int err;

	err = rxaqm_profile_by_name(name, profile, error);
	if (err != -ENOENT || strchr(name, '/'))
		return err;
	if (!rxaqm_nic_driver(name, driver, sizeof(driver)))
		return rxaqm_profile_for_driver(driver, profile, error);
	return rxaqm_error_set(error, RXAQM_EXIT_USAGE, ENOENT,
			       "no profile and no interface with a driver is called \"%s\"; see "
			       "\"rxaqm profile list\"",
			       name);
}

static error_t parse_name(int key, char *arg, struct argp_state *state)
{
	const char **name = state->input;

	if (key != ARGP_KEY_ARG || *name)
		return ARGP_ERR_UNKNOWN;
	*name = arg;
	return 0;
}

static int cmd_show(int argc, char **argv)
{
	const struct argp argp = {
		.parser = parse_name,
		.args_doc = "[NAME|IFACE]",
		.doc = "Show a profile, that of an interface's driver, or all",
	};
	struct walk walk = { .exit_code = RXAQM_EXIT_OK };
	struct rxaqm_profile profile;
	struct rxaqm_error error;
	const char *name = NULL;
	int err = 0;

	rxaqm_options_parse(&argp, "profile show", argc, argv, &name);
	if (name && find_profile(name, &profile, &error))
		return rxaqm_log_failure(&error);
	rxaqm_out_open(&walk.out, stdout, rxaqm_globals.json);
	rxaqm_out_array(&walk.out, "profiles");
	if (name)
		show_one(&profile, NULL, &walk);
	else
		err = rxaqm_profile_each(show_one, &walk);
	return finish(&walk, err);
}

static int check_one(const struct rxaqm_profile *profile, const struct rxaqm_error *error,
		     void *arg)
{
	struct walk *walk = arg;

	if (error)
		note_error(walk, error);
	rxaqm_out_object(&walk->out, NULL);
	rxaqm_out_str(&walk->out, "path", error ? NULL : "%s: ok\n", profile->path);
	rxaqm_out_bool(&walk->out, "ok", NULL, NULL, !error);
	if (error)
		rxaqm_out_str(&walk->out, "error", NULL, error->text);
	rxaqm_out_end(&walk->out);
	return 0;
}

struct files {
	char **path;
	int nr;
};

static error_t parse_file(int key, char *arg, struct argp_state *state)
{
	struct files *files = state->input;

	(void)arg;
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	/* argp has moved the options ahead: the files are in a row. */
	if (!files->nr++)
		files->path = &state->argv[state->next - 1];
	return 0;
}

static int cmd_check(int argc, char **argv)
{
	const struct argp argp = {
		.parser = parse_file,
		.args_doc = "[FILE...]",
		.doc = "Check profiles: these files, or all that are installed",
	};
	struct walk walk = { .exit_code = RXAQM_EXIT_OK };
	struct rxaqm_profile profile;
	struct rxaqm_error error;
	struct files files = { 0 };
	int i, err;

	rxaqm_options_parse(&argp, "profile check", argc, argv, &files);
	rxaqm_out_open(&walk.out, stdout, rxaqm_globals.json);
	rxaqm_out_array(&walk.out, "profiles");
	if (!files.nr)
		return finish(&walk, rxaqm_profile_each(check_one, &walk));
	for (i = 0; i < files.nr; i++) {
		err = rxaqm_profile_read(files.path[i], &profile, &error);
		check_one(&profile, err ? &error : NULL, &walk);
	}
	return finish(&walk, 0);
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} subcommands[] = {
	{ "list", cmd_list },
	{ "show", cmd_show },
	{ "check", cmd_check },
};

static const char usage_doc[] = "What is known of NIC drivers"
				"\v"
				"  list                 the profiles there are\n"
				"  show [NAME|IFACE]    facts and policy of one, or of all\n"
				"  check [FILE...]      find errors\n"
				"\n\"rxaqm profile show --help\" and so on tell more.";

static error_t parse_usage(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_ARG)
		rxaqm_options_error(state, "unknown subcommand \"%s\"", arg);
	if (key == ARGP_KEY_NO_ARGS)
		rxaqm_options_error(state, "list, show or check is missing");
	return ARGP_ERR_UNKNOWN;
}

int rxaqm_cmd_profile(int argc, char **argv)
{
	const struct argp argp = {
		.parser = parse_usage,
		.args_doc = "list|show|check",
		.doc = usage_doc,
	};
	size_t i;

	for (i = 0; argc > 1 && i < sizeof(subcommands) / sizeof(subcommands[0]); i++)
		if (!strcmp(argv[1], subcommands[i].name))
			return subcommands[i].run(argc - 1, argv + 1);
	/* Options may stand before the subcommand. */
	if (argc > 2 && (!strcmp(argv[1], "-j") || !strcmp(argv[1], "--json"))) {
		rxaqm_globals.json = true;
		return rxaqm_cmd_profile(argc - 1, argv + 1);
	}
	rxaqm_options_parse(&argp, "profile", argc, argv, NULL);
	return RXAQM_EXIT_USAGE;
}
