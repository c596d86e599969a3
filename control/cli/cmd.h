/* SPDX-License-Identifier: GPL-2.0-only */
/* The subcommands of rxaqm. Each returns an exit code (log.h). */
#ifndef RXAQM_CMD_H
#define RXAQM_CMD_H

#include <stdbool.h>

/* Options that stand before or after any subcommand (main.c). */
struct rxaqm_globals {
	bool json; /* -j, --json */
	const char *netns; /* --netns NAME: already entered */
};
extern struct rxaqm_globals rxaqm_globals;

int rxaqm_cmd_attach(int argc, char **argv);
int rxaqm_cmd_detach(int argc, char **argv);
int rxaqm_cmd_status(int argc, char **argv);
int rxaqm_cmd_check(int argc, char **argv);
int rxaqm_cmd_top(int argc, char **argv);
int rxaqm_cmd_hist(int argc, char **argv);
int rxaqm_cmd_policy(int argc, char **argv);
int rxaqm_cmd_profile(int argc, char **argv);
int rxaqm_cmd_clock(int argc, char **argv);
int rxaqm_cmd_replay(int argc, char **argv);
int rxaqm_cmd_run(int argc, char **argv);
int rxaqm_cmd_doctor(int argc, char **argv);
int rxaqm_cmd_qualify(int argc, char **argv);

#endif /* RXAQM_CMD_H */
