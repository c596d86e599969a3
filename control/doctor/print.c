/* SPDX-License-Identifier: GPL-2.0-only */
/* Print a diagnosis for people: the cause, what follows from it, and what is cleared. */
#include <string.h>

#include "base/terminal.h"
#include "doctor/diagnose.h"

#define LONGEST_INDENT 24
#define CLEARS_SHOWN 2
#define DROPS_SHOWN 5
#define NAMESPACES_SHOWN 3

/* Break @text at blanks. Further lines are indented by the length of @lead, or by 4. */
static void print_wrapped(FILE *file, const char *lead, const char *text)
{
	size_t at = strlen(lead);

	fputs(lead, file);
	rxaqm_print_words(file, at, at > LONGEST_INDENT ? 4 : at, text);
}

static void print_words(FILE *file, const struct doctor_finding *finding, const char *lead,
			const char *form)
{
	char text[DOCTOR_MAX_TEXT];

	print_wrapped(file, lead, doctor_words(finding, DOCTOR_SENTENCE, form, text, sizeof(text)));
}

struct steps {
	FILE *file;
	const char *lead;
};

/* A command is on a line of its own, however long: it is to be copied. */
static void print_step(void *arg, const char *command, const char *words)
{
	struct steps *steps = arg;

	if (*command)
		fprintf(steps->file, "%s%s\n", steps->lead, command);
	if (*words)
		print_wrapped(steps->file, *command ? "              " : steps->lead, words);
	steps->lead = "            ";
}

static void print_steps(FILE *file, const struct doctor_finding *finding, const char *lead,
			const char *form)
{
	doctor_steps(finding, form, print_step, &(struct steps){ file, lead });
}

static void print_evidence(FILE *file, const struct doctor_finding *finding)
{
	char text[DOCTOR_MAX_TEXT], number[32];
	size_t at = 0;
	unsigned int i;

	for (i = 0; i < finding->nr_evidence && at < sizeof(text); i++) {
		const struct doctor_evidence *evidence = &finding->evidence[i];

		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s=%s", i ? ", " : "",
				       evidence->name,
				       doctor_format(evidence->value, evidence->unit, number));
	}
	if (at)
		print_wrapped(file, "  evidence  ", text);
}

static void print_finding(FILE *file, enum rxaqm_paint paint, const char *title,
			  const struct doctor_finding *finding)
{
	const struct doctor_remedy remedy = doctor_remedy_of(finding->check);
	const struct doctor_check *check = finding->check;
	char lead[32];

	snprintf(lead, sizeof(lead), "%-10s", title);
	rxaqm_paint(file, paint);
	print_words(file, finding, lead, check->cause);
	rxaqm_paint(file, RXAQM_PLAIN);
	fprintf(file, "  %s, %s severity, %s: %s\n", doctor_places[check->place],
		doctor_severities[finding->severity], doctor_confidences[finding->confidence],
		check->id);
	print_words(file, finding, "  why       ", check->because);
	print_evidence(file, finding);
	print_steps(file, finding, "  now       ", remedy.now);
	print_steps(file, finding, "  to keep   ", remedy.keep);
	print_steps(file, finding, "  to undo   ", remedy.undo);
	print_words(file, finding, "  expect    ", remedy.expect);
	print_words(file, finding, "  risk      ", remedy.risk);
	fprintf(file, "  then      rxaqm doctor --verify %s\n", check->id);
}

/* @from: the finding that it follows from; NULL: none, or the heading says so. */
static void print_brief(FILE *file, const struct doctor_finding *finding,
			const struct doctor_finding *from)
{
	char lead[64], form[DOCTOR_MAX_TEXT];

	snprintf(lead, sizeof(lead), "  %-21s ", finding->check->id);
	snprintf(form, sizeof(form), from ? "%s Follows from %s." : "%s", finding->check->cause,
		 from ? from->check->id : "");
	print_words(file, finding, lead, form);
}

static const struct doctor_finding *root_of(const struct doctor_finding *finding)
{
	unsigned int i;

	for (i = 0; finding->consequence_of && i < 64; i++)
		finding = finding->consequence_of;
	return finding;
}

enum part {
	FOLLOWS, /* from the primary cause */
	ALSO, /* other causes, and what follows from them */
	NOTES,
};

static void print_others(FILE *file, const struct doctor_diagnosis *diagnosis, enum part part)
{
	static const char *const titles[] = { "FOLLOWS FROM IT\n", "ALSO FOUND\n",
					      "NOTES  that slow nothing by themselves\n" };
	const struct doctor_finding *finding, *root;
	bool titled = false;
	enum part its;

	doctor_each(finding, diagnosis, DOCTOR_FOUND) {
		root = root_of(finding);
		its = root == diagnosis->primary ? FOLLOWS : doctor_is_note(root) ? NOTES : ALSO;
		if (finding == diagnosis->primary || its != part)
			continue;
		if (!titled)
			fputs(titles[part], file);
		titled = true;
		print_brief(file, finding, part == FOLLOWS ? NULL : finding->consequence_of);
	}
}

