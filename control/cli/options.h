/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options of subcommands: argp, with what all of them share added, and errors of
 * one line.
 */
#ifndef RXAQM_OPTIONS_H
#define RXAQM_OPTIONS_H

#include <argp.h>

#include "keys/keys.h"

/* --help of the subcommand that is parsed next lists @keys and @more (or NULL), too. */
void rxaqm_options_keys(const struct rxaqm_key *keys, const struct rxaqm_key *more);

/* argp_parse() for the subcommand @name ("profile list"), whose argv[0] is replaced.
 * Adds -j (into rxaqm_globals) and refuses arguments that @argp's parser did not take
 * (ARGP_ERR_UNKNOWN). @argp needs no children. Exits on --help and on usage errors.
 */
void rxaqm_options_parse(const struct argp *argp, const char *name, int argc, char **argv,
			 void *input);

/* Print one line, "rxaqm: NAME: ...", and exit with argp_err_exit_status (RXAQM_EXIT_USAGE). */
void rxaqm_options_error(const struct argp_state *state, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));

#endif /* RXAQM_OPTIONS_H */
