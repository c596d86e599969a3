/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two passes over all sockets of the network namespace entered, and what stands out in the
 * difference. A pass costs memory of some 300 bytes a socket, and no socket is locked for it.
 */
#pragma once

#include "doctor/snapshot/snapshot.h"
#include "socket_rec.h"
#include "sockets/sockets.h"

struct doctor_socket_passes;

struct doctor_socket_passes *doctor_sockets_open(struct doctor_snapshot *snap);
/* The first pass; the second one fills snap->sockets and snap->owners. */
void doctor_sockets_first(struct doctor_socket_passes *passes);
void doctor_sockets_second(struct doctor_socket_passes *passes);
void doctor_sockets_close(struct doctor_socket_passes *passes);

/* Below: the parts. */

/* A socket, and what is noted of it that is of the time between the passes: the rest is in @rec. */
struct doctor_seen {
	struct rxaqm_socket_rec rec;
	struct doctor_socket did;
};

/* The @nr of sockets that stand out most by one measure. */
#define DOCTOR_TOP 8
struct doctor_top {
	struct doctor_seen at[DOCTOR_TOP];
	__u64 score[DOCTOR_TOP];
	unsigned int nr;
};

#define DOCTOR_NR_TOPS 12
/* Enter @seen in each of the tops that it belongs to. */
void doctor_tops_add(struct doctor_top tops[DOCTOR_NR_TOPS], const struct doctor_seen *seen);
/* All of them, each socket once, into @sockets->notable. */
void doctor_tops_collect(const struct doctor_top tops[DOCTOR_NR_TOPS],
			 struct doctor_sockets *sockets);

/* "10.0.0.1:80", "[fe80::1]:80"; @family: AF_INET or AF_INET6. */
void doctor_print_address(char *buf, size_t size, int family, const __u8 *address, __u16 port);

/* Groups by interface and Rx queue, and ports in use. */
struct doctor_groups;
struct doctor_groups *doctor_groups_new(void);
void doctor_groups_add(struct doctor_groups *groups, const struct doctor_seen *seen);
/* Into @sockets; frees @groups. */
void doctor_groups_finish(struct doctor_groups *groups, struct doctor_sockets *sockets);

/* Who holds the sockets noted: /proc/PID/fd, for at most 50 ms of CPU time; what that leaves open
 * goes into cannot_see. Call after each pass: what an owner did in between is the difference.
 */
void doctor_owners_find(struct doctor_snapshot *snap);
