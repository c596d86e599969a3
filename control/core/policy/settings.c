/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/settings.h"

#include <string.h>

#include "base/out.h"
#include "base/parse.h"
#include "ns.h"

unsigned int rxaqm_setting_names(unsigned int nr, const char *names[RXAQM_KEYS_MAX + 1])
{
	nr = rxaqm_key_names(rxaqm_settings, NULL, nr, names);
	names[nr++] = "preset";
	names[nr] = NULL;
	return nr;
}

static int bad_key(const char *key, struct rxaqm_error *error)
{
	char list[RXAQM_KEY_TEXT_LEN], there_are[RXAQM_KEY_TEXT_LEN];
	const char *names[RXAQM_KEYS_MAX + 1];

	if (!strcmp(key, "queue"))
		return rxaqm_bad(error, "unknown setting \"queue\"; policy set has --queue=LIST, "
					"which chooses the queues");
	rxaqm_setting_names(0, names);
	snprintf(there_are, sizeof(there_are), "there are %.400s",
		 rxaqm_words(names, " ", " and ", list));
	return rxaqm_key_unknown("setting", key, NULL, names, there_are, error);
}

_Static_assert(RXAQM_NR_SETTINGS <= RXAQM_SETTINGS_MAX, "room in struct rxaqm_policy");

static unsigned int row_of(const char *key)
{
	return (unsigned int)(rxaqm_setting_find(key) - rxaqm_settings);
}

static enum rxaqm_source source_of(const struct rxaqm_policy *policy, unsigned int row)
{
	return (enum rxaqm_source)(policy->sources >> 2 * row & 3);
}

enum rxaqm_source rxaqm_setting_source(const struct rxaqm_policy *policy, const char *key)
{
	return source_of(policy, row_of(key));
}

void rxaqm_setting_mark(struct rxaqm_policy *policy, const char *key, enum rxaqm_source source,
			__u64 now_ns)
{
	unsigned int row = row_of(key);

	policy->sources = (policy->sources & ~(3U << 2 * row)) | (__u32)source << 2 * row;
	policy->set_s[row] = (__u32)(now_ns / RXAQM_NSEC_PER_SEC);
}

void rxaqm_settings_keep_times(struct rxaqm_policy *policy, const struct rxaqm_policy *before)
{
	char value[RXAQM_KEY_LEN], old[RXAQM_KEY_LEN];
	unsigned int i;

	for (i = 0; i < RXAQM_NR_SETTINGS; i++) {
		const struct rxaqm_key *setting = &rxaqm_settings[i];

		/* Of a lease, its length. */
		rxaqm_key_format(setting, policy, policy->lease_until_ns - policy->lease_ns, value);
		rxaqm_key_format(setting, before, before->lease_until_ns - before->lease_ns, old);
		if (!strcmp(value, old) && source_of(policy, i) == source_of(before, i))
			policy->set_s[i] = before->set_s[i];
	}
}

unsigned int rxaqm_settings_by_operator(const struct rxaqm_policy *policy)
{
	unsigned int i, nr = 0;

	for (i = 0; i < RXAQM_NR_SETTINGS; i++)
		nr += source_of(policy, i) == RXAQM_SOURCE_OPERATOR;
	return nr;
}

static int set_preset(struct rxaqm_policy *policy, enum rxaqm_source source, const char *name,
		      __u64 now_ns, struct rxaqm_error *error)
{
	char list[RXAQM_KEY_TEXT_LEN], settings[RXAQM_KEY_LEN], *rest = settings, *key;
	const char *names[RXAQM_KEYS_MAX + 1] = {};
	const struct rxaqm_preset *preset;
	size_t nr = 0;

	for (preset = rxaqm_presets; preset->name && strcmp(preset->name, name); preset++)
		names[nr++] = preset->name;
	if (!preset->name)
		return rxaqm_bad(error, "preset=%.40s: must be one of %s", name,
				 rxaqm_words(names, "|", "|", list));
	strcpy(settings, preset->settings);
	while ((key = strsep(&rest, "="))) {
		char *value = strsep(&rest, " ");

		rxaqm_setting_set(policy, source, key, value, now_ns, NULL);
	}
	return 0;
}

