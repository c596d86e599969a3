/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>

#include "qualify/judge/judge.h"
#include "qualify/print/print.h"
#include "qualify/record/format.h"

static void print_fact(FILE *file, const char *name, const char *a, const char *b)
{
	if (*a || *b)
		fprintf(file, "  %-9s %s%s%s\n", name, a, *a && *b ? ", " : "", b);
}

static void print_head(FILE *file, const struct qualify_record *record)
{
	char cpus[24] = "", link[48] = "", firmware[80] = "";

	if (record->cpus && record->cpus != ~0U)
		snprintf(cpus, sizeof(cpus), "%u CPUs", record->cpus);
	if (record->speed_mbit > 0)
		snprintf(link, sizeof(link), "%lld Mbit/s", (long long)record->speed_mbit);
	if (*record->firmware)
		snprintf(firmware, sizeof(firmware), "firmware %s", record->firmware);
	fprintf(file, "%s (%s), class %s, %s\n", record->interface,
		*record->driver ? record->driver : "?", record->nic_class, record->at);
	print_fact(file, "driver", record->driver_version, firmware);
	print_fact(file, "bus", record->bus, record->pcie);
	print_fact(file, "link", link, "");
	print_fact(file, "CPU", record->cpu, cpus);
	print_fact(file, "kernel", record->kernel, "");
	print_fact(file, "peer", record->peer, "");
	print_fact(file, "profile", *record->profile ? record->profile : "none", "");
}

static void print_number(FILE *file, const char *name, double value, const char *unit)
{
	char number[QUALIFY_NUMBER_LEN];

	if (isfinite(value))
		fprintf(file, "%s%s", name, qualify_format(value, unit, number));
}

static void print_figure(FILE *file, const struct qualify_figure *figure)
{
	char buf[QUALIFY_NUMBER_LEN * 2];

	fprintf(file, "      %-22s %s", figure->name, qualify_format_figure(figure, buf));
	if (!*figure->words) {
		print_number(file, " +-", figure->error, figure->unit);
		print_number(file, ", p99 ", figure->p99, figure->unit);
		print_number(file, ", ", figure->min, figure->unit);
		print_number(file, " to ", figure->max, figure->unit);
		print_number(file, ", varies by ", figure->cv, "share");
	}
	if (qualify_known(figure->n))
		fprintf(file, ", n=%llu", (unsigned long long)figure->n);
	if (qualify_known(figure->of) && figure->of > figure->n)
		fprintf(file, " of %llu", (unsigned long long)figure->of);
	fputc('\n', file);
	if (*figure->method)
		fprintf(file, "      %-22s   (%s)\n", "", figure->method);
}

void qualify_print_text(FILE *file, const struct qualify_record *record, bool figures)
{
	const struct qualify_figure *figure;
	const struct qualify_row_kind *kind;
	const struct qualify_row *row;

	print_head(file, record);
	rxaqm_list_each(row, &record->rows) {
		kind = qualify_row_kind(row->id);
		fprintf(file, "%-4s %-7s %-37s %s\n", row->id, qualify_verdict_name(row->verdict),
			kind ? kind->title : "", row->why);
		if (!figures)
			continue;
		rxaqm_list_each(figure, &row->figures)
			print_figure(file, figure);
	}
}
