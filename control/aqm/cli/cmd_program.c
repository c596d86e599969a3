/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that are programs of their own: doctor and qualify, which have their own packages, and
 * trial
 */
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "command/program.h"

int rxaqm_cmd_program(int argc, char **argv, struct rxaqm_call *call)
{
	static char name[32];
	char *command = argv[0];
	int err;

	(void)argc;
	snprintf(name, sizeof(name), "rxaqm-%s", command);
	argv[0] = name;
	err = rxaqm_program_exec(name, argv);
	if (err == -ENOENT)
		return rxaqm_failed(&call->error, ENOENT,
				    "\"rxaqm %s\" is a program of its own, %s, which is not "
				    "installed; install the package %s",
				    command, name, strcmp(command, "trial") ? name : "rxaqm");
	return rxaqm_failed(&call->error, -err, "cannot run %s: %s", name, strerror(-err));
}
