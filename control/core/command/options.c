/* SPDX-License-Identifier: GPL-2.0-only */
#include "command/options.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/terminal.h"
#include "base/version.h"
#include "nic/netns.h"

bool rxaqm_json;

/* The command being parsed; one at a time. */
static const struct rxaqm_command *command;
static void *values;
static char **words;
static const char *netns; /* to be entered */

void rxaqm_usage_error(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", command->name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, " (see \"%s --help\")\n", command->name);
	exit(argp_err_exit_status);
}

/* The setting whose name are these @len characters; NULL: none. */
static const struct rxaqm_key *find_setting(const char *name, size_t len)
{
	const struct rxaqm_key *key = command->settings;

	while (key && key->name && (strlen(key->name) != len || strncmp(key->name, name, len)))
		key++;
	return key && key->name ? key : NULL;
}

/* Is @word one of the words that the setting @name takes? */
static bool is_for_setting(const char *name, const char *word)
{
	const struct rxaqm_key *key = find_setting(name, strlen(name));
	const char *const *choice = key ? key->choices : NULL;

	while (choice && *choice && strcmp(*choice, word))
		choice++;
	return choice && *choice;
}

static bool is_option(const char *name, size_t len)
{
	const struct rxaqm_option *option = command->options;

	while (option && option->name &&
	       (strlen(option->name) != len || strncmp(option->name, name, len)))
		option++;
	return option && option->name;
}

/* A setting that was typed as an option. */
static void refuse_settings(int argc, char **argv)
{
	size_t len;
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		len = strncmp(argv[i], "--", 2) ? 0 : strcspn(argv[i] + 2, "=");
		if (len && !is_option(argv[i] + 2, len) && find_setting(argv[i] + 2, len))
			rxaqm_usage_error("\"%s\" is a setting: write it without dashes, %s",
					  argv[i], argv[i][2 + len] ? argv[i] + 2 : "KEY=VALUE");
	}
}

static void set_option(const struct rxaqm_option *option, const char *arg)
{
	void *value = (char *)values + option->key.offset;
	const char **word = value, **end = word + option->key.size / sizeof(*word);
	struct rxaqm_key key = option->key;
	struct rxaqm_error error;

	switch (option->kind) {
	case RXAQM_OPTION_FLAG:
		*(bool *)value = true;
		break;
	case RXAQM_OPTION_WORDS:
		while (word < end && *word)
			word++;
		if (word == end)
			rxaqm_usage_error("--%s: at most %zu times", option->name,
					  option->key.size / sizeof(*word));
		*word = arg;
		break;
	case RXAQM_OPTION_GONE:
		rxaqm_usage_error("--%s is gone: %s", option->name, option->help);
	case RXAQM_OPTION_WORD:
		*word = arg;
		break;
	case RXAQM_OPTION_VALUE:
		key.name = option->name;
		if (!rxaqm_key_set(&key, values, arg, 0, &error))
			break;
		if (is_for_setting(key.name, arg))
			rxaqm_usage_error("--%s; the setting has no dashes: %s=%s", error.text,
					  key.name, arg);
		rxaqm_usage_error("--%s", error.text);
	}
}

/* Not characters: these have no short option. */
#define KEY_USAGE 0x100
#define KEY_COLOR 0x101
#define KEY_NETNS 0x102
#define KEY_ROW 0x200 /* key of the first row, for rows without a letter */

static int key_of(const struct rxaqm_option *option)
{
	return option->letter ?: KEY_ROW + (int)(option - command->options);
}

