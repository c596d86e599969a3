/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/cmd.h"
#include "base/log.h"

struct rxaqm_globals rxaqm_globals;

/* Name of the subcommand going on, as "rxaqm profile list". */
static char command_name[64];

/* Tables of keys that --help lists; a NULL behind them. */
static const struct rxaqm_key *help_keys[3];

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
		for (i = 0; help_keys[i]; i++)
			rxaqm_keys_list(stdout, help_keys[i]);
		exit(RXAQM_EXIT_OK);
	case KEY_USAGE:
		argp_state_help(state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
		return 0;
	case ARGP_KEY_INIT:
		state->err_stream = discarding_stream();
		return 0;
	case ARGP_KEY_ARG:
		rxaqm_options_error(state, "too many arguments: \"%s\"", arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option common_options[] = {
	{ "json", 'j', NULL, 0, "Print JSON", -1 },
	{ NULL, 'h', NULL, OPTION_HIDDEN, NULL, -1 },
	/* As argp has them, which knows nothing of keys. */
	{ "help", '?', NULL, 0, "Give this help list", -1 },
	{ "usage", KEY_USAGE, NULL, 0, "Give a short usage message", -1 },
	{ 0 },
};

static const struct argp common_argp = { .options = common_options, .parser = parse_common };

void rxaqm_options_keys(const struct rxaqm_key *keys, const struct rxaqm_key *more)
{
	help_keys[0] = keys;
	help_keys[1] = more;
}

void rxaqm_options_parse(const struct argp *argp, const char *name, int argc, char **argv,
			 void *input)
{
	const struct argp_child children[] = { { .argp = &common_argp }, { 0 } };
	struct argp with_common = *argp;
	char *saved = argv[0];
	error_t err;

	snprintf(command_name, sizeof(command_name), "rxaqm %s", name);
	with_common.children = children;
	argp_err_exit_status = RXAQM_EXIT_USAGE;
	argv[0] = command_name;
	err = argp_parse(&with_common, argc, argv, ARGP_NO_HELP, NULL, input);
	argv[0] = saved;
	if (err) {
		rxaqm_log_error("%s: options not understood", name);
		exit(RXAQM_EXIT_USAGE);
	}
}

void rxaqm_options_error(const struct argp_state *state, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", state->name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, " (see \"%s --help\")\n", state->name);
	exit(argp_err_exit_status);
}
