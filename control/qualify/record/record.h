/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a qualification of a NIC found: figures by row. Rows (rows/) fill it, limits (judge/) read
 * the figures and set the verdicts, and reports (print/) print what is in it and nothing else.
 * record.c turns it into JSON and back without loss, so that a report can be made again, and
 * compared with another, without the NIC.
 *
 * What was not measured is absent: a figure that is not there, a number that is NAN.
 */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

#include "base/json_file.h"
#include "base/out.h"
#include "picture/picture.h"

/* Of the file. Raised when the meaning of something in it changes; what is new needs no raise. */
#define QUALIFY_VERSION 1

/* One number, or one word, and how it was come by. */
struct qualify_figure {
	char name[128]; /* unique in its row, stable over versions: "stamp_to_xdp_idle" */
	char unit[16]; /* "ns", "packets", "pps", "ppm", "bytes", "share" (0 to 1), "count", "" */
	char method[192]; /* "SO_TIMESTAMPING of 1000 datagrams, 1 ms apart" */
	char words[160]; /* what is no number: "split"; "": the numbers are meant */
	__u64 n; /* samples */
	__u64 of; /* how many there were to be: frames sent, tries; 0: not told */
	double median, p99, min, max; /* NAN: not known */
	double cv; /* variation: standard deviation over mean */
	double error; /* of the median, +-, in @unit: resolution, clocks */
	RXAQM_LIST(struct rxaqm_curve) curves;
};

enum qualify_verdict {
	QUALIFY_UNKNOWN, /* "why" says what would be needed */
	QUALIFY_PASS,
	QUALIFY_WARN,
	QUALIFY_FAIL,
	QUALIFY_NR_VERDICTS,
};

struct qualify_row {
	char id[8]; /* "Q4" */
	__u32 verdict; /* enum qualify_verdict, by the limits of the record's class */
	char why[256]; /* of the verdict, with the figure and the limit; or why nothing is known */
	char disturbed[160]; /* what kept the host from measuring it: no verdict; "": nothing */
	__u64 took_ms;
	RXAQM_LIST(struct qualify_figure) figures;
};

/* What else would have to be the same for the same figures. */
struct qualify_setup {
	char name[32], value[256]; /* "Rx ring", "512; then 1024" after --resume */
};

struct qualify_record {
	char interface[32], peer[96]; /* peer: "loopback eth3", "host db2 (eth0)", "none" */
	char nic_class[16]; /* "aqm", "ptp", "af_xdp" */
	char time[32], host[64]; /* when it began, UTC, RFC 3339, and where */
	char rxaqm[32], kernel[96], driver[32], driver_version[64], firmware[64];
	char bus[64], pcie[64], cpu[96]; /* pcie: "16 GT/s x8"; "": none */
	__u32 cpus, mtu;
	__s64 speed_mbit; /* -1: not known */
	char profile[32]; /* the NIC profile that matches; "": none */
	RXAQM_LIST(struct qualify_setup) setup;
	RXAQM_LIST(struct qualify_row) rows; /* in the order of the table of rows */
};

/* Is @number of a figure or a record known? Zero and all ones are not. */
static inline bool qualify_known(__u64 number)
{
	return number && number != ~0ULL;
}

/* The row @id, the figure @name of @row (may be NULL), and both at once, of a row that was not
 * disturbed; NULL: not there.
 */
const struct qualify_row *qualify_find_row(const struct qualify_record *record, const char *id);
const struct qualify_figure *qualify_find_figure(const struct qualify_row *row, const char *name);
const struct qualify_figure *qualify_figure(const struct qualify_record *record, const char *id,
					    const char *name);

/* Rows by verdict. */
void qualify_count(const struct qualify_record *record, unsigned int count[QUALIFY_NR_VERDICTS]);

/* Write @record to @path ("-": standard output), which is replaced at once. Read it into a zeroed
 * @record ("-": standard input). -errno with @error; a record must be freed in any case.
 */
extern const struct rxaqm_record_kind qualify_record_kind;
#define qualify_record_write(record, path, error) \
	rxaqm_record_write(&qualify_record_kind, record, path, error)
#define qualify_record_read(record, path, error) \
	qualify_file_parse(record, path, qualify_record_parse, error)
/* The same of @text, of @len bytes; @path only for messages. */
typedef int qualify_parse_fn(struct qualify_record *record, const char *text, size_t len,
			     const char *path, struct rxaqm_error *error);
qualify_parse_fn qualify_record_parse;
int qualify_file_parse(struct qualify_record *record, const char *path, qualify_parse_fn *parse,
		       struct rxaqm_error *error);
#define qualify_record_free(record) rxaqm_fields_free(qualify_record_kind.type, record)
void qualify_row_free(struct qualify_row *row);

#define QUALIFY_KTAP_ROW "ks"
#define QUALIFY_KTAP_MAX 4096 /* results */

/* Add the results in @text, of @len bytes, called @path, to row "ks" of @record: a figure a test,
 * "pass", "fail: WHY", "skip: WHY" or "xfail: WHY". Reads TAP 13 and 14, and KTAP as kselftest's
 * runner nests it; of a test with subtests these only, unless it failed for another reason. Fewer
 * results than were planned are a failure. -EINVAL with @error: no results, or too many.
 * Documentation/dev-tools/ktap.rst
 */
qualify_parse_fn qualify_ktap_parse;

/* What @figure is in short: its words, or its median with the unit. */
const char *qualify_format_figure(const struct qualify_figure *figure,
				  char buf[RXAQM_NUMBER_LEN * 2]);

const char *qualify_verdict_name(unsigned int verdict); /* "unknown", "pass", "warn", "fail" */

/* What was measured on what, in words; a value that is not known is "". */
#define QUALIFY_FACTS 14
struct qualify_fact {
	const char *name;
	char value[256];
};
void qualify_facts(const struct qualify_record *record, struct qualify_fact facts[QUALIFY_FACTS]);
