/* SPDX-License-Identifier: GPL-2.0-only */
/* When there is next something to do. */
#include "daemon/run.h"

void rxaqm_run_sync_by(struct rxaqm_run *run, __u64 due_ns)
{
	uint64_t due_usec = due_ns / RXAQM_NSEC_PER_USEC, set_usec = 0;
	int on = SD_EVENT_OFF;

	if (!run->sync_timer)
		return;
	sd_event_source_get_enabled(run->sync_timer, &on);
	sd_event_source_get_time(run->sync_timer, &set_usec);
	if (on != SD_EVENT_OFF && set_usec <= due_usec)
		return;
	sd_event_source_set_time(run->sync_timer, due_usec + 1);
	sd_event_source_set_enabled(run->sync_timer, SD_EVENT_ONESHOT);
}
