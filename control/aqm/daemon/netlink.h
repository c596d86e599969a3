/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel says of interfaces, rings and channels. */
#ifndef RXAQM_RUN_NETLINK_H
#define RXAQM_RUN_NETLINK_H

#include "daemon/run.h"

int rxaqm_run_netlink_open(struct rxaqm_run *run, struct rxaqm_error *error);
/* Listen again after an error. */
void rxaqm_run_netlink_resume(struct rxaqm_run *run);

#endif /* RXAQM_RUN_NETLINK_H */
