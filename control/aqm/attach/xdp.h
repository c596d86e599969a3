/* SPDX-License-Identifier: GPL-2.0-only */
/* The XDP program on an interface, attached by libxdp if possible, in the namespace entered. */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

#include "state/kernel.h"
#include "state/dispatcher.h"
#include "state/own_programs.h"
#include "base/log.h"
#include "iface.h"
#include "xdp_config.h"

/* Open the object with @config, with its program @name to be loaded. NULL: errno says why. */
struct rxaqm *rxaqm_xdp_open(const char *name, const struct rxaqm_xdp_config *config);

/* Load the program with @config, attach it to @iface, called @ifname, and note its id and kind
 * there. -errno with @error, and nothing attached.
 */
int rxaqm_xdp_attach(const char *ifname, struct rxaqm_iface *iface,
		     const struct rxaqm_xdp_config *config, struct rxaqm_error *error);

/* Id of the program @fd; 0 if unknown. */
__u32 rxaqm_xdp_prog_id(int fd);

/* Does a program with this id still exist after half a second? The kernel frees programs some time
 * after the interface.
 */
bool rxaqm_xdp_stays(__u32 prog_id);

/* Take @prog_id off @ifindex; others stay. 0 also if it is not there, as the kernel has said.
 * -errno, with @error if libxdp's lock was the reason.
 */
int rxaqm_xdp_detach(unsigned int ifindex, __u32 prog_id, struct rxaqm_error *error);

/* Take libxdp's dispatcher off @ifindex if it is empty and its pins are gone, since libxdp does not
 * do that then: somebody removed the pins, as "xdp-loader clean" does in another network namespace.
 * It would block whatever is attached next.
 */
int rxaqm_xdp_drop_empty(unsigned int ifindex);
