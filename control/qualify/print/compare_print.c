/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "qualify/judge/judge.h"
#include "qualify/print/compare.h"
#include "base/out.h"
#include "qualify/record/record.h"

#define NAME_COLUMNS 24
#define CELL_COLUMNS 14 /* at least */
#define CELL_MAX 32

static const char rule[] =
	"+ best, - worst, beyond noise, by the limits of the first record's class; ~ "
	"changed; ? differs, but its variation is not known. Noise: 3 standard errors "
	"of both medians and their own errors, or the intervals of both p99s. Two runs "
	"of one NIC show how much the set-up itself varies.";

/* Records side by side: the first one, and those from @from to before @to. */
struct block {
	FILE *file;
	const struct qualify_comparison *comparison;
	unsigned int from, to;
	int columns; /* of a cell */
};

#define each_record(i, block) for ((i) = 0; (i) < (block)->to; (i) = (i) ? (i) + 1 : (block)->from)

/* Print what fits of @text: its begin; of a file name its end. */
static void print_cell(const struct block *block, enum qualify_verdict color, const char *text,
		       const char *mark, bool end)
{
	size_t len = strlen(text), room = (size_t)block->columns - 1 - strlen(mark);
	char *cell = NULL;
	int err;

	if (len <= room)
		err = asprintf(&cell, "%s%s", text, mark);
	else if (end)
		err = asprintf(&cell, "..%s", text + len - (room - 2));
	else
		err = asprintf(&cell, "%.*s..%s", (int)room - 2, text, mark);
	qualify_print_verdict(block->file, color, err < 0 ? "" : cell, block->columns);
	if (err >= 0)
		free(cell);
}

static void print_line(const struct block *block, const struct qualify_line *line)
{
	char name[144], number[RXAQM_NUMBER_LEN * 2];
	unsigned int i;

	snprintf(name, sizeof(name), "  %s%s", line->figure->name, line->p99 ? " p99" : "");
	fprintf(block->file, "%-*.*s ", NAME_COLUMNS - 1, NAME_COLUMNS - 1, name);
	each_record(i, block)
	{
		const struct qualify_cell *cell = &line->cell[i];
		const char *text = !cell->figure ?
					   "-" :
				   cell->figure->words[0] ?
					   cell->figure->words :
					   rxaqm_format_number(line->p99 ? cell->figure->p99 :
									   cell->figure->median,
							       cell->figure->unit, number);

		print_cell(block,
			   cell->worst || cell->change == QUALIFY_WORSE ? QUALIFY_FAIL :
			   cell->best					? QUALIFY_PASS :
									  QUALIFY_UNKNOWN,
			   text,
			   cell->worst			 ? " -" :
			   cell->best			 ? " +" :
			   cell->change == QUALIFY_MAYBE ? " ?" :
			   cell->change == QUALIFY_CHANGED || cell->change == QUALIFY_WORSE ||
					   cell->change == QUALIFY_BETTER ?
							   " ~" :
							   "",
			   false);
	}
	fputc('\n', block->file);
}

/* Does any of them differ from the first? */
static bool differs(const struct block *block, const struct qualify_line *line)
{
	unsigned int i;

	each_record(i, block)
	{
		if (line->cell[i].change != QUALIFY_SAME)
			return true;
	}
	return false;
}

/* The same of the verdicts on row @id. */
static bool verdict_differs(const struct block *block, const char *id)
{
	const struct qualify_record *record = block->comparison->record;
	const struct qualify_row *row, *first = qualify_find_row(record, id);
	unsigned int i;

	each_record(i, block)
	{
		row = qualify_find_row(&record[i], id);
		if (!row != !first || (row && row->verdict != first->verdict))
			return true;
	}
	return false;
}

static void print_title(const struct block *block, const char *id)
{
	const struct qualify_row *row;
	unsigned int i;

	fprintf(block->file, "%s %s\n%-*s", id, qualify_row_kind(id)->title, NAME_COLUMNS,
		"  verdict");
	each_record(i, block)
	{
		row = qualify_find_row(&block->comparison->record[i], id);
		qualify_print_verdict(block->file, row ? row->verdict : QUALIFY_UNKNOWN,
				      row ? NULL : "-", block->columns);
	}
	fputc('\n', block->file);
}

