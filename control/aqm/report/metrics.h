/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pinned maps as Prometheus metrics (docs/fleet.md lists them all). Rendering only reads: maps,
 * clock, and the names of the interfaces.
 *
 * Series are bounded: interfaces are shown queue by queue until RXAQM_METRICS_QUEUES_MAX
 * queues have been shown; those that come after are shown as one queue, "all".
 */
#pragma once

#include "base/metrics_text.h"
#include "state/state.h"

/* Queues shown one by one, over all interfaces. */
#define RXAQM_METRICS_QUEUES_MAX 256

struct rxaqm_metrics {
	const struct rxaqm_state *state; /* open or not; read again for each rendering */
	bool by_interface; /* no queue is shown on its own */
	/* Writes further families, whole ones, whose names begin with rxaqm_ and are not in
	 * metrics_table.c. NULL: none.
	 */
	void (*more)(struct rxaqm_metrics_text *text, void *arg);
	void *more_arg;
};

/* All metrics. To be freed by the caller; NULL if there is no memory. */
char *rxaqm_metrics_render(const struct rxaqm_metrics *metrics, size_t *ret_bytes);
