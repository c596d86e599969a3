/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the qualification of a NIC found: figures by row. Rows (rows/) fill it; limits (judge/) read
 * the figures and set the verdicts; reports (print/) print it, and nothing else. record.c turns it
 * into JSON and back without loss: reports and comparisons can be made again without the NIC.
 *
 * What was not measured is absent: a missing figure, or NAN for a number.
 */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

#include "base/json_file.h"
#include "base/number.h"
#include "base/out.h"
#include "picture/picture.h"

/* Version of the file. Raise it when a member changes its meaning; a new member needs no raise. */
#define QUALIFY_VERSION 2

/* One number or word, and how it was measured. */
struct qualify_figure {
	char name[128]; /* unique in its row, the same in all versions: "stamp_to_xdp_idle" */
	char unit[16]; /* "ns", "packets", "pps", "ppm", "bytes", "share" (0 to 1), "count", "" */
	char method[192]; /* "SO_TIMESTAMPING of 1000 datagrams, 1 ms apart" */
	char words[160]; /* a value that is no number: "split"; "": see the numbers */
	char detail[160]; /* more about the words, for people: no verdict rests on it */
	__u64 n; /* samples */
	__u64 of; /* how many were to come: frames sent, tries; 0: not known */
	double median, p99, min, max; /* NAN: not known */
	double cv; /* variation: standard deviation over mean */
	double error; /* of the median, +-, in @unit: of resolution and clocks */
	RXAQM_LIST(struct rxaqm_curve) curves;
};

enum qualify_verdict {
	QUALIFY_UNKNOWN,
	QUALIFY_PASS,
	QUALIFY_WARN,
	QUALIFY_FAIL,
	QUALIFY_NONE, /* of a row that has no limit for the class */
	QUALIFY_NR_VERDICTS,
};
extern const char *const qualify_verdicts[]; /* their names, up to NULL */

struct qualify_row {
	char id[8]; /* "Q4" */
	char reason[256]; /* why the row itself could measure nothing; "": it did not say */
	/* By qualify_judge(): enum qualify_verdict; the figure and the limit that decided, or what
	 * is needed for a verdict; and what that means for a host, "": nothing.
	 */
	__u32 verdict;
	char why[256], meaning[128];
	char disturbed[160]; /* what disturbed the measurement, so no verdict; "": nothing */
	__u64 took_ms;
	RXAQM_LIST(struct qualify_figure) figures;
};

/* A fact that must be the same for figures to be comparable. */
struct qualify_setup {
	char name[32], value[256]; /* "Rx ring", "512" */
};

struct qualify_record {
	/* By qualify_judge(), too; and the rows without which the verdict is unknown, "Q1,Q4". */
	__u32 verdict;
	__u32 count[QUALIFY_NR_VERDICTS]; /* of rows */
	char required[96];
	char interface[32], peer[96]; /* peer: "loopback eth3", "host db2 (eth0)", "none" */
	char nic_class[16]; /* "aqm", "af_xdp" */
	char time[32], host[64]; /* time: of the begin, UTC, RFC 3339 */
	char rxaqm[32], kernel[96], driver[32], driver_version[64], firmware[64];
	char bus[64], pcie[64], cpu[96]; /* pcie: "16 GT/s x8"; "": none */
	__u32 cpus, mtu;
	__s64 speed_mbit; /* -1: not known */
	char profile[32]; /* the matching NIC profile; "": none */
	RXAQM_LIST(struct qualify_setup) setup;
	RXAQM_LIST(struct qualify_row) rows; /* in the order of the table of rows */
};

/* Is @number of a figure or a record known? 0 and ~0 are not. */
static inline bool qualify_known(__u64 number)
{
	return number && number != ~0ULL;
}

/* Find row @id, or the figure @name of @row (may be NULL). qualify_figure(): both at once, of a row
 * that was not disturbed. NULL: not there.
 */
const struct qualify_row *qualify_find_row(const struct qualify_record *record, const char *id);
const struct qualify_figure *qualify_find_figure(const struct qualify_row *row, const char *name);
const struct qualify_figure *qualify_figure(const struct qualify_record *record, const char *id,
					    const char *name);

/* Write @record to @path atomically ("-": standard output); read it into a zeroed @record ("-":
 * standard input). -errno with @error; free the record in either case.
 */
extern const struct rxaqm_record_kind qualify_record_kind;
static inline int qualify_record_write(const struct qualify_record *record, const char *path,
				       struct rxaqm_error *error)
{
	return rxaqm_record_write(&qualify_record_kind, record, path, error);
}
int qualify_record_read(struct qualify_record *record, const char *path, struct rxaqm_error *error);
/* Parse @len bytes of @text; @path is only for messages. */
int qualify_record_parse(struct qualify_record *record, const char *text, size_t len,
			 const char *path, struct rxaqm_error *error);
static inline void qualify_record_free(struct qualify_record *record)
{
	rxaqm_fields_free(qualify_record_kind.type, record);
}
void qualify_row_free(struct qualify_row *row);

/* @figure in short: its words and their detail, or its median with the unit. */
#define QUALIFY_FIGURE_LEN 324
const char *qualify_format_figure(const struct qualify_figure *figure,
				  char buf[QUALIFY_FIGURE_LEN]);

/* "why: meaning" of @row. */
#define QUALIFY_WHY_LEN 400
const char *qualify_row_words(const struct qualify_row *row, char buf[QUALIFY_WHY_LEN]);

/* What was measured, and where, as words; "": not known. */
#define QUALIFY_FACTS 14
struct qualify_fact {
	const char *name;
	char value[256];
};
void qualify_facts(const struct qualify_record *record, struct qualify_fact facts[QUALIFY_FACTS]);
