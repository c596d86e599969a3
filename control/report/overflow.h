/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets that were lost because a queue was full, by the kernel's counters. */
#ifndef RXAQM_OVERFLOW_H
#define RXAQM_OVERFLOW_H

#include <linux/types.h>
#include <stdio.h>

/* Of the rings of the interface called @ifname in the network namespace entered: what the
 * driver counts as missed, over or fifo errors. It counts modulo 2^32. -errno; -ENODEV if
 * there is no such interface.
 */
int rxaqm_overflow_rings(const char *ifname, __u32 *ret_packets);

/* Of the CPUs' backlogs, of all interfaces together, modulo 2^32. */
int rxaqm_overflow_backlogs(__u32 *ret_packets);

/* The same from @file of the form of /proc/net/softnet_stat. -EINVAL if it is not. */
int rxaqm_overflow_parse(FILE *file, __u32 *ret_packets);

#endif /* RXAQM_OVERFLOW_H */
