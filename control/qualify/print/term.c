/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/print/term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/parse.h"

#define COLUMNS 80

const char *const qualify_color_names[] = { "auto", "always", "never", NULL };

static enum qualify_color colors;

void qualify_use_colors(enum qualify_color when)
{
	colors = when;
}

/* Behind @file, whose text is cleaned on its way; -1: no standard stream. */
static int fd_of(FILE *file)
{
	return file == stdout ? STDOUT_FILENO : file == stderr ? STDERR_FILENO : -1;
}

static bool has_colors(int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (fd < 0 || colors != QUALIFY_COLOR_AUTO)
		return fd >= 0 && colors == QUALIFY_COLOR_ALWAYS;
	return !(no_color && *no_color) && term && strcmp(term, "dumb") && isatty(fd);
}

int qualify_width(FILE *file)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	__u64 width;

	if (fd_of(file) < 0)
		return COLUMNS;
	if (columns && !rxaqm_parse_u64(columns, COLUMNS, 10000, &width))
		return (int)width;
	return ioctl(fd_of(file), TIOCGWINSZ, &size) || size.ws_col < COLUMNS ? COLUMNS :
										size.ws_col;
}

void qualify_print_verdict(FILE *file, enum qualify_verdict verdict, const char *text, int columns)
{
	static const char *const escapes[] = { "", "\033[32m", "\033[33m", "\033[1;31m" };
	const char *escape = has_colors(fd_of(file)) ? escapes[verdict] : "";

	/* Not through the stream, which shows them as what others have named is shown. */
	if (*escape && (fflush(file) || write(fd_of(file), escape, strlen(escape)) < 0))
		escape = "";
	fprintf(file, "%-*s", columns, text ?: qualify_verdict_name(verdict));
	if (*escape && (fflush(file) || write(fd_of(file), "\033[0m", 4) < 0))
		clearerr(stdin); /* what is lost is colour */
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
