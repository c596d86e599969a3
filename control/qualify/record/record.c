/* SPDX-License-Identifier: GPL-2.0-only */
#include <json-c/json.h>
#include <string.h>

#include "base/fields_rows.h"
#include "qualify/record/record.h"

LAYOUT(rxaqm_point, FIELDS(rxaqm_point, x, y));

LAYOUT(rxaqm_curve, FIELDS(rxaqm_curve, name, x_unit, y_unit, distribution),
       LIST(rxaqm_curve, points, rxaqm_point_type));

LAYOUT(qualify_figure, FIELDS(qualify_figure, name, unit, method, words, detail, n, of),
       FIELDS(qualify_figure, median, p99, min, max, cv, error),
       LIST(qualify_figure, curves, rxaqm_curve_type));

const char *const qualify_verdicts[] = { "unknown", "pass", "warn", "fail", "none", NULL };

LAYOUT(qualify_row, FIELD(qualify_row, id), NAME(qualify_row, verdict, qualify_verdicts),
       FIELDS(qualify_row, why, meaning, reason, disturbed, took_ms),
       LIST(qualify_row, figures, qualify_figure_type));

LAYOUT(qualify_setup, FIELDS(qualify_setup, name, value));

#define COUNT(n, v) { .name = (n), .kind = RXAQM_FIELD_U32, .offset = (v) * sizeof(__u32) }
static const struct rxaqm_field count_fields[] = {
	COUNT("fail", QUALIFY_FAIL),	   COUNT("warn", QUALIFY_WARN), COUNT("pass", QUALIFY_PASS),
	COUNT("unknown", QUALIFY_UNKNOWN), COUNT("none", QUALIFY_NONE), {},
};
static const struct rxaqm_layout count_type = { count_fields, QUALIFY_NR_VERDICTS * sizeof(__u32) };

LAYOUT(qualify_record, NAME(qualify_record, verdict, qualify_verdicts),
       STRUCT(qualify_record, count, count_type), FIELD(qualify_record, required),
       FIELDS(qualify_record, time, host, interface, peer, nic_class, rxaqm, kernel, driver),
       FIELDS(qualify_record, driver_version, firmware, bus, pcie, cpu, cpus, mtu, speed_mbit),
       FIELD(qualify_record, profile), LIST(qualify_record, setup, qualify_setup_type),
       LIST(qualify_record, rows, qualify_row_type));

const struct qualify_figure *qualify_find_figure(const struct qualify_row *row, const char *name)
{
	const struct qualify_figure *figure;

	if (!row)
		return NULL;
	return rxaqm_list_find(figure, &row->figures, !strcmp(figure->name, name));
}

const struct qualify_row *qualify_find_row(const struct qualify_record *record, const char *id)
{
	const struct qualify_row *row;

	return rxaqm_list_find(row, &record->rows, !strcmp(row->id, id));
}

const struct qualify_figure *qualify_figure(const struct qualify_record *record, const char *id,
					    const char *name)
{
	const struct qualify_row *row = qualify_find_row(record, id);

	return row && *row->disturbed ? NULL : qualify_find_figure(row, name);
}

static int check_row(const struct qualify_record *record, size_t i, struct rxaqm_error *error)
{
	const struct qualify_row *row = &record->rows.at[i];
	size_t j;

	if (!*row->id || qualify_find_row(record, row->id) != row)
		return rxaqm_bad(error, "record.rows[%zu].id: must be there, and once", i);
	for (j = 0; j < row->figures.nr; j++) {
		const struct qualify_figure *figure = &row->figures.at[j];

		if (!*figure->name || qualify_find_figure(row, figure->name) != figure)
			return rxaqm_bad(error,
					 "record.rows[%zu].figures[%zu].name: must be there, and "
					 "once in the row",
					 i, j);
	}
	return 0;
}

static int check_rows(const void *at, struct rxaqm_error *error)
{
	const struct qualify_record *record = at;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < record->rows.nr; i++)
		err = check_row(record, i, error);
	return err;
}

const struct rxaqm_record_kind qualify_record_kind = {
	.format = { "rxaqm-qualify", "record of \"rxaqm qualify --out\"", QUALIFY_VERSION },
	.type = &qualify_record_type,
	.root = "record",
	.mode = 0644,
	.check = check_rows,
};

int qualify_record_parse(struct qualify_record *record, const char *text, size_t len,
			 const char *path, struct rxaqm_error *error)
{
	record->speed_mbit = -1;
	return rxaqm_record_parse(&qualify_record_kind, record, text, len, path, error);
}

int qualify_record_read(struct qualify_record *record, const char *path, struct rxaqm_error *error)
{
	record->speed_mbit = -1;
	return rxaqm_record_read(&qualify_record_kind, record, path, error);
}

void qualify_row_free(struct qualify_row *row)
{
	rxaqm_fields_free(&qualify_row_type, row);
}

const char *qualify_format_figure(const struct qualify_figure *figure, char buf[QUALIFY_FIGURE_LEN])
{
	if (!*figure->words)
		return rxaqm_format_number(figure->median, figure->unit, buf);
	snprintf(buf, QUALIFY_FIGURE_LEN, "%s%s%s", figure->words, *figure->detail ? ": " : "",
		 figure->detail);
	return buf;
}

const char *qualify_row_words(const struct qualify_row *row, char buf[QUALIFY_WHY_LEN])
{
	snprintf(buf, QUALIFY_WHY_LEN, "%s%s%s", row->why, *row->meaning ? ": " : "", row->meaning);
	return buf;
}

void qualify_facts(const struct qualify_record *record, struct qualify_fact facts[QUALIFY_FACTS])
{
	char cpus[24] = "", link[32] = "", mtu[16] = "";
	const char *const words[QUALIFY_FACTS][3] = {
		{ "Host", record->host, "" },
		{ "Interface", record->interface, "" },
		{ "Class", record->nic_class, "" },
		{ "Driver", record->driver, record->driver_version },
		{ "Firmware", record->firmware, "" },
		{ "Bus", record->bus, record->pcie },
		{ "Link", link, "" },
		{ "MTU", mtu, "" },
		{ "CPU", record->cpu, cpus },
		{ "Kernel", record->kernel, "" },
		{ "Peer", record->peer, "" },
		{ "NIC profile", *record->profile ? record->profile : "none", "" },
		{ "Date", record->time, "" },
		{ "rxaqm", record->rxaqm, "" },
	};
	size_t i;

	if (qualify_known(record->cpus) && record->cpus != ~0U)
		snprintf(cpus, sizeof(cpus), "%u CPUs", record->cpus);
	if (record->speed_mbit > 0)
		snprintf(link, sizeof(link), "%lld Mbit/s", record->speed_mbit);
	if (record->mtu && record->mtu != ~0U)
		snprintf(mtu, sizeof(mtu), "%u", record->mtu);
	for (i = 0; i < QUALIFY_FACTS; i++) {
		facts[i].name = words[i][0];
		snprintf(facts[i].value, sizeof(facts[i].value), "%.120s%s%.120s", words[i][1],
			 *words[i][1] && *words[i][2] ? ", " : "", words[i][2]);
	}
}
