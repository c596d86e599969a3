/* SPDX-License-Identifier: GPL-2.0-only */
/* Turn a snapshot into ordered findings, and findings into words. Nothing here reads a clock or the
 * host: the same snapshot gives the same bytes.
 */
#pragma once

#include <stdio.h>

#include "base/out.h"
#include "doctor/checks/check.h"

/* How many counters to keep that rise and that no finding explains: the most frequent ones. */
#define DOCTOR_UNEXPLAINED 5

struct doctor_diagnosis {
	struct doctor_finding *findings; /* one for each check, in the order of the table */
	size_t nr;
	const struct doctor_finding *primary; /* NULL: nothing found, or only notes */
	bool blind; /* something essential was not seen */
	struct doctor_risen unexplained[DOCTOR_UNEXPLAINED];
	size_t nr_unexplained;
};

/* A finding that is only worth knowing, of low severity or by a setting alone, is no cause. */
bool doctor_is_note(const struct doctor_finding *finding);

/* Return 0, or -ENOMEM. */
int doctor_diagnose(const struct doctor_snapshot *snap, struct doctor_diagnosis *diagnosis);
void doctor_diagnosis_free(struct doctor_diagnosis *diagnosis);

/* RXAQM_EXIT_OK, _FINDINGS or _UNSUPPORTED. */
int doctor_exit_code(const struct doctor_diagnosis *diagnosis);

/* The exit code for the check @id alone; RXAQM_EXIT_OK: it is gone. */
int doctor_verdict_code(const struct doctor_diagnosis *diagnosis, const char *id);

/* Print one screen of text; with @all every check. */
void doctor_print(FILE *file, const struct doctor_snapshot *snap,
		  const struct doctor_diagnosis *diagnosis, bool all);
/* Print one JSON document. @verify: the check that --verify asks for, or NULL. */
void doctor_print_json(FILE *file, const struct doctor_snapshot *snap,
		       const struct doctor_diagnosis *diagnosis, const char *verify);
/* Print the causes, consequences and notes left out, for node_exporter's textfile collector. */
void doctor_print_metrics(FILE *file, const struct doctor_snapshot *snap,
			  const struct doctor_diagnosis *diagnosis);
/* Write them to @path, as rxaqm_file_print() does. */
int doctor_write_metrics(const char *path, const struct doctor_snapshot *snap,
			 const struct doctor_diagnosis *diagnosis, struct rxaqm_error *error);
/* If @finding is clear: why that proves nothing (too few packets came, or another finding hides
 * it). NULL: it is gone.
 */
const char *doctor_not_gone(const struct doctor_snapshot *snap,
			    const struct doctor_diagnosis *diagnosis,
			    const struct doctor_finding *finding, char buf[128]);
/* For --verify: print whether the check @id is gone, and return the exit code. */
int doctor_print_verdict(FILE *file, const struct doctor_snapshot *snap,
			 const struct doctor_diagnosis *diagnosis, const char *id);
/* The table of docs/doctor.md, in Markdown. */
void doctor_print_checks(FILE *file);

/* The probes of --deep; suspect.c says which suspicion each can settle. */
struct doctor_deep;
struct doctor_probe {
	const char *name; /* the key NAME_ns in doctor_snapshot.deep says that it ran */
	const char *what; /* what it measures */
	const char *cost;
	const char *if_found; /* ids, a blank between: run the probe if one of them is found */
	bool if_unexplained; /* or if a loss is not explained */
	void (*run)(struct doctor_deep *deep);
};

/* The row at @index; NULL: the end. */
const struct doctor_probe *doctor_probe_at(size_t index);

/* True if @probe can settle a suspicion and was not tried yet. */
bool doctor_probe_wanted(const struct doctor_probe *probe, const struct doctor_snapshot *snap,
			 const struct doctor_diagnosis *diagnosis);

/* Below: shared by text and JSON. */

/* A sentence is to be read. A command is to be pasted into a shell: names from a bundle are quoted.
 * What the function of the row said of its own may have commands, and is filled in first.
 */
enum doctor_form {
	DOCTOR_OURS,
	DOCTOR_SENTENCE,
	DOCTOR_COMMAND,
};

/* Copy @form to @buf, with "${name}" replaced by what @finding noted; NULL gives "". Return @buf.
 */
#define DOCTOR_MAX_TEXT 1024
const char *doctor_words(const struct doctor_finding *finding, enum doctor_form kind,
			 const char *form, char *buf, size_t size);
/* Call @each for each step of a remedy: a command that runs as it is ("": none), and words. A step
 * with a value that is not known is left out.
 */
typedef void doctor_step_fn(void *arg, const char *command, const char *words);
void doctor_steps(const struct doctor_finding *finding, const char *form, doctor_step_fn *each,
		  void *arg);
/* The remedy of @check; members that the row leaves out get the usual words. */
struct doctor_remedy {
	const char *now, *keep, *undo, *expect, *risk;
};
struct doctor_remedy doctor_remedy_of(const struct doctor_check *check);
const char *doctor_format(double value, enum doctor_unit unit, char buf[32]);
/* Indexed by their enums. */
extern const char *const doctor_places[], *const doctor_kinds[], *const doctor_severities[];
extern const char *const doctor_confidences[], *const doctor_units[];

/* The finding of the check whose id is the @len bytes at @id; NULL: there is none. */
struct doctor_finding *doctor_find(const struct doctor_diagnosis *diagnosis, const char *id,
				   size_t len);
/* The first of @ids (a blank between) that is found; NULL: none, or @ids is NULL. */
const struct doctor_finding *doctor_first_found(const struct doctor_diagnosis *diagnosis,
						const char *ids);
/* Loop over the findings whose verdict is @which. */
#define doctor_each(finding, diagnosis, which)                                 \
	for ((finding) = (diagnosis)->findings;                                \
	     (finding) < (diagnosis)->findings + (diagnosis)->nr; (finding)++) \
		if ((finding)->verdict != (which)) {                           \
		} else
