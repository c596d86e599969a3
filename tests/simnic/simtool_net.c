// SPDX-License-Identifier: GPL-2.0-only
/* Queues: what netlink counts of each, and which hash a frame gets. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/genetlink.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/ip.h>
#include <linux/netlink.h>
#include <linux/udp.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "simtool.h"

/* Documentation/netlink/specs/netdev.yaml; the headers of the machine may be older. */
#define QSTATS_GET 12
#define QSTATS_IFINDEX 1
#define QSTATS_QUEUE_TYPE 2
#define QSTATS_QUEUE_ID 3
#define QSTATS_SCOPE 4
#define SCOPE_QUEUE 1

static const struct {
	unsigned int type;
	const char *name;
} qstats[] = {
	{ 8, "rx-packets" },	       { 9, "rx-bytes" },
	{ 10, "tx-packets" },	       { 11, "tx-bytes" },
	{ 12, "rx-alloc-fail" },       { 13, "rx-hw-drops" },
	{ 14, "rx-hw-drop-overruns" },
};

struct request {
	struct nlmsghdr nl;
	struct genlmsghdr genl;
	struct nlattr attr;
	char value[16];
};

static int ask(int fd, int family, int cmd, int flags, int attr, const void *value, int len)
{
	struct request request = {
		.nl = { .nlmsg_type = family, .nlmsg_flags = NLM_F_REQUEST | flags },
		.genl = { .cmd = cmd, .version = 1 },
		.attr = { .nla_type = attr, .nla_len = NLA_HDRLEN + len },
	};

	memcpy(request.value, value, len);
	request.nl.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN) + NLA_ALIGN(request.attr.nla_len);
	return send(fd, &request, request.nl.nlmsg_len, 0);
}

/* The integer of attribute @type of a message; 0: none. */
static uint64_t attribute(struct nlmsghdr *nl, unsigned int type)
{
	char *at = (char *)NLMSG_DATA(nl) + GENL_HDRLEN, *end = (char *)nl + nl->nlmsg_len;
	uint64_t value = 0;

	while (at + NLA_HDRLEN <= end) {
		struct nlattr *attr = (void *)at;

		if (attr->nla_len < NLA_HDRLEN)
			break;
		if ((attr->nla_type & NLA_TYPE_MASK) == type) {
			unsigned int len = attr->nla_len - NLA_HDRLEN;

			memcpy(&value, at + NLA_HDRLEN, len < sizeof(value) ? len : sizeof(value));
			return value;
		}
		at += NLA_ALIGN(attr->nla_len);
	}
	return 0;
}

static void print_queue(struct nlmsghdr *nl, uint64_t ifindex, uint64_t tx, uint64_t queue)
{
	unsigned int i;

	if (attribute(nl, QSTATS_IFINDEX) != ifindex || attribute(nl, QSTATS_QUEUE_TYPE) != tx ||
	    attribute(nl, QSTATS_QUEUE_ID) != queue)
		return;
	for (i = 0; i < sizeof(qstats) / sizeof(*qstats); i++)
		printf("%s %llu\n", qstats[i].name,
		       (unsigned long long)attribute(nl, qstats[i].type));
}

/* qstats IFINDEX rx|tx QUEUE: what the netdev family counts of a queue. */
int cmd_qstats(char **args)
{
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	uint32_t scope = SCOPE_QUEUE;
	char answer[65536];
	struct nlmsghdr *nl = (void *)answer;
	ssize_t len;

	ask(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0, CTRL_ATTR_FAMILY_NAME, "netdev", 7);
	len = recv(fd, answer, sizeof(answer), 0);
	if (len < (ssize_t)sizeof(*nl) || nl->nlmsg_type == NLMSG_ERROR) {
		fprintf(stderr, "simtool: no netlink family netdev\n");
		return 1;
	}
	ask(fd, attribute(nl, CTRL_ATTR_FAMILY_ID), QSTATS_GET, NLM_F_DUMP, QSTATS_SCOPE, &scope,
	    sizeof(scope));
	while ((len = recv(fd, answer, sizeof(answer), 0)) > 0) {
		for (nl = (void *)answer; NLMSG_OK(nl, len); nl = NLMSG_NEXT(nl, len)) {
			if (nl->nlmsg_type == NLMSG_DONE)
				return 0;
			if (nl->nlmsg_type == NLMSG_ERROR) {
				fprintf(stderr, "simtool: qstats are refused\n");
				return 1;
			}
			print_queue(nl, strtoull(args[0], NULL, 10), !strcmp(args[1], "tx"),
				    strtoull(args[2], NULL, 10));
		}
	}
	return complain("netlink", "qstats");
}

/* flows IP COUNT: a datagram from each of COUNT ports to a port nobody has. */
int cmd_flows(char **args)
{
	struct sockaddr_in from = { .sin_family = AF_INET };
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	int i, fd;

	inet_pton(AF_INET, args[0], &to.sin_addr);
	for (i = 0; i < atoi(args[1]); i++) {
		fd = socket(AF_INET, SOCK_DGRAM, 0);
		from.sin_port = htons(20000 + i);
		if (bind(fd, (void *)&from, sizeof(from)) ||
		    sendto(fd, "x", 1, 0, (void *)&to, sizeof(to)) != 1)
			return complain("cannot send to", args[0]);
		close(fd);
	}
	return 0;
}

struct frame {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
	char data[18];
} __attribute__((packed));

/* tuple IF FROM_IP FROM_PORT TO_IP TO_PORT: a UDP frame of these, to nobody's address. */
int cmd_tuple(char **args)
{
	struct sockaddr_ll addr = { .sll_family = AF_PACKET,
				    .sll_ifindex = if_nametoindex(args[0]) };
	struct frame frame = {
		.eth = { .h_dest = { 2, 0, 0, 0, 0, 1 }, .h_proto = htons(ETH_P_IP) },
		.ip = { .version = 4,
			.ihl = 5,
			.ttl = 1,
			.protocol = IPPROTO_UDP,
			.tot_len = htons(sizeof(frame) - ETH_HLEN) },
		.udp = { .source = htons(atoi(args[2])),
			 .dest = htons(atoi(args[4])),
			 .len = htons(sizeof(frame) - ETH_HLEN - sizeof(struct iphdr)) },
	};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	inet_pton(AF_INET, args[1], &frame.ip.saddr);
	inet_pton(AF_INET, args[3], &frame.ip.daddr);
	if (sendto(fd, &frame, sizeof(frame), 0, (void *)&addr, sizeof(addr)) < 0)
		return complain("cannot send on", args[0]);
	return 0;
}

/* rxhash IF HASH SECONDS: waits for a frame that the NIC gave that hash, a hexadecimal number. */
int cmd_rxhash(char **args)
{
	struct sockaddr_ll addr = { .sll_family = AF_PACKET,
				    .sll_protocol = htons(ETH_P_ALL),
				    .sll_ifindex = if_nametoindex(args[0]) };
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SKF_AD_OFF + SKF_AD_RXHASH),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, strtoul(args[1], NULL, 16), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 64),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog filter = { .len = 4, .filter = code };
	struct timeval wait = { .tv_sec = atoi(args[2]) };
	int fd = socket(AF_PACKET, SOCK_RAW, 0);
	char frame[64];

	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) ||
	    bind(fd, (void *)&addr, sizeof(addr)))
		return complain("cannot listen on", args[0]);
	tell_ready();
	printf("frames %d\n", recv(fd, frame, sizeof(frame), 0) > 0);
	return 0;
}
