/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What libxdp pins. For each dispatcher there is a directory "dispatch-IFINDEX-ID" with a link and
 * a program for each slot. It pins before it swaps dispatchers and unpins after, so whoever dies in
 * between leaves programs that run nowhere, and their maps. So does an interface that is deleted.
 */
#ifndef RXAQM_PINS_H
#define RXAQM_PINS_H

#include <linux/types.h>
#include <stdbool.h>

#include "base/log.h"

/* Remove the pins of all programs that are @unwanted, where their dispatcher is on no interface of
 * the namespaces that rxaqm_netns_each() enters, and those that have an id there; where it is on
 * one, taking programs off is libxdp's to do. @sure: not where it may be elsewhere, its interface
 * having moved from this namespace (xdp_near.h), either. Those of others stay, unless they are mere
 * copies for a dispatcher that never came to be, or is no more. Returns how many were removed, or
 * -errno if some could not be, with @error if it was for libxdp's lock.
 */
int rxaqm_pins_sweep(bool (*unwanted)(__u32 prog_id, void *arg), void *arg, bool sure,
		     struct rxaqm_error *error);

/* libxdp waits for its lock for ever: wait until it is free, 5 s at most. -ETIMEDOUT with @error.
 * Who takes it right after this is waited for all the same; what runs as it should has it for an
 * instant.
 */
int rxaqm_pins_wait(struct rxaqm_error *error);

#endif /* RXAQM_PINS_H */
