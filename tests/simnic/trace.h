/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM simnic

#if !defined(SIMNIC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SIMNIC_TRACE_H

#include <linux/netdevice.h>
#include <linux/tracepoint.h>

/* clang-format off: it does not know these macros */

/* Right before XDP sees a packet. @hw_ns is 0 if the packet was not stamped. */
TRACE_EVENT(simnic_rx,
	    TP_PROTO(const struct net_device *dev, u32 queue, u64 arrival_mono_ns, u64 now_mono_ns,
		     u64 hw_ns),
	    TP_ARGS(dev, queue, arrival_mono_ns, now_mono_ns, hw_ns),
	    TP_STRUCT__entry(__field(int, ifindex) __field(u32, queue) __field(u64, arrival_mono_ns)
				     __field(u64, now_mono_ns) __field(u64, hw_ns)),
	    TP_fast_assign(__entry->ifindex = dev->ifindex; __entry->queue = queue;
			   __entry->arrival_mono_ns = arrival_mono_ns;
			   __entry->now_mono_ns = now_mono_ns; __entry->hw_ns = hw_ns;),
	    TP_printk("ifindex=%d queue=%u arrival_mono_ns=%llu now_mono_ns=%llu hw_ns=%llu",
		      __entry->ifindex, __entry->queue, __entry->arrival_mono_ns,
		      __entry->now_mono_ns, __entry->hw_ns));

/* A Tx completion is processed; the packet is freed next. */
TRACE_EVENT(simnic_tx_done,
	    TP_PROTO(const struct net_device *dev, u32 queue, u64 posted_mono_ns, u64 now_mono_ns),
	    TP_ARGS(dev, queue, posted_mono_ns, now_mono_ns),
	    TP_STRUCT__entry(__field(int, ifindex) __field(u32, queue) __field(u64, posted_mono_ns)
				     __field(u64, now_mono_ns)),
	    TP_fast_assign(__entry->ifindex = dev->ifindex; __entry->queue = queue;
			   __entry->posted_mono_ns = posted_mono_ns;
			   __entry->now_mono_ns = now_mono_ns;),
	    TP_printk("ifindex=%d queue=%u posted_mono_ns=%llu now_mono_ns=%llu", __entry->ifindex,
		      __entry->queue, __entry->posted_mono_ns, __entry->now_mono_ns));

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
