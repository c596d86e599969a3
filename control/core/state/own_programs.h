/* SPDX-License-Identifier: GPL-2.0-only */
/* Which XDP programs are rxaqm's, in the namespace entered. */
#pragma once

#include <linux/types.h>

/* Call @each with the index of every interface that has an XDP program, until it returns other than
 * 0. Returns that, or -errno if the kernel could not be asked.
 */
int rxaqm_xdp_each(int (*each)(unsigned int ifindex, void *arg), void *arg);

enum rxaqm_owner {
	RXAQM_OWNER_OTHER,
	RXAQM_OWNER_STRAY, /* called as ours are, with such a map, but not of the pinned state */
	RXAQM_OWNER_OURS, /* uses our pinned queue_map */
};
/* Whose is the program? -errno if that is not known. */
int rxaqm_xdp_owner(__u32 prog_id);

/* The owner of the program on @ifindex that is ours, or else a stray, and its id. */
int rxaqm_xdp_find_ours(unsigned int ifindex, __u32 *ret_prog_id);
