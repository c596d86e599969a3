/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <syslog.h>
#include "daemon/run.h"

/* One line to the journal or the terminal, @level as in syslog.h. */
void rxaqm_run_log_init(void);
void rxaqm_run_log(int level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Events that "journalctl MESSAGE_ID=" finds; rxaqm(8) lists the numbers. */
enum rxaqm_log_event {
	RXAQM_LOG_OTHER,
	RXAQM_LOG_ATTACHED,
	RXAQM_LOG_FAILED, /* to attach */
	RXAQM_LOG_STANDS,
	RXAQM_LOG_DRAINED,
};

/* The same for an interface and its queue (-1: for none), with their names in front. In the journal
 * these are the fields IFACE and QUEUE.
 */
void rxaqm_link_event(const struct rxaqm_link *link, int queue, enum rxaqm_log_event event,
		      int level, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
#define rxaqm_link_log(link, level, ...) \
	rxaqm_link_event(link, -1, RXAQM_LOG_OTHER, level, __VA_ARGS__)

/* Report the daemon's condition to systemd, if it has changed, and whether the start, or a reload,
 * ends.
 */
void rxaqm_run_notify(struct rxaqm_run *run, bool becomes_ready);
