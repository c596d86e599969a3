/* SPDX-License-Identifier: GPL-2.0-only */
/* What standard output is: how wide, and whether it may have colours. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Set --color to @word: auto, always or never. Returns false if it is none of these. auto: only a
 * terminal has colours, and none where NO_COLOR is set.
 */
bool rxaqm_color_set(const char *word);

enum rxaqm_paint {
	RXAQM_PLAIN,
	RXAQM_BOLD,
	RXAQM_RED, /* wrong, or standing */
	RXAQM_YELLOW, /* to be looked at */
	RXAQM_GREEN, /* at work */
};

/* May standard output have colours? */
bool rxaqm_paints(void);
/* What is printed to @file from now on looks like @paint, if @file is standard output. */
void rxaqm_paint(FILE *file, enum rxaqm_paint paint);

/* Characters of a line: COLUMNS, or those of the terminal, or 80. */
unsigned int rxaqm_width(void);

/* The same of @file: 80, but where it is standard output and that has more. */
unsigned int rxaqm_text_width(FILE *file);

/* Print the words of @text in lines of that width. The first line begins in column @at, the others
 * in column @indent. "50 %" is one word.
 */
void rxaqm_print_words(FILE *file, size_t at, size_t indent, const char *text);

/* From byte @at of a text on it looks like @paint. */
struct rxaqm_mark {
	size_t at;
	enum rxaqm_paint paint;
};

/* Print the lines of @text, each behind @indent blanks. On a terminal, or with COLUMNS, a line that
 * does not fit is broken at blanks; its rest is indented by two more characters. @marks may be
 * NULL; the last one is beyond the end of @text.
 */
void rxaqm_wrap(FILE *file, unsigned int indent, const char *text, const struct rxaqm_mark *marks);
