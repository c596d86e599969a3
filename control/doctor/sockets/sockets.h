/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two passes over all sockets of the current network namespace, and the sockets whose differences
 * stand out. A pass takes some 300 bytes of memory a socket, and locks no socket.
 */
#pragma once

#include "doctor/snapshot/snapshot.h"
#include "socket_rec.h"
#include "sockets/sockets.h"

struct doctor_socket_passes;

struct doctor_socket_passes *doctor_sockets_open(struct doctor_snapshot *snap);
/* The first pass. The second one fills snap->sockets and snap->owners. */
void doctor_sockets_first(struct doctor_socket_passes *passes);
void doctor_sockets_second(struct doctor_socket_passes *passes);
void doctor_sockets_close(struct doctor_socket_passes *passes);

/* Below: the parts of it. */

/* A socket: @rec as it is now, and @did, what changed between the passes. */
struct doctor_seen {
	struct rxaqm_socket_rec rec;
	struct doctor_socket did;
};

/* The @nr sockets that stand out most by one measure. */
#define DOCTOR_TOP 8
struct doctor_top {
	struct doctor_seen at[DOCTOR_TOP];
	__u64 score[DOCTOR_TOP];
	unsigned int nr;
};

#define DOCTOR_NR_TOPS 12
/* Enter @seen in each top list that it belongs to. */
void doctor_tops_add(struct doctor_top tops[DOCTOR_NR_TOPS], const struct doctor_seen *seen);
/* Put all sockets of the top lists into @sockets->notable, each once. */
void doctor_tops_collect(const struct doctor_top tops[DOCTOR_NR_TOPS],
			 struct doctor_sockets *sockets);

/* Groups by interface and Rx queue. */
struct doctor_groups;
struct doctor_groups *doctor_groups_new(void);
void doctor_groups_add(struct doctor_groups *groups, const struct doctor_seen *seen);
/* Fill @sockets and free @groups. */
void doctor_groups_finish(struct doctor_groups *groups, struct doctor_sockets *sockets);

/* Find the owners of the noted sockets in /proc/PID/fd, within 50 ms of CPU time; note in
 * cannot_see if some are left. Call it after each pass: the difference is what an owner did in
 * between.
 */
void doctor_owners_find(struct doctor_snapshot *snap, bool second);
