/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/options.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "cli/cmd.h"

struct rxaqm_globals rxaqm_globals;

/* Name of the subcommand going on, as "rxaqm profile list". */
static char command_name[64];

/* Tables of keys that --help lists, or NULL. */
static const struct rxaqm_key *help_keys[2];

/* argp adds "Try ... --help" to each error. */
static FILE *discarding_stream(void)
{
	static FILE *stream;
	cookie_io_functions_t discard = { NULL, NULL, NULL, NULL };

	if (!stream)
		stream = fopencookie(NULL, "w", discard);
	return stream;
}

#define KEY_USAGE 0x100 /* no character: it has no short option */

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
	unsigned int i;

	switch (key) {
	case 'j':
		rxaqm_globals.json = true;
		return 0;
	case 'h':
	case '?':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK);
		for (i = 0; i < 2 && help_keys[i]; i++)
			rxaqm_keys_list(stdout, help_keys[i]);
		exit(RXAQM_EXIT_OK);
	case KEY_USAGE:
		argp_state_help(state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
		return 0;
	case ARGP_KEY_INIT:
		state->err_stream = discarding_stream();
		return 0;
	case ARGP_KEY_ARG:
		rxaqm_usage_error("too many arguments: \"%s\"", arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static struct argp_option common_options[] = {
	{ "json", 'j', NULL, 0, "Print JSON", -1 },
	{ NULL, 'h', NULL, OPTION_HIDDEN, NULL, -1 },
	/* As argp has them, which knows nothing of keys. */
	{ "help", '?', NULL, 0, "Give this help list", -1 },
	{ "usage", KEY_USAGE, NULL, 0, "Give a short usage message", -1 },
	{ 0 },
};

static const struct argp common_argp = { .options = common_options, .parser = parse_common };

void rxaqm_usage_error(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", command_name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, " (see \"%s --help\")\n", command_name);
	exit(argp_err_exit_status);
}

/* What the parser of rows works with. */
struct reading {
	const struct rxaqm_command *command;
	void *values;
	char **words;
};

#define OPTIONS_MAX 20
#define KEY_ROW 0x200 /* of the first row, if it has no letter */

static int key_of(const struct rxaqm_command *command, const struct rxaqm_option *option)
{
	return option->letter ?: KEY_ROW + (int)(option - command->options);
}

static void set_option(const struct rxaqm_option *option, const char *arg, void *value)
{
	const char **words = value;
	__u64 *number = value, nr = 0;
	int err = 0;

	switch (option->type) {
	case RXAQM_OPTION_FLAG:
		*(bool *)value = true;
		break;
	case RXAQM_OPTION_WORD:
		*words = arg;
		break;
	case RXAQM_OPTION_WORDS:
		while (nr < option->max && words[nr])
			nr++;
		if (nr < option->max)
			words[nr] = arg;
		else
			err = -ERANGE;
		break;
	case RXAQM_OPTION_NUMBER:
		err = rxaqm_parse_u64(arg, option->min, option->max, number);
		break;
	case RXAQM_OPTION_DURATION:
		err = rxaqm_parse_duration(arg, number);
		if (!err && (*number < option->min || *number > option->max))
			err = -ERANGE;
		break;
	}
	if (err)
		rxaqm_usage_error(option->wrong, arg);
}

static error_t parse_row(int key, char *arg, struct argp_state *state)
{
	struct reading *reading = state->input;
	const struct rxaqm_command *command = reading->command;
	const struct rxaqm_option *option;

	if (key == ARGP_KEY_ARG && state->arg_num < command->max_words) {
		/* argp has moved the options ahead: the words are in a row. */
		if (!state->arg_num)
			reading->words = &state->argv[state->next - 1];
		return 0;
	}
	for (option = command->options; option && option->name; option++) {
		if (key != key_of(command, option))
			continue;
		set_option(option, arg, (char *)reading->values + option->at);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

char **rxaqm_options_read(const struct rxaqm_command *command, int argc, char **argv, void *values)
{
	const struct argp_child children[] = { { .argp = &common_argp }, { 0 } };
	struct argp_option options[OPTIONS_MAX + 1] = {};
	const struct argp argp = { .options = options,
				   .parser = parse_row,
				   .args_doc = command->args,
				   .doc = command->help,
				   .children = children };
	struct reading reading = { command, values, &argv[argc] };
	const struct rxaqm_option *option;
	char *saved = argv[0];
	unsigned int nr = 0;
	error_t err;

	for (option = command->options; option && option->name && nr < OPTIONS_MAX; option++)
		options[nr++] = (struct argp_option){ .name = option->name,
						      .key = key_of(command, option),
						      .arg = option->arg,
						      .doc = option->help };
	common_options[0].flags = command->no_json ? OPTION_HIDDEN : 0;
	help_keys[0] = command->keys;
	help_keys[1] = command->more_keys;
	snprintf(command_name, sizeof(command_name), "rxaqm %s", command->name);
	argp_err_exit_status = command->wrong_exit ?: RXAQM_EXIT_USAGE;
	argv[0] = command_name;
	err = argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &reading);
	argv[0] = saved;
	if (!err)
		return reading.words;
	rxaqm_log_error("%s: options not understood", command->name);
	exit(RXAQM_EXIT_USAGE);
}

void rxaqm_options_json_first(int *argc, char ***argv)
{
	for (; *argc > 2 && (!strcmp((*argv)[1], "-j") || !strcmp((*argv)[1], "--json")); --*argc) {
		rxaqm_globals.json = true;
		++*argv;
	}
}
