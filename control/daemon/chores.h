/* SPDX-License-Identifier: GPL-2.0-only */
/* What the daemon does beside attaching, about once a second or by its own timers. */
#ifndef RXAQM_RUN_CHORES_H
#define RXAQM_RUN_CHORES_H

#include "report/metrics_text.h"
#include "daemon/run.h"

/* clock.c: read the PHCs of what is attached, publish the mappings. */
void rxaqm_run_clocks(struct rxaqm_run *run);
/* Withdraw what @link has published, if its entry is still there. */
void rxaqm_run_clock_free(struct rxaqm_link *link);

/* overload.c: overload, automatic enforcement, what ECT(0) means. */
void rxaqm_run_overload(struct rxaqm_run *run);
void rxaqm_run_overload_free(struct rxaqm_link *link);

/* diagnose.c: have doctor look for the cause of an overload, if that was not done lately. */
void rxaqm_run_diagnose(struct rxaqm_run *run);
/* Has it ended? */
void rxaqm_run_diagnosis_look(struct rxaqm_run *run);
void rxaqm_run_diagnosis_free(struct rxaqm_run *run);

/* metrics.c: begin, or change, to serve what @config says. On failure with @error all is as it was.
 */
int rxaqm_run_metrics_start(struct rxaqm_run *run, const struct rxaqm_config *config,
			    struct rxaqm_error *error);
void rxaqm_run_metrics(struct rxaqm_run *run);
void rxaqm_run_metrics_stop(struct rxaqm_run *run);

/* Families of clock, overload and diagnosis, for metrics.c. */
void rxaqm_run_clock_metrics(struct rxaqm_metrics_text *text, const struct rxaqm_run *run);
void rxaqm_run_overload_metrics(struct rxaqm_metrics_text *text, const struct rxaqm_run *run);

void rxaqm_run_diagnosis_metrics(struct rxaqm_metrics_text *text, const struct rxaqm_run *run);

#endif /* RXAQM_RUN_CHORES_H */