static void print_unexplained(FILE *file, const struct doctor_snapshot *snap,
			      const struct doctor_diagnosis *diagnosis)
{
	const struct doctor_risen *risen = diagnosis->unexplained;
	char text[DOCTOR_MAX_TEXT], rate[32];

	if (diagnosis->nr_unexplained)
		fputs("NOT EXPLAINED\n", file);
	for (; risen < diagnosis->unexplained + diagnosis->nr_unexplained; risen++) {
		snprintf(text, sizeof(text), "%s of %s%s%s (%s)",
			 doctor_format((double)risen->rise / doctor_window_s(snap), DOCTOR_PER_S,
				       rate),
			 risen->iface ? risen->iface->name : "", risen->iface ? ", " : "",
			 risen->name, risen->loss->what);
		print_wrapped(file, "  ", text);
	}
}

/* By reason and function, as --deep saw them; this helps with losses that no finding explains. */
static void print_drops(FILE *file, const struct doctor_snapshot *snap, bool all)
{
	const struct doctor_deep_drop *drop;
	size_t shown = 0;
	char rate[32];
	__u64 ran_ns = doctor_probed(snap, "drops");

	if (!ran_ns)
		return;
	fprintf(file, "DROPPED BY THE KERNEL  in %.1f s of --deep\n", (double)ran_ns / 1e9);
	rxaqm_list_each(drop, &snap->deep_drops) {
		if (!all && (shown == DROPS_SHOWN || (double)drop->drops * 1e9 < (double)ran_ns))
			break;
		shown++;
		doctor_format((double)drop->drops * 1e9 / (double)ran_ns, DOCTOR_PER_S, rate);
		fprintf(file, "  %-9s %s in %s\n", rate, drop->reason, drop->place);
	}
	if (!shown)
		fputs("  nothing, or less than 1/s: a counter counts no packets, or drops elsewhere\n",
		      file);
}

/* What clears the checks of @place: each on its own line, or the first ones on one line. */
static void print_place(FILE *file, const struct doctor_diagnosis *diagnosis,
			enum doctor_place place, bool all)
{
	char text[CLEARS_SHOWN * DOCTOR_MAX_TEXT] = "", lead[32];
	const struct doctor_finding *finding;
	unsigned int nr = 0;

	snprintf(lead, sizeof(lead), "  %-9s ", doctor_places[place]);
	doctor_each(finding, diagnosis, DOCTOR_CLEAR) {
		size_t at = strlen(text);

		if (finding->check->place != place)
			continue;
		if (all) {
			print_words(file, finding, lead, finding->check->clear);
			continue;
		}
		if (nr++ == CLEARS_SHOWN)
			break;
		snprintf(text + at, sizeof(text) - at, "%s", nr > 1 ? "; " : "");
		at = strlen(text);
		doctor_words(finding, DOCTOR_SENTENCE, finding->check->clear, text + at,
			     sizeof(text) - at);
	}
	if (*text)
		print_wrapped(file, lead, text);
}

/* Include places with a finding: their other checks may be clear. */
static void print_clear(FILE *file, const struct doctor_diagnosis *diagnosis, bool all)
{
	int place;

	fputs("NOT THE CAUSE\n", file);
	for (place = 0; place < DOCTOR_NR_PLACES; place++)
		print_place(file, diagnosis, (enum doctor_place)place, all);
}

static void print_blind(FILE *file, const struct doctor_snapshot *snap,
			const struct doctor_diagnosis *diagnosis, bool all)
{
	const struct doctor_finding *finding;
	const struct doctor_netns *netns;
	const struct doctor_blind *blind;
	size_t checks = 0, more = snap->namespaces.nr;
	char lead[64];

	doctor_each(finding, diagnosis, DOCTOR_BLIND)
		checks++;
	if (!snap->cannot_see.nr && !checks && !more)
		return;
	fputs("CANNOT SEE\n", file);
	rxaqm_list_each(blind, &snap->cannot_see) {
		snprintf(lead, sizeof(lead), "  %s: ", blind->what);
		print_wrapped(file, lead, blind->why);
	}
	if (more)
		print_wrapped(file, "  softirq times, backlogs: ",
			      "they are of the whole host, with all its network namespaces");
	rxaqm_list_each(netns, &snap->namespaces) {
		if (!all && netns == snap->namespaces.at + NAMESPACES_SHOWN)
			break;
		fprintf(file,
			"  network namespace of %s and %u more:\n"
			"    nsenter --net=/proc/%u/ns/net rxaqm doctor\n",
			netns->comm, netns->programs - 1, netns->pid);
		more--;
	}
	if (more)
		fprintf(file, "  %zu more network namespaces: rxaqm doctor --all\n", more);
	doctor_each(finding, diagnosis, DOCTOR_BLIND) {
		if (!all && !finding->check->essential)
			continue;
		checks--;
		snprintf(lead, sizeof(lead), "  %s: ", finding->check->id);
		print_wrapped(file, lead, finding->reason);
	}
	if (!all && checks)
		fprintf(file, "  %zu checks cannot read what they need: rxaqm doctor --all\n",
			checks);
}

