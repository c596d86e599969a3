/* SPDX-License-Identifier: GPL-2.0-only */
/* Width and colours of standard output. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Set --color to @word: auto, always or never. Returns false for any other word. auto: colours on a
 * terminal only, and none if NO_COLOR is set.
 */
bool rxaqm_color_set(const char *word);

enum rxaqm_paint {
	RXAQM_PLAIN,
	RXAQM_BOLD,
	RXAQM_RED, /* wrong, or a standing queue */
	RXAQM_YELLOW, /* needs a look */
	RXAQM_GREEN, /* at work */
};

/* Does standard output have colours? */
bool rxaqm_paints(void);
/* Print to @file in the colour @paint from now on, if @file is standard output. */
void rxaqm_paint(FILE *file, enum rxaqm_paint paint);

/* Is standard output a terminal that can be cleared? */
bool rxaqm_clears(void);
/* Clear it, and go to its first line. Returns how many lines it has. */
unsigned int rxaqm_clear(void);

/* Characters in a line: COLUMNS, or the terminal's, or 80. */
unsigned int rxaqm_width(void);

/* The same for @file: 80, or more if it is standard output and that has more. */
unsigned int rxaqm_text_width(FILE *file);

/* Print the words of @text in lines of that width. The first line begins in column @at, the others
 * in column @indent. "50 %" is one word.
 */
void rxaqm_print_words(FILE *file, size_t at, size_t indent, const char *text);

/* From byte @at on, text has the colour @paint. */
struct rxaqm_mark {
	size_t at;
	enum rxaqm_paint paint;
};

/* Print the lines of @text, each indented by @indent blanks. On a terminal, or with COLUMNS, a line
 * that does not fit is broken at blanks; its rest is indented by two more characters. @marks may be
 * NULL; the last one is beyond the end of @text.
 */
void rxaqm_wrap(FILE *file, unsigned int indent, const char *text, const struct rxaqm_mark *marks);
