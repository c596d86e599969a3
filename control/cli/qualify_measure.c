/* SPDX-License-Identifier: GPL-2.0-only */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "cli/cmd.h"
#include "cli/options.h"
#include "cli/qualify_measure.h"

static volatile int stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

/* "Q1,Q4" into the request. */
static void choose_rows(struct qualify_measure *measure)
{
	const struct qualify_row_def *row;
	const char *at = measure->rows;
	size_t len;

	for (row = qualify_row_defs; !at && row->id; row++)
		measure->request.wanted[row - qualify_row_defs] = true;
	for (; at; at = at[len] ? at + len + 1 : NULL) {
		len = strcspn(at, ",");
		for (row = qualify_row_defs; row->id; row++) {
			if (strlen(row->id) == len && !strncasecmp(row->id, at, len))
				break;
		}
		if (!row->id)
			rxaqm_usage_error("--rows: no such row: \"%.*s\"; \"rxaqm qualify --list\" "
					  "has them",
					  (int)len, at);
		measure->request.wanted[row - qualify_row_defs] = true;
	}
}

void qualify_measure_check(struct qualify_measure *measure)
{
	const struct qualify_request *request = &measure->request;
	const char *host = request->host;

	if (host && (host[0] == '-' || host[0] == '/' || !*host))
		rxaqm_usage_error("--peer=%s: must be HOST or HOST/IFACE", host);
	if (!request->ifname && (request->host || request->loopback || measure->rows ||
				 measure->resume || request->disturb || measure->restore))
		rxaqm_usage_error("an interface is missing");
	if (request->host && request->loopback)
		rxaqm_usage_error("--peer and --loopback exclude each other");
	choose_rows(measure);
}

void qualify_measure_list(FILE *file)
{
	const struct qualify_row_def *row;
	struct rxaqm_out out;

	rxaqm_out_open(&out, file, rxaqm_globals.json);
	rxaqm_out_array(&out, "rows");
	for (row = qualify_row_defs; row->id; row++) {
		rxaqm_out_object(&out, NULL);
		rxaqm_out_str(&out, "id", "%-4s ", row->id);
		rxaqm_out_u64(&out, "seconds", "%3llu s  ", row->seconds);
		rxaqm_out_str(&out, "question", "%s\n", row->question);
		rxaqm_out_end(&out);
	}
	rxaqm_out_end(&out);
	rxaqm_out_close(&out, false);
}

static void progress(const struct qualify_request *request, const struct qualify_row_def *row,
		     unsigned int nr, unsigned int of, unsigned int left_s)
{
	if (nr == 1)
		rxaqm_log_notice("%u row(s), about %u s together; traffic of \"%s\" is disturbed, "
				 "settings are changed and put back",
				 of, left_s, request->ifname);
	rxaqm_log_notice("%u of %u, about %u s left: %s, %s", nr, of, left_s, row->id,
			 row->question);
}

static int read_earlier(const struct qualify_measure *measure, struct qualify_record *record,
			struct rxaqm_error *error)
{
	int err = qualify_record_read(record, measure->resume, error);

	if (err || !strcmp(record->interface, measure->request.ifname))
		return err;
	return rxaqm_bad(error, "%s is of interface \"%s\", not of \"%s\"", measure->resume,
			 record->interface, measure->request.ifname);
}

static int restore(const struct qualify_measure *measure, struct rxaqm_error *error)
{
	int done = qualify_restore(measure->request.ifname, error);

	if (done > 0)
		rxaqm_log_notice("\"%s\" was left changed by a run that was killed: put back",
				 measure->request.ifname);
	else if (!done && measure->restore)
		rxaqm_log_notice("nothing to put back at \"%s\"", measure->request.ifname);
	return done < 0 ? done : 0;
}

int qualify_measure_run(struct qualify_measure *measure, struct qualify_record *record,
			struct rxaqm_error *error)
{
	struct sigaction action = { .sa_handler = on_signal };
	int err;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGPIPE, &action, NULL);
	err = restore(measure, error);
	if (err || measure->restore)
		return err;
	if (measure->resume)
		err = read_earlier(measure, record, error);
	if (err)
		return err;
	measure->request.stop = &stop;
	measure->request.progress = progress;
	return qualify_rows_run(&measure->request, record, error);
}
