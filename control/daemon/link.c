/* SPDX-License-Identifier: GPL-2.0-only */
/* What has become of an interface. */
#include <stdlib.h>

#include "config/detached.h"
#include "daemon/chores.h"
#include "daemon/run.h"

void rxaqm_run_attached(struct rxaqm_link *link, int slot, __u32 prog_id)
{
	if (prog_id != link->prog_id && !link->kept)
		rxaqm_run_overload_free(link);
	rxaqm_detached_forget(link->name);
	link->state = RXAQM_LINK_ATTACHED;
	link->slot = slot;
	link->prog_id = prog_id;
	link->configure = false;
	link->reapply = false;
	link->retry_ns = 0;
	free(link->complaint);
	link->complaint = NULL;
	free(link->kept);
	link->kept = NULL;
}

void rxaqm_run_release(struct rxaqm_link *link, const char *why)
{
	rxaqm_run_log(LOG_WARNING, "%s: %s; stays so until the configuration is read again",
		      link->name, why);
	link->state = RXAQM_LINK_RELEASED;
	link->slot = -1;
}
