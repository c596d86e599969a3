/* SPDX-License-Identifier: GPL-2.0-only */
/* The section [Match] of a profile: conditions, and whether they hold for an interface. */
#ifndef RXAQM_PROFILE_MATCH_H
#define RXAQM_PROFILE_MATCH_H

#include "profile/profile.h"

enum rxaqm_match_result {
	RXAQM_MATCH_NO,
	RXAQM_MATCH_YES,
	RXAQM_MATCH_UNKNOWN, /* the machine does not say; counts as no */
};

const char *rxaqm_match_name(const struct rxaqm_match *match);

/* Add the line @key=@value. -EINVAL with @error. */
int rxaqm_match_add(struct rxaqm_profile *profile, const char *key, const char *value,
		    unsigned int line, struct rxaqm_error *error);

/* Refuse a section that says nothing of the driver. */
int rxaqm_match_check(const struct rxaqm_profile *profile, struct rxaqm_error *error);

#define RXAQM_MATCH_WHY_LEN 320
/* Does @match hold? @why gets what the machine says, and how to ask it: "ethtool -i: igb". */
enum rxaqm_match_result rxaqm_match_holds(const struct rxaqm_match *match,
					  struct rxaqm_nic_facts *facts,
					  char why[RXAQM_MATCH_WHY_LEN]);

/* How well @profile fits; 0: not at all. */
struct rxaqm_fit {
	bool fits;
	bool named; /* the driver, not "*" */
	unsigned int conditions; /* besides the driver */
};
struct rxaqm_fit rxaqm_match_fit(const struct rxaqm_profile *profile,
				 struct rxaqm_nic_facts *facts);

/* Are the files of both in one directory? */
bool rxaqm_match_beside(const struct rxaqm_profile *a, const struct rxaqm_profile *b);

/* Do both have the same conditions? Then nothing but their names decides. */
bool rxaqm_match_same(const struct rxaqm_profile *a, const struct rxaqm_profile *b);

#endif /* RXAQM_PROFILE_MATCH_H */
