/* SPDX-License-Identifier: GPL-2.0-only */
/* Print a diagnosis for programs. */
#include <string.h>
#include <time.h>

#include "doctor/diagnose.h"

/* Raise it when a member goes or changes its meaning; a new member needs no raise. */
#define DIAGNOSIS_VERSION 1

static void put_form(struct rxaqm_out *out, const char *key, const struct doctor_finding *finding,
		     const char *form)
{
	char text[DOCTOR_MAX_TEXT];

	rxaqm_out_str(out, key, NULL,
		      doctor_words(finding, DOCTOR_SENTENCE, form, text, sizeof(text)));
}

static void put_evidence(struct rxaqm_out *out, const struct doctor_snapshot *snap,
			 const struct doctor_finding *finding)
{
	const struct doctor_evidence *evidence = finding->evidence;

	rxaqm_out_array(out, "evidence");
	for (; evidence < finding->evidence + finding->nr_evidence; evidence++) {
		rxaqm_out_object(out, NULL);
		rxaqm_out_str(out, "metric", NULL, evidence->name);
		rxaqm_out_double(out, "value", NULL, evidence->value);
		rxaqm_out_str(out, "unit", NULL, doctor_units[evidence->unit]);
		rxaqm_out_str(out, "source", NULL, evidence->source);
		if (evidence->window)
			rxaqm_out_double(out, "window_s", NULL, doctor_window_s(snap));
		else
			rxaqm_out_null(out, "window_s", NULL);
		rxaqm_out_end(out);
	}
	rxaqm_out_end(out);
}

struct text {
	char *at;
	size_t len;
};

static void add_step(void *arg, const char *command, const char *words)
{
	struct text *text = arg;

	text->len += (size_t)snprintf(text->at + text->len, DOCTOR_MAX_TEXT - text->len, "%s%s%s%s",
				      text->len ? "; " : "", command,
				      *command && *words ? " # " : "", words);
	text->len = text->len < DOCTOR_MAX_TEXT ? text->len : DOCTOR_MAX_TEXT - 1;
}

struct steps {
	struct rxaqm_out *out;
	const char *when;
};

static void put_step(void *arg, const char *command, const char *words)
{
	const struct steps *steps = arg;

	rxaqm_out_object(steps->out, NULL);
	rxaqm_out_str(steps->out, "when", NULL, steps->when);
	rxaqm_out_str(steps->out, "command", NULL, *command ? command : NULL);
	rxaqm_out_str(steps->out, "words", NULL, words);
	rxaqm_out_end(steps->out);
}

static void put_remedy(struct rxaqm_out *out, const struct doctor_finding *finding)
{
	const struct doctor_remedy remedy = doctor_remedy_of(finding->check);
	const struct {
		const char *when, *form;
	} parts[] = { { "now", remedy.now }, { "persist", remedy.keep }, { "undo", remedy.undo } };
	size_t i;

	rxaqm_out_array(out, "remedy");
	rxaqm_out_object(out, NULL);
	for (i = 0; i < 3; i++) {
		char buf[DOCTOR_MAX_TEXT] = "";

		doctor_steps(finding, parts[i].form, add_step, &(struct text){ buf, 0 });
		rxaqm_out_str(out, parts[i].when, NULL, buf);
	}
	rxaqm_out_array(out, "steps");
	for (i = 0; i < 3; i++)
		doctor_steps(finding, parts[i].form, put_step,
			     &(struct steps){ out, parts[i].when });
	rxaqm_out_end(out);
	put_form(out, "expect", finding, remedy.expect);
	put_form(out, "risk", finding, remedy.risk);
	rxaqm_out_end(out);
	rxaqm_out_end(out);
}

static void put_finding(struct rxaqm_out *out, const struct doctor_snapshot *snap,
			const struct doctor_finding *finding)
{
	const struct doctor_check *check = finding->check;

	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "id", NULL, check->id);
	rxaqm_out_str(out, "place", NULL, doctor_places[check->place]);
	rxaqm_out_str(out, "kind", NULL, doctor_kinds[check->kind]);
	rxaqm_out_str(out, "severity", NULL, doctor_severities[finding->severity]);
	rxaqm_out_str(out, "confidence", NULL, doctor_confidences[finding->confidence]);
	rxaqm_out_bool(out, "note", NULL, NULL, doctor_is_note(finding));
	rxaqm_out_u64(out, "since_ns", NULL, snap->before.at_ns);
	put_evidence(out, snap, finding);
	put_form(out, "cause", finding, check->cause);
	put_form(out, "because", finding, check->because);
	rxaqm_out_str(out, "consequence_of", NULL,
		      finding->consequence_of ? finding->consequence_of->check->id : NULL);
	put_remedy(out, finding);
	rxaqm_out_str(out, "reference", NULL, check->reference);
	rxaqm_out_end(out);
}

static void put_findings(struct rxaqm_out *out, const struct doctor_snapshot *snap,
			 const struct doctor_diagnosis *diagnosis)
{
	const struct doctor_finding *finding;

	rxaqm_out_array(out, "findings");
	doctor_each(finding, diagnosis, DOCTOR_FOUND)
		put_finding(out, snap, finding);
	rxaqm_out_end(out);
	rxaqm_out_array(out, "acquitted");
	doctor_each(finding, diagnosis, DOCTOR_CLEAR) {
		rxaqm_out_object(out, NULL);
		rxaqm_out_str(out, "id", NULL, finding->check->id);
		rxaqm_out_str(out, "place", NULL, doctor_places[finding->check->place]);
		put_form(out, "cleared_by", finding, finding->check->clear);
		put_evidence(out, snap, finding);
		rxaqm_out_end(out);
	}
	rxaqm_out_end(out);
}

