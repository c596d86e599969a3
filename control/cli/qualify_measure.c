/* SPDX-License-Identifier: GPL-2.0-only */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/qualify_measure.h"

static volatile int stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

/* "Q1,Q4" into the request. */
static void choose_rows(struct qualify_measure *measure, const struct argp_state *state)
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
			rxaqm_options_error(state,
					    "--rows: no such row: \"%.*s\"; \"rxaqm qualify --list\" "
					    "has them",
					    (int)len, at);
		measure->request.wanted[row - qualify_row_defs] = true;
	}
}

void qualify_measure_check(struct qualify_measure *measure, const struct argp_state *state)
{
	const struct qualify_request *request = &measure->request;

	if (!request->ifname && (request->host || request->loopback || measure->rows ||
				 measure->resume || request->disturb || measure->restore))
		rxaqm_options_error(state, "an interface is missing");
	if (request->host && request->loopback)
		rxaqm_options_error(state, "--peer and --loopback exclude each other");
	choose_rows(measure, state);
}

void qualify_measure_list(FILE *file)
{
	const struct qualify_row_def *row;

	for (row = qualify_row_defs; row->id; row++)
		fprintf(file, "%-4s %3u s  %s\n", row->id, row->seconds, row->question);
}

static void progress(const struct qualify_row_def *row, unsigned int nr, unsigned int of,
		     unsigned int left_s)
{
	rxaqm_log_notice("%u of %u, about %u s left: %s, %s", nr, of, left_s, row->id,
			 row->question);
}

static void announce(const struct qualify_request *request, const struct qualify_record *record)
{
	char rows[256] = "";
	const struct qualify_row_def *row;

	for (row = qualify_row_defs; row->id; row++) {
		if (request->wanted[row - qualify_row_defs])
			snprintf(rows + strlen(rows), sizeof(rows) - strlen(rows), " %s %u s,",
				 row->id, row->seconds);
	}
	rxaqm_log_notice("rows%s together about %u s; traffic of \"%s\" is disturbed, settings are "
			 "changed and put back",
			 rows, qualify_seconds(request, record), request->ifname);
}

static int read_earlier(const struct qualify_measure *measure, struct qualify_record *record,
			struct rxaqm_error *error)
{
	int err = qualify_record_read(record, measure->resume, error);

	if (err || !strcmp(record->interface, measure->request.ifname))
		return err;
	return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
			       "%s is of interface \"%s\", not of \"%s\"", measure->resume,
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
	err = restore(measure, error);
	sigaction(SIGPIPE, &action, NULL);
	if (err || measure->restore)
		return err;
	if (measure->resume)
		err = read_earlier(measure, record, error);
	if (err)
		return err;
	measure->request.stop = &stop;
	measure->request.progress = progress;
	announce(&measure->request, record);
	return qualify_rows_run(&measure->request, record, error);
}
