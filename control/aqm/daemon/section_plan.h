/* SPDX-License-Identifier: GPL-2.0-only */
/* How to attach an interface as its section says. */
#pragma once

#include "attach/plan.h"
#include "config/config.h"

int rxaqm_run_plan(const struct rxaqm_config_iface *section, const char *ifname,
		   struct rxaqm_plan *plan, struct rxaqm_error *error);

/* Fail if the profile that @section (NULL: none) names cannot be read, or if the policy is wrong in
 * combination with the profile of @ifname.
 */
int rxaqm_run_check(const struct rxaqm_config_iface *section, const char *ifname,
		    struct rxaqm_error *error);

/* Why @iface must be attached again to be as planned; NULL: it is as planned. */
const char *rxaqm_run_differs(const struct rxaqm_config_iface *section,
			      const struct rxaqm_iface *iface, const struct rxaqm_plan *plan);
