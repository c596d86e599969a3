/* SPDX-License-Identifier: GPL-2.0-only */
/* What keeps a program from an interface's XDP slot, and the command that ends that. */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

#include "base/log.h"

/* Is it another program that keeps ours from @ifname, in generic mode or native? 0: no. -EBUSY:
 * yes, and @error says which it is, whose, and how it is taken off.
 */
int rxaqm_xdp_slot_blocked(const char *ifname, unsigned int ifindex, bool generic,
			   struct rxaqm_error *error);

/* The command that takes off what is on @ifname: "ip link set dev ...". Returns @buf. */
#define RXAQM_TAKE_OFF_COMMAND 64
const char *rxaqm_xdp_take_off_command(const char *ifname, unsigned int ifindex,
				       char buf[RXAQM_TAKE_OFF_COMMAND]);