/* @flags: ARGP_HELP_... */
static void __attribute__((noreturn)) print_help(struct argp_state *state, unsigned int flags)
{
	const struct rxaqm_command *one = command->commands;

	state->flags &= ~(unsigned int)ARGP_NO_ERRS; /* with it argp prints no help */
	argp_state_help(state, stdout, flags);
	for (; one && one->name; one++) {
		printf("%s  %s %s\n", one == command->commands ? "\nCommands:\n" : "", one->name,
		       one->args);
		rxaqm_wrap(stdout, 6, one->help, NULL);
	}
	if (command->more)
		command->more();
	exit(RXAQM_EXIT_OK);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static int accepted; /* argp's place after the word before */
	const struct rxaqm_option *option;

	accepted = key == ARGP_KEY_ERROR ? accepted : state->next ?: 1;
	switch (key) {
	case ARGP_KEY_ARG:
		if (!command->leads && state->arg_num >= command->max_words)
			rxaqm_usage_error("too many arguments: \"%s\"", arg);
		/* argp has moved the options to the front: the other words are in a row. */
		if (!state->arg_num)
			words = &state->argv[state->next - 1];
		if (command->leads)
			state->next = state->argc;
		return 0;
	case ARGP_KEY_ERROR:
		/* argp is past the word, but in the midst of "-ab". */
		arg = state->argv[state->next - (state->next != accepted)];
		rxaqm_usage_error("there is no such option, or its value is missing: \"%s\"", arg);
	case 'j':
		rxaqm_json = true;
		return 0;
	case 'V':
		printf("%s %s\n", program_invocation_short_name, rxaqm_version());
		exit(RXAQM_EXIT_OK);
	case KEY_NETNS:
		netns = arg;
		return 0;
	case KEY_COLOR:
		if (!rxaqm_color_set(arg))
			rxaqm_usage_error("--color must be auto, always or never, not \"%s\"", arg);
		return 0;
	case 'h':
	case '?':
		print_help(state, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK);
	case KEY_USAGE:
		print_help(state, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
	}
	for (option = command->options; option && option->name; option++) {
		if (key != key_of(option))
			continue;
		set_option(option, arg);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* Leave out argp's note that the short forms take the same values. */
static char *filter(int key, const char *text, void *input)
{
	(void)input;
	return key == ARGP_KEY_HELP_DUP_ARGS_NOTE ? NULL : (char *)text;
}

#define OPTIONS_MAX 32 /* including those that all commands have */

int rxaqm_options_enter(struct rxaqm_error *error)
{
	const char *name = netns;

	netns = NULL;
	return name ? rxaqm_netns_enter(name, error) : 0;
}

char **rxaqm_options_read(const struct rxaqm_command *of, int argc, char **argv, void *into)
{
	const int for_program = of->program && !of->no_json ? 0 : OPTION_HIDDEN;
	struct argp_option options[OPTIONS_MAX + 1] = {
		{ "json", 'j', NULL, of->no_json ? OPTION_HIDDEN : 0, "Print JSON", -1 },
		{ "color", KEY_COLOR, "WHEN", of->no_json ? OPTION_HIDDEN : 0,
		  "Colours: auto (default), always, never", -1 },
		{ "netns", KEY_NETNS, "NAME", for_program,
		  "Work in the network namespace NAME (ip netns)", -1 },
		{ NULL, 'h', NULL, OPTION_HIDDEN, NULL, -1 },
		/* As in argp, which would not list the rest. */
		{ "help", '?', NULL, 0, "Give this help list", -1 },
		{ "usage", KEY_USAGE, NULL, 0, "Give a short usage message", -1 },
		{ "version", 'V', NULL, of->program ? 0 : OPTION_HIDDEN, "Print the version", -1 },
	};
	const struct argp argp = { options, parse, of->args, of->help, NULL, filter, NULL };
	const struct rxaqm_option *option;
	struct argp_option *to = options;
	struct rxaqm_error error;

	command = of;
	values = into;
	words = &argv[argc];
	while (to->key)
		to++;
	for (option = of->options; option && option->name && to < options + OPTIONS_MAX; option++)
		*to++ = (struct argp_option){ .name = option->name,
					      .key = key_of(option),
					      .arg = option->arg,
					      .flags = option->kind == RXAQM_OPTION_GONE ?
							       OPTION_HIDDEN :
							       0,
					      .doc = option->help,
					      .group = 1 };
	argv[0] = (char *)of->name;
	argp_err_exit_status = of->wrong_exit ?: RXAQM_EXIT_USAGE;
	refuse_settings(argc, argv);
	if (argp_parse(&argp, argc, argv,
		       ARGP_NO_HELP | ARGP_NO_ERRS | (of->leads ? ARGP_IN_ORDER : 0), NULL, NULL))
		exit(argp_err_exit_status);
	if (of->no_json && rxaqm_json)
		rxaqm_usage_error("--json: %s", of->no_json);
	if (!of->leads && rxaqm_options_enter(&error)) {
		rxaqm_log_failure(&error);
		exit(of->wrong_exit ?: RXAQM_EXIT_FAILED);
	}
	return words;
}

char **rxaqm_command_read(const struct rxaqm_command *group, int argc, char **argv, void *into,
			  int *chosen, struct rxaqm_error *error)
{
	char **rest = rxaqm_options_read(group, argc, argv, into);
	const char *names[8] = { NULL }, *word = *rest ?: "", *name = strchr(group->name, ' ') + 1;
	char list[RXAQM_KEY_TEXT_LEN], what[RXAQM_KEY_TEXT_LEN + 64];
	int i;

	for (i = 0; group->commands[i].name; i++) {
		names[i] = strrchr(group->commands[i].name, ' ') + 1;
		if (strcmp(word, names[i]))
			continue;
		*chosen = i;
		return rxaqm_options_read(&group->commands[i], argc - (int)(rest - argv), rest,
					  into);
	}
	snprintf(what, sizeof(what), "%s must follow; see \"%s --help\"",
		 rxaqm_words(names, ", ", " or ", list), group->name);
	snprintf(list, sizeof(list), "%s command", name);
	if (*word)
		rxaqm_key_unknown(list, word, NULL, names, what, error);
	else
		rxaqm_bad(error, "%s: %s", name, what);
	return NULL;
}
