/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contents of metrics: one row per interface, and one per queue, or one for all queues of an
 * interface. Sums of counts of packets and of queues; the greatest of times.
 */
#pragma once

#include "figures/figures.h"
#include "report/metrics.h"

/* Relation of an interface to its entry in the registry. */
enum rxaqm_metrics_iface_state {
	RXAQM_METRICS_IFACE_ATTACHED,
	RXAQM_METRICS_IFACE_ELSEWHERE, /* in another network namespace */
	RXAQM_METRICS_IFACE_INTERRUPTED, /* by a command that died */
	RXAQM_METRICS_IFACE_LOST, /* its XDP program was taken off */
	RXAQM_METRICS_NR_IFACE_STATES
};

#define RXAQM_METRICS_LABEL_LEN 64

/* A value that is unknown, and not printed. */
#define RXAQM_METRICS_UNKNOWN (1ULL << 63)

/* metrics_table.c names the __u64 members that are printed. */
struct rxaqm_metrics_row {
	const char *interface;
	char queue[12]; /* number, or "all"; "" in the row of an interface */
	/* Of an interface. */
	const struct rxaqm_iface *iface;
	__u64 state[RXAQM_METRICS_NR_IFACE_STATES]; /* 1 for the current one */
	__u64 nr_queues, ring_entries; /* 0: unknown */
	__u64 attached_ns; /* CLOCK_MONOTONIC */
	__u64 overflow; /* packets lost because a queue was full, by the kernel's counters */
	__u64 clock_valid;
	__u64 clock_offset_ns, clock_err_ns, clock_age_ns;
	__u64 clock_rate_q32, clock_drift_err_q32;
	__u64 phc_valid, phc_err_ns, phc_rate_q32, phc_steps;
	__u64 phc_differ_ns; /* from the clock learnt from packets */
	/* Of a queue, or of all of an interface. */
	__u64 stat[RXAQM_NR_STATS];
	__u64 ring_full; /* dropped at full rings of sockets, as their consumers say */
	/* Number of queues for which this is true. */
	__u64 mode[RXAQM_NR_MODES_NOW];
	__u64 signal[RXAQM_NR_SIGNALS_NOW];
	__u64 standing;
	__u64 dropping; /* CoDel is in its dropping state */
	__u64 held_by_exempt; /* over target, and law=codel cannot help */
	__u64 distrusted; /* stamps are not believed */
	__u64 overridden; /* settings, not queues: set by the operator, not as configured */
	__u64 socket; /* goes to an AF_XDP socket */
	/* The greatest; 0: unknown. */
	__u64 target_ns, goal_ns, interval_ns, floor_ns, ceiling_ns, err_ns;
	__u64 thin; /* share of redundant ACKs, of RXAQM_LAW_ONE */
	__u64 limit_pps; /* law=auto: what a flow may send, the least; unknown: no limit */
	__u64 flows[RXAQM_NR_FLOW_KINDS],
		over[RXAQM_NR_FLOW_KINDS]; /* known flows, and those over the limit: sums */
	__u64 wait_ns; /* in sockets' rings; unknown: no consumer publishes it */
	__u64 lease_ns; /* time left, the least; unknown: no lease */
	__u64 hist[RXAQM_HIST_BUCKETS];
};

struct rxaqm_metrics_rows {
	unsigned int nr;
	struct rxaqm_metrics_row row[RXAQM_METRICS_QUEUES_MAX + RXAQM_MAX_IFACES];
};

struct rxaqm_metrics_view {
	/* The maps, and what they do not hold: the time, and the names of interfaces. */
	const struct rxaqm_state *state;
	bool by_interface;
	__u64 now_ns;
	struct {
		char label[RXAQM_METRICS_LABEL_LEN]; /* unique, whatever the namespace */
		enum rxaqm_metrics_iface_state state;
		__u64 overflow;
	} iface[RXAQM_MAX_IFACES];
	struct rxaqm_metrics_rows ifaces, queues; /* rows made from that */
};

/* Is anything attached at all? */
static inline bool rxaqm_metrics_any(const struct rxaqm_metrics_view *view)
{
	return view->state->meta && view->state->iface && view->state->clock;
}

/* Ask the kernel for what the maps do not hold. @view must be zeroed. */
void rxaqm_metrics_look(struct rxaqm_metrics_view *view, const struct rxaqm_metrics *metrics);

/* Pure from here on: the rows; metrics_table.c: their families; metrics.c: all families. */
void rxaqm_metrics_rows_take(struct rxaqm_metrics_view *view);
void rxaqm_metrics_print_queues(struct rxaqm_metrics_text *text,
				const struct rxaqm_metrics_rows *queues);
void rxaqm_metrics_print_ifaces(struct rxaqm_metrics_text *text,
				const struct rxaqm_metrics_rows *ifaces);
void rxaqm_metrics_print(struct rxaqm_metrics_text *text, struct rxaqm_metrics_view *view);
