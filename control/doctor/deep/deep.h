/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes of "rxaqm doctor --deep": each looks for some seconds at what no counter of the kernel
 * tells, and adds it to a snapshot. Whether one is needed is said by the diagnosis
 * (doctor/suspect.c). None judges; the one that changes a setting puts it back, also if it is
 * interrupted.
 */
#pragma once

#include "base/log.h"
#include "doctor/snapshot/snapshot.h"

struct doctor_deep {
	struct doctor_snapshot *snap;
	volatile int *stop; /* non-zero: end early; may be NULL */
	__u64 time_ns; /* for each probe */
	int lock_fd; /* what is switched on is noted there */
};

/* Two would disturb each other's figures. Returns the descriptor that locks, or -errno with @error;
 * what a run that was killed with all of its processes has left is undone before.
 */
int doctor_deep_lock(struct rxaqm_error *error);

/* Each adds to the snapshot, or notes there what cannot be seen and why. */
void doctor_probe_polls(struct doctor_deep *deep);
void doctor_probe_progs(struct doctor_deep *deep);
void doctor_probe_frames(struct doctor_deep *deep);
void doctor_probe_collapse(struct doctor_deep *deep);
void doctor_probe_late(struct doctor_deep *deep);
void doctor_probe_drops(struct doctor_deep *deep);
void doctor_probe_stalls(struct doctor_deep *deep);

/* Is there a Tx queue whose detector of stalls is off? */
bool doctor_stalls_possible(const struct doctor_snapshot *snap);

/* Below: shared by the probes. */

/* Until the time of the probe is over, or it is to stop; returns how long that was. */
__u64 doctor_deep_wait(struct doctor_deep *deep);

/* Let the programs of the probe @name look; NULL: they could not be opened. False: the kernel did
 * not take them, by errno, and @what cannot be seen.
 */
struct bpf_object_skeleton;
bool doctor_deep_look(struct doctor_deep *deep, struct bpf_object_skeleton *skeleton,
		      const char *name, const char *what);

/* How long the probe @name ran: the rules know by it that it did. */
void doctor_deep_ran(struct doctor_deep *deep, const char *name, __u64 ns);

/* stalls.c with the sysfs at @sysfs_fd. */
void doctor_stalls_watch(struct doctor_deep *deep, int sysfs_fd);
/* Switch off what is noted in @lock_fd of this network namespace, and forget it. */
void doctor_stalls_undo(int lock_fd, int sysfs_fd);
