/* SPDX-License-Identifier: GPL-2.0-only */
/* Group sockets by interface and Rx queue. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/sockets/sockets.h"

#define MAX_GROUPS 4096

struct group {
	struct doctor_group to;
	__u32 pacing[DOCTOR_HIST], srtt[DOCTOR_HIST], cwnd[DOCTOR_HIST];
};

struct doctor_groups {
	RXAQM_LIST(struct group);
	size_t last;
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
	if (!seen->did.acked || rec->pacing_bytes_per_s == ~0ULL)
		return;
	group->pacing[bucket(rec->pacing_bytes_per_s)]++;
	/* tcp_tso_autosize: a frame is what pacing sends in about a millisecond. */
	to->slow_paced += rec->pacing_bytes_per_s / 1024 < 2ULL * rec->mss;
}

struct doctor_groups *doctor_groups_new(void)
{
	return calloc(1, sizeof(struct doctor_groups));
}

void doctor_groups_add(struct doctor_groups *groups, const struct doctor_seen *seen)
{
	const struct rxaqm_socket_rec *rec = &seen->rec;
	struct group *group;

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
		to->cwnd_median = median(group->cwnd);
	}
	free(groups->at);
	free(groups);
}
