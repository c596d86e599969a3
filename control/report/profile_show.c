/* SPDX-License-Identifier: GPL-2.0-only */
/* The facts of a profile, each with what the machine says to it. */
#include "report/profile_show.h"

#include <string.h>
#include <sys/utsname.h>

#include "attach/hint.h"
#include "base/out.h"
#include "base/parse.h"

/* How a fact of the file and what the machine says go together. */
enum agree {
	AGREE_FILE, /* only the file says something */
	AGREE_YES,
	AGREE_BESIDE, /* both say something, and both may be right */
	AGREE_NO,
};

#define VALUE_LEN 80
#define MACHINE_LEN 320

struct report {
	struct rxaqm_out *out;
	const struct rxaqm_profile *profile;
	const struct rxaqm_nic_facts *facts;
	unsigned int conflicts;
};

/* One fact: @file and @machine are "" if unknown. */
static void row(struct report *report, const char *key, const char *label, const char *file,
		const char *machine, enum agree agree)
{
	static const char *const states[] = { "profile", "confirmed", "beside", "conflict" };
	static const char *const remarks[] = {
		"  (only the file says so)",
		"  confirmed here",
		"  here: ",
		"  CONFLICT, here: ",
	};
	struct rxaqm_out *out = report->out;

	if (!*file && !*machine)
		return;
	if (!*machine)
		agree = AGREE_FILE;
	else if (!*file)
		agree = AGREE_BESIDE;
	report->conflicts += agree == AGREE_NO;
	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "fact", NULL, key);
	rxaqm_out_text(out, "  %-19s %-14s%s%s\n", label, *file ? file : "-", remarks[agree],
		       agree == AGREE_BESIDE || agree == AGREE_NO ? machine : "");
	if (*file)
		rxaqm_out_str(out, "profile", NULL, file);
	else
		rxaqm_out_null(out, "profile", NULL);
	if (*machine)
		rxaqm_out_str(out, "machine", NULL, machine);
	else
		rxaqm_out_null(out, "machine", NULL);
	rxaqm_out_str(out, "state", NULL, *file ? states[agree] : "machine");
	rxaqm_out_end(out);
}

/* @name, or "" for what is not known. */
static const char *known(const char *name)
{
	return strcmp(name, "unknown") ? name : "";
}

static const char *number(unsigned int value, char buf[VALUE_LEN])
{
	buf[0] = '\0';
	if (value)
		snprintf(buf, VALUE_LEN, "%u", value);
	return buf;
}

static void napi_rows(struct report *report)
{
	const struct rxaqm_profile *profile = report->profile;
	const struct rxaqm_nic_facts *facts = report->facts;
	char polls[MACHINE_LEN] = "";
	enum agree agree = AGREE_NO;
	unsigned int i;

	row(report, "napi", "NAPIs of Rx and Tx", known(rxaqm_napi_name(profile->napi)),
	    known(rxaqm_napi_name(facts->napi)),
	    profile->napi == facts->napi ? AGREE_YES : AGREE_NO);
	for (i = 0; i < facts->nr_polls; i++) {
		size_t len = strlen(polls);

		snprintf(polls + len, sizeof(polls) - len, "%s%s", i ? ", " : "",
			 facts->napi_poll[i]);
		if (!strcmp(profile->napi_poll, facts->napi_poll[i]))
			agree = AGREE_YES;
	}
	row(report, "napi_poll", "NAPI poll function", profile->napi_poll, polls, agree);
	if (facts->napi_unknown)
		rxaqm_out_text(report->out, "    (NAPIs could not be asked for: %s)\n",
			       facts->napi_unknown);
}

static void queue_rows(struct report *report)
{
	static const char *const works[] = { "", "Rx only", "Rx and Tx" };
	const struct rxaqm_profile *profile = report->profile;
	const struct rxaqm_nic_facts *facts = report->facts;
	char value[VALUE_LEN];

	row(report, "completion_design", "completion design",
	    known(rxaqm_design_name(profile->design)), "", AGREE_FILE);
	row(report, "completion_design_change", "  to change it", profile->design_change, "",
	    AGREE_FILE);
	value[0] = '\0';
	if (facts->channels_known)
		snprintf(value, sizeof(value), "rx %u, tx %u, combined %u", facts->nr_rx,
			 facts->nr_tx, facts->nr_combined);
	row(report, "channels", "channels", "", value, AGREE_BESIDE);
	napi_rows(report);
	row(report, "work_counts_tx", "NAPI work counts", works[profile->work_counts_tx + 1], "",
	    AGREE_FILE);
	row(report, "poll_packets", "packets a poll", number(profile->poll_packets, value), "",
	    AGREE_FILE);
	row(report, "receive_path", "receive path", known(rxaqm_path_name(profile->path_native)),
	    "", AGREE_FILE);
	row(report, "receive_path_generic", "  with generic XDP",
	    known(rxaqm_path_name(profile->path_generic)), "", AGREE_FILE);
}

