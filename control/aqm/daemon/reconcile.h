/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "daemon/run.h"

/* Bring @link in line with its section (none: detach it), or note when to try again. */
void rxaqm_run_reconcile(struct rxaqm_link *link);

/* Before @iface is detached, with what an operator has set: if that was to end enforcing, a daemon
 * that starts later is to leave it off.
 */
void rxaqm_run_note_detached(const struct rxaqm_link *link, const struct rxaqm_iface *iface);
