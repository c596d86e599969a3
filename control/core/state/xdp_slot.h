/* SPDX-License-Identifier: GPL-2.0-only */
/* Which program is in an interface's XDP slot, so that ours cannot be, and how to take it off. */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

#include "base/log.h"

/* Does another program keep ours off @ifname, in @generic or native mode? 0: no. -EBUSY: yes;
 * @error names the program and its holder, and says how to take it off.
 */
int rxaqm_xdp_slot_blocked(const char *ifname, unsigned int ifindex, bool generic,
			   struct rxaqm_error *error);

/* The command that takes the program off @ifname: "ip link set dev ...". Returns @buf. */
#define RXAQM_TAKE_OFF_COMMAND 64
const char *rxaqm_xdp_take_off_command(const char *ifname, unsigned int ifindex,
				       char buf[RXAQM_TAKE_OFF_COMMAND]);
