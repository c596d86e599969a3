/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "daemon/run.h"

/* Bring @link in line with its section (none: detach it), or note when to try again. */
void rxaqm_run_reconcile(struct rxaqm_link *link);

/* Call this before @iface is detached: if an operator has ended enforcing there, note that, so that
 * a daemon that starts later leaves the interface off.
 */
void rxaqm_run_note_detached(const struct rxaqm_link *link, const struct rxaqm_iface *iface);
