/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that the doctor knows of a host: two samples, some seconds apart, and what was seen between
 * them. Collectors (collect/) fill it; checks (checks/) read nothing else. fields.c turns it into a
 * bundle (JSON) and back without loss. A live diagnosis goes through a bundle, too, so live and
 * recorded ones cannot differ.
 *
 * What a kernel does not give is absent, never 0: the key of a map, the entry of a list. Each field
 * says what stands for "not known"; cannot_see says why.
 */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

#include "base/json_file.h"

/* Raise it when a member changes its meaning; a new member needs no raise. */
#define RXAQM_BUNDLE_VERSION 1

/* Names with non-negative numbers or with words; NULL: empty. */
typedef struct json_object *doctor_map;

/* /proc/stat (in ticks of host.ticks_per_s), /proc/net/softnet_stat, /proc/softirqs. */
struct doctor_cpu {
	__u32 id;
	__u64 user, system, idle, iowait, irq, softirq, steal; /* user: includes nice and guests */
	__u64 processed, dropped; /* packets */
	__u64 net_rx; /* softirqs */
	__u64 net_tx, timer, block, tasklet, sched, rcu; /* other softirqs; ~0: not known */
};

/* The kinds of softirqs, as /proc/softirqs calls them, and their fields; the last has no name. */
extern const struct doctor_softirq {
	const char *name;
	size_t at;
} doctor_softirqs[];

/* A kernel thread that receives: ksoftirqd/N or napi/IF-N. */
struct doctor_thread {
	char comm[32];
	__u32 pid;
	__s32 cpu; /* where it ran last */
	__u64 run_ns, wait_ns; /* on a CPU; runnable but waiting for one (schedstat) */
	__u64 longest_wait_ns; /* within 100 ms between two looks; ~0: not known */
	struct {
		__u64 wait_ns, waits;
	} looked; /* at the collector's last look */
};

struct doctor_queue {
	__u32 id;
	bool tx;
	__u64 packets, bytes; /* ~0: not known */
	__u64 drops, alloc_fails; /* ~0: not known */
	__u64 irq_count; /* of its interrupt; ~0: not known */
	__u32 napi, irq; /* 0: not known */
	__s32 cpu; /* where its interrupts go; -1: not known */
	/* Tx: BQL and the qdisc under mq; ~0: there is none. */
	__u64 bql_inflight, bql_limit, hangs;
	__u64 backlog_bytes, qdisc_drops;
};

struct doctor_napi {
	__u32 id, irq, pid;
	char threaded[16]; /* "", disabled, enabled, busy-poll */
};

struct doctor_iface {
	char name[32], driver[32];
	__u32 ifindex;
	__u32 link_type; /* ARPHRD_*; 772 is the loopback device */
	__s64 speed_mbit, speed_max_mbit; /* of the link, of the NIC; -1, 0: not known */
	char duplex[8]; /* half, full; "": not known */
	__u32 mtu; /* 0: not known */
	__u32 pcie_width, pcie_max_width; /* lanes; ~0: not known */
	__u32 rx_queues, rps_queues; /* rps_queues: Rx queues with RPS on */
	__u32 rx_ring, rx_ring_max, rx_max_queues; /* 0: not known */
	__u32 rss_share_max_permille; /* the largest in the indirection table; 0: not known */
	__u32 channels; /* queues in use that receive; 0: not known */
	__u32 rx_channels; /* those of them that only receive */
	bool gro, gro_known;
	bool is_virtual; /* has an rtnetlink kind: no cable, ring or device of its own */
	char qdisc[24]; /* at the root; "": not known */
	char managed_by[20]; /* NetworkManager, systemd-networkd; "": neither, or not known */
	__u32 rx_usecs; /* an interrupt comes so late; ~0: not known, or the driver adapts it */
	doctor_map stats; /* /sys/class/net/IF/statistics; ingress_drops: by filters of the qdiscs
			     ingress and clsact */
	doctor_map ethtool; /* of -S, those of drops, pauses, limits and single queues */
	RXAQM_LIST(struct doctor_queue) queues;
	RXAQM_LIST(struct doctor_napi) napis;
};

