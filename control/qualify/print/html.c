/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <string.h>

#include "qualify/judge/judge.h"
#include "qualify/print/picture.h"
#include "qualify/print/print.h"
#include "qualify/record/format.h"

static void print_fact(FILE *file, const char *name, const char *value)
{
	if (!*value)
		return;
	fprintf(file, "<dt>%s</dt><dd>", name);
	qualify_print_escaped(file, value);
	fputs("</dd>\n", file);
}

static void print_head(FILE *file, const struct qualify_record *record)
{
	char driver[128], cpu[128], link[64] = "", mtu[16] = "";

	snprintf(driver, sizeof(driver), "%s %s", record->driver, record->driver_version);
	snprintf(cpu, sizeof(cpu), "%s", record->cpu);
	if (record->cpus && record->cpus != ~0U)
		snprintf(cpu, sizeof(cpu), "%s%s%u CPUs", record->cpu, *record->cpu ? ", " : "",
			 record->cpus);
	if (record->speed_mbit > 0)
		snprintf(link, sizeof(link), "%lld Mbit/s", (long long)record->speed_mbit);
	if (record->mtu && record->mtu != ~0U)
		snprintf(mtu, sizeof(mtu), "%u", record->mtu);
	fputs("<dl>\n", file);
	print_fact(file, "Interface", record->interface);
	print_fact(file, "Class", record->nic_class);
	print_fact(file, "Driver", driver);
	print_fact(file, "Firmware", record->firmware);
	print_fact(file, "Bus", record->bus);
	print_fact(file, "PCIe", record->pcie);
	print_fact(file, "Link", link);
	print_fact(file, "MTU", mtu);
	print_fact(file, "CPU", cpu);
	print_fact(file, "Kernel", record->kernel);
	print_fact(file, "Peer", record->peer);
	print_fact(file, "NIC profile", *record->profile ? record->profile : "none");
	print_fact(file, "Date", record->at);
	print_fact(file, "rxaqm", record->rxaqm);
	fputs("</dl>\n", file);
}

static const char *title_of(const struct qualify_row *row)
{
	const struct qualify_row_kind *kind = qualify_row_kind(row->id);

	return kind ? kind->title : "";
}

static void print_verdicts(FILE *file, const struct qualify_record *record)
{
	size_t count[QUALIFY_NR_VERDICTS] = {}, i;

	for (i = 0; i < record->rows.nr; i++) {
		if (record->rows.at[i].verdict < QUALIFY_NR_VERDICTS)
			count[record->rows.at[i].verdict]++;
	}
	fprintf(file, "<p>%zu fail, %zu warn, %zu pass, %zu unknown.</p>\n", count[QUALIFY_FAIL],
		count[QUALIFY_WARN], count[QUALIFY_PASS], count[QUALIFY_UNKNOWN]);
	fputs("<table id=\"verdicts\">\n<thead><tr><th>Row</th><th></th><th>Verdict</th>"
	      "<th>Why</th><th>OCP core features</th></tr></thead>\n<tbody>\n",
	      file);
	for (i = 0; i < record->rows.nr; i++) {
		const struct qualify_row *row = &record->rows.at[i];
		const struct qualify_row_kind *kind = qualify_row_kind(row->id);

		fputs("<tr><td class=\"k\"><a href=\"#", file);
		qualify_print_escaped(file, row->id);
		fputs("\">", file);
		qualify_print_escaped(file, row->id);
		fprintf(file, "</a></td><td>%s</td><td>", title_of(row));
		qualify_html_verdict(file, row->verdict);
		fputs("</td><td>", file);
		qualify_print_escaped(file, row->why);
		fprintf(file, "</td><td>%s</td></tr>\n", kind && kind->ocp ? kind->ocp : "-");
	}
	fputs("</tbody>\n</table>\n<p class=\"note\">OCP: \"Server NIC Software: Core Features\", "
	      "version 1. -: what it asks for is not known to rxaqm.</p>\n",
	      file);
}

