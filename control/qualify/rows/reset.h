/* SPDX-License-Identifier: GPL-2.0-only */
/* Q18: what an interface is like after something went wrong. Q19: what its profile says. */
#ifndef RXAQM_QUALIFY_RESET_H
#define RXAQM_QUALIFY_RESET_H

#include "qualify/rows/gap.h"

struct qualify_counters;

struct qualify_recovery {
	double longest_ns, error_ns; /* pause */
	bool went_back; /* a counter of the link */
};

bool qualify_went_back(const struct qualify_counters *before, const struct qualify_counters *after);

/* Figure @name; noted in @recovery. */
void qualify_put_pause(struct qualify_row *row, const char *name, const struct qualify_gap *gap,
		       struct qualify_recovery *recovery);

/* after_alloc_failure, alloc_failures, gap_alloc: where allocations fail, or can be made to. */
int qualify_alloc_failure(struct qualify_run *run, struct qualify_row *row,
			  struct qualify_recovery *recovery, struct rxaqm_error *error);

/* Q19: figure @key, what the profile says of it against what row @id measured. @same: why these are
 * one, though they differ; NULL: they are not.
 */
void qualify_put_fact(struct qualify_row *row, const char *key, const char *said,
		      const char *measured, const char *same, const char *id);

#endif /* RXAQM_QUALIFY_RESET_H */
