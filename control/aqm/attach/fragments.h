/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Drivers that can, give a frame that does not fit one page to a native XDP program in fragments,
 * if the program takes them. A dispatcher does if all programs in it do. Otherwise drivers drop
 * such frames. Most refuse an MTU that allows them, but some do not check it after attach.
 */
#pragma once

#include <stdbool.h>

#include "iface.h"

/* Does the MTU of @iface, called @ifname in the namespace entered, allow frames that are dropped?
 * If so, @text says what is wrong and what to do. False also if its program is not there.
 */
#define RXAQM_FRAGMENTS_TEXT 360
bool rxaqm_fragments_lost(const struct rxaqm_iface *iface, const char *ifname,
			  char text[RXAQM_FRAGMENTS_TEXT]);

/* The largest MTU whose frames fit one page. */
unsigned int rxaqm_fragments_mtu(void);
