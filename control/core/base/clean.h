/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text from others (names of interfaces and processes, drivers, a peer, files) may hold control
 * characters, which a terminal obeys, characters that reverse the order of a line, and bytes that
 * are not UTF-8. rxaqm keeps such text as it is, since the kernel knows the thing by it, and cleans
 * it when it prints.
 */
#pragma once

#include <stdio.h>

/* From now on stdout and stderr show such characters as "\u202e", also in JSON, where that means
 * the same. Bytes that are not UTF-8 become "\ufffd". Line ends and tabs stay.
 */
void rxaqm_clean_output(void);

/* The same for @text, to another @file. */
void rxaqm_clean_puts(FILE *file, const char *text);

/* Replace each such character in @text by '?', line ends and tabs too. For one line of a file, or a
 * part of a sentence.
 */
void rxaqm_clean(char *text);
