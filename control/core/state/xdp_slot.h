/* SPDX-License-Identifier: GPL-2.0-only */
/* Which program is in an interface's XDP slot, so that ours cannot be, and how to take it off. */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

#include "base/log.h"

/* Why ours could not be put on @ifname, in @generic or native mode. -EBUSY: another program keeps
 * it off; @error names the program and its holder, and says how to take it off. 0: none that can be
 * seen.
 */
int rxaqm_xdp_slot_blocked(const char *ifname, unsigned int ifindex, bool generic,
			   struct rxaqm_error *error);

/* Fail if a program of rxaqm's is on an interface here, but its state is not pinned where this
 * command looks: @error names it, and says how to take it off.
 */
int rxaqm_xdp_check_strays(struct rxaqm_error *error);

/* The command that takes the program off @ifname: "ip link set dev ...". Returns @buf. */
#define RXAQM_TAKE_OFF_COMMAND 64
const char *rxaqm_xdp_take_off_command(const char *ifname, unsigned int ifindex,
				       char buf[RXAQM_TAKE_OFF_COMMAND]);
