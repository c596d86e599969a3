/* SPDX-License-Identifier: GPL-2.0-only */
/* The facts of a profile, each with what the machine says to it. */
#include "report/profile_show.h"

#include <string.h>
#include <sys/utsname.h>

#include "attach/hint.h"
#include "base/out.h"
#include "profile/keys.h"

/* How a fact of the file and what the machine says go together. */
enum agree {
	AGREE_FILE, /* only the file says something */
	AGREE_YES,
	AGREE_BESIDE, /* both say something, and both may be right */
	AGREE_NO,
};

#define MACHINE_LEN 320

/* A value, or null. */
static void out_said(struct rxaqm_out *out, const char *key, const char *value)
{
	if (*value)
		rxaqm_out_str(out, key, NULL, value);
	else
		rxaqm_out_null(out, key, NULL);
}

/* One fact: @file and @machine are "" if unknown. Returns whether they contradict. */
static bool out_fact(struct rxaqm_out *out, const char *name, const char *label, const char *file,
		     const char *machine, enum agree agree)
{
	static const char *const states[] = { "profile", "confirmed", "beside", "conflict" };
	static const char *const remarks[] = {
		"  (only the file says so)",
		"  confirmed here",
		"  here: ",
		"  CONFLICT, here: ",
	};

	if (!*file && !*machine)
		return false;
	if (!*machine)
		agree = AGREE_FILE;
	else if (!*file)
		agree = AGREE_BESIDE;
	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "fact", NULL, name);
	rxaqm_out_text(out, "  %-19s %-14s%s%s\n", label, *file ? file : "-", remarks[agree],
		       agree == AGREE_BESIDE || agree == AGREE_NO ? machine : "");
	out_said(out, "profile", file);
	out_said(out, "machine", machine);
	rxaqm_out_str(out, "state", NULL, *file ? states[agree] : "machine");
	rxaqm_out_end(out);
	return agree == AGREE_NO;
}

/* What the machine says, where that is a fact of a profile. */
static void facts_here(const struct rxaqm_nic_facts *facts, const struct rxaqm_profile *file,
		       struct rxaqm_profile *here)
{
	memset(here, 0, sizeof(*here));
	here->work_counts_tx = -1;
	here->napi = facts->napi;
	here->coverage = facts->coverage;
	here->ring_max = facts->ring_max;
	if (file->ring_entries)
		here->ring_entries = facts->ring;
	else
		here->ring_default = facts->ring;
	if (facts->moderation_us > 0)
		here->moderation_ns = (__u64)facts->moderation_us * RXAQM_NSEC_PER_USEC;
}

static enum agree polls_agree(const struct rxaqm_profile *profile,
			      const struct rxaqm_nic_facts *facts, char polls[MACHINE_LEN])
{
	enum agree agree = AGREE_NO;
	unsigned int i;

	for (i = 0; i < facts->nr_polls; i++) {
		size_t len = strlen(polls);

		snprintf(polls + len, MACHINE_LEN - len, "%s%s", i ? ", " : "",
			 facts->napi_poll[i]);
		if (!strcmp(profile->napi_poll, facts->napi_poll[i]))
			agree = AGREE_YES;
	}
	return agree;
}

static enum agree hint_agrees(const struct rxaqm_profile *profile,
			      const struct rxaqm_nic_facts *facts, char offers[MACHINE_LEN])
{
	const char *since = profile->hint_since;
	int gives = facts->gives_hint;
	struct utsname kernel = {};

	if (gives >= 0)
		snprintf(offers, MACHINE_LEN, "the driver %s it",
			 gives ? "offers" : "does not offer");
	uname(&kernel);
	if (gives < 0 || !*since || gives == rxaqm_hint_release_reached(kernel.release, since))
		return AGREE_YES;
	/* Features are ported back to old kernels, but not taken away from new ones. */
	return gives ? AGREE_BESIDE : AGREE_NO;
}

