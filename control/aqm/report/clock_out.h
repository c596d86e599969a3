/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known about a NIC's clock, for people and JSON. */
#pragma once

#include "clock_map.h"
#include "base/out.h"
#include "clock/phc_fit.h"

/* Print into the open object the mapping in use for @entry and @phc at @now_ns, the other one, and
 * how they differ. @never: the interface has no stamps.
 */
void rxaqm_clock_out(struct rxaqm_out *out, const struct rxaqm_clock_entry *entry,
		     const struct rxaqm_clock_phc *phc, bool never, __u64 now_ns);

/* Print a reading of the PHC, and the result of @fit after it. */
void rxaqm_clock_out_sample(struct rxaqm_out *out, const struct rxaqm_phc_sample *sample,
			    const struct rxaqm_phc_fit *fit);
