/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames that do not fit one page are given to a native XDP program in fragments: by drivers that
 * can, to a program that takes them, which a dispatcher does if all programs in it do. Else drivers
 * drop them. Most refuse an MTU that allows such frames, some do not look at it after attach.
 */
#pragma once

#include <stdbool.h>

#include "iface.h"

/* Does the MTU of @iface, called @ifname in the namespace entered, allow frames that are dropped?
 * If so, what is wrong and what to do is in @text. False also if its program is not there.
 */
#define RXAQM_FRAGMENTS_TEXT 360
bool rxaqm_fragments_lost(const struct rxaqm_iface *iface, const char *ifname,
			  char text[RXAQM_FRAGMENTS_TEXT]);

/* The largest MTU whose frames fit one page. */
unsigned int rxaqm_fragments_mtu(void);