/* Of a fact that both know. */
static enum agree values_agree(const struct rxaqm_key *key, const struct rxaqm_profile *file,
			       const struct rxaqm_profile *here)
{
	char value[RXAQM_KEY_LEN], other[RXAQM_KEY_LEN];
	bool same = !strcmp(rxaqm_key_format(key, file, 0, value),
			    rxaqm_key_format(key, here, 0, other));

	switch (key->offset) {
	case offsetof(struct rxaqm_profile, coverage):
		/* ethtool -T tells of hardware, which does not write skb->tstamp. */
		if (file->stamp == RXAQM_STAMP_TSTAMP)
			return AGREE_BESIDE;
		/* A file may know that less is delivered than promised, but not that more is. */
		return same ? AGREE_YES : file->coverage < here->coverage ? AGREE_BESIDE : AGREE_NO;
	case offsetof(struct rxaqm_profile, ring_default):
		return AGREE_BESIDE;
	case offsetof(struct rxaqm_profile, moderation_ns):
		return same ? AGREE_YES : AGREE_BESIDE;
	default:
		return same ? AGREE_YES : AGREE_NO;
	}
}

/* The value, "" for what is unknown. */
static void format_known(const struct rxaqm_key *key, const struct rxaqm_profile *profile,
			 char buf[RXAQM_KEY_LEN])
{
	rxaqm_key_format(key, profile, 0, buf);
	if (!strcmp(buf, "unknown"))
		buf[0] = '\0';
}

/* What is to be said behind a fact. */
static void out_remark(struct rxaqm_out *out, const struct rxaqm_key *key,
		       const struct rxaqm_profile *profile, const struct rxaqm_nic_facts *facts)
{
	if (key->offset == offsetof(struct rxaqm_profile, napi_poll) && facts->napi_unknown)
		rxaqm_out_text(out, "    (NAPIs could not be asked for: %s)\n",
			       facts->napi_unknown);
	if (key->offset == offsetof(struct rxaqm_profile, coverage) && profile->coverage &&
	    facts->coverage > profile->coverage)
		rxaqm_out_text(out, "    (ethtool -T promises more than the driver keeps)\n");
}

static bool out_key(struct rxaqm_out *out, const struct rxaqm_key *key,
		    const struct rxaqm_profile *profile, const struct rxaqm_profile *here,
		    const struct rxaqm_nic_facts *facts)
{
	char name[RXAQM_KEY_LEN], file[RXAQM_KEY_LEN], machine[MACHINE_LEN] = "";
	enum agree agree;
	bool conflict;

	format_known(key, profile, file);
	if (key->offset == offsetof(struct rxaqm_profile, napi_poll)) {
		agree = polls_agree(profile, facts, machine);
	} else if (key->offset == offsetof(struct rxaqm_profile, hint_since)) {
		agree = hint_agrees(profile, facts, machine);
	} else {
		/* The machine says nothing of the field of the skb. */
		if (key->offset != offsetof(struct rxaqm_profile, stamp))
			format_known(key, here, machine);
		if (key->offset == offsetof(struct rxaqm_profile, moderation_ns) &&
		    !facts->moderation_us)
			snprintf(machine, sizeof(machine), "0us");
		agree = values_agree(key, profile, here);
	}
	conflict = out_fact(out, rxaqm_key_json_name(key, name), key->label, file, machine, agree);
	out_remark(out, key, profile, facts);
	return conflict;
}

unsigned int rxaqm_profile_out_facts(struct rxaqm_out *out, const struct rxaqm_profile *profile,
				     const struct rxaqm_nic_facts *facts)
{
	struct rxaqm_profile here;
	const struct rxaqm_key *key;
	unsigned int conflicts = 0;
	char channels[80] = "";

	facts_here(facts, profile, &here);
	if (facts->channels_known)
		snprintf(channels, sizeof(channels), "rx %u, tx %u, combined %u", facts->nr_rx,
			 facts->nr_tx, facts->nr_combined);
	rxaqm_out_array(out, "facts");
	for (key = rxaqm_fact_keys; key->label; key++) {
		conflicts += out_key(out, key, profile, &here, facts);
		if (key->offset == offsetof(struct rxaqm_profile, design_change))
			out_fact(out, "channels", "channels", "", channels, AGREE_BESIDE);
	}
	rxaqm_out_end(out);
	rxaqm_out_u64(out, "conflicts", NULL, conflicts);
	return conflicts;
}
