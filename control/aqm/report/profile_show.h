/* SPDX-License-Identifier: GPL-2.0-only */
/* "profile show": a profile, alone or compared with the machine. */
#pragma once

#include "profile/profile.h"

struct rxaqm_out;

/* Print all fields of @profile: facts, settings, and the resulting policy. */
void rxaqm_profile_out(struct rxaqm_out *out, const struct rxaqm_profile *profile);

/* The same for the interface described by @facts, why it has @profile, and what @facts say to each
 * fact. Returns how many contradict.
 */
unsigned int rxaqm_profile_out_interface(struct rxaqm_out *out, const struct rxaqm_profile *profile,
					 struct rxaqm_nic_facts *facts);
