/* SPDX-License-Identifier: GPL-2.0-only */
/* The section [Match] of a profile: conditions, and whether they hold for an interface. */
#pragma once

#include "profile/profile.h"

const char *rxaqm_match_name(const struct rxaqm_match *match);

/* Add the line @key=@value. -EINVAL with @error. */
int rxaqm_match_add(struct rxaqm_profile *profile, const char *key, const char *value,
		    unsigned int line, struct rxaqm_error *error);

#define RXAQM_MATCH_WHY_LEN 320
/* Does @match hold? Not if the machine does not say. @why gets what it says, and the command that
 * shows it: "ethtool -i: igb".
 */
bool rxaqm_match_holds(const struct rxaqm_match *match, struct rxaqm_nic_facts *facts,
		       char why[RXAQM_MATCH_WHY_LEN]);

/* The first line of @profile that does not hold, and @why; NULL: all hold. */
const struct rxaqm_match *rxaqm_match_failing(const struct rxaqm_profile *profile,
					      struct rxaqm_nic_facts *facts,
					      char why[RXAQM_MATCH_WHY_LEN]);

/* Append the functions that poll the interface's NAPIs to @list. Is @symbol one of them? */
bool rxaqm_match_polls(const struct rxaqm_nic_facts *facts, const char *symbol,
		       char list[RXAQM_MATCH_WHY_LEN]);

/* How well @profile fits; 0: not at all. */
struct rxaqm_fit {
	bool fits;
	bool named; /* it names the driver, not "*" */
	unsigned int conditions;
};
struct rxaqm_fit rxaqm_match_fit(const struct rxaqm_profile *profile,
				 struct rxaqm_nic_facts *facts);

/* Are the files of both in one directory? */
bool rxaqm_match_beside(const struct rxaqm_profile *a, const struct rxaqm_profile *b);

/* Do both have the same conditions? Then only their names decide. */
bool rxaqm_match_same(const struct rxaqm_profile *a, const struct rxaqm_profile *b);
