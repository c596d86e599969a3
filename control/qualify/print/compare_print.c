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
#define CELL_LEN 330 /* a value, and its mark */

static const char rule[] =
	"+ better and - worse than the first, beyond noise, by the limits of its class; ~ "
	"changed; ? differs, but its variation is not known. Noise: 3 standard errors "
	"of both medians and their own errors, or the intervals of both p99s. Two runs "
	"of one NIC show how much the set-up itself varies.";

struct cell {
	enum qualify_verdict color;
	char text[CELL_LEN];
};

/* Records side by side: the first one, and those from @from to before @to. */
struct block {
	FILE *file;
	const struct qualify_comparison *comparison;
	unsigned int from, to;
	int columns; /* of a cell of text */
	/* Print a line; a title has no cells, others one for each of these records. */
	void (*line)(const struct block *block, const char *name, bool title);
	struct cell *cell; /* for each record */
};

#define each_record(i, block) for ((i) = 0; (i) < (block)->to; (i) = (i) ? (i) + 1 : (block)->from)

static void set_cell(const struct block *block, unsigned int record, enum qualify_verdict color,
		     const char *text, const char *mark)
{
	block->cell[record].color = color;
	snprintf(block->cell[record].text, CELL_LEN, "%s%s", text, mark);
}

static void put_figure(const struct block *block, const struct qualify_line *line)
{
	static const struct {
		const char *sign;
		enum qualify_verdict color;
	} marks[QUALIFY_NR_CHANGES] = {
		[QUALIFY_MAYBE] = { " ?", QUALIFY_UNKNOWN },
		[QUALIFY_CHANGED] = { " ~", QUALIFY_UNKNOWN },
		[QUALIFY_BETTER] = { " +", QUALIFY_PASS },
		[QUALIFY_WORSE] = { " -", QUALIFY_FAIL },
	};
	char name[144], number[QUALIFY_FIGURE_LEN];
	unsigned int i;

	each_record(i, block)
	{
		const struct qualify_cell *cell = &line->cell[i];
		const char *text = !cell->figure ? "absent" :
				   line->p99	 ? rxaqm_format_number(cell->figure->p99,
								       cell->figure->unit, number) :
						   qualify_format_figure(cell->figure, number);

		set_cell(block, i, marks[cell->change].color, text, marks[cell->change].sign ?: "");
	}
	snprintf(name, sizeof(name), "  %s%s", line->figure->name, line->p99 ? " p99" : "");
	block->line(block, name, false);
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

static void put_verdicts(const struct block *block, const char *id)
{
	const struct qualify_row *row;
	char title[96];
	unsigned int i;

	snprintf(title, sizeof(title), "%s %s", id, qualify_row_kind(id)->title);
	block->line(block, title, true);
	each_record(i, block)
	{
		row = qualify_find_row(&block->comparison->record[i], id);
		set_cell(block, i, row ? row->verdict : QUALIFY_UNKNOWN,
			 row ? qualify_verdicts[row->verdict] : "absent", "");
	}
	block->line(block, "  verdict", false);
}

/* Print what differs in row @id, if its verdicts do, or if not. */
static void put_row(const struct block *block, const char *id, bool verdicts)
{
	const struct qualify_line *line;
	bool any = verdict_differs(block, id);

	if (any != verdicts)
		return;
	if (any)
		put_verdicts(block, id);
	rxaqm_list_each(line, &block->comparison->lines) {
		if (strcmp(line->row, id) || !differs(block, line))
			continue;
		if (!any)
			put_verdicts(block, id);
		any = true;
		put_figure(block, line);
	}
}

static void put_rows(const struct block *block, bool verdicts)
{
	const struct qualify_record *record = block->comparison->record;
	const struct qualify_row *row;
	unsigned int i, before;

	for (i = 0; i < block->comparison->nr; i++) {
		rxaqm_list_each(row, &record[i].rows) {
			for (before = 0; before < i; before++) {
				if (qualify_find_row(&record[before], row->id))
					break;
			}
			if (before == i)
				put_row(block, row->id, verdicts);
		}
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

static void put_facts(const struct block *block)
{
	const struct qualify_comparison *comparison = block->comparison;
	size_t skip = common(comparison->names, comparison->nr);
	struct qualify_fact facts[QUALIFY_FACTS], first[QUALIFY_FACTS];
	unsigned int i, fact;

	qualify_facts(comparison->record, first);
	each_record(i, block) set_cell(block, i, QUALIFY_UNKNOWN, comparison->names[i] + skip, "");
	block->line(block, "", false);
	each_record(i, block)
	{
		const __u32 verdict = comparison->record[i].verdict;

		set_cell(block, i, verdict, qualify_verdicts[verdict], "");
	}
	block->line(block, "Verdict", false);
	for (fact = 0; fact < QUALIFY_FACTS; fact++) {
		each_record(i, block)
		{
			qualify_facts(&comparison->record[i], facts);
			set_cell(block, i, QUALIFY_UNKNOWN,
				 !*facts[fact].value ? "unknown" :
				 i && !strcmp(facts[fact].value, first[fact].value) ?
						       "same" :
						       facts[fact].value,
				 "");
		}
		block->line(block, first[fact].name, false);
	}
}

/* How much of @text fits @room: whole words, if one does. */
static size_t fitting(const char *text, size_t room)
{
	size_t len = strlen(text), blank = room;

	if (len <= room)
		return len;
	while (blank && text[blank] != ' ')
		blank--;
	return blank ?: room;
}

/* Print the next part of what is left in a column. True: more is left. */
static bool put_part(const struct block *block, const char **left, enum qualify_verdict color,
		     int columns)
{
	size_t len = fitting(*left, (size_t)columns - 1);
	char part[CELL_LEN];

	snprintf(part, sizeof(part), "%.*s", (int)len, *left);
	qualify_print_verdict(block->file, color, part, columns);
	*left += len;
	*left += strspn(*left, " ");
	return **left;
}

/* What does not fit a column goes on in the next line. */
static void put_text(const struct block *block, const char *name, bool title)
{
	const char *left[QUALIFY_RECORDS_MAX];
	unsigned int i;
	bool more;

	if (title) {
		fprintf(block->file, "%s\n", name);
		return;
	}
	each_record(i, block) left[i] = block->cell[i].text;
	do {
		more = put_part(block, &name, QUALIFY_UNKNOWN, NAME_COLUMNS);
		each_record(i, block)
			more |= put_part(block, &left[i], block->cell[i].color, block->columns);
		fputc('\n', block->file);
	} while (more);
}

static void put_sums(FILE *file, const struct qualify_comparison *comparison, bool html)
{
	unsigned int i, kind;
	char sums[256];
	size_t len;

	for (i = 1; i < comparison->nr; i++) {
		for (kind = len = 0; kind < QUALIFY_NR_CHANGES; kind++)
			len += (size_t)sprintf(sums + len, "%s%u %s", kind ? ", " : "",
					       comparison->count[i][kind], qualify_changes[kind]);
		if (html) {
			rxaqm_markup(file, "<p>%s: %s</p>\n", comparison->names[i], sums);
		} else {
			fprintf(file, "%s: ", comparison->names[i]);
			rxaqm_print_words(file, strlen(comparison->names[i]) + 2, 2, sums);
		}
	}
}

void qualify_comparison_print(FILE *file, const struct qualify_comparison *comparison)
{
	int room = (int)rxaqm_text_width(file) - NAME_COLUMNS, fit = room / CELL_COLUMNS - 1,
	    columns;
	static struct cell cells[QUALIFY_RECORDS_MAX];
	struct block block = { file, comparison, 1, 0, 0, put_text, cells };

	fit = fit < (int)comparison->nr - 1 ? fit : (int)comparison->nr - 1;
	columns = room / (fit + 1);
	block.columns = columns < CELL_MAX ? columns : CELL_MAX;
	for (; block.from < comparison->nr; block.from = block.to) {
		block.to = block.from + (unsigned int)fit;
		block.to = block.to < comparison->nr ? block.to : comparison->nr;
		put_facts(&block);
		put_rows(&block, true);
		put_rows(&block, false);
		fputc('\n', file);
	}
	put_sums(file, comparison, false);
	rxaqm_print_words(file, 0, 0, rule);
}

static void put_html(const struct block *block, const char *name, bool title)
{
	unsigned int i;

	rxaqm_markup(block->file, title ? "<tr><th scope=\"rowgroup\">%s</th>" : "<tr><td>%s</td>",
		     name);
	each_record(i, block)
	{
		fprintf(block->file, "<td class=\"v%d\">", (int)block->cell[i].color);
		rxaqm_markup(block->file, "%s</td>", title ? "" : block->cell[i].text);
	}
	fputs("</tr>\n", block->file);
}

void qualify_comparison_html(FILE *file, const void *what)
{
	static const char begin[] = "<table class=\"wide\" tabindex=\"0\">\n";
	const struct qualify_comparison *comparison = what;
	static struct cell cells[QUALIFY_RECORDS_MAX];
	const struct block block = { file, comparison, 1, comparison->nr, 0, put_html, cells };

	rxaqm_page_begin(file, "NICs compared");
	fprintf(file, "<h1>NICs compared</h1>\n%s", begin);
	put_facts(&block);
	fprintf(file, "</table>\n<h2>Rows whose verdict changed</h2>\n%s", begin);
	put_rows(&block, true);
	fprintf(file, "</table>\n<h2>Other rows whose figures changed</h2>\n%s", begin);
	put_rows(&block, false);
	fputs("</table>\n", file);
	put_sums(file, comparison, true);
	rxaqm_markup(file, "<p class=\"note\">%s</p>\n</main>\n</body>\n</html>\n", rule);
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

void qualify_comparison_json(FILE *file, const struct qualify_comparison *comparison)
{
	const struct qualify_line *line;
	struct rxaqm_out out;
	unsigned int i;

	rxaqm_out_open(&out, file, true);
	rxaqm_out_head(&out, "qualify-comparison");
	rxaqm_out_bool(&out, "worse", NULL, NULL, comparison->worse);
	rxaqm_out_array(&out, "records");
	for (i = 0; i < comparison->nr; i++)
		put_record(&out, comparison->names[i], &comparison->record[i]);
	rxaqm_out_end(&out);
	rxaqm_out_array(&out, "figures");
	rxaqm_list_each(line, &comparison->lines)
		put_line(&out, comparison, line);
	rxaqm_out_end(&out);
	rxaqm_out_close(&out, false);
}
