/* SPDX-License-Identifier: GPL-2.0-only */
/* Profiles as text and JSON: alone, or why an interface has one, and each fact beside what the
 * machine says.
 */
#include "report/profile_show.h"

#include <string.h>
#include <sys/utsname.h>

#include "attach/hint.h"
#include "base/out.h"
#include "profile/profile_keys.h"
#include "profile/match.h"

static void out_match(struct rxaqm_out *out, const struct rxaqm_profile *profile)
{
	unsigned int i;

	rxaqm_out_array(out, "match");
	for (i = 0; i < profile->nr_matches; i++) {
		rxaqm_out_object(out, NULL);
		rxaqm_out_str(out, "key", "  matches             %s",
			      rxaqm_match_name(&profile->match[i]));
		rxaqm_out_str(out, "value", "=%s\n", profile->match[i].value);
		rxaqm_out_u64(out, "line", NULL, profile->match[i].line);
		rxaqm_out_end(out);
	}
	rxaqm_out_end(out);
}

static void out_facts(struct rxaqm_out *out, const struct rxaqm_profile *profile)
{
	const struct rxaqm_key *key;
	char fmt[64];

	rxaqm_out_object(out, "nic");
	for (key = rxaqm_fact_keys; key->label; key++) {
		snprintf(fmt, sizeof(fmt), "  %-19s %%s\n", key->label);
		rxaqm_key_out(out, key, rxaqm_key_is_said(key, profile) ? fmt : NULL, profile, 0);
	}
	rxaqm_out_end(out);
}

static void out_notes(struct rxaqm_out *out, const struct rxaqm_profile *profile)
{
	unsigned int i;

	rxaqm_out_array(out, "notes");
	for (i = 0; i < profile->nr_notes; i++) {
		rxaqm_out_object(out, NULL);
		rxaqm_out_bool(out, "warning", "  WARNING             ", "  note                ",
			       profile->note[i].warning);
		rxaqm_out_str(out, "text", "%s\n", profile->note[i].text);
		rxaqm_out_end(out);
	}
	rxaqm_out_end(out);
}

static void out_policy(struct rxaqm_out *out, const struct rxaqm_profile *profile)
{
	const struct rxaqm_key *setting;
	struct rxaqm_policy policy;
	unsigned int i;

	rxaqm_out_array(out, "settings");
	for (i = 0; i < profile->nr_settings; i++) {
		rxaqm_out_object(out, NULL);
		rxaqm_out_str(out, "key", "  policy              %s", profile->setting[i].key);
		rxaqm_out_str(out, "value", "=%s\n", profile->setting[i].value);
		rxaqm_out_end(out);
	}
	rxaqm_out_end(out);
	if (rxaqm_profile_policy(profile, &policy, NULL))
		return;
	rxaqm_out_object(out, "policy");
	for (setting = rxaqm_settings; setting->name; setting++)
		rxaqm_key_out(out, setting, NULL, &policy, 0);
	rxaqm_out_end(out);
}

void rxaqm_profile_out(struct rxaqm_out *out, const struct rxaqm_profile *profile)
{
	rxaqm_out_str(out, "name", "%s", profile->name);
	rxaqm_out_str(out, "driver", ": driver %s\n", profile->driver);
	rxaqm_out_str(out, "path", "  file                %s\n", profile->path);
	out_match(out, profile);
	out_facts(out, profile);
	out_notes(out, profile);
	out_policy(out, profile);
}

/* How a fact of the file compares with what the machine says. */
enum agree {
	AGREE_FILE, /* only the file says something */
	AGREE_YES,
	AGREE_BESIDE, /* both say something, and both may be right */
	AGREE_NO,
};

/* Is @key that of @field? */
#define IS(key, field) ((key)->offset == offsetof(struct rxaqm_profile, field))

