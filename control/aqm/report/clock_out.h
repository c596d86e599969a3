/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known about a NIC's clock, for people and JSON. */
#pragma once

#include "clock_map.h"
#include "base/out.h"

/* Print an object "clock", or a line: the mapping in use for @entry and @phc at @now_ns, the other
 * one, and how they differ.
 */
void rxaqm_clock_out(struct rxaqm_out *out, const struct rxaqm_clock_entry *entry,
		     const struct rxaqm_clock_phc *phc, __u64 now_ns);
