/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "doctor/checks/ifaces.h"

/* The interface that lost most, and the counter that tells so. */
struct doctor_nic_worst {
	const struct doctor_iface *iface;
	const char *counter;
};

/* Judge the loss that the check of @finding sums up, at the interface that lost most of it, by its
 * share of what passed there. Notes all that the rows of checks/nic.c say. *@worst: all NULL if
 * none lost anything.
 */
enum doctor_verdict doctor_judge_nic(const struct doctor_snapshot *snap,
				     struct doctor_finding *finding,
				     struct doctor_nic_worst *worst);