/* Print one fact; @file and @machine are "" if unknown. Returns whether they contradict. */
static bool out_fact(struct rxaqm_out *out, const char *name, const char *label, const char *file,
		     const char *machine, enum agree agree)
{
	static const struct {
		const char *state, *remark;
	} words[] = {
		[AGREE_FILE] = { "profile", "  (only the file says so)" },
		[AGREE_YES] = { "confirmed", "  confirmed here" },
		[AGREE_BESIDE] = { "beside", "  here: " },
		[AGREE_NO] = { "conflict", "  CONFLICT, here: " },
	};

	if (!*file && !*machine)
		return false;
	if (!*machine)
		agree = AGREE_FILE;
	else if (!*file)
		agree = AGREE_BESIDE;
	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "fact", NULL, name);
	rxaqm_out_text(out, "  %-19s %-14s%s%s\n", label, *file ? file : "-", words[agree].remark,
		       agree == AGREE_BESIDE || agree == AGREE_NO ? machine : "");
	rxaqm_out_str(out, "profile", NULL, *file ? file : NULL);
	rxaqm_out_str(out, "machine", NULL, *machine ? machine : NULL);
	rxaqm_out_str(out, "state", NULL, *file ? words[agree].state : "machine");
	rxaqm_out_end(out);
	return agree == AGREE_NO;
}

/* Copy what the machine says to @here, as far as profiles have it. */
static void facts_here(const struct rxaqm_nic_facts *facts, struct rxaqm_profile *here)
{
	memset(here, 0, sizeof(*here));
	here->xdp_resets_clock = -1;
	here->napi = facts->napi;
	here->ring_entries = facts->ring;
	if (facts->moderation_us > 0)
		here->moderation_ns = (__u64)facts->moderation_us * RXAQM_NSEC_PER_USEC;
}

static enum agree hint_agrees(const struct rxaqm_profile *profile,
			      const struct rxaqm_nic_facts *facts, char offers[RXAQM_MATCH_WHY_LEN])
{
	const char *since = profile->hint_since;
	int gives = facts->gives_hint;
	struct utsname kernel = {};

	if (gives >= 0)
		snprintf(offers, RXAQM_MATCH_WHY_LEN, "the driver %s it",
			 gives ? "offers" : "does not offer");
	uname(&kernel);
	if (gives < 0 || !*since || gives == rxaqm_hint_release_reached(kernel.release, since))
		return AGREE_YES;
	/* Features are backported to old kernels, but not removed from new ones. */
	return gives ? AGREE_BESIDE : AGREE_NO;
}

/* Compare a fact that both know. */
static enum agree values_agree(const struct rxaqm_key *key, const struct rxaqm_profile *file,
			       const struct rxaqm_profile *here)
{
	char value[RXAQM_KEY_LEN], other[RXAQM_KEY_LEN];

	if (!strcmp(rxaqm_key_format(key, file, 0, value), rxaqm_key_format(key, here, 0, other)))
		return AGREE_YES;
	return IS(key, moderation_ns) ? AGREE_BESIDE : AGREE_NO;
}

/* The value; "" if it is unknown. */
static void format_known(const struct rxaqm_key *key, const struct rxaqm_profile *profile,
			 char buf[RXAQM_KEY_LEN])
{
	rxaqm_key_format(key, profile, 0, buf);
	if (!strcmp(buf, "unknown"))
		buf[0] = '\0';
}

static bool out_key(struct rxaqm_out *out, const struct rxaqm_key *key,
		    const struct rxaqm_profile *profile, const struct rxaqm_profile *here,
		    const struct rxaqm_nic_facts *facts)
{
	char name[RXAQM_KEY_LEN], file[RXAQM_KEY_LEN], machine[RXAQM_MATCH_WHY_LEN] = "";
	enum agree agree;
	bool conflict;

	format_known(key, profile, file);
	if (IS(key, napi_poll)) {
		agree = rxaqm_match_polls(facts, profile->napi_poll, machine) ? AGREE_YES :
										AGREE_NO;
	} else if (IS(key, hint_since)) {
		agree = hint_agrees(profile, facts, machine);
	} else {
		/* The machine does not say which field of the skb. */
		if (!IS(key, stamp))
			format_known(key, here, machine);
		if (IS(key, moderation_ns) && !facts->moderation_us)
			snprintf(machine, sizeof(machine), "0us");
		agree = values_agree(key, profile, here);
	}
	conflict = out_fact(out, rxaqm_key_json_name(key, name), key->label, file, machine, agree);
	if (IS(key, napi_poll) && facts->napi_unknown)
		rxaqm_out_text(out, "    (NAPIs could not be asked for: %s)\n",
			       facts->napi_unknown);
	return conflict;
}

