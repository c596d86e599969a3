/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RXAQM_RUN_LOG_H
#define RXAQM_RUN_LOG_H

#include <syslog.h>
#include "daemon/run.h"

/* One line to the journal or the terminal, @level as in syslog.h. */
void rxaqm_run_log_init(void);
void rxaqm_run_log(int level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Tell systemd how things are, if that has changed, and whether the start, or a reload, ends. */
void rxaqm_run_notify(struct rxaqm_run *run, bool becomes_ready);

#endif /* RXAQM_RUN_LOG_H */
