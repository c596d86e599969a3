/* SPDX-License-Identifier: GPL-2.0-only */
/* "profile show": a profile, alone or held against the machine. */
#pragma once

#include "profile/profile.h"

struct rxaqm_out;

/* All fields of @profile: facts, settings, and the policy that they make. */
void rxaqm_profile_out(struct rxaqm_out *out, const struct rxaqm_profile *profile);

/* The notes and warnings of @profile. */
void rxaqm_profile_out_notes(struct rxaqm_out *out, const struct rxaqm_profile *profile);

/* Every fact of @profile, and what @facts say to it. Returns how many contradict. */
unsigned int rxaqm_profile_out_facts(struct rxaqm_out *out, const struct rxaqm_profile *profile,
				     const struct rxaqm_nic_facts *facts);

/* The same with why the interface that @facts tell of has @profile, with the notes, and with where
 * each value of its policy comes from, the one in effect or the one that attach would set.
 */
unsigned int rxaqm_profile_out_interface(struct rxaqm_out *out, const struct rxaqm_profile *profile,
					 struct rxaqm_nic_facts *facts);