static unsigned int out_facts_here(struct rxaqm_out *out, const struct rxaqm_profile *profile,
				   const struct rxaqm_nic_facts *facts)
{
	struct rxaqm_profile here;
	const struct rxaqm_key *key;
	unsigned int conflicts = 0;
	char channels[80] = "";

	facts_here(facts, &here);
	if (facts->channels_known)
		snprintf(channels, sizeof(channels), "rx %u, tx %u, combined %u", facts->nr_rx,
			 facts->nr_tx, facts->nr_combined);
	rxaqm_out_array(out, "facts");
	for (key = rxaqm_fact_keys; key->label; key++) {
		conflicts += out_key(out, key, profile, &here, facts);
		if (IS(key, design))
			out_fact(out, "channels", "channels", "", channels, AGREE_BESIDE);
	}
	rxaqm_out_end(out);
	rxaqm_out_u64(out, "conflicts", NULL, conflicts);
	return conflicts;
}

static void out_holding(struct rxaqm_out *out, const struct rxaqm_profile *profile,
			struct rxaqm_nic_facts *facts)
{
	char why[RXAQM_MATCH_WHY_LEN];
	unsigned int i;

	rxaqm_out_array(out, "because");
	for (i = 0; i < profile->nr_matches; i++) {
		const struct rxaqm_match *match = &profile->match[i];

		rxaqm_match_holds(match, facts, why);
		rxaqm_out_object(out, NULL);
		rxaqm_out_u64(out, "line", "  because of line %llu", match->line);
		rxaqm_out_str(out, "key", ", %s", rxaqm_match_name(match));
		rxaqm_out_str(out, "value", "=%s", match->value);
		rxaqm_out_str(out, "machine", " (%s)\n", why);
		rxaqm_out_end(out);
	}
	rxaqm_out_end(out);
}

struct passed_over {
	struct rxaqm_out *out;
	const struct rxaqm_profile *chosen;
	struct rxaqm_nic_facts *facts;
};

/* Why @profile, which fits, was not chosen. */
static const char *lesser(const struct passed_over *passed, const struct rxaqm_profile *profile)
{
	struct rxaqm_fit this = rxaqm_match_fit(profile, passed->facts);
	struct rxaqm_fit best = rxaqm_match_fit(passed->chosen, passed->facts);

	if (this.named == best.named && !rxaqm_match_beside(profile, passed->chosen))
		return "fits as well, but its directory is searched later";
	if (this.named == best.named && this.conditions == best.conditions)
		return "fits as well and is as specific, but its name comes later";
	return "fits as well, but is less specific";
}

static int out_passed_over(const struct rxaqm_profile *profile, const struct rxaqm_error *error,
			   void *arg)
{
	struct passed_over *passed = arg;
	char why[RXAQM_MATCH_WHY_LEN], reason[RXAQM_MATCH_WHY_LEN + 160];
	const struct rxaqm_match *match;

	if (error || !strcmp(profile->path, passed->chosen->path))
		return 0;
	match = rxaqm_match_failing(profile, passed->facts, why);
	if (match && !strcmp(rxaqm_match_name(match), "Driver"))
		return 0; /* for another driver */
	if (match)
		snprintf(reason, sizeof(reason), "line %u, %s=%s does not hold (%s)", match->line,
			 rxaqm_match_name(match), match->value, why);
	else
		snprintf(reason, sizeof(reason), "%s", lesser(passed, profile));
	rxaqm_out_object(passed->out, NULL);
	rxaqm_out_str(passed->out, "name", "  passed over %s: ", profile->name);
	rxaqm_out_str(passed->out, "reason", "%s\n", reason);
	rxaqm_out_end(passed->out);
	return 0;
}

unsigned int rxaqm_profile_out_interface(struct rxaqm_out *out, const struct rxaqm_profile *profile,
					 struct rxaqm_nic_facts *facts)
{
	struct passed_over passed = { .out = out, .chosen = profile, .facts = facts };
	unsigned int conflicts;

	rxaqm_nic_facts_napi(facts);
	rxaqm_out_text(out, "%s: profile %s\n  file %s\n", facts->ifname, profile->name,
		       profile->path);
	if (out->json)
		rxaqm_profile_out(out, profile);
	rxaqm_out_object(out, "interface");
	rxaqm_out_str(out, "interface", NULL, facts->ifname);
	out_holding(out, profile, facts);
	rxaqm_out_array(out, "passed_over");
	rxaqm_profile_each(out_passed_over, &passed);
	rxaqm_out_end(out);
	rxaqm_out_text(out, "facts:\n");
	conflicts = out_facts_here(out, profile, facts);
	rxaqm_out_end(out);
	if (!out->json) {
		out_notes(out, profile);
		out_policy(out, profile);
	}
	return conflicts;
}
