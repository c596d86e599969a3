/* SPDX-License-Identifier: GPL-2.0-only */
/* "rxaqm status --check", for cmd_status.c and main.c. */
#ifndef RXAQM_CMD_STATUS_CHECK_H
#define RXAQM_CMD_STATUS_CHECK_H

#include "report/check.h"
#include "cli/options.h"
#include "cli/view.h"

struct rxaqm_check_args {
	bool check;
	const char *ifname; /* NULL: all that are attached */
	const char *given; /* an option that goes with --check only */
	struct rxaqm_check_limits limits;
	__u64 window_ns; /* between the looks */
};

/* Options of status, with their defaults, and the parser for them and IFACE. */
extern const struct argp_option rxaqm_status_check_options[];
void rxaqm_status_check_args_init(struct rxaqm_check_args *args);
error_t rxaqm_status_check_parse(int key, char *arg, struct argp_state *state);

/* The command. Returns the exit status of a plugin (check.h). */
int rxaqm_status_check(const struct rxaqm_check_args *args);

/* Is --check among the arguments of status? What goes wrong before they are parsed must not
 * have another command's exit code.
 */
bool rxaqm_status_check_wanted(int argc, char **argv);
/* It cannot be done: tell @why. Returns the exit status. */
int rxaqm_status_check_failed(const char *why);

#endif /* RXAQM_CMD_STATUS_CHECK_H */
