/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages of the daemon: one line per event, for the journal or a terminal, and its condition for
 * the service manager (sd_notify; nothing happens without one).
 */
#include "daemon/log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "base/parse.h"

#define JOURNAL_SOCKET "/run/systemd/journal/socket"
#define TEXT_LEN 2048

/* Does the journal read our output? Then "<4>" at the beginning of a line is its priority. */
static bool to_journal;

static const char *const message_ids[] = {
	[RXAQM_LOG_ATTACHED] = "c756ae717f7e4c02ace98a7adfc51391",
	[RXAQM_LOG_FAILED] = "cac98794e30549e292d02219699b447e",
	[RXAQM_LOG_STANDS] = "e5c5f9611a8a4a188917449b6a50df26",
	[RXAQM_LOG_DRAINED] = "7ee7918c3f2547a1a4865f19bc9b9487",
};

void rxaqm_run_log_init(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	/* Programs inherit this even if their stderr was redirected: compare. */
	to_journal = stream && sscanf(stream, "%llu:%llu", &dev, &ino) == 2 &&
		     !fstat(STDERR_FILENO, &st) && st.st_dev == dev && st.st_ino == ino;
}

static void print(int level, const char *text)
{
	const char *before = level <= LOG_ERR	  ? "rxaqm: error: " :
			     level == LOG_WARNING ? "rxaqm: warning: " :
						    "rxaqm: ";
	char priority[16];

	if (to_journal) {
		snprintf(priority, sizeof(priority), "<%d>", level);
		before = priority;
	}
	rxaqm_log_lines(before, text);
}

void rxaqm_run_log(int level, const char *fmt, ...)
{
	char text[TEXT_LEN];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	print(level, text);
}

/* Send a message with fields, which a line of text cannot have. Returns false if no journal takes
 * it.
 */
static bool send_fields(const char *ifname, int queue, enum rxaqm_log_event event, int level,
			const char *text)
{
	const char *id = message_ids[event];

	/* Without a socket sd_journal_send() reports success. */
	if (!to_journal || access(JOURNAL_SOCKET, W_OK))
		return false;
	/* The first NULL ends the fields: only an event with an id has a queue. */
	return !sd_journal_send("MESSAGE=%s", text, "PRIORITY=%d", level, "IFACE=%s", ifname,
				id ? "MESSAGE_ID=%s" : NULL, id, queue >= 0 ? "QUEUE=%d" : NULL,
				queue, NULL);
}

void rxaqm_link_event(const struct rxaqm_link *link, int queue, enum rxaqm_log_event event,
		      int level, const char *fmt, ...)
{
	char text[TEXT_LEN];
	size_t len = (size_t)snprintf(text, sizeof(text),
				      queue < 0 ? "%s: " : "%s: queue %d: ", link->name, queue);
	va_list args;

	va_start(args, fmt);
	vsnprintf(text + len, sizeof(text) - len, fmt, args);
	va_end(args);
	if (!send_fields(link->name, queue, event, level, text))
		print(level, text);
}

/* When the first failed attempt is repeated, as a time of day; "" if none is repeated by itself. */
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
	unsigned int attached = 0, failed = 0, released = 0;
	char failures[64] = "", off[32] = "", next[32] = "";
	const struct rxaqm_link *link;

	for (link = run->links; link; link = link->next) {
		attached += link->state == RXAQM_LINK_ATTACHED;
		failed += link->state == RXAQM_LINK_FAILED;
		released += link->state == RXAQM_LINK_RELEASED;
	}
	next_try(run, next);
	if (failed)
		snprintf(failures, sizeof(failures), ", %u failed%s", failed, next);
	if (released)
		snprintf(off, sizeof(off), ", %u left off", released);
	/* If a reason is cut here, the log has all of it. */
	snprintf(text, size, "%llu %s%s attached%s%s%s%s%.150s",
		 RXAQM_COUNTED(attached, "interface"), failures, off,
		 run->bpffs_lost ? "; the BPF file system is gone" : "",
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
