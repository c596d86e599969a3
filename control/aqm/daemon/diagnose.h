/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "daemon/run.h"
#include "base/metrics_text.h"

/* Run doctor for the cause of an overload, unless it ran lately. */
void rxaqm_run_diagnose(struct rxaqm_run *run);
/* Read its answer, if it has ended. */
void rxaqm_run_diagnosis_look(struct rxaqm_run *run);
void rxaqm_run_diagnosis_metrics(struct rxaqm_metrics_text *text, const struct rxaqm_run *run);
