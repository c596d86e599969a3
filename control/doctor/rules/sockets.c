/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "doctor/rules/sockets.h"

bool doctor_is_flow(const struct doctor_socket *socket)
{
	return !strcmp(socket->proto, "tcp") && !strcmp(socket->state, "established");
}

const struct doctor_socket *doctor_most_of(const struct doctor_snapshot *snap,
					   bool (*filter)(const struct doctor_socket *socket),
					   doctor_score_fn score)
{
	const struct doctor_socket *socket, *best = NULL;
	double highest = 0, value;

	rxaqm_list_each(socket, &snap->sockets.notable) {
		value = filter(socket) ? score(snap, socket) : 0;
		if (value <= highest)
			continue;
		highest = value;
		best = socket;
	}
	return best;
}

const struct doctor_socket *doctor_most(const struct doctor_snapshot *snap, doctor_score_fn score)
{
	return doctor_most_of(snap, doctor_is_flow, score);
}

double doctor_by_memory(const struct doctor_snapshot *snap, const struct doctor_socket *socket)
{
	(void)snap;
	return socket->rmem_alloc;
}

void doctor_say_rmem(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		     bool larger)
{
	const char *words = doctor_sysctl_words(snap, "net.ipv4.tcp_rmem");
	__u64 max = doctor_sysctl(snap, "net.ipv4.tcp_rmem", 2, 33554432), other = 6291456;

	/* Never less than there is, nor more, nor the same. */
	if (larger)
		other = max < 33554432 ? 67108864 : max * 2;
	else if (max <= other)
		other = max / 2;
	doctor_say(finding, "tcp_rmem", "%s", words ? words : "MIN DEFAULT MAX");
	doctor_say(finding, "other_rmem", "%llu", (unsigned long long)other);
}

void doctor_say_holder(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		       const struct doctor_socket *socket)
{
	const struct doctor_owner *owner = doctor_owner_of(snap, socket);

	doctor_say_socket(snap, finding, socket);
	doctor_say(finding, "holder", "%s of %s", socket->local,
		   owner ? owner->comm : "a program that is not known");
}

void doctor_say_largest(const struct doctor_snapshot *snap, struct doctor_finding *finding)
{
	const struct doctor_socket *largest = doctor_most(snap, doctor_by_memory);

	if (!largest) {
		doctor_say(finding, "holder", "no socket that stands out now");
		return;
	}
	doctor_say_holder(snap, finding, largest);
	doctor_note(finding, "largest", largest->rmem_alloc, DOCTOR_BYTES, SOCKETS);
}
