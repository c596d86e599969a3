/* SPDX-License-Identifier: GPL-2.0-only */
/* Which XDP programs are rxaqm's, by the pinned maps that they use. */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

/* Does the program use our pinned queue_map? */
bool rxaqm_xdp_is_ours(__u32 prog_id);
/* A program on @ifindex that does; 0 if there is none. */
__u32 rxaqm_xdp_find_ours(unsigned int ifindex);
