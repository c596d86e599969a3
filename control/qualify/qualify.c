/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/qualify.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state/machine.h"
#include "base/dirs.h"
#include "base/lock_file.h"
#include "base/now.h"
#include "qualify/judge/judge.h"
#include "qualify/measure/others.h"
#include "qualify/rows/traffic.h"

/* Hold it during a run: then settings left by a dead run differ from those of a live one. */
static int lock(const struct qualify_journal *journal, struct rxaqm_error *error)
{
	char path[QUALIFY_JOURNAL_LEN + 8];
	int fd, err = rxaqm_machine_check_capabilities(error);

	if (err)
		return err;
	mkdir(rxaqm_kept_path("", path, sizeof(path)), 0755);
	snprintf(path, sizeof(path), "%s.lock", journal->path);
	fd = rxaqm_lock_file(path);
	if (fd >= 0)
		return fd;
	return rxaqm_failed(error, -fd, "cannot lock \"%s\": %s; %s", path, strerror(-fd),
			    fd == -EWOULDBLOCK ?
				    "another \"rxaqm qualify\" is at work at this interface" :
				    "name a directory that can be written to with "
				    "STATE_DIRECTORY");
}

static void unlock(const struct qualify_journal *journal, int fd)
{
	char path[QUALIFY_JOURNAL_LEN + 8];

	snprintf(path, sizeof(path), "%s.lock", journal->path);
	unlink(path);
	close(fd);
}

int qualify_restore(const char *ifname, struct rxaqm_error *error)
{
	struct qualify_journal journal = {};
	int fd, err, left;

	qualify_journal_init(&journal, ifname);
	fd = lock(&journal, error);
	if (fd < 0)
		return fd;
	left = qualify_journal_left(&journal);
	err = left ? qualify_journal_restore(&journal, error) : 0;
	unlock(&journal, fd);
	return err ?: left;
}

static int by_number(const void *a, const void *b)
{
	const struct qualify_row *x = a, *y = b;

	return (int)(strtol(x->id + 1, NULL, 10) - strtol(y->id + 1, NULL, 10));
}

static void keep(struct qualify_record *record, const struct qualify_row *row)
{
	if (rxaqm_list_put(&record->rows, *row))
		qsort(record->rows.at, record->rows.nr, sizeof(*row), by_number);
}

/* In a shorter time the kernel counts too few ticks to tell who used a CPU. */
#define WATCH_MS 300

/* Measure row @def, and watch who else uses the CPUs. */
static int watch_row(struct qualify_run *run, const struct qualify_row_def *def,
		     struct qualify_row *row)
{
	static const __u8 nowhere[QUALIFY_CPUS];
	static struct qualify_others from, to;
	__u8 *receives = run->probe.received;
	__u8 runs[QUALIFY_CPUS] = {};
	__u64 until_ns = rxaqm_now_ns() + WATCH_MS * RXAQM_NSEC_PER_MSEC;
	cpu_set_t cpus;
	int err, cpu;

	if (!(def->needs & QUALIFY_NEEDS_QUIET))
		return def->run(run, row);
	if (receives)
		memset(receives, 0, QUALIFY_CPUS);
	run->probe.gone.threads.nr = 0;
	qualify_others_read(&from, "/proc", getpid());
	err = def->run(run, row);
	while (!*run->stop && !rxaqm_ns_reached(rxaqm_now_ns(), until_ns))
		qualify_sleep_ms(run, 10);
	qualify_others_read(&to, "/proc", getpid());
	qualify_receivers_add(&run->probe.gone, &to);
	if (!sched_getaffinity(0, sizeof(cpus), &cpus)) {
		for (cpu = 0; cpu < QUALIFY_CPUS && cpu < CPU_SETSIZE; cpu++)
			runs[cpu] = CPU_ISSET(cpu, &cpus) != 0;
	}
	qualify_others_disturbed(&from, &to, receives ?: nowhere, runs, row->disturbed);
	qualify_others_free(&from);
	qualify_others_free(&to);
	return err;
}

/* -errno with run->error: other rows would fail, too, as no frame comes or the peer is lost. */
static int run_row(struct qualify_run *run, const struct qualify_row_def *def)
{
	struct qualify_row row = { .verdict = QUALIFY_UNKNOWN };
	__u64 start_ns = rxaqm_now_ns();
	const char *why;
	bool unreachable;

	run->error = (struct rxaqm_error){};
	why = qualify_row_ready(run, def);
	unreachable = why && run->error.err == ENETUNREACH;

	snprintf(row.id, sizeof(row.id), "%s", def->id);
	if (why)
		qualify_unknown(&row, "%s", why);
	else if (watch_row(run, def, &row))
		qualify_unknown(&row, "%.*s%s%s", *row.disturbed ? 120 : 250,
				run->error.text[0] ? run->error.text : "it failed",
				*row.disturbed ? "; " : "", row.disturbed);
	row.took_ms = rxaqm_ns_since(rxaqm_now_ns(), start_ns) / RXAQM_NSEC_PER_MSEC;
	if (*run->stop)
		qualify_row_free(&row); /* it was cut short */
	else
		keep(run->record, &row);
	if (!unreachable && !(run->peer.pid && run->peer.fd < 0))
		return 0;
	if (!run->error.text[0])
		rxaqm_failed(&run->error, EPIPE, "the peer (%s) is lost", run->peer.words);
	return -run->error.err;
}

static int run_rows(struct qualify_run *run, const struct qualify_request *request)
{
	unsigned int nr = 0, of = 0, left_s = 0;
	const struct qualify_row_def *def;
	const struct qualify_row *row;
	int err = 0;

	for (def = qualify_row_defs; def->id; def++) {
		of += request->wanted[def - qualify_row_defs];
		left_s += request->wanted[def - qualify_row_defs] ? def->seconds : 0;
	}
	for (def = qualify_row_defs; !err && def->id && !*run->stop; def++) {
		if (!request->wanted[def - qualify_row_defs])
			continue;
		if (request->progress)
			request->progress(request, def, ++nr, of, left_s);
		err = run_row(run, def);
		left_s -= def->seconds;
		qualify_judge(run->record);
		row = qualify_find_row(run->record, def->id);
		if (request->judged && row && !*run->stop)
			request->judged(row);
		if (request->out) /* the caller writes it again, and reports errors */
			qualify_record_write(run->record, request->out, NULL);
	}
	return err;
}

int qualify_rows_run(const struct qualify_request *request, struct qualify_record *record,
		     struct rxaqm_error *error)
{
	static struct qualify_run run;
	struct rxaqm_error failed = {};
	int fd, err;

	run = (struct qualify_run){ .ifname = request->ifname,
				    .stop = request->stop,
				    .record = record };
	qualify_journal_init(&run.journal, request->ifname);
	fd = lock(&run.journal, error);
	if (fd < 0)
		return fd;
	err = qualify_prepare(&run, request);
	/* What is timed here must not wait for a peer on the same host. */
	setpriority(PRIO_PROCESS, 0, -19);
	if (!err)
		err = run_rows(&run, request);
	qualify_unprepare(&run);
	*error = run.error;
	if (qualify_journal_restore(&run.journal, &failed) && !err) {
		*error = failed;
		err = -failed.err;
	}
	unlock(&run.journal, fd);
	if (!err && *request->stop)
		err = rxaqm_failed(error, EINTR, "interrupted; all is as it was");
	return err;
}
