/* SPDX-License-Identifier: GPL-2.0-only */
/* Keep the sockets that stand out. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "doctor/sockets/sockets.h"

#define TCP_LISTEN 10

/* Rate @seen by each measure; 0 is never kept. */
static void measure(const struct doctor_seen *seen, __u64 score[DOCTOR_NR_TOPS])
{
	const struct rxaqm_socket_rec *rec = &seen->rec;
	const struct doctor_socket *did = &seen->did;
	bool udp = rec->proto == RXAQM_SOCKET_UDP, listens = rec->state == TCP_LISTEN;
	bool flow = rec->proto == RXAQM_SOCKET_TCP && !listens;
	const __u64 scores[DOCTOR_NR_TOPS] = {
		did->drops,
		/* Waiting now and before: a reader that is only late has read before the second
		 * pass.
		 */
		flow ? rec->recv_queue : 0,
		rec->rmem_alloc,
		flow ? did->received : 0,
		flow ? did->acked : 0,
		flow ? rec->not_sent : 0,
		/* How full its accept queue is. */
		listens ? rec->recv_queue * 1000ULL / (rec->send_queue + 1ULL) : 0,
		flow && !rec->rcvbuf_locked ? rec->rcvbuf : 0,
		did->retrans,
		flow && rec->rcvbuf_locked ? did->received : 0,
		udp ? rec->rmem_alloc : 0,
		did->rwnd_limited_ms,
	};

	memcpy(score, scores, sizeof(scores));
}

static void add(struct doctor_top *top, const struct doctor_seen *seen, __u64 score)
{
	unsigned int at = top->nr;

	if (at == DOCTOR_TOP) {
		if (score <= top->score[at - 1])
			return;
		at--;
	} else {
		top->nr++;
	}
	for (; at && top->score[at - 1] < score; at--) {
		top->at[at] = top->at[at - 1];
		top->score[at] = top->score[at - 1];
	}
	top->at[at] = *seen;
	top->score[at] = score;
}

void doctor_tops_add(struct doctor_top tops[DOCTOR_NR_TOPS], const struct doctor_seen *seen)
{
	__u64 score[DOCTOR_NR_TOPS];
	unsigned int i;

	measure(seen, score);
	for (i = 0; i < DOCTOR_NR_TOPS; i++) {
		if (score[i])
			add(&tops[i], seen, score[i]);
	}
}

/* "10.0.0.1:80", "[fe80::1]:80"; @family: AF_INET or AF_INET6. */
static void print_address(char *buf, size_t size, int family, const __u8 *address, __u16 port)
{
	char text[INET6_ADDRSTRLEN] = "?";

	inet_ntop(family, address, text, sizeof(text));
	snprintf(buf, size, family == AF_INET6 ? "[%s]:%u" : "%s:%u", text, port);
}

static const char *state_name(const struct rxaqm_socket_rec *rec)
{
	/* include/net/tcp_states.h */
	static const char *const names[] = {
		"",	     "established", "syn_sent",	   "syn_recv",	 "fin_wait1",
		"fin_wait2", "time_wait",   "close",	   "close_wait", "last_ack",
		"listen",    "closing",	    "new_syn_recv"
	};

	return rec->state < sizeof(names) / sizeof(names[0]) ? names[rec->state] : "";
}

static void convert(const struct doctor_seen *seen, struct doctor_socket *to)
{
	const struct rxaqm_socket_rec *rec = &seen->rec;

	*to = seen->did;
	snprintf(to->proto, sizeof(to->proto), "%s",
		 rec->proto == RXAQM_SOCKET_TCP ? "tcp" : "udp");
	snprintf(to->state, sizeof(to->state), "%s", state_name(rec));
	print_address(to->local, sizeof(to->local), rec->family, rec->laddr, rec->lport);
	print_address(to->remote, sizeof(to->remote), rec->family, rec->raddr, rec->rport);
	to->ifindex = rec->rx_ifindex;
	to->rx_queue = rec->rx_queue == RXAQM_SOCKET_NO_QUEUE ? ~0U : rec->rx_queue;
	to->cpu = rec->cpu;
	to->rcvbuf_locked = rec->rcvbuf_locked;
	to->rmem_alloc = rec->rmem_alloc;
	to->rcvbuf = rec->rcvbuf;
	to->sndbuf = rec->sndbuf;
	to->recv_queue = rec->recv_queue;
	to->send_queue = rec->send_queue;
	to->not_sent = rec->not_sent;
	to->scaling_ratio = rec->scaling_ratio;
	to->rcv_wnd = rec->rcv_wnd;
	to->rcv_rtt_us = rec->rcv_rtt_us;
	to->srtt_us = rec->srtt_us;
	to->min_rtt_us = rec->min_rtt_us == ~0U ? 0 : rec->min_rtt_us;
	to->cwnd = rec->snd_cwnd;
	to->packets_out = rec->packets_out;
	to->mss = rec->mss;
	to->rcv_mss = rec->rcv_mss;
	to->advmss = rec->advmss;
	to->cwnd_limited = rec->cwnd_limited;
	to->app_limited = rec->app_limited;
	snprintf(to->ca, sizeof(to->ca), "%.15s", rec->ca);
	to->inode = rec->inode;
}

void doctor_tops_collect(const struct doctor_top tops[DOCTOR_NR_TOPS],
			 struct doctor_sockets *sockets)
{
	__u64 ids[DOCTOR_NR_TOPS * DOCTOR_TOP];
	unsigned int i, k, nr = 0, m;

	for (i = 0; i < DOCTOR_NR_TOPS; i++) {
		for (k = 0; k < tops[i].nr; k++) {
			__u64 id = tops[i].at[k].rec.id;
			struct doctor_socket *to;

			for (m = 0; m < nr && ids[m] != id; m++)
				;
			if (m < nr)
				continue;
			to = rxaqm_list_add(&sockets->notable);
			if (!to)
				return;
			ids[nr++] = id;
			convert(&tops[i].at[k], to);
		}
	}
}
