/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Sockets of programs that know nothing of rxaqm, such as DPDK's: their packets are sent to them,
 * and how long they wait is measured from outside, by the indices of the Rx ring.
 */
#ifndef RXAQM_XSK_ADOPT_H
#define RXAQM_XSK_ADOPT_H

#include <signal.h>

#include "args.h"

/* Until *@ended, the time is up, or the process ends. Logs what fails. Returns 0 or -errno. */
int adopt(const struct args *args, const volatile sig_atomic_t *ended);

#endif /* RXAQM_XSK_ADOPT_H */