/* Name the probes that could still settle something. */
static void print_wanted(FILE *file, const struct doctor_snapshot *snap,
			 const struct doctor_diagnosis *diagnosis)
{
	const struct doctor_probe *probe;
	size_t i, nr = 0;
	char lead[32];

	for (i = 0; (probe = doctor_probe_at(i)); i++) {
		if (!doctor_probe_wanted(probe, snap, diagnosis))
			continue;
		if (!nr++)
			fputs("LOOK DEEPER  rxaqm doctor --deep measures\n", file);
		snprintf(lead, sizeof(lead), "  %-9s ", probe->name);
		print_wrapped(file, lead, probe->what);
	}
}

void doctor_print(FILE *file, const struct doctor_snapshot *snap,
		  const struct doctor_diagnosis *diagnosis, bool all)
{
	const struct doctor_finding *finding;

	fprintf(file, "%s, Linux %s, %s%s, %.1f s\n\n", snap->hostname, snap->kernel,
		*snap->interface ? "interface " : "all interfaces", snap->interface,
		doctor_window_s(snap));
	if (diagnosis->primary) {
		print_finding(file, RXAQM_RED, "CAUSE", diagnosis->primary);
	} else if (diagnosis->nr_unexplained) {
		fputs("NOTHING FOUND, but something is lost or refused, and no check explains it.\n",
		      file);
	} else if (diagnosis->blind) {
		fputs("NOTHING FOUND, but not enough could be seen to say that all is well.\n",
		      file);
	} else {
		fprintf(file, "NOTHING FOUND  Nothing slows receiving %s.\n",
			snap->namespaces.nr ? "in this network namespace" : "here");
	}
	if (diagnosis->primary)
		print_others(file, diagnosis, FOLLOWS);
	print_others(file, diagnosis, ALSO);
	print_unexplained(file, snap, diagnosis);
	print_drops(file, snap, all);
	print_others(file, diagnosis, NOTES);
	doctor_each(finding, diagnosis, DOCTOR_FOUND) {
		if (all && finding != diagnosis->primary)
			print_finding(file, RXAQM_BOLD, "FINDING", finding);
	}
	print_clear(file, diagnosis, all);
	print_blind(file, snap, diagnosis, all);
	print_wanted(file, snap, diagnosis);
}

int doctor_print_verdict(FILE *file, const struct doctor_snapshot *snap,
			 const struct doctor_diagnosis *diagnosis, const char *id)
{
	const struct doctor_finding *finding = doctor_find(diagnosis, id, strlen(id));

	if (finding && finding->verdict == DOCTOR_FOUND) {
		print_finding(file, RXAQM_BOLD, "STILL", finding);
	} else if (finding) {
		char why[128], text[256];
		const char *hidden = doctor_not_gone(snap, diagnosis, finding, why);

		if (finding->verdict == DOCTOR_BLIND)
			print_words(file, finding, "CANNOT SEE ", finding->reason);
		else
			print_words(file, finding, hidden ? "NOT FOUND " : "GONE      ",
				    finding->check->clear);
		snprintf(text, sizeof(text), "%s, in %.1f s%s%s", id, doctor_window_s(snap),
			 hidden ? "; " : "", hidden ?: "");
		print_wrapped(file, "  ", text);
	}
	return doctor_verdict_code(diagnosis, id);
}

void doctor_print_checks(FILE *file)
{
	const struct doctor_check *check;
	size_t i;

	fputs("| check | place | reads | found if | source | shown by |\n|---|---|---|---|---|---|\n",
	      file);
	for (i = 0; (check = doctor_check_at(i)); i++)
		fprintf(file, "| `%s` | %s | %s | %s | %s | %s |\n", check->id,
			doctor_places[check->place], check->reads,
			check->rule ?: "its counters rise by 1/s or more", check->reference,
			check->shown);
}
