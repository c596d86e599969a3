/* SPDX-License-Identifier: GPL-2.0-only */
/* "rxaqm qualify --compare -j" */
#include "base/out.h"
#include "qualify/print/compare.h"
#include "qualify/record/format.h"

static void put_record(struct rxaqm_out *out, const char *name, const struct qualify_record *record)
{
	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "file", NULL, name);
	rxaqm_out_str(out, "interface", NULL, record->interface);
	rxaqm_out_str(out, "driver", NULL, record->driver);
	rxaqm_out_str(out, "firmware", NULL, record->firmware);
	rxaqm_out_str(out, "kernel", NULL, record->kernel);
	rxaqm_out_str(out, "nic_class", NULL, record->nic_class);
	rxaqm_out_str(out, "time", NULL, record->time);
	rxaqm_out_end(out);
}

static void put_cell(struct rxaqm_out *out, const struct qualify_line *line, unsigned int record,
		     const struct qualify_row *row)
{
	const struct qualify_cell *cell = &line->cell[record];
	const struct qualify_figure *figure = cell->figure;

	rxaqm_out_object(out, NULL);
	rxaqm_out_u64(out, "record", NULL, record);
	if (row)
		rxaqm_out_str(out, "verdict", NULL, qualify_verdict_name(row->verdict));
	if (figure && *figure->words)
		rxaqm_out_str(out, "value", NULL, figure->words);
	else if (figure)
		rxaqm_out_double(out, "value", NULL, line->p99 ? figure->p99 : figure->median);
	rxaqm_out_str(out, "change", NULL, qualify_changes[cell->change]);
	rxaqm_out_double(out, "noise", NULL, cell->noise);
	rxaqm_out_bool(out, "best", NULL, NULL, cell->best);
	rxaqm_out_bool(out, "worst", NULL, NULL, cell->worst);
	rxaqm_out_end(out);
}

static void put_line(struct rxaqm_out *out, const struct qualify_comparison *comparison,
		     const struct qualify_line *line)
{
	unsigned int i;

	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "row", NULL, line->row);
	rxaqm_out_str(out, "figure", NULL, line->figure->name);
	rxaqm_out_str(out, "statistic", NULL, line->p99 ? "p99" : "median");
	rxaqm_out_str(out, "unit", NULL, line->figure->unit);
	rxaqm_out_array(out, "records");
	for (i = 0; i < comparison->nr; i++)
		put_cell(out, line, i, qualify_find_row(&comparison->record[i], line->row));
	rxaqm_out_end(out);
	rxaqm_out_end(out);
}

void qualify_comparison_json(FILE *file, const struct qualify_comparison *comparison,
			     char *const *names)
{
	const struct qualify_line *line;
	struct rxaqm_out out;
	unsigned int i;

	rxaqm_out_open(&out, file, true);
	qualify_json_head(&out, "rxaqm-qualify-comparison");
	rxaqm_out_bool(&out, "worse", NULL, NULL, comparison->worse);
	rxaqm_out_array(&out, "records");
	for (i = 0; i < comparison->nr; i++)
		put_record(&out, names[i], &comparison->record[i]);
	rxaqm_out_end(&out);
	rxaqm_out_array(&out, "figures");
	rxaqm_list_each(line, &comparison->lines)
		put_line(&out, comparison, line);
	rxaqm_out_end(&out);
	rxaqm_out_close(&out, false);
}
