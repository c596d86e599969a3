/* SPDX-License-Identifier: GPL-2.0-only */
/* Group sockets by interface and Rx queue, and count the local ports they use. */
#include <arpa/inet.h>
#include <json-c/linkhash.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/sockets/sockets.h"

#define MAX_GROUPS 4096
#define PORTS_SHOWN 4

struct group {
	struct doctor_group to;
	__u32 pacing[DOCTOR_HIST], srtt[DOCTOR_HIST], min_rtt[DOCTOR_HIST], cwnd[DOCTOR_HIST];
};

/* Connections from one address to one address and port share a range of local ports; UDP sockets of
 * one address do, too. An entry with lport says that this port was counted already.
 */
struct port_use {
	__u8 laddr[16], raddr[16];
	__u16 rport, lport, family;
	__u8 proto;
	__u32 used;
};

struct doctor_groups {
	RXAQM_LIST(struct group);
	size_t last;
	struct lh_table *ports; /* struct port_use; each is its own key */
};

static unsigned int bucket(__u64 value)
{
	unsigned int log2 = value ? 63 - (unsigned int)__builtin_clzll(value) : 0;

	return log2 < DOCTOR_HIST ? log2 : DOCTOR_HIST - 1;
}

/* The middle of the bucket that holds the median; 0: nothing was counted. */
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
		/* Neighbours in the socket table often have the same queue. */
		group = &groups->at[(groups->last + i) % groups->nr];
		if (group->to.ifindex == rec->rx_ifindex && group->to.rx_queue == queue &&
		    group->to.proto[0] == *proto) {
			groups->last = (groups->last + i) % groups->nr;
			return group;
		}
	}
	if (groups->nr == MAX_GROUPS)
		return NULL;
	group = rxaqm_list_add(groups);
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
	group->srtt[bucket(rec->srtt_us)]++;
	group->cwnd[bucket(rec->snd_cwnd)]++;
	if (rec->min_rtt_us && rec->min_rtt_us != ~0U)
		group->min_rtt[bucket(rec->min_rtt_us)]++;
	if (!seen->did.acked)
		return;
	if (rec->pacing_bytes_per_s == ~0ULL)
		return;
	group->pacing[bucket(rec->pacing_bytes_per_s)]++;
	/* tcp_tso_autosize: a frame is what pacing sends in about a millisecond. */
	to->slow_paced += rec->pacing_bytes_per_s / 1024 < 2ULL * rec->mss;
	/* The bonus halves for each 2^9 us of min_rtt (the default of tcp_tso_rtt_log); one below a
	 * segment has no effect.
	 */
	if (!seen->did.seen_before) {
		to->young++;
		to->young_no_bonus += rec->min_rtt_us != ~0U && rec->min_rtt_us >> 9 >= 6;
	}
}

static unsigned long hash(const void *use)
{
	const __u8 *byte = use;
	__u64 sum = 1469598103934665603ULL;
	size_t i;

	for (i = 0; i < offsetof(struct port_use, used); i++)
		sum = (sum ^ byte[i]) * 1099511628211ULL;
	return (unsigned long)(sum >> 16);
}

static int is_same(const void *a, const void *b)
{
	return !memcmp(a, b, offsetof(struct port_use, used));
}

static void free_use(struct lh_entry *entry)
{
	free(lh_entry_v(entry));
}

struct doctor_groups *doctor_groups_new(void)
{
	struct doctor_groups *groups = calloc(1, sizeof(*groups));

	if (groups)
		groups->ports = lh_table_new(1024, free_use, hash, is_same);
	if (groups && groups->ports)
		return groups;
	free(groups);
	return NULL;
}

/* Count @use; true if it is new. */
static bool use_port(struct doctor_groups *groups, const struct port_use *use)
{
	struct port_use *known;
	void *found;

	if (lh_table_lookup_ex(groups->ports, use, &found)) {
		((struct port_use *)found)->used++;
		return false;
	}
	known = malloc(sizeof(*known));
	if (!known)
		return false;
	*known = *use;
	known->used = 1;
	if (!lh_table_insert(groups->ports, known, known))
		return true;
	free(known);
	return false;
}

static void add_port(struct doctor_groups *groups, const struct rxaqm_socket_rec *rec)
{
	struct port_use use = {};

	/* Listeners, and sockets without a local port, do not use up the range. */
	if (!rec->lport || (rec->proto == RXAQM_SOCKET_TCP && !rec->rport))
		return;
	memcpy(use.laddr, rec->laddr, sizeof(use.laddr));
	use.family = rec->family;
	use.proto = rec->proto;
	if (rec->proto == RXAQM_SOCKET_TCP) {
		memcpy(use.raddr, rec->raddr, sizeof(use.raddr));
		use.rport = rec->rport;
	} else {
		/* Many sockets may use one port: QUIC connections, SO_REUSEPORT. */
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

static void put_ports(struct doctor_sockets *sockets, const struct port_use *use)
{
	struct doctor_ports *to = rxaqm_list_add(&sockets->ports);
	char text[INET6_ADDRSTRLEN] = "?";

	if (!to)
		return;
	snprintf(to->proto, sizeof(to->proto), "%s",
		 use->proto == RXAQM_SOCKET_TCP ? "tcp" : "udp");
	inet_ntop(use->family, use->laddr, text, sizeof(text));
	snprintf(to->local, sizeof(to->local), "%s", text);
	if (use->proto == RXAQM_SOCKET_TCP)
		doctor_print_address(to->remote, sizeof(to->remote), use->family, use->raddr,
				     use->rport);
	to->used = use->used;
}

/* Keep the ones that use most. */
static void finish_ports(struct doctor_groups *groups, struct doctor_sockets *sockets)
{
	struct port_use *use, *most;
	struct lh_entry *entry;
	int i;

	for (i = 0; i < PORTS_SHOWN; i++) {
		most = NULL;
		lh_foreach(groups->ports, entry) {
			use = lh_entry_v(entry);
			if (!use->lport && use->used > (most ? most->used : 0))
				most = use;
		}
		if (!most)
			break;
		put_ports(sockets, most);
		most->used = 0;
	}
	lh_table_free(groups->ports);
}

void doctor_groups_finish(struct doctor_groups *groups, struct doctor_sockets *sockets)
{
	size_t i;

	for (i = 0; i < groups->nr; i++) {
		struct group *group = &groups->at[i];
		struct doctor_group *to = rxaqm_list_put(&sockets->groups, group->to);

		if (!to)
			break;
		to->pacing_median = median(group->pacing);
		to->srtt_median_us = median(group->srtt);
		to->min_rtt_median_us = median(group->min_rtt);
		to->cwnd_median = median(group->cwnd);
	}
	finish_ports(groups, sockets);
	free(groups->at);
	free(groups);
}
