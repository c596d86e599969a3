/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm status */
#include "attach/machine.h"
#include "cli/check_args.h"
#include "cli/cmd.h"
#include "report/status.h"

int rxaqm_cmd_status(int argc, char **argv)
{
	struct rxaqm_check_args args;
	int exit_code;

	rxaqm_check_parse("status", argc, argv, &args);
	if (args.check)
		return rxaqm_check(&args);
	/* Who may not ask the kernel gets what the daemon has left to be read, if it runs. */
	if (rxaqm_machine_check_readable(NULL)) {
		exit_code = rxaqm_status_from_file(args.ifname);
		if (exit_code >= 0)
			return exit_code;
	}
	return rxaqm_view_print(args.ifname, rxaqm_status_print_iface);
}
