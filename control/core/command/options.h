/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options of subcommands: rows of a table, parsed by argp, plus the options that all have. Errors
 * are one line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "keys/keys.h"

extern bool rxaqm_json; /* -j, --json, before or after any subcommand */

/* What an option sets. */
enum rxaqm_option_kind {
	RXAQM_OPTION_FLAG, /* a bool */
	RXAQM_OPTION_WORD, /* a const char * */
	RXAQM_OPTION_WORDS, /* may be repeated: the next element of an array of them */
	RXAQM_OPTION_VALUE, /* by its key */
	RXAQM_OPTION_GONE, /* nothing: it is refused, and its help says what does it now */
};

struct rxaqm_option {
	const char *name;
	char letter; /* 0: none */
	const char *arg; /* name of the value in --help; NULL: a flag */
	const char *help;
	enum rxaqm_option_kind kind;
	struct rxaqm_key key; /* where the value goes in the command's values; it has no name */
};

/* The end of a row, for a field of struct args, the command's values. */
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
	const char *name; /* "rxaqm profile show" */
	const char *args, *help; /* for --help */
	const struct rxaqm_option *options; /* ends with one without a name; or NULL */
	unsigned int max_words; /* arguments that are not options */
	bool no_json; /* --help does not list --json, and the command refuses it */
	int wrong_exit; /* exit code of usage errors; 0: RXAQM_EXIT_USAGE */
	const struct rxaqm_key *keys; /* --help lists these, too; or NULL */
	const struct rxaqm_key *settings; /* words KEY=VALUE that it takes, not options; or NULL */
};

/* Read the options of @command into @values, and -j into rxaqm_json. Returns the other words; NULL
 * ends them. Exits on --help and on usage errors.
 */
char **rxaqm_options_read(const struct rxaqm_command *command, int argc, char **argv, void *values);

/* Index in @commands ("rxaqm policy show" and so on; the last has no name) of the one that argv[1]
 * names. --help lists them and returns their number, so that the caller can print more. Otherwise
 * -EINVAL.
 */
int rxaqm_command_choose(const struct rxaqm_command *commands, int argc, char **argv,
			 struct rxaqm_error *error);

/* Print one line, "NAME: ...", and exit with the command's code for usage errors. */
void rxaqm_usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
