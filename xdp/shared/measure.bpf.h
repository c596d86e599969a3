/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Stamps, brought to their queues: used by rx_stamp.bpf.c and, in generic mode, where the stamp
 * is seen before XDP runs, by the XDP program; both in the NAPI context of the queue.
 */
#ifndef RXAQM_MEASURE_BPF_H
#define RXAQM_MEASURE_BPF_H

#include "maps.bpf.h"
#include "measure.h"

/* The packet at hand, of @q, was stamped @hw_ns by the NIC; 0: it was not. Returns 0. */
rxaqm_global int rxaqm_measure(struct rxaqm_queue *q, __u64 hw_ns, __u64 now_ns)
{
	struct rxaqm_clock_entry *entry;
	struct rxaqm_clock_phc *phc;
	__u32 iface;

	if (!q)
		return 0;
	iface = q->iface;
	entry = bpf_map_lookup_elem(&clock_est_map, &iface);
	phc = bpf_map_lookup_elem(&clock_phc_map, &iface);
	if (entry && phc)
		rxaqm_measure_stamp(entry, phc, q, hw_ns, now_ns);
	return 0;
}

#endif /* RXAQM_MEASURE_BPF_H */
