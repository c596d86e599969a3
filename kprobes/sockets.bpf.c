// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * sockets: every TCP and UDP socket of the caller's network namespace, one struct
 * rxaqm_socket_rec each. Two iterators (bpf_iter): they run in the context of the command that
 * reads them, are attached to nothing, and touch no packet.
 *
 * Fields are read through typed pointers, without a helper call: some 70 for each socket.
 *
 * This is what sock_diag gives, and more: the Rx queue and CPU of the last packet, the scaling
 * ratio of the receive window, whether the program fixed SO_RCVBUF, ssthresh and clamp of the
 * window.
 */
#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "socket_rec.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define AF_INET6 10
#define TCP_LISTEN 10
#define SOCK_RCVBUF_LOCK 2 /* include/uapi/linux/socket.h */

/* The fields read of the kernel's types; CO-RE ignores what follows the three underscores. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct in6_addr___sk {
	__u8 in6_u[16]; /* a union of arrays: read as bytes, by its address only */
};

struct sock_common {
	__be32 skc_daddr, skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num;
	__u16 skc_family;
	volatile unsigned char skc_state;
	struct in6_addr___sk skc_v6_daddr, skc_v6_rcv_saddr;
	__u16 skc_rx_queue_mapping;
	int skc_incoming_cpu;
};

struct inode___sk {
	unsigned long i_ino;
};

struct socket___sk {
	short type;
};

struct socket_alloc {
	struct socket___sk socket;
	struct inode___sk vfs_inode;
};

typedef struct {
	int counter;
} atomic_t;

struct numa_drop_counters {
	atomic_t drops0, drops1;
};

struct sock {
	struct sock_common __sk_common;
	atomic_t sk_drops;
	struct numa_drop_counters *sk_drop_counters; /* from 6.18 on, UDP */
	struct {
		atomic_t rmem_alloc;
	} sk_backlog;
	int sk_rx_dst_ifindex;
	__u8 sk_userlocks; /* a bit field before 6.12 */
	int sk_rcvbuf, sk_sndbuf;
	struct socket___sk *sk_socket;
	unsigned long sk_pacing_rate;
	__u32 sk_ack_backlog, sk_max_ack_backlog;
};

struct tcp_congestion_ops {
	char name[16];
};

struct inet_connection_sock {
	const struct tcp_congestion_ops *icsk_ca_ops;
	struct {
		__u16 rcv_mss;
	} icsk_ack;
};

struct minmax_sample___sk {
	__u32 t, v;
};

struct minmax {
	struct minmax_sample___sk s[3];
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u32 rcv_wnd, copied_seq, rcv_nxt, write_seq, snd_una, snd_nxt;
	__u8 scaling_ratio; /* from 6.6 on */
	__u32 snd_cwnd, packets_out, mss_cache, srtt_us, app_limited;
	__u16 advmss;
	struct minmax rtt_min;
	__u64 bytes_received, bytes_acked;
	__u32 data_segs_in, segs_out, total_retrans;
	__u32 chrono_stat[3];
	__u8 chrono_type;
	__u32 chrono_start;
	__u8 is_cwnd_limited : 1;
	struct {
		__u32 rtt_us;
	} rcv_rtt_est;
};

struct bpf_iter_meta {
	void *seq; /* a struct seq_file; one declared type at most: tests/shell/bpf_types.sh */
};

struct bpf_iter__tcp {
	struct bpf_iter_meta *meta;
	struct sock_common *sk_common;
};

struct udp_sock;

struct bpf_iter__udp {
	struct bpf_iter_meta *meta;
	struct udp_sock *udp_sk;
};

#pragma clang attribute pop

static __always_inline void read_address(struct rxaqm_socket_rec *rec,
					 const struct sock_common *common)
{
	rec->family = common->skc_family;
	rec->state = common->skc_state;
	rec->lport = common->skc_num;
	rec->rport = bpf_ntohs(common->skc_dport);
	if (rec->family == AF_INET6 && bpf_core_field_exists(common->skc_v6_daddr)) {
		bpf_core_read(rec->laddr, sizeof(rec->laddr), &common->skc_v6_rcv_saddr);
		bpf_core_read(rec->raddr, sizeof(rec->raddr), &common->skc_v6_daddr);
	} else {
		bpf_core_read(rec->laddr, 4, &common->skc_rcv_saddr);
		bpf_core_read(rec->raddr, 4, &common->skc_daddr);
	}
}

/* The inode of its file descriptors: a socket is allocated together with its inode
 * (include/net/sock.h).
 */
static __always_inline __u64 inode_of(const struct sock *sk)
{
	struct socket___sk *socket = sk->sk_socket;
	struct socket_alloc *both;

	if (!socket)
		return 0;
	both = (void *)((char *)socket - bpf_core_field_offset(struct socket_alloc, socket));
	return BPF_CORE_READ(both, vfs_inode.i_ino);
}

static __always_inline __u32 drops_of(const struct sock *sk)
{
	struct numa_drop_counters *both;

	if (bpf_core_field_exists(sk->sk_drop_counters)) {
		both = sk->sk_drop_counters;
		if (both)
			return (__u32)both->drops0.counter + (__u32)both->drops1.counter;
	}
	return (__u32)sk->sk_drops.counter;
}

