/* SPDX-License-Identifier: GPL-2.0-only */
/* What is remembered of the queues of an interface from one look to the next. */
#ifndef RXAQM_RUN_OVERLOAD_H
#define RXAQM_RUN_OVERLOAD_H

#include "tune/overload.h"

struct rxaqm_run_overload_queue {
	struct rxaqm_overload_seen seen;
	struct rxaqm_overload overload;
	struct rxaqm_autoenforce autoenforce;
};

struct rxaqm_run_overload {
	unsigned int nr_queues;
	__u64 attached_ns; /* of the attachment that it is about */
	__u64 begun; /* overloads, counted for the metrics */
	unsigned int told; /* in this tick */
	struct rxaqm_run_overload_queue queue[];
};

#endif /* RXAQM_RUN_OVERLOAD_H */