static void print_cell(FILE *file, double value, const char *unit)
{
	char number[QUALIFY_NUMBER_LEN];

	fputs("<td class=\"n\">", file);
	qualify_print_escaped(file, isfinite(value) ? qualify_format(value, unit, number) : "");
	fputs("</td>", file);
}

static void print_figure(FILE *file, const struct qualify_figure *figure)
{
	const char *unit = figure->unit;

	fputs("<tbody><tr class=\"t\"><td>", file);
	qualify_print_escaped(file, figure->name);
	fputs("</td>", file);
	if (*figure->words) {
		fputs("<td colspan=\"4\">", file);
		qualify_print_escaped(file, figure->words);
		fputs("</td>", file);
	} else {
		print_cell(file, figure->median, unit);
		print_cell(file, figure->p99, unit);
		print_cell(file, figure->min, unit);
		print_cell(file, figure->max, unit);
	}
	if (figure->n && figure->n != ~0ULL)
		fprintf(file, "<td class=\"n\">%llu</td>", (unsigned long long)figure->n);
	else
		fputs("<td></td>", file);
	print_cell(file, figure->cv, "share");
	print_cell(file, figure->error, unit);
	fputs("</tr>\n<tr class=\"m\"><td colspan=\"8\">", file);
	qualify_print_escaped(file, figure->method);
	fputs("</td></tr></tbody>\n", file);
}

static void print_pictures(FILE *file, const struct qualify_row *row)
{
	const struct qualify_row_kind *kind = qualify_row_kind(row->id);
	size_t nr = qualify_row_curves(row), i;
	struct qualify_picture picture;
	const char *caption;

	for (i = 0; i < nr; i++) {
		if (!qualify_picture_of(&picture, row, i))
			continue;
		fputs("<figure>\n", file);
		qualify_picture_draw(file, &picture, title_of(row));
		caption = picture.kind == QUALIFY_CDF ?
				  "Share of samples at or below a value, on a logarithmic scale: "
				  "left is better, upright is steadier. " :
				  "";
		fprintf(file, "<figcaption>%s%s</figcaption>\n</figure>\n", caption,
			kind && kind->picture &&
					kind->of_distribution == (picture.kind == QUALIFY_CDF) ?
				kind->picture :
				"");
	}
}

static void print_row(FILE *file, const struct qualify_row *row)
{
	size_t i;

	fputs("<section id=\"", file);
	qualify_print_escaped(file, row->id);
	fputs("\">\n<h2>", file);
	qualify_print_escaped(file, row->id);
	fprintf(file, " %s ", title_of(row));
	qualify_html_verdict(file, row->verdict);
	fputs("</h2>\n<p class=\"why\">", file);
	qualify_print_escaped(file, row->why);
	fputs("</p>\n", file);
	if (row->figures.nr) {
		fputs("<table class=\"f\">\n<thead><tr><th>Figure</th><th class=\"n\">Median</th>"
		      "<th class=\"n\">p99</th><th class=\"n\">Min</th><th class=\"n\">Max</th>"
		      "<th class=\"n\">n</th><th class=\"n\">Variation</th>"
		      "<th class=\"n\">Error &plusmn;</th></tr></thead>\n",
		      file);
		for (i = 0; i < row->figures.nr; i++)
			print_figure(file, &row->figures.at[i]);
		fputs("</table>\n", file);
	}
	print_pictures(file, row);
	fputs("</section>\n", file);
}

void qualify_print_html(FILE *file, const struct qualify_record *record)
{
	char title[96];
	size_t i;

	snprintf(title, sizeof(title), "NIC qualification of %s (%s)", record->interface,
		 *record->driver ? record->driver : "?");
	qualify_html_begin(file, title);
	print_head(file, record);
	print_verdicts(file, record);
	for (i = 0; i < record->rows.nr; i++)
		print_row(file, &record->rows.at[i]);
	qualify_html_end(file);
}
