/* SPDX-License-Identifier: GPL-2.0-only */
/* What the daemon says: a line an event, for the journal or a terminal, and how it is, for the
 * service manager (sd_notify; nothing happens where there is none).
 */
#include "daemon/log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/now.h"

/* Is what we print read by the journal? Then "<4>" at the beginning of a line is its priority. */
static bool to_journal;

void rxaqm_run_log_init(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	/* Inherited by programs whose stderr was then turned elsewhere: compare. */
	to_journal = stream && sscanf(stream, "%llu:%llu", &dev, &ino) == 2 &&
		     !fstat(STDERR_FILENO, &st) && st.st_dev == dev && st.st_ino == ino;
}

void rxaqm_run_log(int level, const char *fmt, ...)
{
	const char *before = level <= LOG_ERR	  ? "rxaqm: error: " :
			     level == LOG_WARNING ? "rxaqm: warning: " :
						    "rxaqm: ";
	char priority[16];
	va_list args;

	if (to_journal) {
		snprintf(priority, sizeof(priority), "<%d>", level);
		before = priority;
	}
	va_start(args, fmt);
	rxaqm_log_lines(before, fmt, args);
	va_end(args);
}

/* When the first that failed is tried again, as a time of day; "" if none is by itself. */
static void next_try(const struct rxaqm_run *run, char text[32])
{
	const struct rxaqm_link *link, *first = NULL;
	struct tm tm;

	for (link = run->links; link; link = link->next)
		if (link->state == RXAQM_LINK_FAILED && link->due_ns &&
		    (!first || rxaqm_ns_after(first->due_ns, link->due_ns)))
			first = link;
	if (first && localtime_r(&first->due_at, &tm))
		strftime(text, 32, " (next try %H:%M:%S)", &tm);
}

static void describe(const struct rxaqm_run *run, char *text, size_t size)
{
	unsigned int attached = 0, failed = 0, released = 0, waiting = 0;
	char failures[64] = "", off[32] = "", wait[32] = "", next[32] = "";
	const struct rxaqm_link *link;

	for (link = run->links; link; link = link->next) {
		attached += link->state == RXAQM_LINK_ATTACHED;
		failed += link->state == RXAQM_LINK_FAILED;
		released += link->state == RXAQM_LINK_RELEASED;
		waiting += link->state == RXAQM_LINK_WAITING;
	}
	next_try(run, next);
	if (failed)
		snprintf(failures, sizeof(failures), ", %u failed%s", failed, next);
	if (waiting)
		snprintf(wait, sizeof(wait), ", %u without room", waiting);
	if (released)
		snprintf(off, sizeof(off), ", %u left off", released);
	/* A reason that is too long is in the log as well. */
	snprintf(text, size, "%u interface(s) attached%s%s%s%s%s%.150s", attached, failures, wait,
		 off, run->bpffs_lost ? "; the BPF file system is gone" : "",
		 run->reload_failed ? "; configuration not reloaded: " : "",
		 run->reload_failed ? run->reload_text : "");
}

void rxaqm_run_notify(struct rxaqm_run *run, bool becomes_ready)
{
	char text[sizeof(run->status_text)];

	describe(run, text, sizeof(text));
	if (becomes_ready)
		sd_notifyf(0, "READY=1\nSTATUS=%s", text);
	else if (run->ready && strcmp(text, run->status_text))
		sd_notifyf(0, "STATUS=%s", text);
	run->ready |= becomes_ready;
	strcpy(run->status_text, text);
}
