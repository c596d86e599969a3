/* SPDX-License-Identifier: GPL-2.0-only */
/* What the service manager is told (sd_notify); nothing happens where there is none. */
#include <string.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "daemon/run.h"
#include "base/now.h"

#define PATIENCE_NS (10 * RXAQM_NSEC_PER_SEC) /* with who holds the lock, before READY */

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
	unsigned int attached = 0, failed = 0, released = 0;
	char failures[32] = "", off[32] = "", next[32] = "";
	const struct rxaqm_link *link;

	for (link = run->links; link; link = link->next) {
		attached += link->state == RXAQM_LINK_ATTACHED;
		failed += link->state == RXAQM_LINK_FAILED;
		released += link->state == RXAQM_LINK_RELEASED;
	}
	next_try(run, next);
	if (failed)
		snprintf(failures, sizeof(failures), ", %u failed", failed);
	if (released)
		snprintf(off, sizeof(off), ", %u left off", released);
	/* A reason that is too long is in the log as well. */
	snprintf(text, size, "%u interface(s) attached%s%s%s%s%s%.150s", attached, failures, next,
		 off, run->bpffs_lost ? "; the BPF file system is gone" : "",
		 run->reload_failed ? "; configuration not reloaded: " : "",
		 run->reload_failed ? run->reload_text : "");
}

void rxaqm_run_notify_status(struct rxaqm_run *run)
{
	char text[sizeof(run->status_text)];

	describe(run, text, sizeof(text));
	if (!run->ready || run->stopping || !strcmp(text, run->status_text))
		return;
	strcpy(run->status_text, text);
	sd_notifyf(0, "STATUS=%s", text);
}

void rxaqm_run_notify_ready(struct rxaqm_run *run)
{
	run->ready = true;
	describe(run, run->status_text, sizeof(run->status_text));
	sd_notifyf(0, "READY=1\nSTATUS=%s", run->status_text);
}

void rxaqm_run_notify_starting(struct rxaqm_run *run)
{
	run->ready = false;
	run->ready_by_ns = rxaqm_now_ns() + PATIENCE_NS;
}

void rxaqm_run_notify_reloading(struct rxaqm_run *run)
{
	rxaqm_run_notify_starting(run);
	/* The time tells the manager which of several reloads the next READY=1 answers. */
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu\nSTATUS=reading the configuration",
		   rxaqm_now_ns() / RXAQM_NSEC_PER_USEC);
}

void rxaqm_run_notify_stopping(struct rxaqm_run *run)
{
	run->stopping = true;
	sd_notifyf(0, "STOPPING=1\nSTATUS=%s",
		   run->config.on_stop == RXAQM_ON_STOP_DETACH ? "detaching" :
								 "leaving all attached");
}
