/* SPDX-License-Identifier: GPL-2.0-only */
/* "rxaqm check", of which "rxaqm status --check" is another name; for cmd_status.c and main.c. */
#ifndef RXAQM_CHECK_ARGS_H
#define RXAQM_CHECK_ARGS_H

#include "report/check.h"
#include "cli/options.h"
#include "cli/view.h"

struct rxaqm_check_args {
	bool check; /* else status */
	const char *name; /* what asks for it: "check" or "--check" */
	const char *ifname; /* NULL: all that are attached */
	struct rxaqm_check_limits limits;
	__u64 window_ns; /* between the looks */
};

/* Parse what follows @name, "check" or "status". */
void rxaqm_check_parse(const char *name, int argc, char **argv, struct rxaqm_check_args *args);

/* The command. Returns the exit status of a plugin (check.h). */
int rxaqm_check(const struct rxaqm_check_args *args);

/* Do the arguments of a command, with its name, ask for a check? What goes wrong before they are
 * parsed must not have another command's exit code.
 */
bool rxaqm_check_wanted(int argc, char **argv);
/* It cannot be done: tell @why. Returns the exit status. */
int rxaqm_check_failed(const char *why);

#endif /* RXAQM_CHECK_ARGS_H */
