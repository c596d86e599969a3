/* SPDX-License-Identifier: GPL-2.0-only */
/* Who changed what, for the system's log. */
#pragma once

#include "policy/settings.h"

/* Log that this command changes the policies of @ifname's @nr queues from @before to @after: a line
 * for each run of queues, with the command, the user, and the login that it comes from. It goes to
 * the journal, with fields, or else to syslog; if there is neither, nowhere.
 */
void rxaqm_audit(const char *ifname, const struct rxaqm_policy *before,
		 const struct rxaqm_policy *after, unsigned int nr);
