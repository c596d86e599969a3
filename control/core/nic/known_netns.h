/* SPDX-License-Identifier: GPL-2.0-only */
/* Where an XDP program is, though its interface may have moved to another network namespace. */
#pragma once

#include <linux/types.h>

/* Is the program @prog_id in the XDP slot of an interface of this namespace, or of one that has an
 * id here (ip netns list-id)? The kernel gives one such an id when an interface moves to it from
 * here. 1 or 0; -errno if that cannot be told, -EXDEV if one of them knows a third that has no id
 * here, so that an interface may have moved on. Needs CAP_NET_ADMIN; enters no namespace.
 */
int rxaqm_xdp_in_known_netns(__u32 prog_id);