/* A socket that stands out, from kprobes/sockets.bpf.c or sock_diag. */
struct doctor_socket {
	char proto[8], state[16]; /* proto: tcp, udp */
	char local[56], remote[56]; /* "10.0.0.1:5001", "[fe80::1]:80" */
	__u32 ifindex; /* where its packets come from; 0: not known */
	__u32 rx_queue; /* ~0: not known */
	__s32 cpu; /* that processed its last packet; -1: not known */
	bool rcvbuf_locked;
	bool seen_before; /* also in the first sample: the was_ fields and differences are valid */
	__u32 rmem_alloc, rcvbuf, sndbuf;
	__u32 recv_queue, send_queue,
		not_sent; /* a listener: waiting connections, their limit, 0 */
	__u32 was_rmem_alloc, was_recv_queue, was_packets_out;
	__u64 drops; /* packets, between the samples */
	__u64 received, acked, read; /* bytes, between the samples; read: by the program */
	__u64 data_segs_in, segs_out, retrans; /* between the samples */
	__u32 rwnd_limited_ms, sndbuf_limited_ms; /* between the samples */
	__u32 scaling_ratio; /* payload of 256 bytes of receive memory; 0: not known */
	__u32 rcv_wnd; /* ~0: not known */
	__u32 rcv_rtt_us, srtt_us, min_rtt_us; /* 0: not measured */
	__u32 cwnd, packets_out, mss, rcv_mss, advmss;
	bool cwnd_limited, app_limited;
	char ca[16];
	__u64 inode;
	__u32 owner; /* pid, 0: not known */
};

#define DOCTOR_HIST 40
/* All sockets of an interface and Rx queue. Histograms are log2: [i] counts 2^i .. 2^(i+1)-1. */
struct doctor_group {
	__u32 ifindex, rx_queue; /* 0 and ~0: not known */
	char proto[8];
	__u32 sockets, active; /* active: received or sent between the samples */
	__u64 received, acked; /* bytes between the samples, TCP */
	__u32 slow_paced; /* active, sending, paced below two segments a millisecond */
	__u64 pacing_median, srtt_median_us, cwnd_median; /* of active ones; 0: none */
};

/* How long a thread has run since it began. */
struct doctor_thread_run {
	__u32 tid;
	__u64 run_ns;
};

/* A process that holds a socket above. */
struct doctor_owner {
	__u32 pid;
	char comm[32], state[4];
	__s32 cpu; /* of the thread that ran most between the samples */
	__u64 run_ns, wait_ns; /* all threads, between the samples; ~0: not known */
	__u64 busiest_run_ns; /* the thread that ran most; ~0: not known */
	__u64 throttled_us; /* by the quota of its cgroup, between the samples; ~0: not known */
	__s32 nice;
	/* Only between the first and the second look; in no bundle. */
	RXAQM_LIST(struct doctor_thread_run) runs;
};

/* One of the processes that used most CPU time between the samples. */
struct doctor_hog {
	__u32 pid;
	char comm[32];
	__s32 cpu; /* where it was last */
	__u64 run_ns;
};

/* Another network namespace in which programs run. */
struct doctor_netns {
	__u32 pid; /* one of them */
	char comm[32];
	__u32 programs;
};

struct doctor_sockets {
	char source[16]; /* "bpf", "diag", "": not seen */
	__u64 nr_tcp, nr_udp;
	/* Counts over all TCP sockets. */
	__u64 locked, rb_at_max, zero_window, rmem_over;
	RXAQM_LIST(struct doctor_socket) notable;
	RXAQM_LIST(struct doctor_group) groups;
};

/* A container host has a veth for each container; the first ones tell enough. */
#define DOCTOR_MAX_IFACES 256

struct doctor_sample {
	__u64 at_ns; /* CLOCK_MONOTONIC */
	doctor_map counters; /* "TcpExt.PruneCalled", "Udp6.InErrors", "sockstat.TCP.mem" ... */
	RXAQM_LIST(struct doctor_cpu) cpus;
	RXAQM_LIST(struct doctor_thread) threads;
	RXAQM_LIST(struct doctor_iface) ifaces;
};

/* What the looks between the samples saw of an interface and Tx queue. */
struct doctor_standing {
	__u32 ifindex, queue;
	__u32 looks, backlogged; /* backlogged: looks that found packets in the qdisc */
	__u64 backlog_max;
};

