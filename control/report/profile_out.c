/* SPDX-License-Identifier: GPL-2.0-only */
/* Profiles as text and JSON. */
#include <string.h>

#include "base/out.h"
#include "profile/profile.h"
#include "profile/match.h"

static void out_text(struct rxaqm_out *out, const char *key, const char *fmt, const char *value)
{
	if (value[0])
		rxaqm_out_str(out, key, fmt, value);
	else
		rxaqm_out_null(out, key, NULL);
}

/* A number of which 0 means unknown. */
static void out_number(struct rxaqm_out *out, const char *key, const char *fmt, unsigned int value)
{
	if (value)
		rxaqm_out_u64(out, key, fmt, value);
	else
		rxaqm_out_null(out, key, NULL);
}

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

static void out_queues(struct rxaqm_out *out, const struct rxaqm_profile *profile)
{
	rxaqm_out_str(out, "completion_design", "  completion design   %s\n",
		      rxaqm_design_name(profile->design));
	out_text(out, "completion_design_change", "    to change it      %s\n",
		 profile->design_change);
	rxaqm_out_str(out, "napi", "  NAPIs of Rx and Tx  %s\n", rxaqm_napi_name(profile->napi));
	out_text(out, "napi_poll", "  NAPI poll function  %s\n", profile->napi_poll);
	if (profile->work_counts_tx < 0)
		rxaqm_out_null(out, "work_counts_tx", NULL);
	else
		rxaqm_out_bool(out, "work_counts_tx", "  NAPI work counts    Rx and Tx\n",
			       "  NAPI work counts    Rx only\n", profile->work_counts_tx);
	out_number(out, "poll_packets", "  packets a poll      %llu\n", profile->poll_packets);
	rxaqm_out_str(out, "receive_path", "  receive path        %s",
		      rxaqm_path_name(profile->path_native));
	rxaqm_out_str(out, "receive_path_generic", ", with generic XDP %s\n",
		      rxaqm_path_name(profile->path_generic));
}

static void out_facts(struct rxaqm_out *out, const struct rxaqm_profile *profile)
{
	rxaqm_out_object(out, "nic");
	out_queues(out, profile);
	rxaqm_out_str(out, "timestamp_coverage", "  Rx timestamps       %s",
		      rxaqm_coverage_name(profile->coverage));
	rxaqm_out_str(out, "timestamp_field", ", in skb field %s\n",
		      rxaqm_stamp_name(profile->stamp));
	out_text(out, "hint_since", "  XDP hint since      %s\n", profile->hint_since);
	out_number(out, "rx_ring", "  Rx ring             %llu entries\n", profile->ring_entries);
	out_number(out, "rx_ring_default", "  Rx ring, default    %llu entries\n",
		   profile->ring_default);
	out_number(out, "rx_ring_max", "  Rx ring, at most    %llu entries\n", profile->ring_max);
	if (profile->moderation_ns)
		rxaqm_out_ns(out, "moderation_ns", "  Rx moderation       %s\n",
			     profile->moderation_ns);
	else
		rxaqm_out_null(out, "moderation_ns", NULL);
	if (profile->target_rule)
		rxaqm_out_str(out, "target_rule", "  rule for targets    %s\n",
			      rxaqm_target_rule_name(profile->target_rule));
	else
		rxaqm_out_null(out, "target_rule", NULL);
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
	const struct rxaqm_setting *setting;
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
		rxaqm_setting_out(out, setting, NULL, &policy, 0);
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
