/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "daemon/run.h"

/* Is there room for @nr_queues queues of @link, which is not attached? For a link with a section of
 * its own, links of patterns are detached, the newest first, unless an operator has set their mode.
 * If there is no room, @link becomes WAITING. Needs the lock.
 */
bool rxaqm_run_make_room(struct rxaqm_link *link, unsigned int nr_queues);

/* @link is WAITING: if someone has detached all that was attached here, leave @link off, and return
 * true.
 */
bool rxaqm_run_leave_off(struct rxaqm_link *link);
