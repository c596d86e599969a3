/* SPDX-License-Identifier: GPL-2.0-only */
/* Q18: what an interface is like after something went wrong. */
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

#endif /* RXAQM_QUALIFY_RESET_H */
