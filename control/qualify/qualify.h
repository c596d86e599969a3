/* SPDX-License-Identifier: GPL-2.0-only */
/* Run the rows of a qualification, and restore whatever they changed. */
#pragma once

#include "qualify/rows/row.h"

#define QUALIFY_MAX_ROWS 64

struct qualify_request {
	const char *ifname;
	const char *host; /* the peer: "HOST" or "HOST/IFACE", by ssh; or NULL */
	const char *loopback; /* a peer on this host: "NETNS/IFACE", "IFACE" is refused; or NULL */
	const char *nic_class;
	bool wanted[QUALIFY_MAX_ROWS]; /* indexed like qualify_row_defs */
	bool disturb; /* run even if the interface is in use */
	/* Write the record here after each row, if possible; NULL: do not. */
	const char *out;
	const volatile int *stop;
	/* Row @nr of @of begins; @left_s seconds remain, including it. */
	void (*progress)(const struct qualify_request *request, const struct qualify_row_def *row,
			 unsigned int nr, unsigned int of, unsigned int left_s);
	void (*judged)(const struct qualify_row *row); /* after each measured row */
};

/* Restore what a dead run left changed on @ifname. 1: restored, 0: nothing to do, -errno with
 * @error: also if another run is active.
 */
int qualify_restore(const char *ifname, struct rxaqm_error *error);

/* Measure the wanted rows into @record, which is zeroed. All changes are restored in any case.
 * -errno with @error; @record keeps what was measured.
 */
int qualify_rows_run(const struct qualify_request *request, struct qualify_record *record,
		     struct rxaqm_error *error);

/* Fill in @record except its rows, class and peer; return the MAC address, too. -errno. */
int qualify_facts_read(const char *ifname, struct qualify_record *record, __u8 mac[6]);

/* Add a fact about the set-up. */
void qualify_setup_add(struct qualify_record *record, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Fill in @run for @request. Its changes are noted in run->journal; restore it in any case. -errno
 * with run->error.
 */
int qualify_prepare(struct qualify_run *run, const struct qualify_request *request);

/* Switch on what @row needs. NULL: it is ready; else why it is not. */
const char *qualify_row_ready(struct qualify_run *run, const struct qualify_row_def *row);

/* Close all that qualify_prepare() opened. */
void qualify_unprepare(struct qualify_run *run);

/* What to do with records, new or old: judge, print, write, compare. */
struct qualify_report {
	const char *nic_class, *required; /* NULL: those of the record */
	/* Files to write; NULL: none, "-": standard output. */
	const char *out, *html, *junit;
	const char *json; /* "-": --json prints more than --out does; NULL: it does not */
	bool all; /* print figures, too */
};

/* Check that the files can be written, one document each. -errno with @error. */
int qualify_report_try(const struct qualify_report *report, struct rxaqm_error *error);

/* Judge @record, write the files and print it. Errors are logged. Return an
 * exit code: RXAQM_EXIT_FINDINGS if it fails, RXAQM_EXIT_UNKNOWN if its verdict is unknown.
 */
int qualify_report_make(const struct qualify_report *report, struct qualify_record *record);

/* Compare the record at the second of two @paths with the first. RXAQM_EXIT_FINDINGS: it is worse;
 * -errno with @error.
 */
int qualify_report_compare(const struct qualify_report *report, char *const *paths,
			   struct rxaqm_error *error);
