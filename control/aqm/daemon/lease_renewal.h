/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "daemon/run.h"

/* Renew the leases that are due; part of rxaqm_run_sync(). rxaqm_policy_enforced() (decide.h) ends
 * a lease.
 */
void rxaqm_run_renew_leases(struct rxaqm_run *run);
