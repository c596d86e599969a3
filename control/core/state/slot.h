/* SPDX-License-Identifier: GPL-2.0-only */
/* What keeps a program from an interface's XDP slot, and the command that ends that. */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

#include "base/log.h"

/* Is it another program that keeps ours from @ifname, in generic mode or native? 0: no. -EBUSY:
 * yes, and @error says which it is, whose, and how it is taken off.
 */
int rxaqm_slot_blocked(const char *ifname, unsigned int ifindex, bool generic,
		       struct rxaqm_error *error);

/* The command that takes off what is on @ifname: "ip link set dev ...". Returns @buf. */
#define RXAQM_SLOT_COMMAND 64
const char *rxaqm_slot_take_off(const char *ifname, unsigned int ifindex,
				char buf[RXAQM_SLOT_COMMAND]);
