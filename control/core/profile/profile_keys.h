/* SPDX-License-Identifier: GPL-2.0-only */
/* The keys of profiles. */
#pragma once

#include "keys/keys.h"
#include "profile/profile.h"

/* [Nic], of struct rxaqm_profile. Ends with a NULL name. */
extern const struct rxaqm_key rxaqm_fact_keys[];
/* [Match], of struct rxaqm_match, by its key; match.c. */
extern const struct rxaqm_key rxaqm_match_keys[];

/* Fail with -EINVAL and @error: @key is not among @keys of @section. */
int rxaqm_profile_unknown_key(const struct rxaqm_key *keys, const char *section, const char *key,
			      struct rxaqm_error *error);

/* Is @value made of letters, digits and the characters @more? */
bool rxaqm_profile_is_name(const char *value, const char *more);

/* -EINVAL with @error if @value is not the name of a kernel function. */
int rxaqm_profile_check_symbol(const char *value, struct rxaqm_error *error);
