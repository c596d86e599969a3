/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "daemon/run.h"

/* Keep leases from running out; part of rxaqm_run_sync(). */
void rxaqm_run_renew_leases(struct rxaqm_run *run);
