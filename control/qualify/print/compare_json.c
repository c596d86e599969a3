/* SPDX-License-Identifier: GPL-2.0-only */
/* "rxaqm qualify --compare -j" */
#include "base/out.h"
#include "qualify/print/compare.h"

static void put_record(struct rxaqm_out *out, const char *key, const struct qualify_record *record)
{
	rxaqm_out_object(out, key);
	rxaqm_out_str(out, "interface", NULL, record->interface);
	rxaqm_out_str(out, "driver", NULL, record->driver);
	rxaqm_out_str(out, "firmware", NULL, record->firmware);
	rxaqm_out_str(out, "kernel", NULL, record->kernel);
	rxaqm_out_str(out, "nic_class", NULL, record->nic_class);
	rxaqm_out_str(out, "at", NULL, record->at);
	rxaqm_out_end(out);
}

static void put_verdict(struct rxaqm_out *out, const char *key, const struct qualify_row *row)
{
	if (row)
		rxaqm_out_u64(out, key, NULL, row->verdict);
	else
		rxaqm_out_null(out, key, NULL);
}

static void put_row(struct rxaqm_out *out, const char *id, const struct qualify_row *a,
		    const struct qualify_row *b)
{
	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "id", NULL, id);
	put_verdict(out, "verdict_a", a);
	put_verdict(out, "verdict_b", b);
	rxaqm_out_end(out);
}

static void put_rows(struct rxaqm_out *out, const struct qualify_comparison *comparison)
{
	const struct qualify_record *a = comparison->a, *b = comparison->b;
	const struct qualify_row *row;

	rxaqm_out_array(out, "rows");
	rxaqm_list_each(row, &a->rows)
		put_row(out, row->id, row, qualify_find_row(b, row->id));
	rxaqm_list_each(row, &b->rows) {
		if (!qualify_find_row(a, row->id))
			put_row(out, row->id, NULL, row);
	}
	rxaqm_out_end(out);
}

static void put_side(struct rxaqm_out *out, const char *key, const struct qualify_figure *figure,
		     bool p99)
{
	if (!figure)
		rxaqm_out_null(out, key, NULL);
	else if (*figure->words)
		rxaqm_out_str(out, key, NULL, figure->words);
	else
		rxaqm_out_double(out, key, NULL, p99 ? figure->p99 : figure->median);
}

static void put_change(struct rxaqm_out *out, const struct qualify_change *change)
{
	const struct qualify_figure *figure = change->b ?: change->a;

	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "row", NULL, change->row);
	rxaqm_out_str(out, "figure", NULL, figure->name);
	rxaqm_out_str(out, "statistic", NULL, change->p99 ? "p99" : "median");
	rxaqm_out_str(out, "unit", NULL, figure->unit);
	rxaqm_out_str(out, "change", NULL, qualify_change_name(change->kind));
	put_side(out, "a", change->a, change->p99);
	put_side(out, "b", change->b, change->p99);
	rxaqm_out_double(out, "noise", NULL, change->noise);
	rxaqm_out_end(out);
}

void qualify_comparison_json(FILE *file, const struct qualify_comparison *comparison)
{
	const struct qualify_change *change;
	struct rxaqm_out out;

	rxaqm_out_open(&out, file, true);
	rxaqm_out_bool(&out, "worse", NULL, NULL, qualify_comparison_worse(comparison));
	put_record(&out, "a", comparison->a);
	put_record(&out, "b", comparison->b);
	put_rows(&out, comparison);
	rxaqm_out_array(&out, "figures");
	rxaqm_list_each(change, &comparison->changes)
		put_change(&out, change);
	rxaqm_out_end(&out);
	rxaqm_out_close(&out, false);
}
