/* SPDX-License-Identifier: GPL-2.0-only */
#include "config/settings.h"

#include <stdio.h>
#include <string.h>

#include "base/exempt.h"
#include "base/nearest.h"
#include "ns.h"
#include "base/parse.h"

static int bad_key(const char *key, struct rxaqm_error *error)
{
	const char *names[RXAQM_NR_SETTINGS + 2] = { NULL };
	const char *nearest;
	char list[256] = "";
	size_t i, len = 0;

	for (i = 0; i < RXAQM_NR_SETTINGS; i++) {
		names[i] = rxaqm_settings[i].name;
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s ", names[i]);
	}
	names[i] = "preset";
	nearest = rxaqm_nearest(key, names);
	if (nearest)
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "unknown setting \"%.40s\"; did you mean \"%s\"?", key,
				       nearest);
	return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
			       "unknown setting \"%.40s\"; there are %sand preset", key, list);
}

int rxaqm_gone_check(const struct rxaqm_gone *gone, const char *key, const char *value,
		     struct rxaqm_error *error)
{
	for (; gone->key; gone++)
		if (!strcmp(gone->key, key) && (!gone->value || !strcmp(gone->value, value)))
			return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
					       "%s%s%.40s is gone: %s", key, *value ? "=" : "",
					       value, gone->remedy);
	return 0;
}

static int set_duration(const struct rxaqm_setting *setting, const char *value, __u64 *ret_ns,
			struct rxaqm_error *error)
{
	char least[RXAQM_DURATION_LEN], most[RXAQM_DURATION_LEN];
	__u64 ns, number;
	int err;

	err = rxaqm_parse_duration(value, &ns);
	if (!err && ns >= setting->min_ns && ns <= setting->max_ns) {
		*ret_ns = ns;
		return 0;
	}
	if (err == -EINVAL && value[0] && !value[strspn(value, "0123456789.")]) {
		const char *unit = setting->max_ns > RXAQM_INTERVAL_MAX_NS ? "s" : "ms";

		if (rxaqm_parse_u64(value, 1, 1000, &number))
			number = 5;
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "%s=%.40s: a unit is required, as in %s=%llu%s "
				       "(ns, us, ms, s or m)",
				       setting->name, value, setting->name, number, unit);
	}
	if (err == -EINVAL)
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "%s=%.40s: not a %s; write 500us, 1.5ms or 2s",
				       setting->name, value, setting->form);
	rxaqm_format_duration_exact(setting->min_ns, least);
	rxaqm_format_duration_exact(setting->max_ns, most);
	return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
			       "%s=%.40s: out of range; %s to %s is possible", setting->name, value,
			       least, most);
}

static int set_target(const struct rxaqm_setting *setting, const char *value,
		      struct rxaqm_policy *policy, struct rxaqm_error *error)
{
	bool derived = !strncmp(value, "auto", 4) && (!value[4] || value[4] == ':');
	__u64 target_ns = RXAQM_TARGET_LEAST_NS;
	int err = 0;

	if (!derived)
		err = set_duration(setting, value, &target_ns, error);
	else if (value[4])
		err = set_duration(setting, value + 5, &target_ns, error);
	if (err)
		return err;
	policy->target_auto = derived;
	policy->target_ns = target_ns;
	return 0;
}

static int set_lease(const struct rxaqm_setting *setting, const char *value, __u64 now_ns,
		     __u64 *until_ns, struct rxaqm_error *error)
{
	__u64 ns;
	int err;

	*until_ns = 0;
	if (!strcmp(value, "off"))
		return 0;
	if (!strcmp(value, "expired")) {
		*until_ns = now_ns ? now_ns : 1;
		return 0;
	}
	err = set_duration(setting, value, &ns, error);
	if (!err)
		*until_ns = now_ns + ns;
	return err;
}

static int set_choice(const struct rxaqm_setting *setting, const char *value, __u8 *ret_choice,
		      struct rxaqm_error *error)
{
	const char *nearest = rxaqm_nearest(value, setting->choices);
	unsigned int i;

	for (i = 0; setting->choices[i]; i++) {
		if (!strcmp(setting->choices[i], value)) {
			*ret_choice = (__u8)i;
			return 0;
		}
	}
	return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL, "%s=%.40s: must be one of %s%s%s%s",
			       setting->name, value, setting->form,
			       nearest ? "; did you mean \"" : "", nearest ? nearest : "",
			       nearest ? "\"?" : "");
}

static int set_percent(const struct rxaqm_setting *setting, const char *value, __u16 *ret_permille,
		       struct rxaqm_error *error)
{
	__u32 permille;

	if (rxaqm_parse_percent(value, &permille))
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "%s=%.40s: must be a percentage from 0%% to 100%%, such as "
				       "50%% or 12.5%%",
				       setting->name, value);
	*ret_permille = (__u16)permille;
	return 0;
}

static int set_exempt(const struct rxaqm_setting *setting, const char *value,
		      struct rxaqm_policy *policy, struct rxaqm_error *error)
{
	bool ports = setting->type == RXAQM_SETTING_PORTS;
	int err;

	err = ports ? rxaqm_exempt_parse_ports(value, policy) :
		      rxaqm_exempt_parse_dscp(value, policy);
	if (!err)
		return 0;
	if (err == -E2BIG)
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "%s=%.40s: more than %d ports; use exempt_dscp for traffic "
				       "of many",
				       setting->name, value, RXAQM_MAX_EXEMPT_PORTS);
	return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL, "%s=%.40s: must be a list of %s",
			       setting->name, value,
			       ports ? "ports 1 to 65535, such as 22,443, or none" :
				       "DSCPs, such as cs6,46,8-10, or none");
}

