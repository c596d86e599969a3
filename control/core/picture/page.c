/* SPDX-License-Identifier: GPL-2.0-only */
/* HTML pages: escaped text, the beginning of a page, numbers. */
#include <math.h>
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

/* Units that are shown differently for large or small numbers. */
static const struct scale {
	const char *unit, *shown;
	double from, factor;
} scales[] = {
	{ "ns", "s", 1e9, 1e-9 },   { "ns", "ms", 1e6, 1e-6 },	  { "ns", "us", 1e3, 1e-3 },
	{ "ns", "ns", 0, 1 },	    { "pps", "Mpps", 1e6, 1e-6 }, { "pps", "kpps", 1e3, 1e-3 },
	{ "pps", "pps", 0, 1 },	    { "bytes", "MB", 1e6, 1e-6 }, { "bytes", "kB", 1e4, 1e-3 },
	{ "bytes", "bytes", 0, 1 }, { "B/s", "MB/s", 1e6, 1e-6 }, { "B/s", "kB/s", 1e3, 1e-3 },
	{ "share", "%", 0, 100 },   { "count", "", 0, 1 },
};

static void write_number(double value, const char *unit, char *buf)
{
	double size = fabs(value);
	int digits = size >= 100 || size == floor(size) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
	const char *blank = *unit ? " " : "";

	if ((size > 0 && size < 0.01) || size >= 1e7)
		snprintf(buf, RXAQM_NUMBER_LEN, "%.3g%s%s", value, blank, unit);
	else
		snprintf(buf, RXAQM_NUMBER_LEN, "%.*f%s%s", digits, value, blank, unit);
}

const char *rxaqm_format_number(double value, const char *unit, char buf[RXAQM_NUMBER_LEN])
{
	const struct scale *scale;

	if (!isfinite(value))
		return "-";
	for (scale = scales; scale < scales + sizeof(scales) / sizeof(scales[0]); scale++) {
		if (!strcmp(scale->unit, unit) && fabs(value) >= scale->from) {
			write_number(value * scale->factor, scale->shown, buf);
			return buf;
		}
	}
	write_number(value, unit, buf);
	return buf;
}
