/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include "args.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"

enum {
	OPT_COPY = 256,
	OPT_RING,
	OPT_ADOPT,
	OPT_NETNS
};

static const struct argp_option options[] = {
	{ "queue", 'q', "QUEUES", 0, "Queues, as in 0 or 0-3,6 (default 0)", 0 },
	{ "cost", 'c', "DURATION", 0, "Spend so long on each packet, as in 20us (default nothing)",
	  0 },
	{ "busy", 'b', NULL, 0, "Never sleep: look for packets again and again", 0 },
	{ "seconds", 's', "SECONDS", 0, "End after so long (default: at Ctrl-C)", 0 },
	{ "ring", OPT_RING, "ENTRIES", 0, "Of the Rx ring, a power of two (default 2048)", 0 },
	{ "copy", OPT_COPY, "MODE", 0,
	  "auto: zero-copy where the driver has it (default); always; never", 0 },
	{ "adopt", OPT_ADOPT, "PID", 0,
	  "Send the packets to the AF_XDP sockets of process PID instead, and publish how long they "
	  "wait there",
	  0 },
	{ "json", 'j', NULL, 0, "Print JSON, one object a second", 0 },
	{ "netns", OPT_NETNS, "NAME", 0, "Work in the network namespace NAME (ip netns)", 0 },
	{ 0 },
};

static void parse_number(const struct argp_state *state, const char *option, const char *arg,
			 __u64 max, __u64 *ret_value)
{
	if (rxaqm_parse_u64(arg, 1, max, ret_value))
		argp_error(state, "%s \"%s\" is not a number from 1 to %llu", option, arg,
			   (unsigned long long)max);
}

static enum rxaqm_xsk_copy parse_copy(const struct argp_state *state, const char *arg)
{
	static const char *const names[] = {
		[RXAQM_XSK_COPY_AUTO] = "auto",
		[RXAQM_XSK_COPY_ALWAYS] = "always",
		[RXAQM_XSK_COPY_NEVER] = "never",
	};
	int i;

	for (i = 0; i < 3; i++)
		if (!strcmp(arg, names[i]))
			return (enum rxaqm_xsk_copy)i;
	argp_error(state, "--copy \"%s\" is none of auto, always, never", arg);
	return RXAQM_XSK_COPY_AUTO;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;
	__u64 number;

	switch (key) {
	case 'q':
		memset(args->queues, 0, sizeof(args->queues));
		if (rxaqm_parse_queues(arg, MAX_SOCKETS, args->queues))
			argp_error(state,
				   "--queue \"%s\" is no list of queues below %d, such as 0-3,6",
				   arg, MAX_SOCKETS);
		break;
	case 'c':
		if (rxaqm_parse_duration(arg, &args->cost_ns) || args->cost_ns > 1000000000)
			argp_error(state, "--cost \"%s\" is no duration up to 1s, such as 20us",
				   arg);
		break;
	case 'b':
		args->busy = true;
		break;
	case 's':
		parse_number(state, "--seconds", arg, 1000000, &args->seconds);
		break;
	case 'j':
		args->json = true;
		break;
	case OPT_RING:
		parse_number(state, "--ring", arg, 32768, &number);
		if (number & (number - 1))
			argp_error(state, "--ring \"%s\" is not a power of two", arg);
		args->socket.ring_entries = (__u32)number;
		break;
	case OPT_COPY:
		args->socket.copy = parse_copy(state, arg);
		break;
	case OPT_ADOPT:
		parse_number(state, "--adopt", arg, 4194304, &number);
		args->adopt = (pid_t)number;
		break;
	case OPT_NETNS:
		args->netns = arg;
		break;
	case ARGP_KEY_ARG:
		if (args->ifname)
			argp_error(state, "too many arguments: \"%s\"", arg);
		args->ifname = arg;
		break;
	case ARGP_KEY_END:
		if (!args->ifname)
			argp_error(state, "the interface is missing");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

void args_parse(struct args *args, int argc, char **argv)
{
	static const struct argp argp = {
		options,
		parse,
		"IFACE",
		"Takes the packets of queues that rxaqm is attached to through AF_XDP sockets, "
		"counts them, and prints each second how long they waited in the queue of the NIC "
		"and in the socket's Rx ring.",
		NULL,
		NULL,
		NULL,
	};

	*args = (struct args){ .queues = { 1 }, .socket = RXAQM_XSK_OPTIONS };
	argp_program_version = "rxaqm-xsk " RXAQM_VERSION;
	argp_err_exit_status = RXAQM_EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, args);
}
