/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/metrics_text.h"

#include <string.h>

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

void rxaqm_metrics_family(struct rxaqm_metrics_text *text, const char *type, const char *family,
			  const char *help)
{
	text->family = family;
	fprintf(text->file, "# HELP %s ", family);
	escaped(text->file, help);
	fprintf(text->file, "\n# TYPE %s %s\n", family, type);
}

static void label(FILE *file, const char *before, const char *name, const char *value)
{
	fprintf(file, "%s%s=\"", before, name);
	escaped(file, value);
	fputc('"', file);
}

/* Name and labels of a sample; @le (or NULL) is one more label. */
static void begin(struct rxaqm_metrics_text *text, const char *end, const char *const *labels,
		  const char *le)
{
	const char *before = "{";

	fprintf(text->file, "%s%s", text->family, end);
	for (; *labels; labels += 2, before = ",")
		label(text->file, before, labels[0], labels[1]);
	if (le)
		label(text->file, before, "le", le);
	fputs(le || *before == ',' ? "} " : " ", text->file);
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
	begin(text, "", labels, NULL);
	fprintf(text->file, "%llu\n", value);
}

void rxaqm_metrics_double(struct rxaqm_metrics_text *text, const char *const *labels, double value)
{
	begin(text, "", labels, NULL);
	fprintf(text->file, "%.9g\n", value);
}

void rxaqm_metrics_ns(struct rxaqm_metrics_text *text, const char *const *labels, __s64 ns)
{
	begin(text, "", labels, NULL);
	print_ns(text->file, ns);
}

void rxaqm_metrics_histogram(struct rxaqm_metrics_text *text, const char *const *labels,
			     const __u64 *bounds_ns, const __u64 *count, unsigned int nr,
			     double sum_s)
{
	__u64 below = 0;
	unsigned int i;
	char le[24];

	for (i = 0; i <= nr; i++) {
		below += count[i];
		snprintf(le, sizeof(le), "%.10g", i < nr ? (double)bounds_ns[i] / 1e9 : 0);
		begin(text, "_bucket", labels, i < nr ? le : "+Inf");
		fprintf(text->file, "%llu\n", below);
	}
	begin(text, "_sum", labels, NULL);
	fprintf(text->file, "%.15g\n", sum_s);
	begin(text, "_count", labels, NULL);
	fprintf(text->file, "%llu\n", below);
}
