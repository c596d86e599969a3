/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "qualify/judge/judge.h"
#include "qualify/print/compare.h"
#include "base/out.h"
#include "qualify/record/record.h"

#define NAME_COLUMNS 24
#define CELL_COLUMNS 32 /* at most */

static const char rule[] =
	"+ better and - worse than the first, beyond noise, by the limits of its class; ~ "
	"changed; ? differs, but its variation is not known. Noise: 3 standard errors "
	"of both medians and their own errors, or the intervals of both p99s. Two runs "
	"of one NIC show how much the set-up itself varies.";

struct cell {
	enum qualify_verdict color;
	const char *text;
};

struct table {
	FILE *file;
	const struct qualify_comparison *comparison;
	/* Print a line with a cell for each record, or a title, if @cell is NULL. */
	void (*line)(const struct table *table, const char *name, const struct cell *cell);
	int columns; /* of a cell of text */
};

static const char *format(const struct qualify_figure *figure, bool p99,
			  char buf[QUALIFY_FIGURE_LEN])
{
	return !figure ? "absent" :
	       p99     ? rxaqm_format_number(figure->p99, figure->unit, buf) :
			 qualify_format_figure(figure, buf);
}

static void put_figure(const struct table *table, const struct qualify_line *line)
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
	char name[144], was[QUALIFY_FIGURE_LEN], is[QUALIFY_FIGURE_LEN];
	char marked[QUALIFY_FIGURE_LEN + 2];
	const struct cell cell[] = { { QUALIFY_UNKNOWN, format(line->was, line->p99, was) },
				     { marks[line->change].color, marked } };

	snprintf(marked, sizeof(marked), "%s%s", format(line->is, line->p99, is),
		 marks[line->change].sign ?: "");
	snprintf(name, sizeof(name), "  %s%s", (line->was ?: line->is)->name,
		 line->p99 ? " p99" : "");
	table->line(table, name, cell);
}

static struct cell verdict_of(const struct qualify_row *row)
{
	if (!row)
		return (struct cell){ QUALIFY_UNKNOWN, "absent" };
	return (struct cell){ row->verdict, qualify_verdicts[row->verdict] };
}

static void put_verdicts(const struct table *table, const char *id, const struct cell *verdict)
{
	char title[96];

	snprintf(title, sizeof(title), "%s %s", id, qualify_row_kind(id)->title);
	table->line(table, title, NULL);
	table->line(table, "  verdict", verdict);
}

/* Print what differs in row @id, if its verdicts do, or if not. */
static void put_row(const struct table *table, const char *id, bool verdicts)
{
	const struct qualify_record *record = table->comparison->record;
	const struct cell verdict[] = { verdict_of(qualify_find_row(&record[0], id)),
					verdict_of(qualify_find_row(&record[1], id)) };
	const struct qualify_line *line;
	bool begun = verdicts;

	if (verdicts != !!strcmp(verdict[0].text, verdict[1].text))
		return;
	if (verdicts)
		put_verdicts(table, id, verdict);
	rxaqm_list_each(line, &table->comparison->lines) {
		if (strcmp(line->row, id) || line->change == QUALIFY_SAME)
			continue;
		if (!begun)
			put_verdicts(table, id, verdict);
		begun = true;
		put_figure(table, line);
	}
}

static void put_rows(const struct table *table, bool verdicts)
{
	const struct qualify_record *record = table->comparison->record;
	const struct qualify_row *row;

	rxaqm_list_each(row, &record[0].rows)
		put_row(table, row->id, verdicts);
	rxaqm_list_each(row, &record[1].rows)
		if (!qualify_find_row(&record[0], row->id))
			put_row(table, row->id, verdicts);
}

/* The names of both files, without the directory that they share. */
static void put_names(const struct table *table)
{
	const char *a = table->comparison->names[0], *b = table->comparison->names[1];
	size_t skip = 0, i;

	for (i = 0; a[i] && a[i] == b[i]; i++)
		skip = a[i] == '/' ? i + 1 : skip;
	table->line(table, "",
		    (struct cell[]){ { QUALIFY_UNKNOWN, a + skip },
				     { QUALIFY_UNKNOWN, b + skip } });
}

