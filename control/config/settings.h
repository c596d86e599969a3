/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every policy key is one row: the parser, the files, "policy show", JSON and the
 * manual all go by this table.
 */
#ifndef RXAQM_SETTINGS_H
#define RXAQM_SETTINGS_H

#include <stddef.h>

#include "base/log.h"
#include "policy.h"

struct rxaqm_out;

enum rxaqm_setting_type {
	RXAQM_SETTING_DURATION,
	RXAQM_SETTING_TARGET, /* a duration, or "auto", or "auto:" and one */
	RXAQM_SETTING_THRESHOLD, /* a duration, or 0 for "off" */
	RXAQM_SETTING_LEASE,
	RXAQM_SETTING_CHOICE,
	RXAQM_SETTING_PERCENT,
	RXAQM_SETTING_PORTS,
	RXAQM_SETTING_DSCP,
};

struct rxaqm_setting {
	const char *name; /* "target" */
	const char *form; /* "DURATION", "off|observe|enforce" */
	const char *summary; /* one line, with range and default */
	enum rxaqm_setting_type type;
	size_t offset; /* in struct rxaqm_policy */
	__u64 min_ns, max_ns; /* of durations */
	const char *const *choices; /* by value, ends with NULL */
};

#define RXAQM_NR_SETTINGS 14
extern const struct rxaqm_setting rxaqm_settings[RXAQM_NR_SETTINGS + 1]; /* ends with a NULL name */

/* What "preset" accepts, and what it stands for. */
struct rxaqm_preset {
	const char *name;
	const char *summary;
	struct {
		const char *key;
		const char *value;
	} setting[4];
};
extern const struct rxaqm_preset rxaqm_presets[]; /* ends with a NULL name */

/* What was a setting, or a value of one, in earlier versions, and what does it now. */
struct rxaqm_gone {
	const char *key;
	const char *value; /* NULL: the key as a whole */
	const char *remedy;
};
extern const struct rxaqm_gone rxaqm_gone_settings[]; /* ends with a NULL key */

/* -EINVAL with @error, which names the remedy, if @key or its @value ("": none) is in the table @gone. */
int rxaqm_gone_check(const struct rxaqm_gone *gone, const char *key, const char *value,
		     struct rxaqm_error *error);

/* The least that target=auto stands for: a round of 64 packets that take 4 us each. */
#define RXAQM_TARGET_LEAST_NS (500 * RXAQM_NSEC_PER_USEC)

/* The setting called @name, or NULL. */
const struct rxaqm_setting *rxaqm_setting_find(const char *name);

/* The built-in defaults, from which profiles and operators depart. */
void rxaqm_policy_init(struct rxaqm_policy *policy);

/* Set @key from @value as typed ("5ms", "auto:5ms", "enforce", "50%", "22,443", "cs1,46", "none").
 * @key "preset" (dc, wan, meta2022) sets several. @now_ns (CLOCK_MONOTONIC) is what a
 * lease counts from. -EINVAL with @error naming key, value and remedy; then @policy
 * is unchanged. Settings are checked one by one here: their order is free.
 */
int rxaqm_setting_set(struct rxaqm_policy *policy, const char *key, const char *value, __u64 now_ns,
		      struct rxaqm_error *error);

/* The same, and note that it was set by @source. */
int rxaqm_setting_set_by(struct rxaqm_policy *policy, enum rxaqm_source source, const char *key,
			 const char *value, __u64 now_ns, struct rxaqm_error *error);

/* Who has set @key, the name of a setting; or note it. */
enum rxaqm_source rxaqm_setting_source(const struct rxaqm_policy *policy, const char *key);
void rxaqm_setting_mark(struct rxaqm_policy *policy, const char *key, enum rxaqm_source source);

/* Are they the same, whoever has set them? */
bool rxaqm_policy_same(const struct rxaqm_policy *a, const struct rxaqm_policy *b);

#define RXAQM_SETTING_LEN 160
/* The value of @setting as rxaqm_setting_set() accepts it. A lease is what is left of it,
 * "expired" if nothing.
 */
const char *rxaqm_setting_format(const struct rxaqm_setting *setting,
				 const struct rxaqm_policy *policy, __u64 now_ns,
				 char buf[RXAQM_SETTING_LEN]);

/* The field of @setting: JSON with the unit in the key ("target_ns"; off is null), or
 * text by @fmt with one %s for the value (NULL: none). A target has "target_auto", too.
 */
void rxaqm_setting_out(struct rxaqm_out *out, const struct rxaqm_setting *setting, const char *fmt,
		       const struct rxaqm_policy *policy, __u64 now_ns);

/* Who has set each setting: "sources" in JSON; a line of text of those that are not defaults. */
void rxaqm_settings_sources_out(struct rxaqm_out *out, const struct rxaqm_policy *policy);

/* What must hold between settings (target <= interval, ...). -EINVAL with @error. */
int rxaqm_policy_check(const struct rxaqm_policy *policy, struct rxaqm_error *error);

#endif /* RXAQM_SETTINGS_H */
