/* SPDX-License-Identifier: GPL-2.0-only */
/* What rules about interfaces have in common, and those about the probes of their NAPIs. */
#pragma once

#include "doctor/rules/check.h"

#define LINK "RTM_GETLINK"
#define ETHTOOL "ethtool -S"

/* The interface, those aside, with the highest value of @measure above 0; NULL: none. */
typedef double (*doctor_measure_fn)(const struct doctor_snapshot *snap,
				    const struct doctor_iface *iface);
const struct doctor_iface *doctor_worst(const struct doctor_snapshot *snap,
					doctor_measure_fn measure, double *ret_value);

/* Of "ethtool -L": "rx" where queues that receive are channels of their own. */
const char *doctor_channels_word(const struct doctor_iface *iface);

/* Of the speed of its link, the fuller direction, in percent; 0: not known, or it has no link. */
double doctor_link_use(const struct doctor_snapshot *snap, const struct doctor_iface *iface);

/* The NAPI of this network namespace with the highest value of @measure above 0; NULL: none. */
typedef double (*doctor_napi_fn)(const struct doctor_snapshot *snap,
				 const struct doctor_deep_napi *napi, __u64 window_ns);
const struct doctor_deep_napi *doctor_probed_worst(const struct doctor_snapshot *snap,
						   doctor_napi_fn measure, double *ret_value);

/* ${where}: "Receive queue 3 of eth0"; and its CPU. */
void doctor_probed_say(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		       const struct doctor_deep_napi *napi);
