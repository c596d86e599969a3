// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets that no AQM may treat like data, for the evaluation, until it is ended:
 *
 *   flood icmp|ack|udp INTERFACE DESTINATION_MAC SOURCE DESTINATION PACKETS_PER_SECOND
 *
 * ICMP echo requests whose checksum is wrong, so that nobody answers; or pure ACKs of 64 flows,
 * each of which acknowledges two segments more than the last of its flow. Or UDP of 64 flows, for
 * what wants a load that slows for nothing and that an AQM may drop.
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

static unsigned short checksum(const void *data, unsigned int n)
{
	const unsigned short *p = data;
	unsigned int sum = 0;

	for (; n; n -= 2)
		sum += *p++;
	sum = (sum >> 16) + (sum & 0xffff);
	return ~(sum + (sum >> 16));
}

static void make_frame(struct frame *f, char **argv, unsigned int flow)
{
	int icmp = !strcmp(argv[1], "icmp"), udp = !strcmp(argv[1], "udp");

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
	f->tcp.dest = htons(9);
	if (udp) {
		f->tcp.seq = htonl(sizeof(f->tcp) << 16); /* the length; no checksum */
		return;
	}
	f->tcp.seq = htonl(1);
	f->tcp.doff = 5;
	f->tcp.ack = 1;
	f->tcp.window = htons(1000);
}

static void send_batch(int fd, unsigned long long first, unsigned int n)
{
	struct mmsghdr messages[BATCH] = {};
	struct iovec parts[BATCH];
	unsigned int i;

	for (i = 0; i < n; i++) {
		unsigned long long nr = first + i;
		struct frame *f = &frames[nr % FLOWS];

		if (f->ip.protocol == IPPROTO_TCP)
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

	if (argc != 7 || !ether_aton(argv[3]) || (pps = atof(argv[6])) <= 0) {
		fprintf(stderr, "usage: flood icmp|ack|udp INTERFACE MAC SOURCE DESTINATION PPS\n");
		return 2;
	}
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
