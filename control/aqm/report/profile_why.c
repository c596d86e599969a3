/* SPDX-License-Identifier: GPL-2.0-only */
/* Why an interface has the profile and the policy that it has. */
#include <string.h>

#include "state/locate.h"
#include "base/now.h"
#include "base/out.h"
#include "profile/match.h"
#include "report/profile_show.h"

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

/* The line of @profile that sets @key: the key itself, or a preset; 0: none. */
static unsigned int line_of(const struct rxaqm_profile *profile, const char *key)
{
	unsigned int i, line = 0;

	for (i = 0; i < profile->nr_settings; i++) {
		struct rxaqm_policy scratch = {};

		rxaqm_typed_apply(&profile->setting[i], 1, &scratch, RXAQM_SOURCE_PROFILE, 0, NULL);
		if (rxaqm_setting_source(&scratch, key))
			line = profile->setting[i].line;
	}
	return line;
}

/* Print the origin of a value. @profile: its lines can be named; NULL: the profile used at attach
 * is not available.
 */
static void out_origin(struct rxaqm_out *out, const struct rxaqm_key *setting,
		       const struct rxaqm_profile *profile, const struct rxaqm_policy *policy,
		       __u64 now_ns)
{
	enum rxaqm_source source = rxaqm_setting_source(policy, setting->name);
	unsigned int line = 0;
	char value[RXAQM_KEY_LEN];

	if (profile && source == RXAQM_SOURCE_PROFILE)
		line = line_of(profile, setting->name);
	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "key", "  %-22s", setting->name);
	rxaqm_out_str(out, "value", "%-14s", rxaqm_key_format(setting, policy, now_ns, value));
	rxaqm_out_str(out, "source", "  %s", rxaqm_source_names[source]);
	if (line)
		rxaqm_out_u64(out, "line", ", line %llu", line);
	rxaqm_out_text(out, "\n");
	rxaqm_out_end(out);
}

static void out_policy(struct rxaqm_out *out, const struct rxaqm_profile *profile,
		       const struct rxaqm_policy *policy)
{
	const struct rxaqm_key *setting;

	rxaqm_out_array(out, "policy_origin");
	for (setting = rxaqm_settings; setting->name; setting++)
		out_origin(out, setting, profile, policy, rxaqm_now_ns());
	rxaqm_out_end(out);
}

static void out_attached(struct rxaqm_out *out, const struct rxaqm_profile *profile,
			 const struct rxaqm_state *state, const struct rxaqm_iface *iface)
{
	const struct rxaqm_policy *first = rxaqm_state_policy(state, iface, 0);
	bool same = !strcmp(iface->profile, profile->name), all = true;
	unsigned int i;

	for (i = 1; i < iface->nr_queues; i++)
		all &= rxaqm_policy_same(first, rxaqm_state_policy(state, iface, i));
	rxaqm_out_str(out, "attached_profile", NULL, iface->profile);
	if (!same)
		rxaqm_out_text(out,
			       "  ATTACHED with profile %s: detach and attach to change that\n",
			       iface->profile);
	rxaqm_out_text(out, "policy in effect%s:\n",
		       all ? "" : " on queue 0; others differ, see \"rxaqm policy show\"");
	out_policy(out, same ? profile : NULL, first);
}

/* Print the policy in effect on @facts' interface, or the one that attach would set, and the origin
 * of each value.
 */
static void out_origins(struct rxaqm_out *out, const struct rxaqm_profile *profile,
			const struct rxaqm_nic_facts *facts)
{
	struct rxaqm_state state = RXAQM_STATE_NONE;
	struct rxaqm_iface *iface = NULL;
	struct rxaqm_policy policy;
	struct rxaqm_error error = { .err = ENOENT };
	bool attached;

	if (!rxaqm_state_open(&state, false, NULL))
		iface = rxaqm_iface_find(&state, facts->ifname, &error);
	if (!iface && error.err != ENOENT)
		rxaqm_out_text(out, "%s\n", error.text);
	attached = iface && iface->state == RXAQM_IFACE_ATTACHED;
	rxaqm_out_bool(out, "attached", NULL, NULL, attached);
	if (attached) {
		out_attached(out, profile, &state, iface);
	} else {
		rxaqm_out_text(out, "policy that attach would set:\n");
		if (!rxaqm_profile_policy(profile, &policy, NULL))
			out_policy(out, profile, &policy);
	}
	rxaqm_state_close(&state);
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
	conflicts = rxaqm_profile_out_facts(out, profile, facts);
	if (!out->json)
		rxaqm_profile_out_notes(out, profile);
	out_origins(out, profile, facts);
	rxaqm_out_end(out);
	return conflicts;
}
