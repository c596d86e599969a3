/* SPDX-License-Identifier: GPL-2.0-only */
/* Common to all programs: how main() begins and ends, signals that end them soon instead of at
 * once, and how one program runs another.
 */
#pragma once

#include "base/log.h"

/* Call this first in main(). A program that cannot write its output then ends with an error. */
void rxaqm_program_begin(void);

/* main() of a program that is a command of rxaqm. @run returns an exit code (log.h), or a negative
 * number if it failed as @error says.
 */
int rxaqm_program_main(int argc, char **argv,
		       int (*run)(int argc, char **argv, struct rxaqm_error *error));

/* Become the program @name, with @argv: the one beside this program, or else the one in PATH.
 * Returns only if that fails: -ENOENT if there is none, or another -errno.
 */
int rxaqm_program_exec(const char *name, char *const argv[]);

/* Set by each signal given to rxaqm_stop_at(): end soon. */
extern volatile int rxaqm_stop;
void rxaqm_stop_at(int signal);
