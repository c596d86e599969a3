/* SPDX-License-Identifier: GPL-2.0-only */
#include <json-c/linkhash.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "doctor/sockets/sockets.h"

#define TCP_ESTABLISHED 1
#define TCP_TIME_WAIT 6
#define TCP_NEW_SYN_RECV 12

struct doctor_socket_passes {
	struct doctor_snapshot *snap;
	int (*iterate)(struct sockets **kept, rxaqm_socket_fn each, void *arg);
	struct sockets *programs;
	RXAQM_LIST(struct rxaqm_socket_rec) was; /* from the first pass */
	struct lh_table *index; /* id to index plus one */
	__u64 first_ns, second_ns;
	__u32 rmem_max; /* tcp_rmem[2] */
	struct doctor_top *tops;
	struct doctor_groups *groups;
};

static void *key_of(const struct rxaqm_socket_rec *rec)
{
	return (void *)(uintptr_t)rec->id;
}

static void remember(void *arg, const struct rxaqm_socket_rec *rec)
{
	struct doctor_seen seen = {
		.rec = *rec,
		.did = { .drops = rec->drops, .received = rec->bytes_received },
	};
	struct doctor_socket_passes *passes = arg;

	doctor_tops_add(passes->tops, &seen);
	if (rxaqm_list_put(&passes->was, *rec))
		lh_table_insert(passes->index, key_of(rec), (void *)(uintptr_t)passes->was.nr);
}

/* @rec as it was in the first pass; NULL: it is new. */
static const struct rxaqm_socket_rec *was_of(const struct doctor_socket_passes *passes,
					     const struct rxaqm_socket_rec *rec)
{
	const struct rxaqm_socket_rec *was;
	void *nr;

	if (!lh_table_lookup_ex(passes->index, key_of(rec), &nr))
		return NULL;
	was = &passes->was.at[(uintptr_t)nr - 1];
	/* The kernel reuses memory: check that it is the same connection. */
	return was->lport == rec->lport && (was->rport == rec->rport || !was->rport) ? was : NULL;
}

/* Scale by the time between the passes: ticks may be jiffies or microseconds. */
static __u32 share_ms(const struct doctor_socket_passes *passes, const struct rxaqm_socket_rec *was,
		      const struct rxaqm_socket_rec *rec, __u32 ticks)
{
	__u32 all = rec->now_ticks - was->now_ticks;
	__u64 window_ms = (passes->second_ns - passes->first_ns) / RXAQM_NSEC_PER_MSEC;

	return all ? (__u32)(window_ms * (ticks > all ? all : ticks) / all) : 0;
}

static void compare(const struct doctor_socket_passes *passes, const struct rxaqm_socket_rec *was,
		    struct doctor_seen *seen)
{
	const struct rxaqm_socket_rec *rec = &seen->rec;
	__u64 arrived = rec->bytes_received - was->bytes_received;

	seen->did = (struct doctor_socket){
		.seen_before = true,
		.was_rmem_alloc = was->rmem_alloc,
		.was_recv_queue = was->recv_queue,
		.was_packets_out = was->packets_out,
		.received = arrived,
		.acked = rec->bytes_acked - was->bytes_acked,
		.drops = (__u32)(rec->drops - was->drops),
		.data_segs_in = (__u32)(rec->data_segs_in - was->data_segs_in),
		.segs_out = (__u32)(rec->segs_out - was->segs_out),
		.retrans = (__u32)(rec->retrans_segs - was->retrans_segs),
		.rwnd_limited_ms = share_ms(passes, was, rec,
					    rec->rwnd_limited_ticks - was->rwnd_limited_ticks),
		.sndbuf_limited_ms = share_ms(passes, was, rec,
					      rec->sndbuf_limited_ticks -
						      was->sndbuf_limited_ticks),
	};
	/* The program has read what arrived and does not wait. */
	if (arrived + was->recv_queue > rec->recv_queue)
		seen->did.read = arrived + was->recv_queue - rec->recv_queue;
}

