/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options of subcommands: rows of a table, read by argp, with what all of them share added, and
 * errors of one line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "keys/keys.h"

extern bool rxaqm_json; /* -j, --json, before or behind any subcommand */

/* What an option sets. */
enum rxaqm_option_kind {
	RXAQM_OPTION_FLAG, /* a bool */
	RXAQM_OPTION_WORD, /* a const char * */
	RXAQM_OPTION_WORDS, /* given again and again: the next of an array of them */
	RXAQM_OPTION_VALUE, /* what its key takes */
};

struct rxaqm_option {
	const char *name;
	char letter; /* 0: none */
	const char *arg; /* what it is called in --help; NULL: a flag */
	const char *help;
	enum rxaqm_option_kind kind;
	struct rxaqm_key key; /* of the values of the command; without a name */
};

/* The end of a row, for a field of the command's values, a struct args. */
#define RXAQM_SETS(what, field, ...) \
	.kind = RXAQM_OPTION_##what, .key = { RXAQM_FIELD(struct args, field), __VA_ARGS__ }
#define RXAQM_FLAG(field) RXAQM_SETS(FLAG, field)
#define RXAQM_WORD(field) RXAQM_SETS(WORD, field)
#define RXAQM_WORDS(field) RXAQM_SETS(WORDS, field)
#define RXAQM_CHOICE(field, words) \
	RXAQM_SETS(VALUE, field, .type = RXAQM_TYPE_CHOICE, .choices = words)
#define RXAQM_NUMBER(field, from, to) \
	RXAQM_SETS(VALUE, field, .type = RXAQM_TYPE_NUMBER, .min = from, .max = to)
#define RXAQM_DURATION(field, from, to) \
	RXAQM_SETS(VALUE, field, .type = RXAQM_TYPE_DURATION, .min = from, .max = to)

#define RXAQM_SETTING_WORDS 33 /* an interface, and twice as many settings as there are */

struct rxaqm_command {
	const char *name; /* "rxaqm profile list" */
	const char *args, *help; /* for --help */
	const struct rxaqm_option *options; /* up to one without a name; or NULL */
	unsigned int max_words; /* arguments that are no options */
	bool no_json; /* --help does not offer it, and the command refuses it */
	int wrong_exit; /* exit code of usage errors; 0: RXAQM_EXIT_USAGE */
	const struct rxaqm_key *keys; /* --help lists them, too; or NULL */
};

/* Read the options of @command into @values, and -j into rxaqm_json. Returns the other words, with
 * a NULL behind them. Exits on --help and on usage errors.
 */
char **rxaqm_options_read(const struct rxaqm_command *command, int argc, char **argv, void *values);

/* Which of @commands ("rxaqm policy show" and so on; the last has no name) argv[1] chooses.
 * --help lists them and returns how many there are, so that more can be said. Otherwise -EINVAL.
 */
int rxaqm_command_choose(const struct rxaqm_command *commands, int argc, char **argv,
			 struct rxaqm_error *error);

/* Print one line, "NAME: ...", and exit with the command's code of usage errors. */
void rxaqm_usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
