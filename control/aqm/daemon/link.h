/* SPDX-License-Identifier: GPL-2.0-only */
/* The life of one interface, and when to try again what failed. */
#pragma once

#include "daemon/run.h"

/* The registry's entry of @link; NULL if there is none, or if it belongs to another interface now.
 */
struct rxaqm_iface *rxaqm_link_iface(const struct rxaqm_link *link);
/* Note that @link is attached, as @iface. */
void rxaqm_run_attached(struct rxaqm_link *link, const struct rxaqm_iface *iface);
/* Take @iface off @link; others may attach it again then. */
int rxaqm_run_detach(struct rxaqm_link *link, struct rxaqm_iface *iface, struct rxaqm_error *error);
/* Note and log that an operator has taken it off, for the reason @why. */
void rxaqm_run_release(struct rxaqm_link *link, const char *why);
/* Reconcile @link after this pause; 0: at once. */
void rxaqm_run_try_again(struct rxaqm_link *link, __u64 after_ns);
/* Log @error, unless it equals the last one logged, and note when to try again. */
void rxaqm_run_failed(struct rxaqm_link *link, const struct rxaqm_error *error);
/* The kernel reports a change of the interface: try again what failed, but not too often. */
void rxaqm_run_changed(struct rxaqm_link *link);
/* Forget failures, and policies that were kept. */
void rxaqm_run_forget(struct rxaqm_link *link);
/* Forget what was seen of its queues (overload.c). */
void rxaqm_run_forget_overload(struct rxaqm_link *link);
