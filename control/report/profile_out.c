/* SPDX-License-Identifier: GPL-2.0-only */
/* Profiles as text and JSON. */
#include "base/out.h"
#include "profile/keys.h"
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

void rxaqm_profile_out_notes(struct rxaqm_out *out, const struct rxaqm_profile *profile)
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
	rxaqm_profile_out_notes(out, profile);
	out_policy(out, profile);
}
