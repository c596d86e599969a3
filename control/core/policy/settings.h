/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The policy of a queue: its keys, its presets, and who set each key. keys/keys.h parses and
 * prints.
 */
#pragma once

#include "base/log.h"
#include "keys/keys.h"
#include "policy.h"

#define RXAQM_NR_SETTINGS 14
extern const struct rxaqm_key rxaqm_settings[RXAQM_NR_SETTINGS + 1]; /* ends with a NULL name */

/* A value of "preset", and the settings that it stands for. */
struct rxaqm_preset {
	const char *name, *summary;
	const char *settings; /* "KEY=VALUE KEY=VALUE" */
};
extern const struct rxaqm_preset rxaqm_presets[]; /* ends with a NULL name */

/* The setting called @name, or NULL. */
const struct rxaqm_key *rxaqm_setting_find(const char *name);

/* The built-in defaults, from which profiles and operators depart. */
void rxaqm_policy_init(struct rxaqm_policy *policy);

/* Set @key from @value as typed ("5ms", "auto:5ms", "enforce", "50%", "22,443", "cs1,46", "none"),
 * and note @source, unless it is the operator and the value does not change. @key "preset" (dc,
 * wan, meta2022) sets several. A lease counts from @now_ns (CLOCK_MONOTONIC). -EINVAL with @error
 * naming key, value and remedy; then @policy is unchanged.
 * Each setting is checked on its own here, so their order does not matter.
 */
int rxaqm_setting_set(struct rxaqm_policy *policy, enum rxaqm_source source, const char *key,
		      const char *value, __u64 now_ns, struct rxaqm_error *error);

/* Have the lease of @policy begin at @now_ns, with its whole length, unless it is over. */
void rxaqm_lease_begin(struct rxaqm_policy *policy, __u64 now_ns);

/* Set "KEY=VALUE" of a command line, @word, as the operator. */
int rxaqm_setting_assign(struct rxaqm_policy *policy, const char *word, __u64 now_ns,
			 struct rxaqm_error *error);

/* -EINVAL with @error if two of @words, of a command line, set the same key. */
int rxaqm_setting_once(char *const *words, struct rxaqm_error *error);

/* Add the names of all settings, and "preset", as rxaqm_key_names() does. */
unsigned int rxaqm_setting_names(unsigned int nr, const char *names[RXAQM_KEYS_MAX + 1]);

/* Who set @key, the name of a setting; the second function notes it, and when. */
enum rxaqm_source rxaqm_setting_source(const struct rxaqm_policy *policy, const char *key);
void rxaqm_setting_mark(struct rxaqm_policy *policy, const char *key, enum rxaqm_source source,
			__u64 now_ns);
/* Give the settings that @policy has in common with @before, value and source, their time. */
void rxaqm_settings_keep_times(struct rxaqm_policy *policy, const struct rxaqm_policy *before);

/* Are the settings the same, whoever set them? */
bool rxaqm_policy_same(const struct rxaqm_policy *a, const struct rxaqm_policy *b);

/* A setting in a file, key and value as typed. */
struct rxaqm_typed_setting {
	char key[32];
	char value[RXAQM_KEY_LEN];
};
#define RXAQM_TYPED_MAX (RXAQM_NR_SETTINGS + 1) /* all, and preset */

/* Append @key=@value on @line to the @nr of @list, if it is right and not in @seen.
 * -EINVAL with @error; @section as for rxaqm_key_once().
 */
int rxaqm_typed_add(struct rxaqm_typed_setting list[RXAQM_TYPED_MAX], unsigned int *nr,
		    struct rxaqm_keys_seen *seen, const char *section, const char *key,
		    const char *value, unsigned int line, struct rxaqm_error *error);

/* Set all of @list in order, with @source. -EINVAL with @error. */
int rxaqm_typed_apply(const struct rxaqm_typed_setting *list, unsigned int nr,
		      struct rxaqm_policy *policy, enum rxaqm_source source, __u64 now_ns,
		      struct rxaqm_error *error);

struct rxaqm_out;

/* Print who set each setting, and how long ago at @now_ns: "sources" and "set_for_ns", or a line
 * that has no defaults.
 */
void rxaqm_settings_sources_out(struct rxaqm_out *out, const struct rxaqm_policy *policy,
				__u64 now_ns);
/* How many settings has the operator set? */
unsigned int rxaqm_settings_by_operator(const struct rxaqm_policy *policy);

/* The presets, for --help. */
void rxaqm_presets_list(FILE *file);

/* Check conditions between settings (target <= interval, ...). -EINVAL with @error. */
int rxaqm_policy_check(const struct rxaqm_policy *policy, struct rxaqm_error *error);
