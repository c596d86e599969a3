/* SPDX-License-Identifier: GPL-2.0-only */
/* The causes of a host as metrics. */
#include "base/file.h"
#include "base/metrics_text.h"
#include "doctor/diagnose.h"

struct page {
	const struct doctor_snapshot *snap;
	const struct doctor_diagnosis *diagnosis;
};

static void print_found(struct rxaqm_metrics_text *text, const struct doctor_finding *finding)
{
	const struct doctor_iface *iface = finding->iface;

	rxaqm_metrics_u64(text,
			  RXAQM_METRICS_LABELS("id", finding->check->id, "severity",
					       doctor_severities[finding->severity], "place",
					       doctor_places[finding->check->place],
					       iface ? "interface" : NULL,
					       iface ? iface->name : NULL),
			  1);
}

void doctor_print_metrics(FILE *file, const struct doctor_snapshot *snap,
			  const struct doctor_diagnosis *diagnosis)
{
	struct rxaqm_metrics_text text = { .file = file };
	const struct doctor_finding *finding;

	rxaqm_metrics_family(&text, RXAQM_METRICS_GAUGE, "rxaqm_doctor_found",
			     "1: a cause that slows receiving; no interface: it is of the whole host, "
			     "or not known");
	doctor_each(finding, diagnosis, DOCTOR_FOUND)
		if (!finding->consequence_of && !doctor_is_note(finding))
			print_found(&text, finding);
	rxaqm_metrics_family(&text, RXAQM_METRICS_GAUGE, "rxaqm_doctor_sees_enough",
			     "0: something essential could not be seen, so a cause may be missing");
	rxaqm_metrics_u64(&text, RXAQM_METRICS_NO_LABELS, !diagnosis->blind);
	/* Older bundles have no time. */
	if (snap->time_s == ~0ULL)
		return;
	rxaqm_metrics_family(&text, RXAQM_METRICS_GAUGE, "rxaqm_doctor_timestamp_seconds",
			     "When doctor looked, since 1970");
	rxaqm_metrics_u64(&text, RXAQM_METRICS_NO_LABELS, snap->time_s);
}

static void print(FILE *file, const void *what)
{
	const struct page *page = what;

	doctor_print_metrics(file, page->snap, page->diagnosis);
}

int doctor_write_metrics(const char *path, const struct doctor_snapshot *snap,
			 const struct doctor_diagnosis *diagnosis, struct rxaqm_error *error)
{
	/* Others than root read it: node_exporter. */
	return rxaqm_file_print(path, print, &(struct page){ snap, diagnosis }, 0644, error);
}
