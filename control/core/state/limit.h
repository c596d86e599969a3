/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bound for who holds the lock that all commands wait for: the kernel's verifier, which takes
 * most of an attach, gives a program up (-EAGAIN) as soon as a signal is pending. So a timer sends
 * some when the time is over. A timer of CPU time would send none before the verifier has returned.
 */
#pragma once

#include "base/log.h"

#define RXAQM_LIMIT_SECONDS 60 /* or RXAQM_LOCK_SECONDS of the environment */

/* The lock was taken, or released. */
void rxaqm_limit_begin(void);
void rxaqm_limit_end(void);

/* -ETIME with @error, and no more signals, if the time is over; else 0. */
int rxaqm_limit_check(struct rxaqm_error *error);
