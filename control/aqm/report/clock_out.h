/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known about a NIC's clock, for people and JSON. */
#pragma once

#include "clock_map.h"
#include "base/out.h"
#include "clock/phc_fit.h"

/* The mapping that is in use for @entry and @phc at @now_ns, the other one, and how they differ,
 * into the object that is open. @never: the interface has no stamps.
 */
void rxaqm_clock_out(struct rxaqm_out *out, const struct rxaqm_clock_entry *entry,
		     const struct rxaqm_clock_phc *phc, bool never, __u64 now_ns);

/* A reading of the PHC, and what @fit made of it. */
void rxaqm_clock_out_sample(struct rxaqm_out *out, const struct rxaqm_phc_sample *sample,
			    const struct rxaqm_phc_fit *fit);
