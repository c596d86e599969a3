/* SPDX-License-Identifier: GPL-2.0-only */
/* What standard output is: how wide, and whether it may have colours. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* --color. By default only a terminal has colours, and none where NO_COLOR is set. */
/* Take what was typed: auto, always or never. False: it is none of these. */
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

/* Print the words of @text, whose first is in column @at, on lines as wide as that which go on at
 * @indent. "50 %" is a word.
 */
void rxaqm_print_words(FILE *file, size_t at, size_t indent, const char *text);

/* From byte @at of a text on it looks like @paint. */
struct rxaqm_mark {
	size_t at;
	enum rxaqm_paint paint;
};

/* Print the lines of @text, each behind @indent blanks. On a terminal, or with COLUMNS, what does
 * not fit is broken at blanks, and goes on two characters further right than where its line
 * begins. @marks, if any, end with one beyond @text.
 */
void rxaqm_wrap(FILE *file, unsigned int indent, const char *text, const struct rxaqm_mark *marks);
