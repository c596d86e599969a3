/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs the rows of a qualification, and puts back whatever they changed. */
#pragma once

#include "qualify/rows/row.h"

#define QUALIFY_MAX_ROWS 64

struct qualify_request {
	const char *ifname;
	const char *host; /* of the peer: "HOST" or "HOST/IFACE", by ssh; or NULL */
	const char *loopback; /* another interface of this host: "NETNS/IFACE" or "IFACE"; or NULL */
	const char *nic_class;
	bool wanted[QUALIFY_MAX_ROWS]; /* of qualify_row_defs */
	bool disturb; /* though the interface is in use */
	/* The record is written here after each row, if it can be; NULL: nowhere. */
	const char *out;
	const volatile int *stop;
	/* Row @nr of @of begins; @left_s remain, it included. */
	void (*progress)(const struct qualify_request *request, const struct qualify_row_def *row,
			 unsigned int nr, unsigned int of, unsigned int left_s);
	void (*judged)(const struct qualify_row *row); /* that was measured */
};

/* Put back what a run that died has left of @ifname. 1 it was, 0 there was nothing, -errno with
 * @error: also if another is at work.
 */
int qualify_restore(const char *ifname, struct rxaqm_error *error);

/* Measure what is wanted and not yet in @record, zeroed or of an earlier run of the same NIC. All
 * that was changed is put back in any case. -errno with @error; @record has what was measured.
 */
int qualify_rows_run(const struct qualify_request *request, struct qualify_record *record,
		     struct rxaqm_error *error);

/* Fill in all of @record that is no row, class or peer, and the MAC address. -errno. */
int qualify_facts_read(const char *ifname, struct qualify_record *record, __u8 mac[6]);

/* The serial number of the PCI device @bus ("0000:03:00.0"); "": nobody tells it. That in the @nr
 * bytes of a PCI VPD.
 */
#define QUALIFY_SERIAL_LEN 64
void qualify_serial(const char *bus, char serial[QUALIFY_SERIAL_LEN]);
void qualify_vpd_serial(const __u8 *vpd, size_t nr, char serial[QUALIFY_SERIAL_LEN]);

/* Another fact of the set-up. */
void qualify_setup_add(struct qualify_record *record, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Fill in @run for @request; what it changes is noted in run->journal, to be restored in any case.
 * -errno with run->error.
 */
int qualify_prepare(struct qualify_run *run, const struct qualify_request *request);

/* What @row needs is there, and on; or why not, in words. */
const char *qualify_row_ready(struct qualify_run *run, const struct qualify_row_def *row);

/* Close all. */
void qualify_unprepare(struct qualify_run *run);

/* What is done with records, measured now or before: judge, print, write, compare. */
#define QUALIFY_KTAP_FILES 8

struct qualify_report {
	const char *nic_class; /* NULL: the record's */
	/* Files to write; NULL: none, "-": standard output. */
	const char *out, *html, *profile, *csv, *junit;
	const char *json; /* "-", if --json asks for more than @out does; or NULL */
	const char *ktap[QUALIFY_KTAP_FILES]; /* up to the first NULL */
	bool all; /* figures, too */
};

/* Could the files be written now, each with one document? -errno with @error. */
int qualify_report_try(const struct qualify_report *report, struct rxaqm_error *error);

/* Add what is to be imported to @record, judge it, write the files, print it. An exit code, after
 * an error was logged: RXAQM_EXIT_FINDINGS if a row fails.
 */
int qualify_report_make(const struct qualify_report *report, struct qualify_record *record);

/* Compare the records at @paths, up to a NULL. RXAQM_EXIT_FINDINGS if one is worse than the first;
 * -errno with @error.
 */
int qualify_report_compare(const struct qualify_report *report, char *const *paths,
			   struct rxaqm_error *error);
