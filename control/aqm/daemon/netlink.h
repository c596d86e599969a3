/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's messages about interfaces, rings and channels. */
#pragma once

#include "daemon/run.h"

int rxaqm_run_netlink_open(struct rxaqm_run *run, struct rxaqm_error *error);
/* Listen again after an error. */
void rxaqm_run_netlink_resume(struct rxaqm_run *run);