static void put_unseen(struct rxaqm_out *out, const char *what, const char *why)
{
	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "what", NULL, what);
	rxaqm_out_str(out, "why", NULL, why);
	rxaqm_out_end(out);
}

static void put_blind(struct rxaqm_out *out, const struct doctor_snapshot *snap,
		      const struct doctor_diagnosis *diagnosis)
{
	const struct doctor_finding *finding;
	const struct doctor_netns *netns;
	const struct doctor_blind *blind;
	char why[128];

	rxaqm_out_array(out, "cannot_see");
	rxaqm_list_each(blind, &snap->cannot_see)
		put_unseen(out, blind->what, blind->why);
	doctor_each(finding, diagnosis, DOCTOR_BLIND)
		put_unseen(out, finding->check->id, finding->reason);
	rxaqm_list_each(netns, &snap->namespaces) {
		snprintf(why, sizeof(why),
			 "nsenter --net=/proc/%u/ns/net rxaqm doctor (%u programs, %s)", netns->pid,
			 netns->programs, netns->comm);
		put_unseen(out, "network namespace", why);
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

static void put_unexplained(struct rxaqm_out *out, const struct doctor_snapshot *snap,
			    const struct doctor_diagnosis *diagnosis)
{
	const struct doctor_risen *risen = diagnosis->unexplained;

	rxaqm_out_array(out, "not_explained");
	for (; risen < diagnosis->unexplained + diagnosis->nr_unexplained; risen++) {
		rxaqm_out_object(out, NULL);
		rxaqm_out_str(out, "counter", NULL, risen->name);
		rxaqm_out_str(out, "interface", NULL, risen->iface ? risen->iface->name : NULL);
		rxaqm_out_str(out, "what", NULL, risen->loss->what);
		rxaqm_out_double(out, "per_s", NULL, (double)risen->rise / doctor_window_s(snap));
		rxaqm_out_end(out);
	}
	rxaqm_out_end(out);
}

/* null: not measured. */
static void put_drops(struct rxaqm_out *out, const struct doctor_snapshot *snap)
{
	const struct doctor_deep_drop *drop;
	__u64 ran_ns = doctor_probed(snap, "drops");

	if (!ran_ns) {
		rxaqm_out_null(out, "dropped", NULL);
		return;
	}
	rxaqm_out_array(out, "dropped");
	rxaqm_list_each(drop, &snap->deep_drops) {
		rxaqm_out_object(out, NULL);
		rxaqm_out_str(out, "reason", NULL, drop->reason);
		rxaqm_out_str(out, "place", NULL, drop->place);
		rxaqm_out_double(out, "per_s", NULL, (double)drop->drops * 1e9 / (double)ran_ns);
		rxaqm_out_end(out);
	}
	rxaqm_out_end(out);
}

static void put_verdict(struct rxaqm_out *out, const struct doctor_snapshot *snap,
			const struct doctor_diagnosis *diagnosis,
			const struct doctor_finding *finding)
{
	char why[128];
	const char *hidden = doctor_not_gone(snap, diagnosis, finding, why);
	const char *const words[] = {
		[DOCTOR_CLEAR] = hidden ? "not found" : "gone",
		[DOCTOR_FOUND] = "still",
		[DOCTOR_BLIND] = "cannot see",
	};

	rxaqm_out_object(out, "verify");
	rxaqm_out_str(out, "id", NULL, finding->check->id);
	rxaqm_out_str(out, "verdict", NULL, words[finding->verdict]);
	rxaqm_out_str(out, "since", NULL, hidden);
	rxaqm_out_end(out);
}

/* UTC. Older bundles have no time. */
static void put_time(struct rxaqm_out *out, const struct doctor_snapshot *snap)
{
	time_t at = (time_t)snap->time_s;
	char text[32];
	struct tm utc;

	if (snap->time_s == ~0ULL || !gmtime_r(&at, &utc)) {
		rxaqm_out_str(out, "time", NULL, NULL);
		return;
	}
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	rxaqm_out_str(out, "time", NULL, text);
}

void doctor_print_json(FILE *file, const struct doctor_snapshot *snap,
		       const struct doctor_diagnosis *diagnosis, const char *verify)
{
	struct rxaqm_out out;

	rxaqm_out_open(&out, file, true);
	rxaqm_out_str(&out, "format", NULL, "rxaqm-doctor-diagnosis");
	rxaqm_out_u64(&out, "version", NULL, DIAGNOSIS_VERSION);
	put_time(&out, snap);
	rxaqm_out_str(&out, "host", NULL, snap->hostname);
	rxaqm_out_str(&out, "kernel", NULL, snap->kernel);
	rxaqm_out_str(&out, "interface", NULL, *snap->interface ? snap->interface : NULL);
	rxaqm_out_double(&out, "window_s", NULL, doctor_window_s(snap));
	rxaqm_out_str(&out, "primary", NULL,
		      diagnosis->primary ? diagnosis->primary->check->id : NULL);
	rxaqm_out_bool(&out, "sees_enough", NULL, NULL, !diagnosis->blind);
	if (verify)
		put_verdict(&out, snap, diagnosis, doctor_find(diagnosis, verify, strlen(verify)));
	put_findings(&out, snap, diagnosis);
	put_unexplained(&out, snap, diagnosis);
	put_drops(&out, snap);
	put_blind(&out, snap, diagnosis);
	put_wanted(&out, snap, diagnosis);
	rxaqm_out_close(&out, false);
}
