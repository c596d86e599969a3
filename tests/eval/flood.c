// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets of no connection, for the evaluation, until it is ended:
 *
 *   flood icmp|ack|udp|syn INTERFACE MAC SOURCE DESTINATION PORT PACKETS_PER_SECOND [RUN]
 *
 * ICMP echo requests whose checksum is wrong, so that nobody answers; or pure ACKs of 64 flows,
 * each of which acknowledges two segments more than the last of its flow. Or UDP of 64 flows, for
 * what wants a load that slows for nothing and that an AQM may drop. Or SYNs. With RUN source
 * address and port are others after so many packets: SOURCE gives the upper half of the address.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ether.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "load.h"

#define FLOWS 64
#define BATCH 16
#define FRAME_BYTES 60
#define FIRST_PORT 20000
#define ACKED_BYTES 2896

struct frame {
	struct ether_header eth;
	struct iphdr ip;
	struct tcphdr tcp;
	char padding[6];
} __attribute__((packed));

static struct frame frames[FLOWS];
static unsigned long run; /* packets of a sender; 0: there are FLOWS */

static unsigned short checksum(const void *data, unsigned int n)
{
	const unsigned short *p = data;
	unsigned int sum = 0;

	for (; n; n -= 2)
		sum += *p++;
	sum = (sum >> 16) + (sum & 0xffff);
	return ~(sum + (sum >> 16));
}

/* Who answers SYNs looks at it. */
static unsigned short tcp_checksum(const struct frame *f)
{
	struct {
		unsigned int source, destination;
		unsigned short protocol, length;
		struct tcphdr tcp;
	} __attribute__((packed)) all = { f->ip.saddr, f->ip.daddr, htons(IPPROTO_TCP),
					  htons(sizeof(f->tcp)), f->tcp };

	return checksum(&all, sizeof(all));
}

static void make_frame(struct frame *f, char **argv, unsigned int flow)
{
	int icmp = !strcmp(argv[1], "icmp"), udp = !strcmp(argv[1], "udp"),
	    ack = !strcmp(argv[1], "ack");

	memcpy(f->eth.ether_dhost, ether_aton(argv[3]), ETH_ALEN);
	f->eth.ether_type = htons(ETHERTYPE_IP);
	f->ip.version = 4;
	f->ip.ihl = 5;
	f->ip.ttl = 64;
	f->ip.tot_len = htons(sizeof(f->ip) + sizeof(f->tcp));
	f->ip.protocol = icmp ? IPPROTO_ICMP : udp ? IPPROTO_UDP : IPPROTO_TCP;
	f->ip.saddr = inet_addr(argv[4]);
	f->ip.daddr = inet_addr(argv[5]);
	f->ip.check = checksum(&f->ip, sizeof(f->ip));
	if (icmp) {
		f->tcp.source = htons(8 << 8); /* the type: echo request */
		return;
	}
	f->tcp.source = htons(FIRST_PORT + flow);
	f->tcp.dest = htons(atoi(argv[6]));
	if (udp) {
		f->tcp.seq = htonl(sizeof(f->tcp) << 16); /* the length; no checksum */
		return;
	}
	f->tcp.seq = htonl(1);
	f->tcp.doff = 5;
	f->tcp.ack = ack;
	f->tcp.syn = !ack;
	f->tcp.window = htons(1000);
}

/* The sender of run @nr; the same for all of its packets. */
static void set_sender(struct frame *f, unsigned long long nr)
{
	unsigned int random = (nr + 1) * 0x9e3779b97f4a7c15ull >> 32;

	f->ip.saddr = htonl((ntohl(f->ip.saddr) & 0xffff0000) | random >> 16);
	f->ip.check = 0;
	f->ip.check = checksum(&f->ip, sizeof(f->ip));
	f->tcp.source = htons(1024 + random % 60000);
	if (f->ip.protocol != IPPROTO_TCP)
		return;
	f->tcp.check = 0;
	f->tcp.check = tcp_checksum(f);
}

static void send_batch(int fd, unsigned long long first, unsigned int n)
{
	struct mmsghdr messages[BATCH] = {};
	struct iovec parts[BATCH];
	unsigned int i;

	for (i = 0; i < n; i++) {
		unsigned long long nr = first + i;
		struct frame *f = &frames[nr % FLOWS];

		if (run)
			set_sender(f, nr / run);
		if (f->ip.protocol == IPPROTO_TCP && f->tcp.ack)
			f->tcp.ack_seq = htonl(nr / FLOWS * ACKED_BYTES);
		parts[i] = (struct iovec){ f, FRAME_BYTES };
		messages[i].msg_hdr = (struct msghdr){ .msg_iov = &parts[i], .msg_iovlen = 1 };
	}
	if (sendmmsg(fd, messages, n, 0) < 0 && errno != ENOBUFS && errno != EAGAIN)
		die("sendmmsg");
}

int main(int argc, char **argv)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_protocol = htons(ETHERTYPE_IP) };
	const struct timespec pause = { .tv_nsec = 200000 };
	unsigned long long begin_ns, sent = 0, due;
	unsigned int i;
	int fd, one = 1;
	double pps;

	if (argc < 8 || !ether_aton(argv[3]) || (pps = atof(argv[7])) <= 0) {
		fprintf(stderr,
			"usage: flood icmp|ack|udp|syn INTERFACE MAC SOURCE DESTINATION PORT PPS [RUN]\n");
		return 2;
	}
	run = argc > 8 ? strtoul(argv[8], NULL, 10) : 0;
	for (i = 0; i < FLOWS; i++)
		make_frame(&frames[i], argv, i);
	fd = socket(AF_PACKET, SOCK_RAW, 0);
	to.sll_ifindex = if_nametoindex(argv[2]);
	if (fd < 0 || bind(fd, (struct sockaddr *)&to, sizeof(to)))
		die(argv[2]);
	setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof(one));
	for (begin_ns = clock_ns(CLOCK_MONOTONIC);;) {
		due = (clock_ns(CLOCK_MONOTONIC) - begin_ns) * pps / 1e9;
		if (due <= sent) {
			nanosleep(&pause, NULL);
			continue;
		}
		i = due - sent < BATCH ? due - sent : BATCH;
		send_batch(fd, sent, i);
		sent += i;
	}
}
