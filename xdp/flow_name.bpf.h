/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Addresses and ports of the packet's flow, for commands that ask (shared/flow_name.h).
 */
#ifndef RXAQM_NAME_BPF_H
#define RXAQM_NAME_BPF_H

#include "classify.bpf.h"

/* Note addresses and ports of the packet's flow, if somebody has asked. @found: of
 * rxaqm_xdp_classify(), with the flow in the upper half. Returns 0.
 */
rxaqm_seldom int rxaqm_xdp_name(struct xdp_md *ctx, struct rxaqm_queue *q, __u32 index, __u64 found)
{
	__u32 zero = 0, id = FOUND_FLOW(found), key = rxaqm_flow_set_of(id),
	      ip_off = FOUND_IP_OFF(found);
	struct rxaqm_meta_info *meta = bpf_map_lookup_elem(&meta_map, &zero);
	struct rxaqm_flow_set *set = bpf_map_lookup_elem(&flow_map, &key);
	const struct rxaqm_frame frame = { .ctx = ctx };
	struct rxaqm_flow_name *name;
	struct rxaqm_flow *flow;
	__u8 version;

	key = id & (RXAQM_FLOW_NAMES - 1);
	name = bpf_map_lookup_elem(&flow_name_map, &key);
	if (!q || !meta || !set || !name || !rxaqm_ns_after(meta->names_until_ns, q->clock_ns))
		return 0;
	flow = rxaqm_flow_find(set, id);
	if (!flow || !rxaqm_frame_read(&frame, ip_off, &version, 1))
		return 0;
	name->id = id;
	name->index = index;
	name->level = flow->rate.level;
	name->limit = q->law.limit;
	rxaqm_frame_read(&frame, FOUND_L4_OFF(found), name->ports, sizeof(name->ports));
	if (version >> 4 == 4)
		rxaqm_frame_read(&frame, ip_off + 12, name->addresses, 8);
	else
		rxaqm_frame_read(&frame, ip_off + 8, name->addresses, 32);
	rxaqm_frame_read(&frame, ip_off + (version >> 4 == 4 ? 9 : 6), &name->protocol, 1);
	name->version = version >> 4;
	name->seen_ns = q->clock_ns;
	return 0;
}

#endif /* RXAQM_NAME_BPF_H */
