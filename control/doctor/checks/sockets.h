/* SPDX-License-Identifier: GPL-2.0-only */
/* What checks of sockets share. */
#pragma once

#include "doctor/checks/check.h"

#define SOCKETS "BPF iter/tcp (or sock_diag)"
/* For .after: slow readers, from which full buffers and shut windows follow. */
#define READERS "tcp-reader-stopped tcp-reader-slow reader-waits-for-cpu"

/* The remedy that uses the words of doctor_say_rmem(). */
#define OTHER_RMEM                                       \
	.now = SET("net.ipv4.tcp_rmem=${other_rmem}"),   \
	.keep = KEEP("net.ipv4.tcp_rmem=${other_rmem}"), \
	.undo = UNSET("net.ipv4.tcp_rmem=${tcp_rmem}")

/* An established TCP socket. */
bool doctor_is_flow(const struct doctor_socket *socket);

/* The noted socket that passes @filter (or NULL) and has the highest score above 0; NULL: none. */
typedef double (*doctor_score_fn)(const struct doctor_snapshot *snap,
				  const struct doctor_socket *socket);
#define DOCTOR_SCORE(name)                                                             \
	static double name(__attribute__((unused)) const struct doctor_snapshot *snap, \
			   const struct doctor_socket *socket)
const struct doctor_socket *doctor_top_socket(const struct doctor_snapshot *snap,
					      bool (*filter)(const struct doctor_socket *socket),
					      doctor_score_fn score);
/* As doctor_top_socket(), for established TCP sockets. */
const struct doctor_socket *doctor_top_flow(const struct doctor_snapshot *snap,
					    doctor_score_fn score);

/* The share of the window that softirqs had CPU @id; 0 also if it is not known. */
double doctor_softirq_percent(const struct doctor_snapshot *snap, __s32 id);
/* How long @owner (may be NULL) was held up: it waited for a CPU for at least half as long as it
 * ran, or its cgroup's quota took at least a fifth of its run time. 0: less than a fifth of the
 * window.
 */
double doctor_held_up_ns(const struct doctor_snapshot *snap, const struct doctor_owner *owner,
			 bool *ret_quota);
/* Does a UDP socket drop because its program waits for a CPU that other programs use? */
bool doctor_udp_waits(const struct doctor_snapshot *snap, const struct doctor_socket *socket);

/* Note ${tcp_rmem} as it is, and ${other_rmem} with a larger or smaller tcp_rmem[2], which is
 * ${other_size}; ${other_rate}: what that carries at 100 ms if half of it is payload; ${other_ms}:
 * how long a collapse of it takes.
 */
void doctor_say_rmem(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		     bool larger);

/* Note ${holder}, ${program} and ${socket} of @socket; doctor_say_largest(): of the one with most
 * receive memory.
 */
void doctor_say_holder(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		       const struct doctor_socket *socket);
void doctor_say_largest(const struct doctor_snapshot *snap, struct doctor_finding *finding);
