/* SPDX-License-Identifier: GPL-2.0-only */
/* From a snapshot to findings in order, and to words. No clocks, no host: the same snapshot
 * gives the same bytes.
 */
#pragma once

#include <stdio.h>

#include "base/out.h"
#include "doctor/rules/check.h"

/* Counters that rise and no finding explains: the most frequent of them. */
#define DOCTOR_UNEXPLAINED 5

struct doctor_diagnosis {
	struct doctor_finding *findings; /* one a check, in the order of the table */
	size_t nr;
	const struct doctor_finding *primary; /* NULL: nothing found, or notes only */
	bool blind; /* something essential was not seen */
	struct doctor_risen unexplained[DOCTOR_UNEXPLAINED];
	size_t nr_unexplained;
};

/* Is it worth knowing only: low, or nothing but a setting? It is no cause of anything. */
bool doctor_is_note(const struct doctor_finding *finding);

/* -ENOMEM. */
int doctor_diagnose(const struct doctor_snapshot *snap, struct doctor_diagnosis *diagnosis);
void doctor_diagnosis_free(struct doctor_diagnosis *diagnosis);

/* The exit code for it: RXAQM_EXIT_OK, _FINDINGS or _UNSUPPORTED. */
int doctor_exit_code(const struct doctor_diagnosis *diagnosis);

/* The same for one check: _OK if it is gone. */
int doctor_verdict_code(const struct doctor_diagnosis *diagnosis, const char *id);

/* Text of one screen; with @all every check. Or one JSON document. */
void doctor_print(FILE *file, const struct doctor_snapshot *snap,
		  const struct doctor_diagnosis *diagnosis, bool all);
/* @verify: the check that --verify asks for, or NULL. */
void doctor_print_json(FILE *file, const struct doctor_snapshot *snap,
		       const struct doctor_diagnosis *diagnosis, const char *verify);
/* Why the verdict that @finding is clear means nothing: too little came, or what else is found
 * hides it; NULL: it is gone.
 */
const char *doctor_not_gone(const struct doctor_snapshot *snap,
			    const struct doctor_diagnosis *diagnosis,
			    const struct doctor_finding *finding, char buf[128]);
/* What became of the check @id, for --verify; returns the exit code. */
int doctor_print_verdict(FILE *file, const struct doctor_snapshot *snap,
			 const struct doctor_diagnosis *diagnosis, const char *id);
/* The table of docs/doctor.md, in Markdown. */
void doctor_print_checks(FILE *file);

/* What --deep has: suspect.c says which suspicions each can settle. */
struct doctor_deep;
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

/* Below: shared by text and JSON. */

/* What a form is for: to be read, or to be pasted into a shell, so that what comes from a bundle is
 * quoted for it.
 */
enum doctor_form {
	DOCTOR_SENTENCE,
	DOCTOR_COMMAND,
};

/* @form with "${name}" replaced by what @finding noted; "" for NULL. @buf is returned. */
#define DOCTOR_MAX_TEXT 1024
const char *doctor_words(const struct doctor_finding *finding, enum doctor_form kind,
			 const char *form, char *buf, size_t size);
/* The remedy of @check, with what is the same for most of them. */
struct doctor_remedy {
	const char *now, *keep, *undo, *expect, *risk;
};
struct doctor_remedy doctor_remedy_of(const struct doctor_check *check);
const char *doctor_format(double value, enum doctor_unit unit, char buf[32]);
/* By their enums. */
extern const char *const doctor_places[], *const doctor_kinds[], *const doctor_severities[];
extern const char *const doctor_confidences[], *const doctor_units[];

/* The finding of the check that is called like the @len letters at @id; NULL: there is none. */
struct doctor_finding *doctor_find(const struct doctor_diagnosis *diagnosis, const char *id,
				   size_t len);
/* The first of @ids, one blank between, that was judged as @verdict, and with @but_notes is no
 * note; NULL: none, or no @ids.
 */
const struct doctor_finding *doctor_first_of(const struct doctor_diagnosis *diagnosis,
					     const char *ids, enum doctor_verdict verdict,
					     bool but_notes);
/* For each finding that was judged as @which. */
#define doctor_each(finding, diagnosis, which)                                 \
	for ((finding) = (diagnosis)->findings;                                \
	     (finding) < (diagnosis)->findings + (diagnosis)->nr; (finding)++) \
		if ((finding)->verdict != (which)) {                           \
		} else
