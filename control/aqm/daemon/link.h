/* SPDX-License-Identifier: GPL-2.0-only */
/* What becomes of one interface, and when what failed is tried again. */
#pragma once

#include "daemon/run.h"

/* The registry's entry of @link; NULL if that is now another interface's, or none. */
struct rxaqm_iface *rxaqm_run_entry(const struct rxaqm_link *link);
/* Note that it is attached, as @iface. */
void rxaqm_run_attached(struct rxaqm_link *link, const struct rxaqm_iface *iface);
/* Take @iface off @link, which others then may attach again. */
int rxaqm_run_detach(struct rxaqm_link *link, struct rxaqm_iface *iface, struct rxaqm_error *error);
/* Note and log that an operator has taken it off, for the reason @why. */
void rxaqm_run_release(struct rxaqm_link *link, const char *why);
/* Reconcile @link after a pause; 0: at once. */
void rxaqm_run_try_again(struct rxaqm_link *link, __u64 after_ns);
/* Log @error, unless it is what was logged last, and note when to try again. */
void rxaqm_run_failed(struct rxaqm_link *link, const struct rxaqm_error *error);
/* The kernel says that the interface has changed: try again what failed, if not too often. */
void rxaqm_run_changed(struct rxaqm_link *link);
/* Forget failures, and policies that were kept. */
void rxaqm_run_forget(struct rxaqm_link *link);
/* Forget what was seen of its queues (overload.c). */
void rxaqm_run_forget_overload(struct rxaqm_link *link);
