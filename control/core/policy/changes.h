/* SPDX-License-Identifier: GPL-2.0-only */
/* What a change of policies changes, in words for the log. */
#pragma once

#include "policy/settings.h"

/* Lines for one change at most; the last one counts the queues left out. */
#define RXAQM_CHANGES_MAX 64
#define RXAQM_CHANGES_LEN 1024

/* Call @line with "queues 0-3: mode observe -> enforce, ..." ("all queues: ...") for each run of
 * queues that change in the same way from @before to @after, of @nr queues. Leases count by their
 * length.
 */
void rxaqm_changes_each(const struct rxaqm_policy *before, const struct rxaqm_policy *after,
			unsigned int nr, void (*line)(void *arg, const char *text), void *arg);
