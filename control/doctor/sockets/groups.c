/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets by interface and Rx queue, and by the ports that they hold. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/sockets/sockets.h"

#define TCP_ECN_OK 1 /* include/net/tcp_ecn.h; AccECN modes have bit 1 */
#define MAX_GROUPS 4096
#define PORTS_SHOWN 4

struct group {
	struct doctor_group to;
	__u32 pacing[DOCTOR_HIST], srtt[DOCTOR_HIST], min_rtt[DOCTOR_HIST], cwnd[DOCTOR_HIST];
};

/* Connections from one address to one address and port; the ports left are theirs. For UDP the
 * ports of one address; a use with lport says that this one of them has been counted.
 */
struct port_use {
	__u8 laddr[16], raddr[16];
	__u16 rport, lport, family;
	__u8 proto;
	__u32 used;
};

struct doctor_groups {
	struct group *at;
	size_t nr, last;
	struct port_use *ports; /* a hash table, open addressing; used 0: free */
	size_t nr_ports, size;
};

struct doctor_groups *doctor_groups_new(void)
{
	return calloc(1, sizeof(struct doctor_groups));
}

static unsigned int bucket(__u64 value)
{
	unsigned int log2 = value ? 63 - (unsigned int)__builtin_clzll(value) : 0;

	return log2 < DOCTOR_HIST ? log2 : DOCTOR_HIST - 1;
}

/* The middle of the bucket that the median is in; 0: nothing counted. */
static __u64 median(const __u32 *hist)
{
	__u64 total = 0, sum = 0;
	unsigned int i;

	for (i = 0; i < DOCTOR_HIST; i++)
		total += hist[i];
	for (i = 0; i < DOCTOR_HIST && total; i++) {
		sum += hist[i];
		if (sum * 2 >= total)
			return (1ULL << i) + (1ULL << i) / 2;
	}
	return 0;
}

static struct group *group_of(struct doctor_groups *groups, const struct rxaqm_socket_rec *rec)
{
	__u32 queue = rec->rx_queue == RXAQM_SOCKET_NO_QUEUE ? ~0U : rec->rx_queue;
	const char *proto = rec->proto == RXAQM_SOCKET_TCP ? "tcp" : "udp";
	struct group *group;
	size_t i;

	for (i = 0; i < groups->nr; i++) {
		/* Neighbours in the table are often of one queue. */
		group = &groups->at[(groups->last + i) % groups->nr];
		if (group->to.ifindex == rec->rx_ifindex && group->to.rx_queue == queue &&
		    group->to.proto[0] == *proto) {
			groups->last = (groups->last + i) % groups->nr;
			return group;
		}
	}
	if (groups->nr == MAX_GROUPS)
		return NULL;
	group = rxaqm_list_grow((void **)&groups->at, &groups->nr, sizeof(*group));
	if (!group)
		return NULL;
	group->to.ifindex = rec->rx_ifindex;
	group->to.rx_queue = queue;
	snprintf(group->to.proto, sizeof(group->to.proto), "%s", proto);
	return group;
}

static void add_tcp(struct group *group, const struct doctor_seen *seen)
{
	const struct rxaqm_socket_rec *rec = &seen->rec;
	struct doctor_group *to = &group->to;

	to->received += seen->did.seen_before ? seen->did.received : 0;
	to->acked += seen->did.seen_before ? seen->did.acked : 0;
	if (rec->ecn_flags & 3)
		to->ect++;
	else
		to->not_ect++;
	group->srtt[bucket(rec->srtt_us)]++;
	group->cwnd[bucket(rec->snd_cwnd)]++;
	if (rec->min_rtt_us && rec->min_rtt_us != ~0U)
		group->min_rtt[bucket(rec->min_rtt_us)]++;
	if (!seen->did.acked)
		return;
	to->cwnd_limited += rec->cwnd_limited;
	if (rec->pacing_bytes_per_s == ~0ULL)
		return;
	group->pacing[bucket(rec->pacing_bytes_per_s)]++;
	/* tcp_tso_autosize: a frame is what pacing sends in about a millisecond. */
	to->slow_paced += rec->pacing_bytes_per_s / 1024 < 2ULL * rec->mss;
	/* 2^9 us a bit is the default of tcp_tso_rtt_log; a bonus below a segment is none. */
	if (!seen->did.seen_before) {
		to->young++;
		to->young_no_bonus += rec->min_rtt_us != ~0U && rec->min_rtt_us >> 9 >= 6;
	}
}

static size_t hash(const struct port_use *use)
{
	const __u8 *byte = (const __u8 *)use;
	__u64 sum = 1469598103934665603ULL;
	size_t i;

	for (i = 0; i < offsetof(struct port_use, used); i++)
		sum = (sum ^ byte[i]) * 1099511628211ULL;
	return (size_t)(sum >> 16);
}