static int set_value(struct rxaqm_policy *policy, const struct rxaqm_setting *setting,
		     const char *value, __u64 now_ns, struct rxaqm_error *error)
{
	void *field = (char *)policy + setting->offset;

	switch (setting->type) {
	case RXAQM_SETTING_THRESHOLD:
		if (!strcmp(value, "off")) {
			*(__u64 *)field = 0;
			return 0;
		}
		return set_duration(setting, value, (__u64 *)field, error);
	case RXAQM_SETTING_DURATION:
		return set_duration(setting, value, (__u64 *)field, error);
	case RXAQM_SETTING_TARGET:
		return set_target(setting, value, policy, error);
	case RXAQM_SETTING_LEASE:
		return set_lease(setting, value, now_ns, (__u64 *)field, error);
	case RXAQM_SETTING_CHOICE:
		return set_choice(setting, value, (__u8 *)field, error);
	case RXAQM_SETTING_PERCENT:
		return set_percent(setting, value, (__u16 *)field, error);
	default:
		return set_exempt(setting, value, policy, error);
	}
}

static int set_preset(struct rxaqm_policy *policy, const char *name, struct rxaqm_error *error)
{
	const struct rxaqm_preset *preset;
	size_t i;

	for (preset = rxaqm_presets; preset->name; preset++) {
		if (strcmp(preset->name, name))
			continue;
		for (i = 0; i < sizeof(preset->setting) / sizeof(preset->setting[0]); i++)
			rxaqm_setting_set(policy, preset->setting[i].key, preset->setting[i].value,
					  0, NULL);
		return 0;
	}
	return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
			       "preset=%.40s: must be one of dc|wan|meta2022", name);
}

int rxaqm_setting_set(struct rxaqm_policy *policy, const char *key, const char *value, __u64 now_ns,
		      struct rxaqm_error *error)
{
	const struct rxaqm_setting *setting = rxaqm_setting_find(key);
	struct rxaqm_policy changed = *policy;
	int err = rxaqm_gone_check(rxaqm_gone_settings, key, value, error);

	if (err)
		return err;
	if (!strcmp(key, "preset"))
		err = set_preset(&changed, value, error);
	else if (!setting)
		err = bad_key(key, error);
	else
		err = set_value(&changed, setting, value, now_ns, error);
	if (!err)
		*policy = changed;
	return err;
}

_Static_assert(2 * RXAQM_NR_SETTINGS <= 32, "room in rxaqm_policy.sources");

static unsigned int source_shift(const char *key)
{
	return 2 * (unsigned int)(rxaqm_setting_find(key) - rxaqm_settings);
}

enum rxaqm_source rxaqm_setting_source(const struct rxaqm_policy *policy, const char *key)
{
	return (enum rxaqm_source)(policy->sources >> source_shift(key) & 3);
}

void rxaqm_setting_mark(struct rxaqm_policy *policy, const char *key, enum rxaqm_source source)
{
	unsigned int shift = source_shift(key);

	policy->sources = (policy->sources & ~(3U << shift)) | (__u32)source << shift;
}

int rxaqm_setting_set_by(struct rxaqm_policy *policy, enum rxaqm_source source, const char *key,
			 const char *value, __u64 now_ns, struct rxaqm_error *error)
{
	int err = rxaqm_setting_set(policy, key, value, now_ns, error);
	const struct rxaqm_preset *preset;
	size_t i;

	if (err)
		return err;
	if (rxaqm_setting_find(key))
		rxaqm_setting_mark(policy, key, source);
	for (preset = rxaqm_presets; !rxaqm_setting_find(key) && preset->name; preset++)
		for (i = 0; i < sizeof(preset->setting) / sizeof(preset->setting[0]); i++)
			if (!strcmp(preset->name, value))
				rxaqm_setting_mark(policy, preset->setting[i].key, source);
	return 0;
}

bool rxaqm_policy_same(const struct rxaqm_policy *a, const struct rxaqm_policy *b)
{
	return !memcmp(a, b, offsetof(struct rxaqm_policy, sources));
}

static int check_choices(const struct rxaqm_policy *policy, struct rxaqm_error *error)
{
	const struct rxaqm_setting *setting;

	for (setting = rxaqm_settings; setting->name; setting++) {
		unsigned int i, value = *((const __u8 *)policy + setting->offset);

		if (setting->type != RXAQM_SETTING_CHOICE)
			continue;
		for (i = 0; i < value && setting->choices[i]; i++)
			;
		if (!setting->choices[i])
			return rxaqm_error_set(error, RXAQM_EXIT_FAILED, EINVAL,
					       "%s: %u is no value of it", setting->name, value);
	}
	return 0;
}

int rxaqm_policy_check(const struct rxaqm_policy *policy, struct rxaqm_error *error)
{
	char target[RXAQM_DURATION_LEN], interval[RXAQM_DURATION_LEN];

	if (policy->target_ns > policy->interval_ns) {
		rxaqm_format_duration_exact(policy->target_ns, target);
		rxaqm_format_duration_exact(policy->interval_ns, interval);
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "target=%s%s exceeds interval=%s; an interval of 20 targets is "
				       "usual",
				       policy->target_auto ? "auto:" : "", target, interval);
	}
	if (policy->ce_threshold_ns && policy->law != RXAQM_LAW_CODEL) {
		rxaqm_format_duration_exact(policy->ce_threshold_ns, target);
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "ce_threshold=%s: law=auto marks by its own measure; set "
				       "law=codel, too, or ce_threshold=off",
				       target);
	}
	return check_choices(policy, error);
}