static void put_facts(const struct table *table)
{
	const struct qualify_record *record = table->comparison->record;
	struct qualify_fact was[QUALIFY_FACTS], is[QUALIFY_FACTS];
	unsigned int i;

	put_names(table);
	table->line(table, "Verdict",
		    (struct cell[]){ { record[0].verdict, qualify_verdicts[record[0].verdict] },
				     { record[1].verdict, qualify_verdicts[record[1].verdict] } });
	qualify_facts(&record[0], was);
	qualify_facts(&record[1], is);
	for (i = 0; i < QUALIFY_FACTS; i++) {
		const char *first = *was[i].value ? was[i].value : "unknown";
		const char *second = *is[i].value ? is[i].value : "unknown";

		if (*is[i].value && !strcmp(first, second))
			second = "same";
		table->line(table, was[i].name,
			    (struct cell[]){ { QUALIFY_UNKNOWN, first },
					     { QUALIFY_UNKNOWN, second } });
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
static bool put_part(FILE *file, const char **left, enum qualify_verdict color, int columns)
{
	size_t len = fitting(*left, (size_t)columns - 1);
	char part[CELL_COLUMNS];

	snprintf(part, sizeof(part), "%.*s", (int)len, *left);
	qualify_print_verdict(file, color, part, columns);
	*left += len;
	*left += strspn(*left, " ");
	return **left;
}

/* What does not fit a column goes on in the next line. */
static void put_text(const struct table *table, const char *name, const struct cell *cell)
{
	const char *left[] = { cell ? cell[0].text : "", cell ? cell[1].text : "" };
	bool more = cell;

	if (!cell)
		fprintf(table->file, "%s\n", name);
	while (more) {
		more = put_part(table->file, &name, QUALIFY_UNKNOWN, NAME_COLUMNS);
		more |= put_part(table->file, &left[0], cell[0].color, table->columns);
		more |= put_part(table->file, &left[1], cell[1].color, table->columns);
		fputc('\n', table->file);
	}
}

static void format_sums(const struct qualify_comparison *comparison, char sums[256])
{
	unsigned int change;
	size_t len = 0;

	for (change = 0; change < QUALIFY_NR_CHANGES; change++)
		len += (size_t)sprintf(sums + len, "%s%u %s", change ? ", " : "",
				       comparison->count[change], qualify_changes[change]);
}

void qualify_comparison_print(FILE *file, const struct qualify_comparison *comparison)
{
	int columns = ((int)rxaqm_text_width(file) - NAME_COLUMNS) / 2;
	const struct table table = { file, comparison, put_text,
				     columns < CELL_COLUMNS ? columns : CELL_COLUMNS };
	char sums[256];

	put_facts(&table);
	put_rows(&table, true);
	put_rows(&table, false);
	format_sums(comparison, sums);
	fputc('\n', file);
	rxaqm_print_words(file, 0, 2, sums);
	rxaqm_print_words(file, 0, 0, rule);
}

static void put_html(const struct table *table, const char *name, const struct cell *cell)
{
	int i;

	rxaqm_markup(table->file, cell ? "<tr><td>%s</td>" : "<tr><th scope=\"rowgroup\">%s</th>",
		     name);
	for (i = 0; i < 2; i++) {
		fprintf(table->file, "<td class=\"v%d\">", cell ? (int)cell[i].color : 0);
		rxaqm_markup(table->file, "%s</td>", cell ? cell[i].text : "");
	}
	fputs("</tr>\n", table->file);
}

void qualify_comparison_html(FILE *file, const void *comparison)
{
	static const char begin[] = "<table class=\"wide\" tabindex=\"0\">\n";
	const struct table table = { file, comparison, put_html, 0 };
	char sums[256];

	rxaqm_page_begin(file, "NICs compared");
	fprintf(file, "<h1>NICs compared</h1>\n%s", begin);
	put_facts(&table);
	fprintf(file, "</table>\n<h2>Rows whose verdict changed</h2>\n%s", begin);
	put_rows(&table, true);
	fprintf(file, "</table>\n<h2>Other rows whose figures changed</h2>\n%s", begin);
	put_rows(&table, false);
	format_sums(comparison, sums);
	fprintf(file, "</table>\n<p>%s</p>\n", sums);
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

static void put_value(struct rxaqm_out *out, const struct qualify_comparison *comparison,
		      const struct qualify_line *line, unsigned int record)
{
	const struct qualify_row *row = qualify_find_row(&comparison->record[record], line->row);
	const struct qualify_figure *figure = record ? line->is : line->was;

	rxaqm_out_object(out, NULL);
	rxaqm_out_u64(out, "record", NULL, record);
	if (row)
		rxaqm_out_str(out, "verdict", NULL, qualify_verdicts[row->verdict]);
	if (figure && *figure->words)
		rxaqm_out_str(out, "value", NULL, figure->words);
	else if (figure)
		rxaqm_out_double(out, "value", NULL, line->p99 ? figure->p99 : figure->median);
	rxaqm_out_str(out, "change", NULL, qualify_changes[record ? line->change : QUALIFY_SAME]);
	rxaqm_out_double(out, "noise", NULL, line->noise);
	rxaqm_out_end(out);
}

static void put_line(struct rxaqm_out *out, const struct qualify_comparison *comparison,
		     const struct qualify_line *line)
{
	const struct qualify_figure *figure = line->was ?: line->is;

	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "row", NULL, line->row);
	rxaqm_out_str(out, "figure", NULL, figure->name);
	rxaqm_out_str(out, "statistic", NULL, line->p99 ? "p99" : "median");
	rxaqm_out_str(out, "unit", NULL, figure->unit);
	rxaqm_out_array(out, "records");
	put_value(out, comparison, line, 0);
	put_value(out, comparison, line, 1);
	rxaqm_out_end(out);
	rxaqm_out_end(out);
}

void qualify_comparison_json(FILE *file, const struct qualify_comparison *comparison)
{
	const struct qualify_line *line;
	struct rxaqm_out out;
	int i;

	rxaqm_out_open(&out, file, true);
	rxaqm_out_head(&out, "qualify-comparison");
	rxaqm_out_bool(&out, "worse", NULL, NULL, comparison->worse);
	rxaqm_out_array(&out, "records");
	for (i = 0; i < 2; i++)
		put_record(&out, comparison->names[i], &comparison->record[i]);
	rxaqm_out_end(&out);
	rxaqm_out_array(&out, "figures");
	rxaqm_list_each(line, &comparison->lines)
		put_line(&out, comparison, line);
	rxaqm_out_end(&out);
	rxaqm_out_close(&out, false);
}
