/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Sockets of programs that know nothing of rxaqm, such as DPDK's: their packets are sent to them,
 * and how long they wait is measured from outside, by the indices of the Rx ring.
 */
#ifndef RXAQM_XSK_ADOPT_H
#define RXAQM_XSK_ADOPT_H

#include <sys/types.h>

#include "base/log.h"
#include "report.h"

#define MAX_SOCKETS 64

/* Adopt the socket that process @pid has on @queue of @ifname. 0, or -errno with @error;
 * adopt_end() is to follow either way. All are of one process.
 */
int adopt_begin(pid_t pid, const char *ifname, unsigned int queue, struct report *report,
		struct rxaqm_error *error);

/* Wait a moment, then look at all of them. 1 if their process has ended, else 0. */
int adopt_look(void);

/* What changes seldom, of the socket @i in the order of their adoption. -ESTALE: rxaqm was
 * detached.
 */
int adopt_check(unsigned int i);

void adopt_end(void);

#endif /* RXAQM_XSK_ADOPT_H */
