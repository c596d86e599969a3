/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm: one binary, one table of subcommands; usage is printed from the table. */
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "command/options.h"
#include "command/program.h"
#include "keys/keys.h"

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
	{ "doctor", rxaqm_cmd_program, "[IFACE]", "what slows receiving here, and what to do" },
	{ "qualify", rxaqm_cmd_program, "IFACE ... | --from FILE",
	  "how good a NIC is: measure it, report it" },
	{ "trial", rxaqm_cmd_program, "IFACE ... | --from FILE...",
	  "does a policy help here? an experiment" },
	{ "run", rxaqm_cmd_run, "[--check]", "daemon: do what the configuration says" },
};

static void print_commands(void)
{
	size_t i;

	puts("\nCommands:");
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		printf("  %-8s %-27s %s\n", commands[i].name, commands[i].args,
		       commands[i].summary);
	puts("\n\"rxaqm COMMAND --help\" tells more of one; options may also follow it.\n\n"
	     "Exit codes: 0 done, 1 failed, 2 usage, 3 kernel or NIC cannot, 4 not attached,\n"
	     "            5 found: a cause (doctor), a NIC that fails (qualify), harm (trial),\n"
	     "            6 too little was measured (qualify).");
}

/* NULL with @error: there is none of this name. */
static const struct command *find_command(const char *name, struct rxaqm_error *error)
{
	const char *names[sizeof(commands) / sizeof(commands[0]) + 1] = {};
	size_t i;

	if (!strcmp(name, "clock")) {
		rxaqm_bad(error, "clock is gone: \"rxaqm status IFACE\" shows the NIC's clock");
		return NULL;
	}
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		names[i] = commands[i].name;
		if (!strcmp(name, names[i]))
			return &commands[i];
	}
	rxaqm_key_unknown("command", name, NULL, names, "see \"rxaqm --help\"", error);
	return NULL;
}

/* Give the options before the command, @words, to the program that it is. */
static int run_program(char **argv, char **words, struct rxaqm_call *call)
{
	char *name = *words;

	memmove(argv + 1, argv, (size_t)(words - argv) * sizeof(*argv));
	argv[1] = name;
	return rxaqm_cmd_program(0, argv + 1, call);
}

static int run(int argc, char **argv, struct rxaqm_call *call)
{
	static const struct rxaqm_command rxaqm = {
		.name = "rxaqm",
		.args = "COMMAND [ARGUMENT ...]",
		.help = "Keeps the receive queues of an overloaded host short.",
		.more = print_commands,
		.program = true,
		.leads = true,
	};
	const struct command *command;
	char **words;

	words = rxaqm_options_read(&rxaqm, argc, argv, NULL);
	if (!*words)
		rxaqm_usage_error("a command is missing");
	if (!strcmp(*words, "help")) {
		*words = (char *)"--help";
		if (!words[1]) {
			rxaqm_options_read(&rxaqm, argc, argv, NULL);
			rxaqm_usage_error("a command is missing"); /* "--" was before "help" */
		}
		/* "help status" is "status --help". */
		*words = words[1];
		words[1] = (char *)"--help";
	}
	command = find_command(*words, &call->error);
	if (!command)
		return -1;
	if (command->run == rxaqm_cmd_program)
		return run_program(argv, words, call);
	if (rxaqm_state_check_path(&call->error) || rxaqm_options_enter(&call->error))
		return command->run == rxaqm_cmd_check ? rxaqm_check_failed(call->error.text) : -1;
	return command->run(argc - (int)(words - argv), words, call);
}

int main(int argc, char **argv)
{
	struct rxaqm_call call = { .state = RXAQM_STATE_NONE };
	int ret;

	rxaqm_program_begin();
	ret = run(argc, argv, &call);
	if (ret < 0)
		ret = rxaqm_log_failure(&call.error);
	rxaqm_state_close(&call.state);
	return ret;
}
