/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What others have named or said (interfaces, processes, drivers, a peer, files) may hold control
 * characters, which a terminal obeys, characters that turn the order of a line around, and bytes
 * that are no UTF-8. rxaqm keeps such text as it is, since the kernel knows the thing by it, and
 * cleans it when it prints.
 */
#pragma once

#include <stdio.h>

/* From now on stdout and stderr show such characters as "\u202e", also in JSON, where that means
 * the same; what is no UTF-8 as "\ufffd". Line ends and tabs stay.
 */
void rxaqm_clean_output(void);

/* The same of @text, to another @file. */
void rxaqm_clean_puts(FILE *file, const char *text);

/* Replace each such character in @text by '?', and line ends and tabs too: for one line of a file,
 * or a part of a sentence.
 */
void rxaqm_clean(char *text);
