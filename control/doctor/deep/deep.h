/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes of "rxaqm doctor --deep". Each looks for some seconds at what no kernel counter tells, and
 * adds it to a snapshot; the diagnosis decides which ones run (doctor/suspect.c). None judges. The
 * one that changes a setting restores it, also when interrupted.
 */
#pragma once

#include "base/log.h"
#include "doctor/snapshot/snapshot.h"

struct doctor_deep {
	struct doctor_snapshot *snap;
	volatile int *stop; /* non-zero: end early; may be NULL */
	__u64 time_ns; /* for each probe */
	int lock_fd; /* switched-on detectors are noted in this file */
};

/* Take the lock: two runs would disturb each other's figures. First undo what a killed run left
 * behind. Return the locked descriptor, or -errno with @error.
 */
int doctor_deep_lock(struct rxaqm_error *error);

/* Each adds to the snapshot, or notes there what cannot be seen, and why. */
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

/* Wait until the probe's time is over or it is told to stop; return the time waited in ns. */
__u64 doctor_deep_wait(struct doctor_deep *deep);

/* Open and attach the programs of the probe @name. @skeleton is NULL if they could not be opened.
 * False: the kernel refused them (errno), and @what is noted as not seen.
 */
struct bpf_object_skeleton;
bool doctor_deep_look(struct doctor_deep *deep, struct bpf_object_skeleton *skeleton,
		      const char *name, const char *what);

/* Note how long the probe @name ran; this tells the checks that it did. */
void doctor_deep_ran(struct doctor_deep *deep, const char *name, __u64 ns);

/* The probe of stalls.c, with the sysfs mount at @sysfs_fd. */
void doctor_stalls_watch(struct doctor_deep *deep, int sysfs_fd);
/* Switch off the detectors of this network namespace that are noted in @lock_fd, and remove the
 * notes.
 */
void doctor_stalls_undo(int lock_fd, int sysfs_fd);
