/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of simtool. Each command gets its own arguments, and returns an exit status. */
#ifndef SIMTOOL_H
#define SIMTOOL_H

#include <stdbool.h>

int cmd_send(char **args);
int cmd_receive(char **args);
int cmd_frame(char **args);
int cmd_hwtstamp(char **args);
int cmd_phc(char **args);
int cmd_bpf(char **args);
int cmd_qstats(char **args);
int cmd_flows(char **args);
int cmd_tuple(char **args);
int cmd_rxhash(char **args);

/* Prints what was wrong with errno, and returns 1. */
int complain(const char *what, const char *which);
double seconds_now(void);
/* Set up: whoever waits for the file $SIMTOOL_READY goes on. */
void tell_ready(void);
/* Until @end, as of seconds_now(), or SIGTERM. */
bool goes_on(double end);
void wait_until(double end);

#endif
