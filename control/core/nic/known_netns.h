/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether an XDP program is on an interface here, or in a network namespace that this one knows. */
#pragma once

#include <linux/types.h>

/* Is the program @prog_id in the XDP slot of an interface of this namespace, or of a namespace that
 * has an id here (ip netns list-id)? The kernel gives a namespace such an id when an interface
 * moves there from here. 1 or 0; -errno: unknown; -EXDEV: no, but one of those namespaces knows a
 * third one that has no id here, so an interface may have moved on. Needs CAP_NET_ADMIN; enters no
 * namespace.
 */
int rxaqm_xdp_in_known_netns(__u32 prog_id);
