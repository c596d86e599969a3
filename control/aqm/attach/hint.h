/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The program that asks the driver for the stamp of the packet at hand. It is loaded for one
 * device and must be attached to that directly: libxdp before 1.6 has no dispatcher for such
 * programs, so it takes the XDP slot alone. Never in generic mode, which kernels up to 6.12.12 let
 * happen, to their harm.
 */
#pragma once

#include "attach/plane.h"
#include "xdp_config.h"

/* Is this program to be attached, 1, or the other, 0? If the policy asks for it by name
 * (signal=hint), -errno with the reason and the remedy in @error where it cannot be; if by
 * signal=auto, only where it can be and will find stamps.
 */
int rxaqm_hint_choose(const struct rxaqm_plan *plan, struct rxaqm_error *error);

/* Can the queues of @iface go by @policy? Which program runs is settled when it is attached. 0, or
 * -errno with @error.
 */
int rxaqm_hint_check_policy(const struct rxaqm_iface *iface, const char *ifname,
			    const struct rxaqm_policy *policy, struct rxaqm_error *error);

/* Does the running kernel, called @release ("6.12.95-amd64"), come after or with @since ("6.3")? */
bool rxaqm_hint_release_reached(const char *release, const char *since);

/* Load the program with @config and attach it in native mode to @iface, called @ifname, in which
 * its id is noted. -errno with @error, and nothing attached.
 */
int rxaqm_hint_attach(const char *ifname, struct rxaqm_iface *iface,
		      const struct rxaqm_xdp_config *config, struct rxaqm_error *error);
