/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/metrics_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "types.h"

static void escaped(FILE *file, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n')
			fputs("\\n", file);
		else if (*text == '"' || *text == '\\')
			fprintf(file, "\\%c", *text);
		else
			fputc(*text, file);
	}
}

/* Cleaned, since a page with a single byte that is not UTF-8 is refused. */
static void label(FILE *file, const char *text)
{
	char *clean = NULL;
	size_t size;
	FILE *to = open_memstream(&clean, &size);

	if (!to)
		return;
	rxaqm_clean_puts(to, text);
	fclose(to);
	escaped(file, clean);
	free(clean);
}

void rxaqm_metrics_family(struct rxaqm_metrics_text *text, const char *type, const char *family,
			  const char *help)
{
	text->family = family;
	fprintf(text->file, "# HELP %s ", family);
	escaped(text->file, help);
	fprintf(text->file, "\n# TYPE %s %s\n", family, type);
}

void rxaqm_metrics_begin(struct rxaqm_metrics_text *text, const char *end,
			 const char *const *labels)
{
	const char *before = "{";

	fprintf(text->file, "%s%s", text->family, end);
	for (; *labels; labels += 2, before = ",") {
		fprintf(text->file, "%s%s=\"", before, labels[0]);
		label(text->file, labels[1]);
		fputc('"', text->file);
	}
	fputs(*before == ',' ? "} " : " ", text->file);
}

static void print_ns(FILE *file, __s64 ns)
{
	__u64 size_ns = ns < 0 ? -(__u64)ns : (__u64)ns;
	char fraction[16];
	size_t len;

	snprintf(fraction, sizeof(fraction), "%09llu", size_ns % RXAQM_NSEC_PER_SEC);
	for (len = strlen(fraction); len && fraction[len - 1] == '0'; len--)
		;
	fprintf(file, "%s%llu%s%.*s\n", ns < 0 ? "-" : "", size_ns / RXAQM_NSEC_PER_SEC,
		len ? "." : "", (int)len, fraction);
}

void rxaqm_metrics_u64(struct rxaqm_metrics_text *text, const char *const *labels, __u64 value)
{
	rxaqm_metrics_begin(text, "", labels);
	fprintf(text->file, "%llu\n", value);
}

void rxaqm_metrics_double(struct rxaqm_metrics_text *text, const char *const *labels, double value)
{
	rxaqm_metrics_begin(text, "", labels);
	fprintf(text->file, "%.9g\n", value);
}

void rxaqm_metrics_ns(struct rxaqm_metrics_text *text, const char *const *labels, __s64 ns)
{
	rxaqm_metrics_begin(text, "", labels);
	print_ns(text->file, ns);
}
