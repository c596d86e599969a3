/* SPDX-License-Identifier: GPL-2.0-only */
/* "profile show": a profile, alone or compared with the machine. */
#pragma once

#include "profile/profile.h"

struct rxaqm_out;

/* Print all fields of @profile: facts, settings, and the resulting policy. */
void rxaqm_profile_out(struct rxaqm_out *out, const struct rxaqm_profile *profile);

/* Print the notes and warnings of @profile. */
void rxaqm_profile_out_notes(struct rxaqm_out *out, const struct rxaqm_profile *profile);

/* Print every fact of @profile, and what @facts say to it. Returns how many contradict. */
unsigned int rxaqm_profile_out_facts(struct rxaqm_out *out, const struct rxaqm_profile *profile,
				     const struct rxaqm_nic_facts *facts);

/* The same, and why the interface described by @facts has @profile, the notes, and the origin of
 * each value of its policy: the policy in effect, or the one that attach would set.
 */
unsigned int rxaqm_profile_out_interface(struct rxaqm_out *out, const struct rxaqm_profile *profile,
					 struct rxaqm_nic_facts *facts);
