/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets by sock_diag, as in ss: it tells less of each, but needs no BPF. */
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>

#include "base/now.h"
#include "sockets/sockets.h"
#include "nic/netlink.h"

#define ALL_STATES ~0U
/* Offset of tcpi_rcv_wnd in struct tcp_info, in kernels and headers from 6.2 on. */
#define TCPI_RCV_WND 232

struct walk {
	rxaqm_socket_fn each;
	void *arg;
	__u8 proto;
};

static void take_memory(struct rxaqm_socket_rec *rec, const struct nlattr *attr)
{
	__u32 value[SK_MEMINFO_VARS] = {};
	size_t len = rxaqm_attr_len(attr);

	memcpy(value, rxaqm_attr_data(attr), len < sizeof(value) ? len : sizeof(value));
	rec->rmem_alloc = value[SK_MEMINFO_RMEM_ALLOC];
	rec->rcvbuf = value[SK_MEMINFO_RCVBUF];
	rec->sndbuf = value[SK_MEMINFO_SNDBUF];
	rec->drops = value[SK_MEMINFO_DROPS];
}

/* A kernel older than the headers gives less of the struct, a newer one more. */
static void take_info(struct rxaqm_socket_rec *rec, const struct nlattr *attr)
{
	struct tcp_info info = {};
	size_t len = rxaqm_attr_len(attr);

	memcpy(&info, rxaqm_attr_data(attr), len < sizeof(info) ? len : sizeof(info));
	rec->bytes_received = info.tcpi_bytes_received;
	rec->bytes_acked = info.tcpi_bytes_acked;
	rec->pacing_bytes_per_s = info.tcpi_pacing_rate;
	rec->rcv_rtt_us = info.tcpi_rcv_rtt;
	rec->rcv_mss = info.tcpi_rcv_mss;
	rec->advmss = info.tcpi_advmss;
	rec->srtt_us = info.tcpi_rtt;
	rec->min_rtt_us = info.tcpi_min_rtt;
	rec->snd_cwnd = info.tcpi_snd_cwnd;
	rec->packets_out = info.tcpi_unacked;
	rec->mss = info.tcpi_snd_mss;
	rec->not_sent = info.tcpi_notsent_bytes;
	rec->data_segs_in = info.tcpi_data_segs_in;
	rec->segs_out = info.tcpi_segs_out;
	rec->retrans_segs = info.tcpi_total_retrans;
	rec->rwnd_limited_ticks = (__u32)info.tcpi_rwnd_limited;
	rec->sndbuf_limited_ticks = (__u32)info.tcpi_sndbuf_limited;
	rec->app_limited = info.tcpi_delivery_rate_app_limited;
	rec->rcv_wnd = ~0U;
	if (len >= TCPI_RCV_WND + sizeof(rec->rcv_wnd))
		memcpy(&rec->rcv_wnd, (const char *)rxaqm_attr_data(attr) + TCPI_RCV_WND,
		       sizeof(rec->rcv_wnd));
}

static void take_attrs(struct rxaqm_socket_rec *rec, const struct nlmsghdr *message)
{
	const struct nlattr *attr;

	rxaqm_each_attr(attr, message, sizeof(struct inet_diag_msg)) {
		switch (rxaqm_attr_type(attr)) {
		case INET_DIAG_SKMEMINFO:
			take_memory(rec, attr);
			break;
		case INET_DIAG_INFO:
			take_info(rec, attr);
			break;
		case INET_DIAG_CONG:
			if (rxaqm_attr_text(attr))
				strncpy(rec->ca, rxaqm_attr_text(attr), sizeof(rec->ca) - 1);
			break;
		}
	}
}

static int take_socket(const struct nlmsghdr *message, void *arg)
{
	const struct inet_diag_msg *diag = NLMSG_DATA(message);
	const struct walk *walk = arg;
	struct rxaqm_socket_rec rec = {
		.proto = walk->proto,
		.family = diag->idiag_family,
		.state = diag->idiag_state,
		.inode = diag->idiag_inode,
		.recv_queue = diag->idiag_rqueue,
		.send_queue = diag->idiag_wqueue,
		.rx_queue = RXAQM_SOCKET_NO_QUEUE,
		.cpu = -1,
		.pacing_bytes_per_s = ~0ULL,
	};

	rec.id = (__u64)diag->id.idiag_cookie[1] << 32 | diag->id.idiag_cookie[0];
	rec.lport = ntohs(diag->id.idiag_sport);
	rec.rport = ntohs(diag->id.idiag_dport);
	memcpy(rec.laddr, diag->id.idiag_src, sizeof(rec.laddr));
	memcpy(rec.raddr, diag->id.idiag_dst, sizeof(rec.raddr));
	rec.now_ticks = (__u32)(rxaqm_clock_ns(CLOCK_MONOTONIC) / RXAQM_NSEC_PER_USEC);
	take_attrs(&rec, message);
	if (rec.id)
		walk->each(walk->arg, &rec);
	return 0;
}

static int walk_one(__u8 family, struct walk *walk)
{
	union rxaqm_netlink_request request;
	struct inet_diag_req_v2 *diag;
	int err;

	diag = rxaqm_netlink_begin(&request, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, sizeof(*diag));
	diag->sdiag_family = family;
	diag->sdiag_protocol = walk->proto;
	diag->idiag_states = ALL_STATES;
	diag->idiag_ext = 1 << (INET_DIAG_INFO - 1) | 1 << (INET_DIAG_SKMEMINFO - 1) |
			  1 << (INET_DIAG_CONG - 1);
	err = rxaqm_netlink_ask(NETLINK_SOCK_DIAG, &request, take_socket, walk);
	/* Sockets come and go while it lists them. */
	return err == -EAGAIN ? 0 : err;
}

int rxaqm_sockets_by_diag(struct sockets **kept, rxaqm_socket_fn each, void *arg)
{
	static const __u8 families[] = { AF_INET, AF_INET6 };
	static const __u8 protos[] = { IPPROTO_TCP, IPPROTO_UDP };
	unsigned int i;
	int err = 0;

	(void)kept;
	for (i = 0; !err && i < 4; i++) {
		struct walk walk = { each, arg, protos[i % 2] };

		err = walk_one(families[i / 2], &walk);
		/* udp_diag and inet_diag may be modules that are missing. */
		if (err == -ENOENT && protos[i % 2] == IPPROTO_UDP)
			err = 0;
	}
	return err;
}
