/* SPDX-License-Identifier: GPL-2.0-only */
/* The files that the daemon writes for others: status and metrics. */
#pragma once

#include "daemon/run.h"

/* Write them if it is time. A failure is logged once. */
void rxaqm_run_status(struct rxaqm_run *run);
void rxaqm_run_metrics(struct rxaqm_run *run);

/* Remove them at the end, so that nobody thinks that they are current. */
void rxaqm_run_status_remove(struct rxaqm_run *run, const struct rxaqm_config *config);
void rxaqm_run_metrics_remove(void);
