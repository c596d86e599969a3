/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options of commands: rows of a table, parsed by argp, plus the options that all have. Errors are
 * one line.
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
	void (*more)(void); /* prints the rest of --help; or NULL */
	const struct rxaqm_option *options; /* ends with one without a name; or NULL */
	unsigned int max_words; /* arguments that are not options */
	const char *no_json; /* why --json is refused; NULL: it is not */
	int wrong_exit; /* exit code of usage errors; 0: RXAQM_EXIT_USAGE */
	bool program; /* a program, not a command of one: --help lists what goes with it */
	bool leads; /* a command follows: its name ends the options */
	const struct rxaqm_command *commands; /* which; the last has no name; or NULL */
	const struct rxaqm_key *settings; /* words KEY=VALUE that it takes, not options; or NULL */
};

/* Read the options of @command into @values, -j into rxaqm_json, and enter the network namespace
 * --netns, unless @command leads. Returns the other words; NULL ends them. Exits on --help,
 * --version and on usage errors.
 */
char **rxaqm_options_read(const struct rxaqm_command *command, int argc, char **argv, void *values);

/* Enter the namespace of --netns, if that was given and not done. */
int rxaqm_options_enter(struct rxaqm_error *error);

/* The same as rxaqm_options_read() for the one of @group's commands that is named, whose index
 * @chosen gets. NULL with @error: none is.
 */
char **rxaqm_command_read(const struct rxaqm_command *group, int argc, char **argv, void *values,
			  int *chosen, struct rxaqm_error *error);

/* Print one line, "NAME: ...", and exit with the command's code for usage errors. */
void rxaqm_usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
