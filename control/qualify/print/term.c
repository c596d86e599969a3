/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/print/term.h"

#include <string.h>

#include "base/terminal.h"

#define COLUMNS 80

int qualify_width(FILE *file)
{
	return file == stdout && rxaqm_width() > COLUMNS ? (int)rxaqm_width() : COLUMNS;
}

void qualify_print_verdict(FILE *file, enum qualify_verdict verdict, const char *text, int columns)
{
	static const enum rxaqm_paint paints[] = { RXAQM_PLAIN, RXAQM_GREEN, RXAQM_YELLOW,
						   RXAQM_RED };

	rxaqm_paint(file, paints[verdict]);
	fprintf(file, "%-*s", columns, text ?: qualify_verdict_name(verdict));
	rxaqm_paint(file, RXAQM_PLAIN);
}

void qualify_wrap(FILE *file, int at, int indent, const char *text)
{
	int width = qualify_width(file), len;
	const char *gap = "";

	for (; *text; text += len, text += strspn(text, " "), gap = " ") {
		len = (int)strcspn(text, " ");
		if (*gap && at + 1 + len > width) {
			fprintf(file, "\n%*s", indent, "");
			at = indent;
			gap = "";
		}
		at += fprintf(file, "%s%.*s", gap, len, text);
	}
	fputc('\n', file);
}