/* The summary of an earlier window (--watch). */
struct doctor_past {
	__u64 rx_bytes_per_s;
	__u32 busiest_permille; /* of the busiest CPU, receiving */
	bool standing; /* rxaqm saw a standing queue */
};

/* A queue that rxaqm is attached to; counters are differences between the samples. */
struct doctor_attached {
	__u32 ifindex, queue;
	char completion[16], mode[16]; /* completion: shared, split ... or "unknown" */
	__u64 busy_polls, drained_polls;
	__u64 over_target, over_target_acks; /* ~0: not known */
	__u64 dropped;
	__u64 sojourn_p50_ns; /* 0: not known */
};

/* What --deep measured; the length of each probe is in doctor_snapshot.deep. */

/* Whether a NAPI waits for its CPU, or its packets are expensive. */
struct doctor_deep_napi {
	__u32 ifindex; /* 0: the backlog of a CPU; ~0: of another network namespace */
	__u32 id, cpu;
	__u64 polls, busy, packets; /* busy: used the whole budget */
	__u64 poll_ns, longest_poll_ns;
	__u64 wait_ns, longest_wait_ns; /* after busy polls, until the next one */
};

/* A BPF program of the host. */
struct doctor_deep_prog {
	__u32 id;
	char name[24], type[24];
	__u64 runs, run_ns;
};

/* How long the receiving softirq of a CPU waited to begin. */
struct doctor_deep_late {
	__u32 cpu;
	__u64 waits, longest_ns, p99_ns;
	char held_by[16]; /* the task that ran when the longest wait began */
};

/* Packets that the kernel dropped, by its name of the reason and the function; most first. */
struct doctor_deep_drop {
	char reason[48], place[64];
	__u64 drops;
};

struct doctor_blind {
	char what[48], why[160];
	bool essential; /* without it no host can be called healthy */
};

struct doctor_snapshot {
	char kernel[64], hostname[64], rxaqm[32];
	__u32 ticks_per_s, page_size;
	__u64 memory_bytes; /* ~0: not known */
	__u64 time_s; /* end of the window, since 1970; ~0: not known */
	char interface[32]; /* asked for; "": all */
	doctor_map sysctl; /* "net.ipv4.tcp_rmem": words as /proc/sys has them, one blank between */
	struct doctor_sample before, after;
	struct doctor_sockets sockets;
	RXAQM_LIST(struct doctor_owner) owners;
	RXAQM_LIST(struct doctor_hog) hogs;
	RXAQM_LIST(struct doctor_netns) namespaces;
	RXAQM_LIST(struct doctor_standing) standing;
	RXAQM_LIST(struct doctor_past) past;
	RXAQM_LIST(struct doctor_attached) attached;
	RXAQM_LIST(struct doctor_blind) cannot_see;
	doctor_map
		deep; /* how long each probe ran: polls_ns, bpf_ns ...; and the numbers it counted */
	RXAQM_LIST(struct doctor_deep_napi) deep_napis;
	RXAQM_LIST(struct doctor_deep_prog) deep_progs;
	RXAQM_LIST(struct doctor_deep_late) deep_late;
	RXAQM_LIST(struct doctor_deep_drop) deep_drops;
};

/* Note that @what cannot be seen; a second note of it is ignored. */
void doctor_cannot_see(struct doctor_snapshot *snap, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The word @index of sysctl @name as a number; @otherwise if the kernel does not have it. */
__u64 doctor_sysctl(const struct doctor_snapshot *snap, const char *name, unsigned int index,
		    __u64 otherwise);

/* The summary of this window for later ones (--watch). */
struct doctor_past doctor_past_of(const struct doctor_snapshot *snap);

/* A bundle is a snapshot in a file that only its owner may read, since it names addresses and
 * programs (base/json_file.h writes and reads it).
 */
extern const struct rxaqm_record_kind doctor_bundle_kind;
static inline void doctor_snapshot_free(struct doctor_snapshot *snap)
{
	rxaqm_fields_free(doctor_bundle_kind.type, snap);
}

/* Fill the empty @to with what a reader of the bundle of @from gets, and free @from. */
int doctor_bundle_pass(struct doctor_snapshot *from, struct doctor_snapshot *to,
		       struct rxaqm_error *error);
