/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/terminal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/parse.h"

#define WIDTH 80

static enum {
	AUTO,
	ALWAYS,
	NEVER
} color;

bool rxaqm_color_set(const char *word)
{
	static const char *const words[] = {
		[AUTO] = "auto", [ALWAYS] = "always", [NEVER] = "never"
	};
	int i;

	for (i = AUTO; i <= NEVER; i++) {
		if (strcmp(word, words[i]))
			continue;
		color = i;
		return true;
	}
	return false;
}

bool rxaqm_clears(void)
{
	const char *term = getenv("TERM");

	return term && strcmp(term, "dumb") && isatty(STDOUT_FILENO);
}

bool rxaqm_paints(void)
{
	const char *no = getenv("NO_COLOR");

	if (color != AUTO)
		return color == ALWAYS;
	return !(no && *no) && rxaqm_clears();
}

/* Not through stdout, which would print it as visible text, like text from others (clean.h). */
static void write_code(const char *code)
{
	fflush(stdout);
	if (write(STDOUT_FILENO, code, strlen(code)) < 0)
		clearerr(stdin); /* only looks are lost */
}

void rxaqm_paint(FILE *file, enum rxaqm_paint paint)
{
	static const char *const codes[] = {
		[RXAQM_PLAIN] = "\033[0m",    [RXAQM_BOLD] = "\033[1m",
		[RXAQM_RED] = "\033[1;31m",   [RXAQM_YELLOW] = "\033[1;33m",
		[RXAQM_GREEN] = "\033[1;32m",
	};

	if (file == stdout && rxaqm_paints())
		write_code(codes[paint]);
}

unsigned int rxaqm_clear(void)
{
	struct winsize size;

	write_code("\033[H\033[J");
	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row ? size.ws_row : 24;
}

unsigned int rxaqm_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	__u64 width;

	if (columns && !rxaqm_parse_u64(columns, 20, 10000, &width))
		return (unsigned int)width;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col >= 20)
		return size.ws_col;
	return WIDTH;
}

unsigned int rxaqm_text_width(FILE *file)
{
	return file == stdout && rxaqm_width() > WIDTH ? rxaqm_width() : WIDTH;
}

/* Lines are broken for terminals only: readers of a pipe or a file expect whole lines. */
static size_t line_width(void)
{
	return getenv("COLUMNS") || isatty(STDOUT_FILENO) ? rxaqm_width() : SIZE_MAX;
}

/* Number of UTF-8 characters. */
static size_t characters(const char *text, size_t bytes)
{
	size_t nr = 0;

	while (bytes--)
		nr += (*text++ & 0xc0) != 0x80;
	return nr;
}

static const struct rxaqm_mark *paint_until(FILE *file, const struct rxaqm_mark *mark, size_t at)
{
	for (; mark->at <= at; mark++)
		rxaqm_paint(file, mark->paint);
	return mark;
}

/* Print a line that begins in column @at, and break it where it does not fit into @width: its rest
 * begins in column @begin. "50 %" is one word. Of the marks, @from is 0. Returns the line's end.
 */
static const char *wrap_line(FILE *file, size_t width, size_t at, size_t begin, const char *text,
			     const char *from, const struct rxaqm_mark **marks)
{
	const char *line = text, *end;

	while (*text && *text != '\n') {
		end = text + strspn(text, " ");
		end += strcspn(end, " \n");
		if (!strncmp(end, " %", 2))
			end += 2 + strcspn(end + 2, " \n");
		if (text > line && at + characters(text, (size_t)(end - text)) > width) {
			fprintf(file, "\n%*s", (int)begin, "");
			at = begin;
			text += strspn(text, " ");
		}
		at += characters(text, (size_t)(end - text));
		for (; text < end; text++) {
			*marks = paint_until(file, *marks, (size_t)(text - from));
			fputc(*text, file);
		}
	}
	*marks = paint_until(file, *marks, (size_t)(text - from));
	fputc('\n', file);
	return text;
}

static const struct rxaqm_mark no_mark = { .at = SIZE_MAX };

void rxaqm_print_words(FILE *file, size_t at, size_t indent, const char *text)
{
	const struct rxaqm_mark *marks = &no_mark;

	wrap_line(file, rxaqm_text_width(file), at, indent, text, text, &marks);
}

void rxaqm_wrap(FILE *file, unsigned int indent, const char *text, const struct rxaqm_mark *marks)
{
	const char *from = text;

	marks = marks ?: &no_mark;
	for (; *text; text += *text == '\n') {
		fprintf(file, "%*s", (int)indent, "");
		text = wrap_line(file, line_width(), indent, indent + strspn(text, " ") + 2, text,
				 from, &marks);
	}
}
