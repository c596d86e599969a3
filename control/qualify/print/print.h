/* SPDX-License-Identifier: GPL-2.0-only */
/* A record, for people: in a terminal, and as one HTML file that needs nothing else. */
#ifndef RXAQM_QUALIFY_PRINT_H
#define RXAQM_QUALIFY_PRINT_H

#include <stdio.h>

#include "qualify/record/record.h"

/* A line a row; with @figures a line a figure below it. */
void qualify_print_text(FILE *file, const struct qualify_record *record, bool figures);

/* @record as judged; qualify_judge() goes before. Pictures are inline SVG; no scripts. */
void qualify_print_html(FILE *file, const struct qualify_record *record);

/* The head of an HTML file called @title, up to where its body begins; the end of it. */
void qualify_html_begin(FILE *file, const char *title);
void qualify_html_end(FILE *file);
/* The verdict as a mark that can be told without colours. */
void qualify_html_verdict(FILE *file, unsigned int verdict);

/* Write the facts that @record has as a profile (nic-profiles/README.md) to @path, "-": standard
 * output. It is parsed before it is written, so "rxaqm profile check" takes it. -ENODATA with
 * @error: no driver, or not one fact; -EINVAL: a fact that no profile can hold.
 */
int qualify_write_profile(const struct qualify_record *record, const char *path,
			  struct rxaqm_error *error);

#endif /* RXAQM_QUALIFY_PRINT_H */
