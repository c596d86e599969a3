/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "daemon/run.h"

/* Take the lock that makes this the only daemon, until the process ends. */
int rxaqm_run_lock(struct rxaqm_error *error);

/* Run until told to stop. Returns an exit code. */
int rxaqm_run_loop(struct rxaqm_run *run);
