/* SPDX-License-Identifier: GPL-2.0-only */
/* The hardware Rx timestamp configuration that attach changes and detach puts back. */
#pragma once

#include "iface.h"
#include "policy.h"
#include "base/log.h"
#include "clock/phc_keep.h"

/* @stamp, which the profile names, if this device has it, else none: to look at a field that is
 * never filled in would be in vain.
 */
enum rxaqm_stamp rxaqm_stamps_usable(enum rxaqm_stamp stamp, const char *ifname);

/* Turn on stamps of all received packets, if @iface uses them and the device has them; those of
 * sent packets stay as they are. The previous configuration is noted in @iface first, and what was
 * granted after that. @keep has begun with the clock. @signal: the policy's; with
 * RXAQM_SIGNAL_BUSY nothing is done, and with RXAQM_SIGNAL_AUTO it is no failure if the driver
 * refuses for good: @error tells it.
 */
int rxaqm_stamps_enable(struct rxaqm_iface *iface, const char *ifname, enum rxaqm_signal signal,
			struct rxaqm_phc_keep *keep, struct rxaqm_error *error);

/* The same without @keep: should the driver reset the clock, this sets it right. */
int rxaqm_stamps_turn_on(struct rxaqm_iface *iface, const char *ifname, struct rxaqm_error *error);

/* The rx_filter that is in force unless somebody else changes it. */
__s32 rxaqm_stamps_filter(const struct rxaqm_iface *iface);

/* Which packets have stamps, in words. */
const char *rxaqm_stamps_words(__s32 rx_filter);

/* Put back the previous configuration, unless something is not as attach left it: then someone has
 * changed it since, and all of it is theirs. @error says what was left, or could not be put back.
 */
void rxaqm_stamps_restore(const struct rxaqm_iface *iface, const char *ifname,
			  struct rxaqm_phc_keep *keep, struct rxaqm_error *error);
