/* SPDX-License-Identifier: GPL-2.0-only */
/* A diagnosis for programs. */
#include <stdlib.h>
#include <string.h>

#include "doctor/diagnose.h"
#include "doctor/suspect.h"

#define MAX_TEXT 1024

static void put_words(struct rxaqm_out *out, const char *key, const struct doctor_finding *finding,
		      const char *form)
{
	char text[MAX_TEXT];

	if (form)
		rxaqm_out_str(out, key, NULL, doctor_words(finding, form, text, sizeof(text)));
	else
		rxaqm_out_null(out, key, NULL);
}

static void put_evidence(struct rxaqm_out *out, const struct doctor_snapshot *snap,
			 const struct doctor_finding *finding)
{
	unsigned int i;

	rxaqm_out_array(out, "evidence");
	for (i = 0; i < finding->nr_evidence; i++) {
		const struct doctor_evidence *evidence = &finding->evidence[i];

		rxaqm_out_object(out, NULL);
		rxaqm_out_str(out, "metric", NULL, evidence->name);
		rxaqm_out_double(out, "value", NULL, evidence->value);
		rxaqm_out_str(out, "unit", NULL, doctor_unit_name(evidence->unit));
		rxaqm_out_str(out, "source", NULL, evidence->source);
		if (evidence->window)
			rxaqm_out_double(out, "window_s", NULL, doctor_window_s(snap));
		else
			rxaqm_out_null(out, "window_s", NULL);
		rxaqm_out_end(out);
	}
	rxaqm_out_end(out);
}

static void put_remedy(struct rxaqm_out *out, const struct doctor_finding *finding)
{
	const struct doctor_remedy *remedy = &finding->check->remedy;

	rxaqm_out_array(out, "remedy");
	rxaqm_out_object(out, NULL);
	put_words(out, "now", finding, remedy->now);
	put_words(out, "persist", finding, remedy->keep);
	put_words(out, "undo", finding, remedy->undo);
	put_words(out, "expect", finding, remedy->expect);
	put_words(out, "risk", finding, remedy->risk);
	rxaqm_out_end(out);
	rxaqm_out_end(out);
}

static void put_finding(struct rxaqm_out *out, const struct doctor_snapshot *snap,
			const struct doctor_finding *finding)
{
	const struct doctor_check *check = finding->check;

	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "id", NULL, check->id);
	rxaqm_out_str(out, "layer", NULL, doctor_place_name(check->place));
	rxaqm_out_str(out, "kind", NULL, doctor_kind_name(check->kind));
	rxaqm_out_str(out, "severity", NULL, doctor_severity_name(finding->severity));
	rxaqm_out_str(out, "confidence", NULL, doctor_confidence_name(finding->confidence));
	rxaqm_out_u64(out, "since_ns", NULL, snap->before.at_ns);
	put_evidence(out, snap, finding);
	put_words(out, "cause", finding, check->cause);
	put_words(out, "because", finding, check->because);
	if (finding->consequence_of)
		rxaqm_out_str(out, "consequence_of", NULL, finding->consequence_of->check->id);
	else
		rxaqm_out_null(out, "consequence_of", NULL);
	put_remedy(out, finding);
	rxaqm_out_str(out, "reference", NULL, check->reference);
	rxaqm_out_end(out);
}

static void put_findings(struct rxaqm_out *out, const struct doctor_snapshot *snap,
			 const struct doctor_diagnosis *diagnosis)
{
	size_t i;

	rxaqm_out_array(out, "findings");
	for (i = 0; i < diagnosis->nr; i++) {
		if (diagnosis->findings[i].verdict == DOCTOR_FOUND)
			put_finding(out, snap, &diagnosis->findings[i]);
	}
	rxaqm_out_end(out);
	rxaqm_out_array(out, "acquitted");
	for (i = 0; i < diagnosis->nr; i++) {
		const struct doctor_finding *finding = &diagnosis->findings[i];

		if (finding->verdict != DOCTOR_CLEAR)
			continue;
		rxaqm_out_object(out, NULL);
		rxaqm_out_str(out, "id", NULL, finding->check->id);
		rxaqm_out_str(out, "layer", NULL, doctor_place_name(finding->check->place));
		put_words(out, "cleared_by", finding, finding->check->clear);
		put_evidence(out, snap, finding);
		rxaqm_out_end(out);
	}
	rxaqm_out_end(out);
}

static void put_blind(struct rxaqm_out *out, const struct doctor_snapshot *snap,
		      const struct doctor_diagnosis *diagnosis)
{
	size_t i;

	rxaqm_out_array(out, "cannot_see");
	for (i = 0; i < snap->cannot_see.nr; i++) {
		rxaqm_out_object(out, NULL);
		rxaqm_out_str(out, "what", NULL, snap->cannot_see.at[i].what);
		rxaqm_out_str(out, "why", NULL, snap->cannot_see.at[i].why);
		rxaqm_out_end(out);
	}
	for (i = 0; i < diagnosis->nr; i++) {
		const struct doctor_finding *finding = &diagnosis->findings[i];

		if (finding->verdict != DOCTOR_BLIND)
			continue;
		rxaqm_out_object(out, NULL);
		rxaqm_out_str(out, "what", NULL, finding->check->id);
		rxaqm_out_str(out, "why", NULL, finding->reason);
		rxaqm_out_end(out);
	}
	rxaqm_out_end(out);
}

static void put_wanted(struct rxaqm_out *out, const struct doctor_snapshot *snap,
		       const struct doctor_diagnosis *diagnosis)
{
	const struct doctor_probe *probe;
	size_t i;

	rxaqm_out_array(out, "deep_would_measure");
	for (i = 0; (probe = doctor_probe_at(i)); i++) {
		if (doctor_probe_wanted(probe, snap, diagnosis))
			rxaqm_out_str(out, NULL, NULL, probe->name);
	}
	rxaqm_out_end(out);
}

void doctor_print_json(FILE *file, const struct doctor_snapshot *snap,
		       const struct doctor_diagnosis *diagnosis)
{
	struct rxaqm_out out;

	rxaqm_out_open(&out, file, true);
	rxaqm_out_str(&out, "host", NULL, snap->hostname);
	rxaqm_out_str(&out, "kernel", NULL, snap->kernel);
	if (*snap->interface)
		rxaqm_out_str(&out, "interface", NULL, snap->interface);
	else
		rxaqm_out_null(&out, "interface", NULL);
	rxaqm_out_double(&out, "window_s", NULL, doctor_window_s(snap));
	if (diagnosis->primary)
		rxaqm_out_str(&out, "primary", NULL, diagnosis->primary->check->id);
	else
		rxaqm_out_null(&out, "primary", NULL);
	rxaqm_out_bool(&out, "sees_enough", NULL, NULL, !diagnosis->blind);
	put_findings(&out, snap, diagnosis);
	put_blind(&out, snap, diagnosis);
	put_wanted(&out, snap, diagnosis);
	rxaqm_out_close(&out, false);
}
