/* SPDX-License-Identifier: GPL-2.0-only */
/* From a diagnosis to the probes that can say more. */
#ifndef RXAQM_DOCTOR_SUSPECT_H
#define RXAQM_DOCTOR_SUSPECT_H

#include "doctor/deep/deep.h"
#include "doctor/diagnose.h"

struct doctor_probe {
	const char *name; /* NAME_ns in doctor_snapshot.deep: it ran */
	const char *what; /* what it measures */
	const char *cost;
	const char *if_found; /* checks, one blank between: wanted if one of them is found */
	bool if_unexplained; /* or if something is lost that nothing explains */
	const char *if_blind; /* and one of these cannot see; NULL: always */
	bool (*possible)(const struct doctor_snapshot *snap); /* NULL: always */
	void (*run)(struct doctor_deep *deep);
};

/* The row at @index; NULL: the end. */
const struct doctor_probe *doctor_probe_at(size_t index);

/* Is something suspected that @probe can settle, and has not yet? */
bool doctor_probe_wanted(const struct doctor_probe *probe, const struct doctor_snapshot *snap,
			 const struct doctor_diagnosis *diagnosis);

/* Whatever became of it, @probe is not wanted again. */
void doctor_probe_tried(const struct doctor_probe *probe, struct doctor_snapshot *snap);

#endif /* RXAQM_DOCTOR_SUSPECT_H */
