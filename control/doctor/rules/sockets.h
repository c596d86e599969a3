/* SPDX-License-Identifier: GPL-2.0-only */
/* What rules about TCP sockets have in common. */
#pragma once

#include "doctor/rules/check.h"

#define SOCKETS "BPF iter/tcp (or sock_diag)"
/* Where one of these is found, full buffers and shut windows follow from it. */
#define READERS "tcp-reader-stopped tcp-reader-slow reader-waits-for-cpu"

/* Of what doctor_say_rmem() says. */
#define OTHER_RMEM                                                     \
	.now = "sysctl -w net.ipv4.tcp_rmem=${other_rmem}",            \
	.keep = "echo net.ipv4.tcp_rmem=${other_rmem} >>" SYSCTL_FILE, \
	.undo = "remove the line, and sysctl -w net.ipv4.tcp_rmem=${tcp_rmem}"

/* An established TCP socket. */
bool doctor_is_flow(const struct doctor_socket *socket);

/* Of those that stand out and pass @filter, the one with the highest score above 0; NULL: none. */
typedef double (*doctor_score_fn)(const struct doctor_snapshot *snap,
				  const struct doctor_socket *socket);
#define DOCTOR_SCORE(name)                                                             \
	static double name(__attribute__((unused)) const struct doctor_snapshot *snap, \
			   const struct doctor_socket *socket)
const struct doctor_socket *doctor_most_of(const struct doctor_snapshot *snap,
					   bool (*filter)(const struct doctor_socket *socket),
					   doctor_score_fn score);
/* Of established TCP sockets. */
const struct doctor_socket *doctor_most(const struct doctor_snapshot *snap, doctor_score_fn score);

/* Is what @socket stands for small beside the host: below 1 % of its bytes and 5 % of its sockets?
 */
bool doctor_is_small(const struct doctor_snapshot *snap, const struct doctor_socket *socket);

/* Of the window that softirqs had CPU @id; 0, too, if that is not known. */
double doctor_softirq_percent(const struct doctor_snapshot *snap, __s32 id);
/* How long @owner, which may be NULL, was held up: it waited for a CPU, half as long as it ran, or
 * the quota of its cgroup took as much as a fifth of that; 0: for less than a fifth of the window.
 */
double doctor_held_up_ns(const struct doctor_snapshot *snap, const struct doctor_owner *owner,
			 bool *ret_quota);
/* Does a UDP socket drop because its program waits for a CPU that other programs have? */
bool doctor_udp_waits(const struct doctor_snapshot *snap, const struct doctor_socket *socket);

/* A score: receive memory in use. */
double doctor_by_memory(const struct doctor_snapshot *snap, const struct doctor_socket *socket);

/* ${tcp_rmem} as it is, and ${other_rmem}: with a larger tcp_rmem[2], or a smaller one, which is
 * ${other_size}; ${other_rate}: what that carries at 100 ms, half of it being payload;
 * ${other_ms}: how long a collapse of it takes.
 */
void doctor_say_rmem(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		     bool larger);

/* ${holder}, ${program} and ${socket} of @socket, or of the one with most receive memory. */
void doctor_say_holder(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		       const struct doctor_socket *socket);
void doctor_say_largest(const struct doctor_snapshot *snap, struct doctor_finding *finding);