static void add_totals(struct doctor_sockets *sockets, const struct doctor_seen *seen,
		       __u32 rmem_max)
{
	const struct rxaqm_socket_rec *rec = &seen->rec;

	sockets->nr_tcp += rec->proto == RXAQM_SOCKET_TCP;
	sockets->nr_udp += rec->proto == RXAQM_SOCKET_UDP;
	if (rec->proto != RXAQM_SOCKET_TCP || rec->state != TCP_ESTABLISHED)
		return;
	sockets->locked += rec->rcvbuf_locked;
	sockets->rb_at_max += rmem_max && rec->rcvbuf >= rmem_max;
	sockets->zero_window += !rec->rcv_wnd;
	sockets->rmem_over += rec->rmem_alloc > rec->rcvbuf;
}

static void judge(void *arg, const struct rxaqm_socket_rec *rec)
{
	struct doctor_socket_passes *passes = arg;
	struct doctor_seen seen = { .rec = *rec };
	const struct rxaqm_socket_rec *was = was_of(passes, rec);

	if (was)
		compare(passes, was, &seen);
	else
		seen.did.drops = rec->drops; /* a new socket: all its drops are of this window */
	add_totals(&passes->snap->sockets, &seen, passes->rmem_max);
	doctor_groups_add(passes->groups, &seen);
	if (rec->state != TCP_TIME_WAIT && rec->state != TCP_NEW_SYN_RECV)
		doctor_tops_add(passes->tops, &seen);
}

struct doctor_socket_passes *doctor_sockets_open(struct doctor_snapshot *snap)
{
	struct doctor_socket_passes *passes = calloc(1, sizeof(*passes));

	if (!passes)
		return NULL;
	passes->tops = calloc(DOCTOR_NR_TOPS, sizeof(*passes->tops));
	passes->index = lh_kptr_table_new(1024, NULL);
	if (!passes->tops || !passes->index) {
		doctor_sockets_close(passes);
		return NULL;
	}
	passes->snap = snap;
	passes->rmem_max = (__u32)doctor_sysctl(snap, "net.ipv4.tcp_rmem", 2, 0);
	return passes;
}

void doctor_sockets_first(struct doctor_socket_passes *passes)
{
	struct doctor_sockets *sockets = &passes->snap->sockets;
	int err;

	passes->first_ns = rxaqm_now_ns();
	passes->iterate = rxaqm_sockets_by_bpf;
	snprintf(sockets->source, sizeof(sockets->source), "bpf");
	err = passes->iterate(&passes->programs, remember, passes);
	if (err) {
		doctor_cannot_see(passes->snap, "Rx queue, scaling ratio, locks of sockets",
				  "the kernel refuses BPF iterators (%s): sock_diag is used",
				  strerror(-err));
		passes->iterate = rxaqm_sockets_by_diag;
		snprintf(sockets->source, sizeof(sockets->source), "diag");
		err = passes->iterate(&passes->programs, remember, passes);
	}
	if (err) {
		doctor_cannot_see(passes->snap, "sockets", "sock_diag: %s", strerror(-err));
		sockets->source[0] = '\0';
		passes->iterate = NULL;
		return;
	}
	doctor_tops_collect(passes->tops, sockets);
	doctor_owners_find(passes->snap, false);
	free(sockets->notable.at);
	sockets->notable.at = NULL;
	sockets->notable.nr = 0;
}

void doctor_sockets_second(struct doctor_socket_passes *passes)
{
	struct doctor_sockets *sockets = &passes->snap->sockets;
	int err;

	if (!passes->iterate)
		return;
	memset(passes->tops, 0, DOCTOR_NR_TOPS * sizeof(*passes->tops));
	passes->groups = doctor_groups_new();
	if (!passes->groups)
		return;
	passes->second_ns = rxaqm_now_ns();
	err = passes->iterate(&passes->programs, judge, passes);
	if (err)
		doctor_cannot_see(passes->snap, "sockets", "the second pass failed: %s",
				  strerror(-err));
	doctor_groups_finish(passes->groups, sockets);
	doctor_tops_collect(passes->tops, sockets);
	doctor_owners_find(passes->snap, true);
}

void doctor_sockets_close(struct doctor_socket_passes *passes)
{
	if (!passes)
		return;
	rxaqm_sockets_unload(passes->programs);
	if (passes->index)
		lh_table_free(passes->index);
	free(passes->was.at);
	free(passes->tops);
	free(passes);
}
