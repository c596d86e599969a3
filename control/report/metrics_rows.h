/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What metrics show: one row a queue, or one for all queues of an interface. Counts of packets
 * and of queues are summed up over them; of times, the greatest is taken.
 */
#ifndef RXAQM_METRICS_ROWS_H
#define RXAQM_METRICS_ROWS_H

#include "report/law_figures.h"
#include "report/metrics.h"

enum rxaqm_metrics_mode {
	RXAQM_METRICS_MODE_OFF,
	RXAQM_METRICS_MODE_OBSERVE,
	RXAQM_METRICS_MODE_ENFORCE,
	RXAQM_METRICS_MODE_LAPSED, /* enforce, but the lease is over */
	RXAQM_METRICS_NR_MODES
};

enum rxaqm_metrics_signal {
	RXAQM_METRICS_SIGNAL_HINT,
	RXAQM_METRICS_SIGNAL_STAMP,
	RXAQM_METRICS_SIGNAL_BUSY,
	RXAQM_METRICS_SIGNAL_NONE,
	RXAQM_METRICS_NR_SIGNALS
};

/* How an interface stands with its entry in the registry. */
enum rxaqm_metrics_iface_state {
	RXAQM_METRICS_IFACE_ATTACHED,
	RXAQM_METRICS_IFACE_ELSEWHERE, /* in another network namespace */
	RXAQM_METRICS_IFACE_INTERRUPTED, /* by a command that died */
	RXAQM_METRICS_IFACE_LOST, /* its XDP program was taken off */
	RXAQM_METRICS_NR_IFACE_STATES
};

#define RXAQM_METRICS_LABEL_LEN 64

/* What the maps do not hold: the time, and how the interfaces are called. */
struct rxaqm_metrics_view {
	const struct rxaqm_state *state;
	bool by_interface;
	__u64 now_ns;
	struct {
		char label[RXAQM_METRICS_LABEL_LEN]; /* of its own, whatever the namespace */
		enum rxaqm_metrics_iface_state state;
	} iface[RXAQM_MAX_IFACES];
};

struct rxaqm_metrics_row {
	const char *interface;
	char queue[12]; /* number, or "all" */
	__u64 stat[RXAQM_NR_STATS];
	__u64 hist[RXAQM_HIST_BUCKETS];
	__u64 ring_full; /* dropped at full rings of sockets, as their consumers say */
	/* Queues of which it is true. */
	__u32 mode[RXAQM_METRICS_NR_MODES];
	__u32 signal[RXAQM_METRICS_NR_SIGNALS];
	__u32 standing;
	__u32 dropping; /* CoDel is in its dropping state */
	__u32 bad; /* law=auto: stood over target for an interval */
	__u32 held_by_exempt; /* over target, and no law can help */
	__u32 distrusted; /* stamps are not believed */
	__u32 socket; /* goes to an AF_XDP socket */
	/* The greatest; 0: not known. */
	__u64 target_ns, goal_ns, interval_ns, floor_ns, ceiling_ns, err_ns;
	__u32 p, share[RXAQM_NR_SHARES]; /* of RXAQM_LAW_ONE */
	__u64 wait_ns; /* in sockets' rings; ~0: no consumer says */
	__u64 lease_ns; /* left, the least; ~0: no lease */
};

struct rxaqm_metrics_rows {
	unsigned int nr;
	struct rxaqm_metrics_row row[RXAQM_METRICS_QUEUES_MAX + RXAQM_MAX_IFACES];
};

/* Is there anything attached at all? */
static inline bool rxaqm_metrics_any(const struct rxaqm_metrics_view *view)
{
	return view->state->meta && view->state->iface && view->state->clock;
}

/* Ask the kernel for what the maps do not hold. */
void rxaqm_metrics_look(struct rxaqm_metrics_view *view, const struct rxaqm_metrics *metrics);

/* Pure from here on. */
void rxaqm_metrics_rows_take(struct rxaqm_metrics_rows *rows,
			     const struct rxaqm_metrics_view *view);
void rxaqm_metrics_print_queues(struct rxaqm_metrics_text *text,
				const struct rxaqm_metrics_rows *rows);
/* Called by it. */
void rxaqm_metrics_print_law(struct rxaqm_metrics_text *text,
			     const struct rxaqm_metrics_rows *rows);
void rxaqm_metrics_print_ifaces(struct rxaqm_metrics_text *text,
				const struct rxaqm_metrics_view *view);
void rxaqm_metrics_print_host(struct rxaqm_metrics_text *text,
			      const struct rxaqm_metrics_view *view);

#endif /* RXAQM_METRICS_ROWS_H */
