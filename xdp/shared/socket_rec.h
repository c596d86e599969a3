/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * One socket, as kprobes/sockets.bpf.c writes it and control/ reads it: the stream of an
 * iterator is these, one behind the other. Fields say what stands for "not known".
 */
#ifndef RXAQM_SOCKET_REC_H
#define RXAQM_SOCKET_REC_H

#include "types.h"

enum rxaqm_socket_proto {
	RXAQM_SOCKET_TCP = 6, /* IPPROTO_TCP */
	RXAQM_SOCKET_UDP = 17, /* IPPROTO_UDP */
	RXAQM_SOCKET_PACKET = 255, /* AF_PACKET; by sock_diag only */
};

/* No Rx queue is noted: skc_rx_queue_mapping is NO_QUEUE_MAPPING (include/net/sock.h). */
#define RXAQM_SOCKET_NO_QUEUE 0xffff

struct rxaqm_socket_rec {
	__u64 id; /* the same socket in two passes has the same; shown to nobody */
	__u64 inode; /* of its file descriptors; 0: no process holds it */
	__u64 pacing_bytes_per_s; /* ~0: none */
	__u64 bytes_received;
	__u64 bytes_acked;
	__u8 laddr[16], raddr[16]; /* IPv4: the first four */
	__u16 lport, rport; /* host byte order */
	__u16 family; /* AF_INET or AF_INET6 */
	__u8 proto; /* enum rxaqm_socket_proto */
	__u8 state; /* TCP_ESTABLISHED ... */
	__u16 rx_queue; /* of the last packet, or RXAQM_SOCKET_NO_QUEUE */
	__u8 rcvbuf_locked; /* SO_RCVBUF was set: the kernel does not tune it */
	__u8 scaling_ratio; /* payload of 256 bytes of receive memory; 0: before 6.6 */
	__u32 rx_ifindex; /* where packets come from; 0: not known */
	__s32 cpu; /* that processed the last packet, -1: not known */

	/* Memory, in bytes of truesize. */
	__u32 rmem_alloc, rcvbuf, sndbuf;
	__u32 drops; /* packets */
	__u32 recv_queue; /* payload that waits to be read; listener: connections */
	__u32 send_queue; /* payload not acknowledged; listener: limit of connections */
	__u32 not_sent; /* of it, payload not sent yet */

	/* TCP only. */
	__u32 rcv_wnd; /* ~0: not known */
	__u32 rcv_rtt_us, srtt_us, min_rtt_us; /* 0: not measured; min_rtt ~0: not measured */
	__u32 snd_cwnd, packets_out; /* segments */
	__u32 mss, rcv_mss, advmss;
	__u32 data_segs_in, segs_out, retrans_segs;
	/* Of a clock that stands at now_ticks: jiffies or microseconds. */
	__u32 rwnd_limited_ticks, sndbuf_limited_ticks, now_ticks;
	__u8 cwnd_limited, app_limited, pad;
	__u8 has_ring; /* AF_PACKET: drops are told its program alone */
	char ca[16];
};

RXAQM_ASSERT_SIZE(struct rxaqm_socket_rec, 200);

#endif /* RXAQM_SOCKET_REC_H */