/* A file may know that less is delivered than promised, but not that more is. */
static enum agree coverage_agrees(const struct rxaqm_profile *profile, enum rxaqm_coverage machine)
{
	enum rxaqm_coverage file = profile->coverage;

	/* ethtool -T tells of hardware, which does not write skb->tstamp. */
	if (profile->stamp == RXAQM_STAMP_TSTAMP)
		return AGREE_BESIDE;
	if (file == machine)
		return AGREE_YES;
	return file < machine ? AGREE_BESIDE : AGREE_NO;
}

/* Is this kernel @release or later? */
static void hint_row(struct report *report)
{
	const char *since = report->profile->hint_since;
	int gives = report->facts->gives_hint;
	enum agree agree = AGREE_YES;
	struct utsname kernel = {};

	uname(&kernel);
	if (gives >= 0 && *since && gives != rxaqm_hint_release_reached(kernel.release, since))
		/* Features are ported back to old kernels, but not taken away from new ones. */
		agree = gives ? AGREE_BESIDE : AGREE_NO;
	row(report, "hint_since", "XDP hint since", since,
	    gives < 0 ? "" :
	    gives     ? "the driver offers it" :
			"the driver does not offer it",
	    agree);
}

static void stamp_rows(struct report *report)
{
	const struct rxaqm_profile *profile = report->profile;
	enum rxaqm_coverage promised = report->facts->coverage;

	row(report, "timestamp_coverage", "Rx timestamps",
	    known(rxaqm_coverage_name(profile->coverage)), known(rxaqm_coverage_name(promised)),
	    coverage_agrees(profile, promised));
	if (profile->coverage && promised > profile->coverage)
		rxaqm_out_text(report->out,
			       "    (ethtool -T promises more than the driver keeps)\n");
	row(report, "timestamp_field", "  in field of skb", rxaqm_stamp_name(profile->stamp), "",
	    AGREE_FILE);
	hint_row(report);
}

static void ring_rows(struct report *report)
{
	const struct rxaqm_profile *profile = report->profile;
	const struct rxaqm_nic_facts *facts = report->facts;
	char file[VALUE_LEN], machine[VALUE_LEN];

	if (profile->ring_entries)
		row(report, "rx_ring", "Rx ring", number(profile->ring_entries, file),
		    number(facts->ring, machine),
		    profile->ring_entries == facts->ring ? AGREE_YES : AGREE_NO);
	else
		row(report, "rx_ring_default", "Rx ring, default",
		    number(profile->ring_default, file), number(facts->ring, machine),
		    AGREE_BESIDE);
	row(report, "rx_ring_max", "Rx ring, at most", number(profile->ring_max, file),
	    number(facts->ring_max, machine),
	    profile->ring_max == facts->ring_max ? AGREE_YES : AGREE_NO);
}

static void moderation_row(struct report *report)
{
	char file[RXAQM_DURATION_LEN] = "", machine[VALUE_LEN] = "";
	int usecs = report->facts->moderation_us;

	if (report->profile->moderation_ns)
		rxaqm_format_duration(report->profile->moderation_ns, file);
	if (usecs >= 0)
		snprintf(machine, sizeof(machine), "%dus", usecs);
	row(report, "moderation", "Rx moderation", file, machine,
	    strcmp(file, machine) ? AGREE_BESIDE : AGREE_YES);
}

unsigned int rxaqm_profile_out_facts(struct rxaqm_out *out, const struct rxaqm_profile *profile,
				     const struct rxaqm_nic_facts *facts)
{
	struct report report = { .out = out, .profile = profile, .facts = facts };

	rxaqm_out_array(out, "facts");
	queue_rows(&report);
	stamp_rows(&report);
	ring_rows(&report);
	moderation_row(&report);
	if (profile->target_rule)
		row(&report, "target_rule", "rule for targets",
		    rxaqm_target_rule_name(profile->target_rule), "", AGREE_FILE);
	rxaqm_out_end(out);
	rxaqm_out_u64(out, "conflicts", NULL, report.conflicts);
	return report.conflicts;
}
