/* SPDX-License-Identifier: GPL-2.0-only */
/* What is remembered of the queues of an interface from one look to the next. */
#ifndef RXAQM_RUN_TUNE_H
#define RXAQM_RUN_TUNE_H

#include "autotune.h"
#include "overload.h"

struct rxaqm_run_tune_queue {
	bool begun;
	struct rxaqm_autotune autotune;
	struct rxaqm_overload_seen seen;
	struct rxaqm_overload overload;
	struct rxaqm_autoenforce autoenforce;
};

struct rxaqm_run_tune {
	unsigned int nr_queues;
	__u64 attached_ns; /* of the attachment that it is about */
	struct rxaqm_target_facts facts; /* but for what is configured */
	__u64 changes, overloads; /* counted for the metrics */
	unsigned int told; /* in this tick */
	struct rxaqm_run_tune_queue queue[];
};

#endif /* RXAQM_RUN_TUNE_H */