void rxaqm_lease_begin(struct rxaqm_policy *policy, __u64 now_ns)
{
	if (rxaqm_ns_after(policy->lease_until_ns, now_ns))
		policy->lease_until_ns = now_ns + policy->lease_ns;
}

/* Are the settings of @before those of @after, whose lease was set at @now_ns? */
static bool unchanged(struct rxaqm_policy before, const struct rxaqm_policy *after, __u64 now_ns)
{
	bool over = !rxaqm_ns_after(before.lease_until_ns, now_ns);

	if (!before.lease_until_ns != !after->lease_until_ns)
		return false;
	before.lease_until_ns = after->lease_until_ns;
	if (over && !after->lease_ns)
		before.lease_ns = 0;
	return rxaqm_policy_same(&before, after);
}

int rxaqm_setting_set(struct rxaqm_policy *policy, enum rxaqm_source source, const char *key,
		      const char *value, __u64 now_ns, struct rxaqm_error *error)
{
	const struct rxaqm_key *setting = rxaqm_setting_find(key);
	const struct rxaqm_policy before = *policy;
	int err;

	if (!strcmp(key, "preset"))
		return set_preset(policy, source, value, now_ns, error);
	if (!setting)
		return bad_key(key, error);
	err = rxaqm_key_set(setting, policy, value, now_ns, error);
	if (!err && setting->type == RXAQM_TYPE_LEASE)
		policy->lease_ns = policy->lease_until_ns ? policy->lease_until_ns - now_ns : 0;
	/* An operator who sets what is set already overrides nothing. */
	if (!err && (source != RXAQM_SOURCE_OPERATOR || !unchanged(before, policy, now_ns)))
		rxaqm_setting_mark(policy, key, source, now_ns);
	return err;
}

int rxaqm_setting_assign(struct rxaqm_policy *policy, const char *word, __u64 now_ns,
			 struct rxaqm_error *error)
{
	const char *value = strchr(word, '=');
	char key[64];

	if (!value || value == word || (size_t)(value - word) >= sizeof(key))
		return rxaqm_bad(error, "\"%s\" is not of the form KEY=VALUE, such as target=2ms",
				 word);
	snprintf(key, sizeof(key), "%.*s", (int)(value - word), word);
	return rxaqm_setting_set(policy, RXAQM_SOURCE_OPERATOR, key, value + 1, now_ns, error);
}

int rxaqm_setting_once(char *const *words, struct rxaqm_error *error)
{
	char *const *other;
	int len;

	for (; *words; words++) {
		len = (int)strcspn(*words, "=");
		if (!(*words)[len] || !strncmp(*words, "preset=", strlen("preset=")))
			continue;
		for (other = words + 1; *other; other++)
			if (!strncmp(*words, *other, (size_t)len + 1))
				return rxaqm_bad(error, "%.*s is set twice; leave one out", len,
						 *words);
	}
	return 0;
}

int rxaqm_typed_add(struct rxaqm_typed_setting list[RXAQM_TYPED_MAX], unsigned int *nr,
		    struct rxaqm_keys_seen *seen, const char *section, const char *key,
		    const char *value, unsigned int line, struct rxaqm_error *error)
{
	struct rxaqm_policy scratch;
	unsigned int i;
	int err;

	rxaqm_policy_init(&scratch);
	err = rxaqm_setting_set(&scratch, RXAQM_SOURCE_CONFIG, key, value, 1, error);
	if (!err)
		err = rxaqm_key_once(seen, rxaqm_settings, key, section, line, error);
	if (err)
		return err;
	/* This replaces the value of an earlier file. */
	for (i = 0; i < *nr; i++)
		if (!strcmp(list[i].key, key))
			memmove(&list[i], &list[i + 1], (--*nr - i) * sizeof(*list));
	if (*nr == RXAQM_TYPED_MAX || strlen(value) >= RXAQM_KEY_LEN)
		return rxaqm_bad(error, "%s=%.40s...: too long", key, value);
	strcpy(list[*nr].key, key);
	strcpy(list[*nr].value, value);
	(*nr)++;
	return 0;
}

