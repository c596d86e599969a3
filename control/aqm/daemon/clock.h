/* SPDX-License-Identifier: GPL-2.0-only */
/* The clocks of the NICs. */
#pragma once

#include "daemon/run.h"

/* Read the clocks that are due, and publish the mappings; part of rxaqm_run_sync(). */
void rxaqm_run_clocks(struct rxaqm_run *run);
/* Withdraw what @link has published, if its entry is still there. */
void rxaqm_run_clock_free(struct rxaqm_link *link);
