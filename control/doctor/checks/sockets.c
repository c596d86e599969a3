/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "doctor/checks/sockets.h"

bool doctor_is_flow(const struct doctor_socket *socket)
{
	return !strcmp(socket->proto, "tcp") && !strcmp(socket->state, "established");
}

const struct doctor_socket *doctor_top_socket(const struct doctor_snapshot *snap,
					      bool (*filter)(const struct doctor_socket *socket),
					      doctor_score_fn score)
{
	const struct doctor_socket *socket, *best = NULL;
	double highest = 0, value;

	rxaqm_list_each(socket, &snap->sockets.notable) {
		value = !filter || filter(socket) ? score(snap, socket) : 0;
		if (value <= highest)
			continue;
		highest = value;
		best = socket;
	}
	return best;
}

const struct doctor_socket *doctor_top_flow(const struct doctor_snapshot *snap,
					    doctor_score_fn score)
{
	return doctor_top_socket(snap, doctor_is_flow, score);
}

double doctor_held_up_ns(const struct doctor_snapshot *snap, const struct doctor_owner *owner,
			 bool *ret_quota)
{
	double wait, quota, least = 0.2e9 * doctor_window_s(snap);

	*ret_quota = false;
	if (!owner || owner->run_ns == ~0ULL)
		return 0;
	wait = (double)doctor_or_0(owner->wait_ns);
	quota = (double)doctor_or_0(owner->throttled_us) * 1e3;
	if (wait < least || wait * 2 < (double)owner->run_ns)
		wait = 0;
	/* Some kernels count time lost to the quota as waiting, too. */
	*ret_quota = quota >= least && quota * 5 >= (double)owner->run_ns && quota * 2 >= wait;
	return *ret_quota && quota > wait ? quota : wait;
}

double doctor_softirq_percent(const struct doctor_snapshot *snap, __s32 id)
{
	const struct doctor_cpu *is = rxaqm_list_find(is, &snap->after.cpus, (__s32)is->id == id);
	const struct doctor_cpu *was = is ? doctor_cpu_before(snap, is->id) : NULL;

	if (!was || !snap->ticks_per_s || is->softirq < was->softirq)
		return 0;
	return (double)(is->softirq - was->softirq) * 100 / snap->ticks_per_s /
	       doctor_window_s(snap);
}

void doctor_say_rmem(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		     bool larger)
{
	const char *words = doctor_sysctl_words(snap, "net.ipv4.tcp_rmem");
	__u64 max = doctor_sysctl(snap, "net.ipv4.tcp_rmem", 2, 33554432), other = 6291456;

	/* Never shrink when asked to grow, nor the reverse, nor keep the same. */
	if (larger)
		other = max < 33554432 ? 67108864 : max * 2;
	else if (max <= other)
		other = max / 2;
	doctor_say(finding, "tcp_rmem", "%s", words ? words : "MIN DEFAULT MAX");
	doctor_say(finding, "other_rmem", "%llu %llu %llu",
		   (unsigned long long)doctor_sysctl(snap, "net.ipv4.tcp_rmem", 0, 4096),
		   (unsigned long long)doctor_sysctl(snap, "net.ipv4.tcp_rmem", 1, 131072),
		   (unsigned long long)other);
	doctor_note(finding, "other_size", (double)other, DOCTOR_BYTES, "the advice");
	doctor_say(finding, "other_rate", "%.0f Mbit/s", (double)other * 8 / 2 / 0.1 / 1e6);
	/* 6 MiB took 2 ms (Cloudflare). */
	doctor_say(finding, "other_ms", "%.1f ms", (double)other * 2 / (6 << 20));
}

void doctor_say_holder(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		       const struct doctor_socket *socket)
{
	const struct doctor_owner *owner = doctor_owner_of(snap, socket);

	doctor_say_socket(snap, finding, socket);
	doctor_say(finding, "holder", "%s of %s", socket->local,
		   owner ? owner->comm : "a program that is not known");
}

DOCTOR_SCORE(by_memory)
{
	return socket->rmem_alloc;
}

void doctor_say_largest(const struct doctor_snapshot *snap, struct doctor_finding *finding)
{
	const struct doctor_socket *largest = doctor_top_flow(snap, by_memory);

	if (!largest)
		return;
	doctor_say_holder(snap, finding, largest);
	doctor_note(finding, "largest", largest->rmem_alloc, DOCTOR_BYTES, SOCKETS);
}
