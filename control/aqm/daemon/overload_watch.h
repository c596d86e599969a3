/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "daemon/run.h"
#include "base/metrics_text.h"

/* Log overloads and, if the configuration says so, enforce. Call this once a second. */
void rxaqm_run_overload(struct rxaqm_run *run);
void rxaqm_run_overload_metrics(struct rxaqm_metrics_text *text, const struct rxaqm_run *run);
