/* SPDX-License-Identifier: GPL-2.0-only */
/* What the daemon says: a line an event, for the journal or a terminal, and how it is, for the
 * service manager (sd_notify; nothing happens where there is none).
 */
#include "daemon/log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "base/parse.h"

#define JOURNAL_SOCKET "/run/systemd/journal/socket"
#define TEXT_LEN 2048

/* Is what we print read by the journal? Then "<4>" at the beginning of a line is its priority. */
static bool to_journal;

static const char *const message_ids[] = {
	[RXAQM_LOG_ATTACHED] = "c756ae717f7e4c02ace98a7adfc51391",
	[RXAQM_LOG_FAILED] = "cac98794e30549e292d02219699b447e",
	[RXAQM_LOG_STANDS] = "e5c5f9611a8a4a188917449b6a50df26",
	[RXAQM_LOG_DRAINED] = "7ee7918c3f2547a1a4865f19bc9b9487",
	[RXAQM_LOG_MODE] = "f37d7ecfc2d942119bcd51540e888feb",
};

void rxaqm_run_log_init(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	/* Inherited by programs whose stderr was then turned elsewhere: compare. */
	to_journal = stream && sscanf(stream, "%llu:%llu", &dev, &ino) == 2 &&
		     !fstat(STDERR_FILENO, &st) && st.st_dev == dev && st.st_ino == ino;
}

static void print(int level, const char *fmt, ...)
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

void rxaqm_run_log(int level, const char *fmt, ...)
{
	char text[TEXT_LEN];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	print(level, "%s", text);
}

/* A field of a line of the journal, if it has @value. */
static int field(struct iovec *at, char *buf, size_t size, const char *name, const char *value)
{
	if (!value || !*value)
		return 0;
	at->iov_base = buf;
	at->iov_len = (size_t)snprintf(buf, size, "%s=%s", name, value);
	at->iov_len = at->iov_len < size ? at->iov_len : size - 1;
	return 1;
}

/* With fields, which a line of text cannot have. False: there is no journal to take them. */
static bool send_fields(const char *ifname, const char *queue, enum rxaqm_log_event event,
			const char *level, const char *text)
{
	char message[TEXT_LEN + 16], id[64], iface[64], number[32], priority[16];
	struct iovec fields[5];
	int nr = 0;

	/* sd_journal_sendv() says that all is well if there is no socket. */
	if (!to_journal || access(JOURNAL_SOCKET, W_OK))
		return false;
	nr += field(&fields[nr], message, sizeof(message), "MESSAGE", text);
	nr += field(&fields[nr], priority, sizeof(priority), "PRIORITY", level);
	nr += field(&fields[nr], iface, sizeof(iface), "IFACE", ifname);
	nr += field(&fields[nr], number, sizeof(number), "QUEUE", queue);
	nr += field(&fields[nr], id, sizeof(id), "MESSAGE_ID", message_ids[event]);
	return !sd_journal_sendv(fields, nr);
}

void rxaqm_link_event(const struct rxaqm_link *link, int queue, enum rxaqm_log_event event,
		      int level, const char *fmt, ...)
{
	char text[TEXT_LEN], number[16] = "", priority[16];
	size_t len;
	va_list args;

	if (queue >= 0)
		snprintf(number, sizeof(number), "%d", queue);
	snprintf(priority, sizeof(priority), "%d", level);
	len = (size_t)snprintf(text, sizeof(text), "%s: %s%s%s", link->name,
			       *number ? "queue " : "", number, *number ? ": " : "");
	va_start(args, fmt);
	vsnprintf(text + len, sizeof(text) - len, fmt, args);
	va_end(args);
	if (!send_fields(link->name, number, event, priority, text))
		print(level, "%s", text);
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
	snprintf(text, size, "%llu %s%s attached%s%s%s%s%s%.150s",
		 RXAQM_COUNTED(attached, "interface"), failures, wait, off, run->bpffs_lost ? "; the BPF file system is gone" : "",
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
