/* SPDX-License-Identifier: GPL-2.0-only */
/* What checks of interfaces and of probed NAPIs share. */
#pragma once

#include "doctor/checks/check.h"

#define LINK "RTM_GETLINK"
#define ETHTOOL "ethtool -S"
/* us a packet; a stack without extras takes 1 to 3. */
#define DEAR_US 10.0

/* The interface with the highest value of @measure above 0, without those that only sum up others;
 * NULL: none.
 */
typedef double (*doctor_measure_fn)(const struct doctor_snapshot *snap,
				    const struct doctor_iface *iface);
const struct doctor_iface *doctor_worst_iface(const struct doctor_snapshot *snap,
					      doctor_measure_fn measure, double *ret_value);

/* Judge the loss that the check of @finding sums up, at the interface that lost most of it (iface,
 * counter), by its share of what passed there. Notes all that the rows of checks/nic.c say.
 */
enum doctor_verdict doctor_judge_nic(const struct doctor_snapshot *snap,
				     struct doctor_finding *finding);

/* Note ${queues} and ${old_queues}: the commands for more queues, and back. False: it cannot have
 * more, or that is not known.
 */
bool doctor_say_queues(struct doctor_finding *finding, const struct doctor_iface *iface);
/* The NAPI of this network namespace with the highest value of @measure above 0; NULL: none. */
typedef double (*doctor_napi_fn)(const struct doctor_snapshot *snap,
				 const struct doctor_deep_napi *napi, __u64 window_ns);
const struct doctor_deep_napi *doctor_probed_worst(const struct doctor_snapshot *snap,
						   doctor_napi_fn measure, double *ret_value);

/* Note ${where} ("Receive queue 3 of eth0") and the CPU. */
void doctor_probed_say(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		       const struct doctor_deep_napi *napi);

/* Note ${iface}, its ${mtu}, and ${keep} of another one; nothing of NULL. */
void doctor_say_mtu(struct doctor_finding *finding, const struct doctor_iface *iface);
