/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes of "rxaqm doctor --deep". Each looks for some seconds at what no kernel counter tells, and
 * adds it to a snapshot; the diagnosis decides which ones run (doctor/suspect.c). None judges;
 * none changes a setting.
 */
#pragma once

#include "base/log.h"
#include "doctor/snapshot/snapshot.h"

struct doctor_deep {
	struct doctor_snapshot *snap;
	volatile int *stop; /* non-zero: end early; may be NULL */
	__u64 time_ns; /* for each probe */
};

/* Take the lock, until this process ends: two runs would disturb each other's figures. 0, or -errno
 * with @error.
 */
int doctor_deep_lock(struct rxaqm_error *error);

/* Each adds to the snapshot, or notes there what cannot be seen, and why. */
void doctor_probe_polls(struct doctor_deep *deep);
void doctor_probe_progs(struct doctor_deep *deep);
void doctor_probe_late(struct doctor_deep *deep);
void doctor_probe_drops(struct doctor_deep *deep);

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
