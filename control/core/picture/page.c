/* SPDX-License-Identifier: GPL-2.0-only */
/* HTML pages: escaped text, the beginning of a page. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "picture/picture.h"
#include "report.css.h"

static void print_escaped(FILE *file, const char *text)
{
	static const char marks[] = "&<>\"'";
	static const char *const words[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
	char *clean = strdup(text), *at;
	const char *mark;

	if (!clean)
		return;
	rxaqm_clean(clean);
	for (at = clean; *at; at++) {
		mark = strchr(marks, *at);
		if (mark)
			fputs(words[mark - marks], file);
		else
			fputc(*at, file);
	}
	free(clean);
}

void rxaqm_markup(FILE *file, const char *form, ...)
{
	va_list args;

	va_start(args, form);
	for (; *form; form++) {
		if (strncmp(form, "%s", 2)) {
			fputc(*form, file);
		} else {
			print_escaped(file, va_arg(args, const char *));
			form++;
		}
	}
	va_end(args);
}

void rxaqm_page_begin(FILE *file, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      /* No icon is requested: the page is one file. */
	      "<link rel=\"icon\" href=\"data:,\">\n",
	      file);
	rxaqm_markup(file, "<title>%s</title>\n", title);
	fprintf(file, "<style>\n%s</style>\n</head>\n<body>\n<main>\n", report_css);
}
