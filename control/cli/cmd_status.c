/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm status */
#include "attach/machine.h"
#include "cli/cmd.h"
#include "cli/cmd_status_check.h"
#include "cli/view.h"
#include "report/status.h"

int rxaqm_cmd_status(int argc, char **argv)
{
	static const char doc[] = "Show state, signal and counters of each queue.";
	static const struct argp argp = { rxaqm_status_check_options,
					  rxaqm_status_check_parse,
					  "[IFACE]",
					  doc,
					  NULL,
					  NULL,
					  NULL };
	char *rest[] = { argv[0], "--", NULL, NULL };
	struct rxaqm_check_args args;
	int exit_code;

	rxaqm_status_check_args_init(&args);
	rxaqm_options_parse(&argp, "status", argc, argv, &args);
	if (args.check)
		return rxaqm_status_check(&args);
	/* Who may not ask the kernel gets what the daemon has left to be read, if it runs. */
	if (rxaqm_machine_check_may_look(NULL)) {
		exit_code = rxaqm_status_from_file(args.ifname);
		if (exit_code >= 0)
			return exit_code;
	}
	/* Without it status is a view as others are. */
	rest[2] = (char *)args.ifname;
	return rxaqm_view_command("status", doc, args.ifname ? 3 : 2, rest,
				  rxaqm_status_print_iface);
}
