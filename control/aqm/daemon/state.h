/* SPDX-License-Identifier: GPL-2.0-only */
/* The pinned state, as it comes and goes. */
#pragma once

#include "daemon/run.h"

/* Open the state that is pinned now, unless it is open already. Returns true if it is open. */
bool rxaqm_run_state_open(struct rxaqm_run *run);
/* Call this after a call that may have created or removed it. */
void rxaqm_run_state_changed(struct rxaqm_run *run);
/* Check whether @link is still attached. */
void rxaqm_run_verify(struct rxaqm_link *link);
/* Check whether packets still reach the program of @link, attached as @iface. */
void rxaqm_run_check_arrivals(struct rxaqm_link *link, const struct rxaqm_iface *iface);
