/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracing programs: attached once, shared by all interfaces, pinned as links. They also create
 * the maps: whichever program loads first creates and pins them.
 */
#pragma once

#include <stdbool.h>

#include "base/log.h"
#include "meta.h"

/* The hook that traces the Rx path now; "none" while nobody needs stamps. */
const char *rxaqm_hook_in_use(const struct rxaqm_meta_info *meta);

/* Create the maps and attach napi_poll. -errno with @error, and some of it may be done. */
int rxaqm_hooks_begin(struct rxaqm_error *error);

/* Attach the rx_stamp programs by @hook; AUTO tries tp, then kprobe. Returns the
 * hook in use, or -errno with @error and none of them attached.
 */
int rxaqm_hooks_rx_stamp(enum rxaqm_hook hook, struct rxaqm_error *error);

/* Attach (@wanted) or detach the program that generic XDP needs. Idempotent. */
int rxaqm_hooks_generic(bool wanted, struct rxaqm_error *error);

/* Detach everything and remove the pins, those of the maps too. Works on whatever an interrupted
 * command left.
 */
int rxaqm_hooks_remove(struct rxaqm_error *error);