/* Print what differs in row @id. */
static void print_row(const struct block *block, const char *id)
{
	const struct qualify_line *line;
	bool any = verdict_differs(block, id);

	if (any)
		print_title(block, id);
	rxaqm_list_each(line, &block->comparison->lines) {
		if (strcmp(line->row, id) || !differs(block, line))
			continue;
		if (!any)
			print_title(block, id);
		any = true;
		print_line(block, line);
	}
}

/* The length of the directory that all names share. */
static size_t common(char *const *names, unsigned int nr)
{
	size_t len = strlen(names[0]);
	unsigned int i;

	for (i = 1; i < nr; i++)
		while (strncmp(names[0], names[i], len))
			len--;
	while (len && names[0][len - 1] != '/')
		len--;
	return len;
}

static void print_facts(const struct block *block, char *const *names)
{
	size_t skip = common(names, block->comparison->nr);
	struct qualify_fact facts[QUALIFY_FACTS], first[QUALIFY_FACTS];
	unsigned int i, fact;

	qualify_facts(&block->comparison->record[0], first);
	fprintf(block->file, "%-*s", NAME_COLUMNS, "");
	each_record(i, block) print_cell(block, QUALIFY_UNKNOWN, names[i] + skip, "", true);
	for (fact = 0; fact < QUALIFY_FACTS; fact++) {
		fprintf(block->file, "\n%-*s", NAME_COLUMNS, first[fact].name);
		each_record(i, block)
		{
			qualify_facts(&block->comparison->record[i], facts);
			print_cell(block, QUALIFY_UNKNOWN,
				   !*facts[fact].value ? "-" :
				   i && !strcmp(facts[fact].value, first[fact].value) ?
							 "same" :
							 facts[fact].value,
				   "", false);
		}
	}
	fputc('\n', block->file);
}

static void print_block(const struct block *block, char *const *names)
{
	const struct qualify_record *record = block->comparison->record;
	const struct qualify_row *row;
	unsigned int i, before;

	print_facts(block, names);
	for (i = 0; i < block->comparison->nr; i++) {
		rxaqm_list_each(row, &record[i].rows) {
			for (before = 0; before < i; before++) {
				if (qualify_find_row(&record[before], row->id))
					break;
			}
			if (before == i)
				print_row(block, row->id);
		}
	}
	fputc('\n', block->file);
}

void qualify_comparison_print(FILE *file, const struct qualify_comparison *comparison,
			      char *const *names)
{
	int room = (int)rxaqm_text_width(file) - NAME_COLUMNS, fit = room / CELL_COLUMNS - 1,
	    columns;
	struct block block = { .file = file, .comparison = comparison, .from = 1 };
	unsigned int i, kind;
	char sums[256];
	size_t len;

	fit = fit < (int)comparison->nr - 1 ? fit : (int)comparison->nr - 1;
	columns = room / (fit + 1);
	block.columns = columns < CELL_MAX ? columns : CELL_MAX;
	for (; block.from < comparison->nr; block.from = block.to) {
		block.to = block.from + (unsigned int)fit;
		block.to = block.to < comparison->nr ? block.to : comparison->nr;
		print_block(&block, names);
	}
	for (i = 1; i < comparison->nr; i++) {
		for (kind = len = 0; kind < QUALIFY_NR_CHANGES; kind++)
			len += (size_t)sprintf(sums + len, "%s%u %s", kind ? ", " : "",
					       comparison->count[i][kind], qualify_changes[kind]);
		fprintf(file, "%s: ", names[i]);
		rxaqm_print_words(file, strlen(names[i]) + 2, 2, sums);
	}
	rxaqm_print_words(file, 0, 0, rule);
}

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
		rxaqm_out_str(out, "verdict", NULL, qualify_verdicts[row->verdict]);
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
	rxaqm_out_head(&out, "qualify-comparison");
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
