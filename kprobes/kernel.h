/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The few kernel types that rxaqm reads, with the few fields it needs. CO-RE finds the fields in
 * the running kernel, so one object serves 5.10 to 7.x; nothing depends on the machine it was built
 * on.
 */
#ifndef RXAQM_KERNEL_H
#define RXAQM_KERNEL_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct net {
	struct {
		unsigned int inum;
	} ns;
};

struct net_device {
	int ifindex;
	struct {
		struct net *net;
	} nd_net;
};

struct list_head {
	struct list_head *next;
};

/* May also be reached by its first member, list (include/linux/skbuff.h: the union with next). */
struct sk_buff {
	struct net_device *dev;
	__s64 tstamp; /* ktime_t */
	unsigned int len;
	__be16 protocol;
	__u16 queue_mapping;
	__u16 transport_header, network_header; /* offsets from head */
	unsigned char *head, *data;
	__u32 end; /* offset from head: NET_SKBUFF_DATA_USES_OFFSET, every 64-bit kernel */
};

struct skb_shared_hwtstamps {
	__s64 hwtstamp;
};

struct skb_shared_info {
	__u8 tx_flags;
	unsigned short gso_segs;
	struct skb_shared_hwtstamps hwtstamps;
};

struct napi_struct {
	struct net_device *dev;
	unsigned int napi_id;
	struct sk_buff *skb; /* being assembled for napi_gro_frags() */
};

struct task_struct {
	char comm[16];
};

#pragma clang attribute pop

/* skb_shared_info.tx_flags: hwtstamps holds a pointer for ndo_get_tstamp(), not a time (igc from
 * 6.12). The enum in include/linux/skbuff.h is anonymous, so CO-RE cannot look it up: bit 5 in 5.19
 * (97dc7cd92ac6) to 7.3.
 */
#define RXAQM_SKBTX_HW_TSTAMP_NETDEV (1U << 5)

#endif /* RXAQM_KERNEL_H */
