/* SPDX-License-Identifier: GPL-2.0-only */
/* Print records, for people and for other programs. Call qualify_judge() on them before. */
#pragma once

#include <stdio.h>

#include "qualify/record/record.h"

#define QUALIFY_RESULT_LEN 480
/* The overall verdict ("Fail"); @text: how many rows of each there are, and which are lacking. */
const char *qualify_result(const struct qualify_record *record, char text[QUALIFY_RESULT_LEN]);

/* Print the result, then each row and why; @figures: also what was measured. */
void qualify_print_text(FILE *file, const struct qualify_record *record, bool figures);
void qualify_print_row(FILE *file, const struct qualify_row *row, bool figures);

/* Print the name of @verdict, or @text instead, in its colour, padded to @columns. */
void qualify_print_verdict(FILE *file, enum qualify_verdict verdict, const char *text, int columns);

/* Print the table of limits. */
void qualify_print_limits(FILE *file);

/* Print a struct qualify_record as one self-contained HTML file; pictures are inline SVG. */
void qualify_print_html(FILE *file, const void *record);

/* Print a struct qualify_record as JUnit XML: a test case for each row. */
void qualify_print_junit(FILE *file, const void *record);

/* Make the picture of @row, of its first curve and those like it; false: it has no curve. */
bool qualify_picture_of(struct rxaqm_picture *picture, const struct qualify_record *record,
			const struct qualify_row *row);
