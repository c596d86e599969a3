/* SPDX-License-Identifier: GPL-2.0-only */
/* The section [Nic] of a profile: one row a key. */
#ifndef RXAQM_PROFILE_KEYS_H
#define RXAQM_PROFILE_KEYS_H

#include "profile/profile.h"

/* Set the fact @key of @profile. @seen has a bit for each key that was set, 0 at first.
 * -EINVAL with @error.
 */
int rxaqm_profile_set_fact(struct rxaqm_profile *profile, const char *key, const char *value,
			   unsigned int *seen, struct rxaqm_error *error);

/* "a, b or c" of @choices (ends with NULL; "unknown" is for what is not said). */
const char *rxaqm_profile_choices(const char *const *choices, char *buf, size_t size);

/* Index of @value in @choices; -EINVAL with @error about @key. */
int rxaqm_profile_choose(const char *key, const char *value, const char *const *choices,
			 struct rxaqm_error *error);

/* Is @value made of letters, digits and the characters @more? */
bool rxaqm_profile_is_name(const char *value, const char *more);

int rxaqm_profile_unknown_key(const char *section, const char *key, const char *const *keys,
			      struct rxaqm_error *error);

#endif /* RXAQM_PROFILE_KEYS_H */
