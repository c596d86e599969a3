/* SPDX-License-Identifier: GPL-2.0-only */
/* What rules about interfaces have in common. */
#ifndef RXAQM_DOCTOR_RULES_IFACES_H
#define RXAQM_DOCTOR_RULES_IFACES_H

#include "doctor/rules/check.h"

#define LINK "RTM_GETLINK"
#define ETHTOOL "ethtool -S"
#define DOCTOR_LOOPBACK 772 /* ARPHRD_LOOPBACK */

/* Its counters are sums of other interfaces', and it has no queues, rings or cables of its own. */
bool doctor_is_sum(const struct doctor_iface *iface);

/* The interface, those aside, with the highest value of @measure above 0; NULL: none. */
typedef double (*doctor_measure_fn)(const struct doctor_snapshot *snap,
				    const struct doctor_iface *iface);
const struct doctor_iface *doctor_worst(const struct doctor_snapshot *snap,
					doctor_measure_fn measure, double *ret_value);

/* Packets received in the window; 0, too, if that is not known. */
__u64 doctor_packets_of(const struct doctor_snapshot *snap, const struct doctor_iface *iface);

#endif /* RXAQM_DOCTOR_RULES_IFACES_H */
