/* SPDX-License-Identifier: GPL-2.0-only */
/* What becomes of one interface, and when what failed is tried again. */
#pragma once

#include "daemon/run.h"

/* The entry of @link, if it is still what it was; else NULL. */
struct rxaqm_iface *rxaqm_run_entry(const struct rxaqm_link *link);
/* It is attached, as @iface. */
void rxaqm_run_attached(struct rxaqm_link *link, const struct rxaqm_iface *iface);
/* Take @iface off @link, which others then may attach again. */
int rxaqm_run_detach(struct rxaqm_link *link, struct rxaqm_iface *iface, struct rxaqm_error *error);
/* An operator has taken it off, which is logged as @why. */
void rxaqm_run_release(struct rxaqm_link *link, const char *why);
/* Reconcile @link after a pause; 0: at once. */
void rxaqm_run_try_again(struct rxaqm_link *link, __u64 after_ns);
/* Log @error, unless it is what was logged last, and note when to try again. */
void rxaqm_run_failed(struct rxaqm_link *link, const struct rxaqm_error *error);
/* The kernel says that the interface has changed: try again what failed, if not too often. */
void rxaqm_run_changed(struct rxaqm_link *link);
/* What has failed, and policies that were kept, are of no matter any more. */
void rxaqm_run_forget(struct rxaqm_link *link);
/* Nor is what was seen of its queues (overload.c). */
void rxaqm_run_forget_overload(struct rxaqm_link *link);
