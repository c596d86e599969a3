/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The program that asks the driver for the stamp of the packet at hand. It is loaded for one device
 * and must be attached to that directly: libxdp before 1.6 has no dispatcher for such programs, so
 * it takes the XDP slot alone. Never attached in generic mode, which kernels up to 6.12.12 allow,
 * to their harm.
 */
#pragma once

#include "attach/attach.h"
#include "xdp_config.h"

/* Returns 1 to attach this program, 0 to attach the other. If the policy asks for it by name
 * (signal=hint) and it cannot be attached, -errno with the reason and the remedy in @error. With
 * signal=auto, 1 only if it can be attached and will find stamps.
 */
int rxaqm_hint_choose(const struct rxaqm_plan *plan, struct rxaqm_error *error);

/* Can @policy's signal be used on the queues of @iface? The program was chosen at attach. 0, or
 * -errno with @error.
 */
int rxaqm_hint_check_policy(const struct rxaqm_iface *iface, const char *ifname,
			    const struct rxaqm_policy *policy, struct rxaqm_error *error);

/* Is the running kernel, called @release ("6.12.95-amd64"), @since ("6.3") or later? */
bool rxaqm_hint_release_reached(const char *release, const char *since);

/* Load the program with @config, attach it in native mode to @iface, called @ifname, and note its
 * id there. -errno with @error, and nothing attached.
 */
int rxaqm_hint_attach(const char *ifname, struct rxaqm_iface *iface,
		      const struct rxaqm_xdp_config *config, struct rxaqm_error *error);
