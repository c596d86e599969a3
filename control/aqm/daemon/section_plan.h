/* SPDX-License-Identifier: GPL-2.0-only */
/* How a section says to attach. */
#pragma once

#include "attach/plan.h"
#include "config/config.h"

int rxaqm_run_plan(const struct rxaqm_config_iface *section, const char *ifname,
		   struct rxaqm_plan *plan, struct rxaqm_error *error);

/* Fail if the profile that @section (NULL: none) names cannot be read, or if its policy is wrong
 * together with the profile of @ifname.
 */
int rxaqm_run_check(const struct rxaqm_config_iface *section, const char *ifname,
		    struct rxaqm_error *error);

/* Why @iface must be attached anew to be as planned; NULL: it need not be. */
const char *rxaqm_run_differs(const struct rxaqm_config_iface *section,
			      const struct rxaqm_iface *iface, const struct rxaqm_plan *plan);
