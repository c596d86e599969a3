/* SPDX-License-Identifier: GPL-2.0-only */
/* What rules read of the probes of --deep. */
#ifndef RXAQM_DOCTOR_RULES_PROBED_H
#define RXAQM_DOCTOR_RULES_PROBED_H

#include "doctor/rules/check.h"

/* Did the probe run whose window is @name, "polls_ns"? */
bool doctor_probed(const struct doctor_snapshot *snap, const char *name, __u64 *ret_window_ns);

/* The NAPI of this network namespace with the highest value of @measure above 0; NULL: none. */
typedef double (*doctor_napi_fn)(const struct doctor_snapshot *snap,
				 const struct doctor_deep_napi *napi, __u64 window_ns);
const struct doctor_deep_napi *doctor_probed_worst(const struct doctor_snapshot *snap,
						   doctor_napi_fn measure, double *ret_value);

/* ${where}: "Receive queue 3 of eth0"; and its CPU. */
void doctor_probed_say(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		       const struct doctor_deep_napi *napi);

#endif /* RXAQM_DOCTOR_RULES_PROBED_H */
