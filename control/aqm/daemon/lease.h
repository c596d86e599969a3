/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RXAQM_RUN_LEASE_H
#define RXAQM_RUN_LEASE_H

#include "daemon/run.h"

/* Keep leases from running out; part of rxaqm_run_sync(). */
void rxaqm_run_leases(struct rxaqm_run *run);

#endif /* RXAQM_RUN_LEASE_H */
