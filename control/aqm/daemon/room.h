/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "daemon/run.h"

/* Is there room for @nr_queues queues of @link, which is not attached? One that has a section of
 * its own has it made: those that have not give way, the newest first, but for what an operator has
 * set. Needs the lock. If not, @link is WAITING.
 */
bool rxaqm_run_room(struct rxaqm_link *link, unsigned int nr_queues);

/* @link is WAITING: leave it off, if someone has detached all that was attached here. Was it so? */
bool rxaqm_run_leave_off(struct rxaqm_link *link);
