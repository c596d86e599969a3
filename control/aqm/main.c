/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm: one binary, one table of subcommands; usage is printed from the table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/terminal.h"
#include "base/version.h"
#include "cli/cmd.h"
#include "command/options.h"
#include "command/program.h"
#include "keys/keys.h"
#include "nic/netns.h"

static const struct command {
	const char *name;
	rxaqm_cmd *run;
	const char *args;
	const char *summary;
} commands[] = {
	{ "attach", rxaqm_cmd_attach, "IFACE [KEY=VALUE ...]",
	  "attach to an interface, observing" },
	{ "detach", rxaqm_cmd_detach, "IFACE | PATTERN | --all", "detach, leaving all as it was" },
	{ "status", rxaqm_cmd_status, "[IFACE]", "state, signal and counters of each queue" },
	{ "check", rxaqm_cmd_check, "[IFACE]", "one line for monitoring (Nagios plugin)" },
	{ "top", rxaqm_cmd_top, "[IFACE]", "what the queues do, second by second" },
	{ "hist", rxaqm_cmd_hist, "[IFACE]", "distribution of the sojourn times" },
	{ "policy", rxaqm_cmd_policy, "show|set|load|save ...", "what is done to the queues" },
	{ "profile", rxaqm_cmd_profile, "show|check ...", "what is known of NIC drivers" },
	{ "clock", rxaqm_cmd_clock, "[IFACE]", "NIC clock against host clock" },
	{ "doctor", rxaqm_cmd_program, "[IFACE]", "what slows receiving here, and what to do" },
	{ "qualify", rxaqm_cmd_program, "IFACE ... | --from FILE",
	  "how good a NIC is: measure it, report it" },
	{ "trial", rxaqm_cmd_program, "IFACE ... | --from FILE...",
	  "does a policy help here? an experiment" },
	{ "run", rxaqm_cmd_run, "[--check]", "daemon: do what the configuration says" },
};

static void print_usage(void)
{
	size_t i;

	puts("Usage: rxaqm [-j] [--color WHEN] [--netns NAME] COMMAND [ARGUMENT ...]\n\n"
	     "Keeps the receive queues of an overloaded host short.\n\n"
	     "Commands:");
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		printf("  %-8s %-27s %s\n", commands[i].name, commands[i].args,
		       commands[i].summary);
	puts("\nOptions:\n"
	     "  -j, --json    print JSON (also after the command)\n"
	     "  --color WHEN  auto (default), always or never (also after the command)\n"
	     "  --netns NAME  work in the network namespace NAME (ip netns)\n"
	     "  -h, --help    this help; \"rxaqm COMMAND --help\" for a command's\n"
	     "  -V, --version\n\n"
	     "Exit codes: 0 done, 1 failed, 2 usage, 3 kernel or NIC cannot, 4 not attached,\n"
	     "            5 found: a cause (doctor), a NIC that fails (qualify), harm (trial).");
}

static void __attribute__((noreturn)) usage_error(const char *what, const char *arg)
{
	rxaqm_log_error("%s \"%s\"; see \"rxaqm --help\"", what, arg);
	exit(RXAQM_EXIT_USAGE);
}

static bool is_json(const char *word)
{
	return !strcmp(word, "-j") || !strcmp(word, "--json");
}

/* If argv[*at] is the option @name, its value: after "=", or the next word. */
static const char *value_of(const char *name, int argc, char **argv, int *at)
{
	size_t len = strlen(name);

	if (strncmp(argv[*at], name, len))
		return NULL;
	if (argv[*at][len] == '=')
		return argv[*at] + len + 1;
	if (argv[*at][len])
		return NULL;
	if (*at + 1 == argc)
		usage_error("a value must follow", name);
	return argv[++*at];
}

/* Options that may be before the command and before a subcommand, as in "policy -j show". */
static bool parse_output(int argc, char **argv, int *at, struct rxaqm_call *call)
{
	const char *value;

	if (is_json(argv[*at])) {
		rxaqm_json = true;
		return true;
	}
	value = value_of("--color", argc, argv, at);
	if (!value)
		return false;
	if (!rxaqm_color_set(value))
		usage_error("--color must be auto, always or never, not", value);
	call->color = value;
	return true;
}

/* Parse the options before the command. Returns the index of the command in @argv. */
static int parse_globals(int argc, char **argv, struct rxaqm_call *call)
{
	const char *value;
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (parse_output(argc, argv, &i, call)) {
			continue;
		} else if ((value = value_of("--netns", argc, argv, &i))) {
			call->netns = value;
		} else if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help") ||
			   !strcmp(argv[i], "-?")) {
			print_usage();
			exit(RXAQM_EXIT_OK);
		} else if (!strcmp(argv[i], "-V") || !strcmp(argv[i], "--version")) {
			rxaqm_print_version("rxaqm");
			exit(RXAQM_EXIT_OK);
		} else {
			usage_error("unknown option", argv[i]);
		}
	}
	return i;
}

static const struct command *find_command(const char *name)
{
	const char *names[sizeof(commands) / sizeof(commands[0]) + 1] = {};
	struct rxaqm_error error;
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		names[i] = commands[i].name;
		if (!strcmp(name, names[i]))
			return &commands[i];
	}
	rxaqm_key_unknown("command", name, NULL, names, "see \"rxaqm --help\"", &error);
	exit(rxaqm_log_failure(&error));
}

int main(int argc, char **argv)
{
	struct rxaqm_call call = { .state = RXAQM_STATE_NONE };
	const struct command *command;
	int at, ret;

	rxaqm_program_begin();
	at = parse_globals(argc, argv, &call);
	argc -= at;
	argv += at;
	if (!argc) {
		rxaqm_log_error("a command is missing; see \"rxaqm --help\"");
		return RXAQM_EXIT_USAGE;
	}
	if (!strcmp(*argv, "help")) {
		if (argc == 1) {
			print_usage();
			return RXAQM_EXIT_OK;
		}
		/* "help status" is "status --help". */
		argv[0] = argv[1];
		argv[1] = (char *)"--help";
	}
	command = find_command(*argv);
	for (at = 1; at + 1 < argc && parse_output(argc, argv, &at, &call); at++)
		;
	argv[at - 1] = argv[0];
	argc -= at - 1;
	argv += at - 1;
	if (command->run == rxaqm_cmd_program)
		ret = rxaqm_cmd_program(argc, argv, &call);
	else if (rxaqm_state_check_path(&call.error) ||
		 (call.netns && rxaqm_netns_enter(call.netns, &call.error)))
		ret = command->run == rxaqm_cmd_check ? rxaqm_check_failed(call.error.text) : -1;
	else
		ret = command->run(argc, argv, &call);
	if (ret < 0)
		ret = rxaqm_log_failure(&call.error);
	rxaqm_state_close(&call.state);
	return ret;
}