static __always_inline void read_sock(struct rxaqm_socket_rec *rec, const struct sock *sk)
{
	const struct sock_common *common = &sk->__sk_common;

	rec->id = (__u64)sk;
	read_address(rec, common);
	rec->inode = inode_of(sk);
	rec->rx_queue = RXAQM_SOCKET_NO_QUEUE;
	if (bpf_core_field_exists(common->skc_rx_queue_mapping))
		rec->rx_queue = common->skc_rx_queue_mapping;
	rec->cpu = common->skc_incoming_cpu;
	rec->rx_ifindex = (__u32)sk->sk_rx_dst_ifindex;
	rec->rmem_alloc = (__u32)sk->sk_backlog.rmem_alloc.counter;
	rec->rcvbuf = (__u32)sk->sk_rcvbuf;
	rec->sndbuf = (__u32)sk->sk_sndbuf;
	rec->drops = drops_of(sk);
	rec->rcvbuf_locked = !!(BPF_CORE_READ_BITFIELD(sk, sk_userlocks) & SOCK_RCVBUF_LOCK);
	rec->pacing_bytes_per_s = sk->sk_pacing_rate;
}

/* As tcp_get_info_chrono_stats(): the current period counts, too. */
static __always_inline void read_chrono(struct rxaqm_socket_rec *rec, const struct tcp_sock *tp)
{
	__u32 stat[3] = {}, now = (__u32)bpf_jiffies64();
	__u8 type = BPF_CORE_READ_BITFIELD(tp, chrono_type); /* of 2 bits before 6.18 */

	bpf_core_read(stat, sizeof(stat), &tp->chrono_stat);
	/* TCP_CHRONO_BUSY is 1. A change of kind ends the one before (tcp_chrono_set). */
	for (__u8 i = 0; i < 3; i++)
		stat[i] += type == i + 1 ? now - tp->chrono_start : 0;
	rec->rwnd_limited_ticks = stat[1];
	rec->sndbuf_limited_ticks = stat[2];
	rec->now_ticks = now;
}

static __always_inline void read_window(struct rxaqm_socket_rec *rec, const struct tcp_sock *tp)
{
	rec->rcv_wnd = tp->rcv_wnd;
	rec->rcv_rtt_us = tp->rcv_rtt_est.rtt_us >> 3;
	rec->rcv_mss = tp->inet_conn.icsk_ack.rcv_mss;
	rec->advmss = tp->advmss;
	if (bpf_core_field_exists(tp->scaling_ratio))
		rec->scaling_ratio = tp->scaling_ratio;
}

static __always_inline void read_segments(struct rxaqm_socket_rec *rec, const struct tcp_sock *tp)
{
	rec->bytes_received = tp->bytes_received;
	rec->bytes_acked = tp->bytes_acked;
	rec->data_segs_in = tp->data_segs_in;
	rec->segs_out = tp->segs_out;
	rec->retrans_segs = tp->total_retrans;
}

static __always_inline void read_sender(struct rxaqm_socket_rec *rec, const struct tcp_sock *tp)
{
	const struct tcp_congestion_ops *ca = tp->inet_conn.icsk_ca_ops;
	__u32 write_seq = tp->write_seq;

	rec->send_queue = write_seq - tp->snd_una;
	rec->not_sent = write_seq - tp->snd_nxt;
	rec->srtt_us = tp->srtt_us >> 3;
	rec->min_rtt_us = tp->rtt_min.s[0].v;
	rec->snd_cwnd = tp->snd_cwnd;
	rec->packets_out = tp->packets_out;
	rec->mss = tp->mss_cache;
	rec->app_limited = !!tp->app_limited;
	rec->cwnd_limited = BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited);
	if (ca)
		BPF_CORE_READ_STR_INTO(&rec->ca, ca, name);
}

static __always_inline void read_tcp(struct rxaqm_socket_rec *rec, const struct tcp_sock *tp)
{
	const struct sock *sk = (const void *)tp;

	read_window(rec, tp);
	read_segments(rec, tp);
	read_chrono(rec, tp);
	read_sender(rec, tp);
	rec->recv_queue = tp->rcv_nxt - tp->copied_seq;
	if (rec->state != TCP_LISTEN)
		return;
	rec->recv_queue = sk->sk_ack_backlog;
	rec->send_queue = sk->sk_max_ack_backlog;
	rec->not_sent = 0;
}

SEC("iter/tcp")
int sockets_tcp(struct bpf_iter__tcp *ctx)
{
	struct rxaqm_socket_rec rec = { .proto = RXAQM_SOCKET_TCP };
	struct sock_common *common = ctx->sk_common;
	struct tcp_sock *tp;

	if (!common)
		return 0;
	tp = bpf_skc_to_tcp_sock(common);
	if (tp) {
		read_sock(&rec, (const void *)tp);
		read_tcp(&rec, tp);
	} else {
		/* It is in TIME_WAIT or waits for a handshake to end: it holds a port. */
		rec.id = (__u64)common;
		read_address(&rec, common);
	}
	bpf_seq_write(ctx->meta->seq, &rec, sizeof(rec));
	return 0;
}

SEC("iter/udp")
int sockets_udp(struct bpf_iter__udp *ctx)
{
	struct rxaqm_socket_rec rec = { .proto = RXAQM_SOCKET_UDP };
	struct udp_sock *udp = ctx->udp_sk;

	/* One read, since the verifier trusts only the very pointer that was compared. */
	RXAQM_HIDE(udp);
	if (!udp)
		return 0;
	read_sock(&rec, (const void *)udp);
	rec.recv_queue = rec.rmem_alloc;
	bpf_seq_write(ctx->meta->seq, &rec, sizeof(rec));
	return 0;
}