int rxaqm_typed_apply(const struct rxaqm_typed_setting *list, unsigned int nr,
		      struct rxaqm_policy *policy, enum rxaqm_source source, __u64 now_ns,
		      struct rxaqm_error *error)
{
	int err = 0;

	for (; nr && !err; nr--, list++)
		err = rxaqm_setting_set(policy, source, list->key, list->value, now_ns, error);
	return err;
}

static const char *const source_names[] = { "default", "profile", "configuration", "operator" };

void rxaqm_settings_sources_out(struct rxaqm_out *out, const struct rxaqm_policy *policy,
				__u64 now_ns)
{
	__u64 for_ns[RXAQM_NR_SETTINGS];
	const char *before = "    set: ";
	unsigned int i;

	rxaqm_out_object(out, "sources");
	for (i = 0; i < RXAQM_NR_SETTINGS; i++) {
		const char *name = rxaqm_settings[i].name;
		enum rxaqm_source source = source_of(policy, i);

		for_ns[i] = rxaqm_ns_since(now_ns, policy->set_s[i] * RXAQM_NSEC_PER_SEC);
		rxaqm_out_str(out, name, NULL, source_names[source]);
		if (source == RXAQM_SOURCE_DEFAULT)
			continue;
		rxaqm_out_text(out, "%s%s by %s", before, name, source_names[source]);
		if (policy->set_s[i])
			rxaqm_out_text(out, " %s ago", rxaqm_duration(for_ns[i]));
		before = ", ";
	}
	rxaqm_out_text(out, "%s", *before == ',' ? "\n" : "");
	rxaqm_out_end(out);
	rxaqm_out_object(out, "set_for_ns");
	for (i = 0; i < RXAQM_NR_SETTINGS; i++)
		if (policy->set_s[i])
			rxaqm_out_u64(out, rxaqm_settings[i].name, NULL, for_ns[i]);
	rxaqm_out_end(out);
}

bool rxaqm_policy_same(const struct rxaqm_policy *a, const struct rxaqm_policy *b)
{
	return !memcmp(a, b, offsetof(struct rxaqm_policy, sources));
}

static int check_choices(const struct rxaqm_policy *policy, struct rxaqm_error *error)
{
	const struct rxaqm_key *setting;
	char value[RXAQM_KEY_LEN];

	for (setting = rxaqm_settings; setting->name; setting++)
		if (!strcmp(rxaqm_key_format(setting, policy, 0, value), "?"))
			return rxaqm_failed(error, EINVAL, "%s: the stored value is unknown",
					    setting->name);
	return 0;
}

int rxaqm_policy_check(const struct rxaqm_policy *policy, struct rxaqm_error *error)
{
	if (policy->target_ns > policy->interval_ns)
		return rxaqm_bad(error,
				 "target=%s%s exceeds interval=%s; an interval of 20 targets is "
				 "usual",
				 policy->target_auto ? "auto:" : "",
				 rxaqm_duration_exact(policy->target_ns),
				 rxaqm_duration_exact(policy->interval_ns));
	if (policy->ce_threshold_ns && policy->law != RXAQM_LAW_CODEL)
		return rxaqm_bad(error,
				 "ce_threshold=%s: law=auto marks by its own measure; set "
				 "law=codel, too, or ce_threshold=off",
				 rxaqm_duration_exact(policy->ce_threshold_ns));
	return check_choices(policy, error);
}
