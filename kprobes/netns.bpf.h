/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Kernel-wide programs see the devices of all network namespaces; only those of one are of
 * interest.
 */
#ifndef RXAQM_NETNS_BPF_H
#define RXAQM_NETNS_BPF_H

#include <stdbool.h>

#include "kernel.h"

const volatile __u32 netns_inum; /* set before loading: st_ino that stat() gives of its file */

static inline bool in_netns(struct net_device *dev)
{
	struct net *net = dev->nd_net.net;

	return net->ns.inum == netns_inum;
}

#endif /* RXAQM_NETNS_BPF_H */
