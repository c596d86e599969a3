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

void rxaqm_print_words(FILE *file, size_t at, size_t indent, const char *text)
{
	size_t width = rxaqm_text_width(file), len;
	bool first = true;

	for (; *text; text += len, text += strspn(text, " "), first = false) {
		len = strcspn(text, " ");
		if (!strncmp(text + len, " %", 2))
			len += 2 + strcspn(text + len + 2, " ");
		if (!first && at + 1 + len > width) {
			fprintf(file, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			fputc(' ', file);
			at++;
		}
		fwrite(text, 1, len, file);
		at += len;
	}
	fputc('\n', file);
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

void rxaqm_wrap(FILE *file, unsigned int indent, const char *text, const struct rxaqm_mark *marks)
{
	size_t width = line_width(), begin = 0, at = 0, gap, word, i;
	const char *from = text;

	for (; *text; text += word) {
		if (!at) {
			at = (size_t)fprintf(file, "%*s", (int)indent, "");
			begin = at + strspn(text, " ") + 2;
		}
		gap = strspn(text, " ");
		word = gap + strcspn(text + gap, " \n");
		if (at > begin && at + characters(text, word) > width) {
			fprintf(file, "\n%*s", (int)begin, "");
			at = begin;
			text += gap;
			word -= gap;
		}
		at += characters(text, word);
		for (i = 0; i < word; i++) {
			for (; marks && marks->at <= (size_t)(text + i - from); marks++)
				rxaqm_paint(file, marks->paint);
			fputc(text[i], file);
		}
		if (text[word] == '\n' || !text[word]) {
			for (; marks && marks->at <= (size_t)(text + word - from); marks++)
				rxaqm_paint(file, marks->paint);
			fputc('\n', file);
			word += text[word] == '\n';
			at = 0;
		}
	}
}