static struct port_use *use_slot(struct port_use *table, size_t size, const struct port_use *use)
{
	size_t at = hash(use) & (size - 1);

	while (table[at].used && memcmp(&table[at], use, offsetof(struct port_use, used)))
		at = (at + 1) & (size - 1);
	return &table[at];
}

static bool grow_ports(struct doctor_groups *groups)
{
	size_t size = groups->size ? groups->size * 2 : 256, i;
	struct port_use *table = calloc(size, sizeof(*table));

	if (!table)
		return false;
	for (i = 0; i < groups->size; i++) {
		if (groups->ports[i].used)
			*use_slot(table, size, &groups->ports[i]) = groups->ports[i];
	}
	free(groups->ports);
	groups->ports = table;
	groups->size = size;
	return true;
}

/* Is @use there for the first time? Counts it. */
static bool use_port(struct doctor_groups *groups, const struct port_use *use)
{
	struct port_use *slot;

	if (groups->nr_ports * 2 >= groups->size && !grow_ports(groups))
		return false;
	slot = use_slot(groups->ports, groups->size, use);
	if (!slot->used) {
		*slot = *use;
		groups->nr_ports++;
	}
	return !slot->used++;
}

static void add_port(struct doctor_groups *groups, const struct rxaqm_socket_rec *rec)
{
	struct port_use use = {};

	/* Neither listeners nor UDP that is not connected; those share no port either. */
	if (!rec->lport || (rec->proto == RXAQM_SOCKET_TCP && !rec->rport))
		return;
	memcpy(use.laddr, rec->laddr, sizeof(use.laddr));
	use.family = rec->family;
	use.proto = rec->proto;
	if (rec->proto == RXAQM_SOCKET_TCP) {
		memcpy(use.raddr, rec->raddr, sizeof(use.raddr));
		use.rport = rec->rport;
	} else {
		/* One port may have many sockets: connections of QUIC, SO_REUSEPORT. */
		use.lport = rec->lport;
		if (!use_port(groups, &use))
			return;
		use.lport = 0;
	}
	use_port(groups, &use);
}

void doctor_groups_add(struct doctor_groups *groups, const struct doctor_seen *seen)
{
	const struct rxaqm_socket_rec *rec = &seen->rec;
	struct group *group;

	add_port(groups, rec);
	if (rec->proto == RXAQM_SOCKET_TCP && rec->state != 1) /* TCP_ESTABLISHED */
		return;
	group = group_of(groups, rec);
	if (!group)
		return;
	group->to.sockets++;
	if (rec->proto == RXAQM_SOCKET_UDP || (!seen->did.received && !seen->did.acked))
		return;
	group->to.active++;
	add_tcp(group, seen);
}

static int by_use(const void *a, const void *b)
{
	const struct port_use *x = a, *y = b;

	return x->used < y->used ? 1 : x->used > y->used ? -1 : 0;
}

static void finish_ports(struct doctor_groups *groups, struct doctor_sockets *sockets)
{
	size_t i;

	if (groups->size)
		qsort(groups->ports, groups->size, sizeof(groups->ports[0]), by_use);
	for (i = 0; i < groups->size && sockets->ports.nr < PORTS_SHOWN && groups->ports[i].used;
	     i++) {
		const struct port_use *use = &groups->ports[i];
		char text[INET6_ADDRSTRLEN] = "?";
		struct doctor_ports *to;

		if (use->lport)
			continue;
		to = rxaqm_list_add(&sockets->ports);
		if (!to)
			return;
		snprintf(to->proto, sizeof(to->proto), "%s",
			 use->proto == RXAQM_SOCKET_TCP ? "tcp" : "udp");
		inet_ntop(use->family, use->laddr, text, sizeof(text));
		snprintf(to->local, sizeof(to->local), "%s", text);
		if (use->proto == RXAQM_SOCKET_TCP) {
			inet_ntop(use->family, use->raddr, text, sizeof(text));
			snprintf(to->remote, sizeof(to->remote),
				 use->family == AF_INET6 ? "[%s]:%u" : "%s:%u", text, use->rport);
		}
		to->used = use->used;
	}
}

void doctor_groups_finish(struct doctor_groups *groups, struct doctor_sockets *sockets)
{
	size_t i;

	for (i = 0; i < groups->nr; i++) {
		struct group *group = &groups->at[i];
		struct doctor_group *to = rxaqm_list_add(&sockets->groups);

		if (!to)
			break;
		*to = group->to;
		to->pacing_median = median(group->pacing);
		to->srtt_median_us = median(group->srtt);
		to->min_rtt_median_us = median(group->min_rtt);
		to->cwnd_median = median(group->cwnd);
	}
	finish_ports(groups, sockets);
	free(groups->ports);
	free(groups->at);
	free(groups);
}
