/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading one profile from a file. */
#include "profile/profile.h"

#include <string.h>

#include "base/ini_file.h"
#include "profile/profile_keys.h"
#include "profile/match.h"

struct load {
	struct rxaqm_profile *profile;
	struct rxaqm_keys_seen settings, facts;
};

static int load_setting(struct load *load, const char *key, const char *value, unsigned int line,
			struct rxaqm_error *error)
{
	struct rxaqm_profile *profile = load->profile;

	if (!strcmp(key, "mode") || !strcmp(key, "lease"))
		return rxaqm_bad(error, "%s is not for profiles to set; use \"rxaqm policy set\"",
				 key);
	return rxaqm_typed_add(profile->setting, &profile->nr_settings, &load->settings, NULL, key,
			       value, line, error);
}

static int add_note(struct rxaqm_profile *profile, const struct rxaqm_key *key, const char *value,
		    struct rxaqm_error *error)
{
	struct rxaqm_key next = *key;
	int err;

	if (profile->nr_notes == RXAQM_PROFILE_NOTES_MAX)
		return rxaqm_bad(error, "%s=%.40s: more than %d notes and warnings; join some",
				 key->name, value, RXAQM_PROFILE_NOTES_MAX);
	next.offset += profile->nr_notes * sizeof(profile->note[0]);
	err = rxaqm_key_set(&next, profile, value, 0, error);
	if (!err)
		profile->note[profile->nr_notes++].warning = !strcmp(key->name, "Warning");
	return err;
}

static int load_fact(struct load *load, const char *key, const char *value, unsigned int line,
		     struct rxaqm_error *error)
{
	const struct rxaqm_key *fact = rxaqm_key_find(rxaqm_fact_keys, NULL, key);
	int err;

	if (!fact)
		return rxaqm_profile_unknown_key(rxaqm_fact_keys, "Nic", key, error);
	if (fact->offset == offsetof(struct rxaqm_profile, note[0].text))
		return add_note(load->profile, fact, value, error);
	err = rxaqm_key_once(&load->facts, rxaqm_fact_keys, key, NULL, line, error);
	return err ? err : rxaqm_key_set(fact, load->profile, value, 0, error);
}

static int load_section(void *arg, const char *section, struct rxaqm_error *error)
{
	(void)arg;
	if (!strcmp(section, "Match") || !strcmp(section, "Nic") || !strcmp(section, "Policy"))
		return 0;
	return rxaqm_bad(error, "unknown section [%s]; it must be [Match], [Nic] or [Policy]",
			 section);
}

static int load_key(void *arg, const char *section, const char *key, const char *value,
		    unsigned int line, struct rxaqm_error *error)
{
	struct load *load = arg;

	if (!strcmp(section, "Policy"))
		return load_setting(load, key, value, line, error);
	if (!strcmp(section, "Match"))
		return rxaqm_match_add(load->profile, key, value, line, error);
	return load_fact(load, key, value, line, error);
}

/* Check conditions between lines. */
static int check_lines(const struct rxaqm_profile *profile, struct rxaqm_error *error)
{
	if (!profile->driver[0])
		return rxaqm_bad(error, "no Driver= in a section [Match]; add it");
	return 0;
}

int rxaqm_profile_parse(FILE *file, const char *path, struct rxaqm_profile *profile,
			struct rxaqm_error *error)
{
	const struct rxaqm_ini_ops ops = { .section = load_section, .key = load_key };
	struct load load = { .profile = profile };
	struct rxaqm_policy policy;
	struct rxaqm_error reason;
	const char *where = "";
	int err;

	memset(profile, 0, sizeof(*profile));
	profile->xdp_resets_clock = -1;
	err = rxaqm_ini_read(file, path, &ops, &load, error);
	if (err)
		return err;
	err = check_lines(profile, &reason);
	if (!err) {
		where = "[Policy]: ";
		err = rxaqm_profile_policy(profile, &policy, &reason);
	}
	if (err)
		return rxaqm_error_set(error, reason.exit_code, -err, "%s: %s%s", path, where,
				       reason.text);
	return 0;
}

int rxaqm_profile_policy(const struct rxaqm_profile *profile, struct rxaqm_policy *policy,
			 struct rxaqm_error *error)
{
	int err;

	rxaqm_policy_init(policy);
	err = rxaqm_typed_apply(profile->setting, profile->nr_settings, policy,
				RXAQM_SOURCE_PROFILE, 0, error);
	return err ? err : rxaqm_policy_check(policy, error);
}
