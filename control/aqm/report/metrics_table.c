/* SPDX-License-Identifier: GPL-2.0-only */
/* The families of queues and of interfaces. Labels: interface and queue, and those in the row. */
#include <stddef.h>
#include <string.h>

#include "base/now.h"
#include "report/metrics_rows.h"

enum how {
	HOW_NUMBER,
	HOW_NUMBER_NOT_0, /* 0: unknown */
	HOW_NS, /* printed in seconds */
	HOW_NS_NOT_0,
	HOW_Q32, /* a ratio, signed, of 2^32 */
	HOW_SHARE, /* of RXAQM_LAW_ONE */
};

#define LABELS_MAX 5

/* The series of a family are consecutive; the first one describes it. Labels end a row. */
struct series {
	const char *family; /* NULL: that of the previous row */
	const char *type;
	const char *help;
	enum how how;
	size_t offset; /* of a __u64 in struct rxaqm_metrics_row */
	const char *label[LABELS_MAX]; /* names and values, up to a NULL */
};

#define COUNTER(family, help) family, RXAQM_METRICS_COUNTER, help
#define GAUGE(family, help) family, RXAQM_METRICS_GAUGE, help
#define MORE NULL, NULL, NULL
#define AT(member) offsetof(struct rxaqm_metrics_row, member)
#define LABELS(...) { __VA_ARGS__ }
#define NUMBER(member, ...) HOW_NUMBER, AT(member), LABELS(__VA_ARGS__)
#define NUMBER_NOT_0(member) HOW_NUMBER_NOT_0, AT(member), LABELS()
#define NS(member) HOW_NS, AT(member), LABELS()
#define NS_NOT_0(member) HOW_NS_NOT_0, AT(member), LABELS()
#define Q32(member) HOW_Q32, AT(member), LABELS()
#define SHARE(member, ...) HOW_SHARE, AT(member), LABELS(__VA_ARGS__)
#define STAT(name, ...) NUMBER(stat[RXAQM_STAT_##name], __VA_ARGS__)
#define NR(table) (sizeof(table) / sizeof((table)[0]))

/* Counters of stats.h that share a family, or whose family has another name. */
static const struct series counters[] = {
	{ COUNTER("rxaqm_rx_packets_total", "Packets seen"), STAT(PACKETS) },

	{ COUNTER("rxaqm_rx_polls_total", "NAPI polls: drained the queue, left packets behind, or "
					  " their end was never seen (lost)"),
	  STAT(POLLS_DRAINED, "result", "drained") },
	{ MORE, STAT(POLLS_LEFT, "result", "left") },
	{ MORE, STAT(POLLS_LOST, "result", "lost") },

	{ COUNTER("rxaqm_rx_judged_packets_total", "Packets judged while the queue stood"),
	  STAT(JUDGED) },

	{ COUNTER("rxaqm_rx_class_packets_total",
		  "Packets judged: not over target (low), or over it and of this class"),
	  STAT(LOW, "class", "low") },
	{ MORE, STAT(OVER_EXEMPT, "class", "exempt") },
	{ MORE, STAT(OVER_ACK, "class", "ack") },
	{ MORE, STAT(OVER_CE, "class", "ce") },
	{ MORE, STAT(OVER_ECT0, "class", "ect0") },
	{ MORE, STAT(OVER_ECT1, "class", "ect1") },
	{ MORE, STAT(OVER_NOT_ECT, "class", "not_ect") },

	{ COUNTER("rxaqm_rx_verdict_packets_total",
		  "Packets by verdict and its reason; without those that passed normally"),
	  STAT(DROP, "verdict", "drop", "reason", "law") },
	{ MORE, STAT(ACK_DROP, "verdict", "drop", "reason", "ack") },
	{ MORE, STAT(ECN_MARK, "verdict", "mark", "reason", "law") },
	{ MORE, STAT(CE_MARK, "verdict", "mark", "reason", "threshold") },
	{ MORE, STAT(PASS_CAPPED, "verdict", "pass", "reason", "class_capped") },
	{ MORE, STAT(PASS_NO_SIGNAL, "verdict", "pass", "reason", "no_signal") },
	{ MORE, STAT(PASS_NO_CLOCK, "verdict", "pass", "reason", "no_clock") },
	{ MORE, STAT(PASS_STALE, "verdict", "pass", "reason", "stale") },
	{ MORE, STAT(PASS_IMPLAUSIBLE, "verdict", "pass", "reason", "implausible") },

	{ COUNTER("rxaqm_rx_would_verdict_packets_total",
		  "Packets passed in mode observe that enforce would have marked or dropped"),
	  STAT(WOULD_DROP, "verdict", "drop", "reason", "law") },
	{ MORE, STAT(WOULD_ACK_DROP, "verdict", "drop", "reason", "ack") },
	{ MORE, STAT(WOULD_ECN_MARK, "verdict", "mark", "reason", "law") },
	{ MORE, STAT(WOULD_CE_MARK, "verdict", "mark", "reason", "threshold") },

	{ COUNTER("rxaqm_rx_class_drop_packets_total",
		  "Packets dropped by the law that were SYN, FIN or RST, or ECN-capable"),
	  STAT(DROP_SYN, "class", "syn") },
	{ MORE, STAT(DROP_ECT, "class", "ect") },

	{ COUNTER("rxaqm_rx_would_class_drop_packets_total",
		  "The same for packets that enforce would have dropped in mode observe"),
	  STAT(WOULD_DROP_SYN, "class", "syn") },
	{ MORE, STAT(WOULD_DROP_ECT, "class", "ect") },

	{ COUNTER("rxaqm_rx_psh_cleared_packets_total",
		  "Packets whose PSH was cleared, so that GRO merges them"),
	  STAT(PSH_CLEARED) },
	{ COUNTER("rxaqm_rx_would_psh_cleared_packets_total",
		  "The same for packets passed in mode observe, if they were enforced"),
	  STAT(WOULD_PSH_CLEARED) },

	{ COUNTER("rxaqm_rx_stamp_faults_total", "Samples without a sojourn: no stamp, a stamp "
						 "from the future, or an absurdly old one"),
	  STAT(STAMP_MISSING, "reason", "missing") },
	{ MORE, STAT(STAMP_NEGATIVE, "reason", "negative") },
	{ MORE, STAT(STAMP_ABSURD, "reason", "absurd") },

	{ COUNTER("rxaqm_rx_socket_packets_total",
		  "Packets handed to the AF_XDP socket of the queue"),
	  STAT(REDIRECT) },

	{ COUNTER("rxaqm_rx_socket_wait_faults_total",
		  "Packets judged without the wait that the socket's consumer publishes: too old, "
		  "or not believed"),
	  STAT(WAIT_STALE, "reason", "stale") },
	{ MORE, STAT(WAIT_BAD, "reason", "bad") },

	{ COUNTER("rxaqm_rx_socket_ring_full_packets_total",
		  "Packets dropped because the socket's ring was full, as its consumer says"),
	  NUMBER(ring_full) },
};

/* Those that are in no row above have a family each. */
#define OF_ITS_OWN(constant, name, meaning) \
	{ COUNTER("rxaqm_rx_" name "_total", meaning), STAT(constant) },
static const struct series own_families[] = { RXAQM_STATS(OF_ITS_OWN) };

static const struct series gauges[] = {
	{ GAUGE("rxaqm_rx_mode",
		"Queues in this mode now; lapsed: enforce, but the lease is over, so it observes"),
	  NUMBER(mode[RXAQM_MODE_NOW_OFF], "mode", "off") },
	{ MORE, NUMBER(mode[RXAQM_MODE_NOW_OBSERVE], "mode", "observe") },
	{ MORE, NUMBER(mode[RXAQM_MODE_NOW_ENFORCE], "mode", "enforce") },
	{ MORE, NUMBER(mode[RXAQM_MODE_NOW_LAPSED], "mode", "lapsed") },

	{ GAUGE("rxaqm_rx_signal", "Queues whose sojourn comes from this signal now"),
	  NUMBER(signal[RXAQM_SIGNAL_NOW_HINT], "signal", "hint") },
	{ MORE, NUMBER(signal[RXAQM_SIGNAL_NOW_STAMP], "signal", "stamp") },
	{ MORE, NUMBER(signal[RXAQM_SIGNAL_NOW_BUSY], "signal", "busy") },
	{ MORE, NUMBER(signal[RXAQM_SIGNAL_NOW_NONE], "signal", "none") },

	{ GAUGE("rxaqm_rx_standing", "Queues that stand: the verdict of status, top and check"),
	  NUMBER(standing) },
	{ GAUGE("rxaqm_rx_codel_dropping", "law=codel: queues in its dropping state"),
	  NUMBER(dropping) },
	{ GAUGE("rxaqm_rx_held_by_exempt",
		"law=codel: queues held over target by exempt packets, which it never drops"),
	  NUMBER(held_by_exempt) },
	{ GAUGE("rxaqm_rx_socket_served", "Queues that go to an AF_XDP socket"), NUMBER(socket) },
	{ GAUGE("rxaqm_rx_stamps_distrusted", "Queues whose stamps are not believed now"),
	  NUMBER(distrusted) },
	{ GAUGE("rxaqm_rx_overridden",
		"Settings that an operator has set, where the configuration has others"),
	  NUMBER(overridden) },
	{ GAUGE("rxaqm_rx_target_seconds", "Target in use"), NS_NOT_0(target_ns) },
	{ GAUGE("rxaqm_rx_goal_seconds",
		"law=auto: sojourn that queues are held at, less than target if the ring has no "
		"room"),
	  NS_NOT_0(goal_ns) },
	{ GAUGE("rxaqm_rx_interval_seconds", "Interval in use"), NS_NOT_0(interval_ns) },
	{ GAUGE("rxaqm_rx_floor_seconds",
		"Sojourn below which a target asks too much, as measured"),
	  NS_NOT_0(floor_ns) },
	{ GAUGE("rxaqm_rx_ceiling_seconds",
		"Sojourn beyond which the ring overflows before a law acts, as measured"),
	  NS_NOT_0(ceiling_ns) },
	{ GAUGE("rxaqm_rx_sample_error_seconds", "Error bound of the newest sojourn sample"),
	  NS_NOT_0(err_ns) },
	{ GAUGE("rxaqm_rx_socket_wait_seconds",
		"Time packets wait in the socket's ring, as its consumer says"),
	  NS(wait_ns) },
	{ GAUGE("rxaqm_rx_lease_seconds",
		"Time until enforce lapses to observe; absent without a lease"),
	  NS(lease_ns) },
	{ GAUGE("rxaqm_rx_flow_limit_pps",
		"law=auto: packets a second that a flow may send; absent if no flow is limited"),
	  NUMBER(limit_pps) },
	{ GAUGE("rxaqm_rx_flows", "law=auto: known flows, by kind"),
	  NUMBER(flows[RXAQM_FLOWS_TCP], "kind", "tcp") },
	{ MORE, NUMBER(flows[RXAQM_FLOWS_OTHER], "kind", "other") },
	{ GAUGE("rxaqm_rx_flows_over", "law=auto: known flows over the limit, which pay"),
	  NUMBER(over[RXAQM_FLOWS_TCP], "kind", "tcp") },
	{ MORE, NUMBER(over[RXAQM_FLOWS_OTHER], "kind", "other") },
	{ GAUGE("rxaqm_rx_ack_thin_ratio", "law=auto: share of redundant ACKs that is dropped"),
	  SHARE(thin) },
};

static const struct series ifaces[] = {
	{ GAUGE("rxaqm_interface_state",
		"1 for the state it is in: attached, elsewhere (another network namespace), "
		"interrupted (a command died), lost (its XDP program was taken off)"),
	  NUMBER(state[RXAQM_METRICS_IFACE_ATTACHED], "state", "attached") },
	{ MORE, NUMBER(state[RXAQM_METRICS_IFACE_ELSEWHERE], "state", "elsewhere") },
	{ MORE, NUMBER(state[RXAQM_METRICS_IFACE_INTERRUPTED], "state", "interrupted") },
	{ MORE, NUMBER(state[RXAQM_METRICS_IFACE_LOST], "state", "lost") },

	{ GAUGE("rxaqm_interface_queues", "Queues served, in use or not"),
	  NUMBER_NOT_0(nr_queues) },
	{ GAUGE("rxaqm_interface_ring_entries",
		"Packets that fit in a queue; absent where that is not known"),
	  NUMBER_NOT_0(ring_entries) },
	{ GAUGE("rxaqm_interface_attached_seconds", "Time since attach"), NS(attached_ns) },
	{ COUNTER("rxaqm_interface_overflow_packets_total",
		  "Packets lost because a queue was full, as the kernel counts them; for backlogs "
		  "those of all interfaces"),
	  NUMBER(overflow) },
	{ GAUGE("rxaqm_clock_valid",
		"1 if NIC time, learnt from packets, can be converted to host time now"),
	  NUMBER(clock_valid) },
	{ GAUGE("rxaqm_clock_offset_seconds", "Host clock (CLOCK_MONOTONIC) less NIC clock"),
	  NS(clock_offset_ns) },
	{ GAUGE("rxaqm_clock_error_seconds", "Bound of the error of a conversion now"),
	  NS(clock_err_ns) },
	{ GAUGE("rxaqm_clock_age_seconds", "Time since the mapping was learnt"), NS(clock_age_ns) },
	{ GAUGE("rxaqm_clock_drift_ratio", "Seconds that the host gains on the NIC in a second"),
	  Q32(clock_rate_q32) },
	{ GAUGE("rxaqm_clock_error_growth_ratio",
		"Seconds by which the error bound grows in a second"),
	  Q32(clock_drift_err_q32) },

	{ GAUGE("rxaqm_phc_valid", "1 while the NIC's clock is read and believed"),
	  NUMBER(phc_valid) },
	{ GAUGE("rxaqm_phc_error_seconds", "Bound of the error of its reading"), NS(phc_err_ns) },
	{ GAUGE("rxaqm_phc_drift_ratio", "Seconds that the host gains on the NIC's clock in a "
					 "second"),
	  Q32(phc_rate_q32) },
	{ COUNTER("rxaqm_phc_steps_total", "Steps of either clock"), NUMBER(phc_steps) },
	{ GAUGE("rxaqm_phc_difference_seconds",
		"Mapping by the PHC minus the estimate from packets"),
	  NS(phc_differ_ns) },
};

static void print_value(struct rxaqm_metrics_text *text, const char *const *labels, enum how how,
			__u64 value)
{
	bool known_0 = how != HOW_NUMBER_NOT_0 && how != HOW_NS_NOT_0;

	if (value == RXAQM_METRICS_UNKNOWN || (!value && !known_0))
		return;
	if (how == HOW_NUMBER || how == HOW_NUMBER_NOT_0)
		rxaqm_metrics_u64(text, labels, value);
	else if (how == HOW_NS || how == HOW_NS_NOT_0)
		rxaqm_metrics_ns(text, labels, (__s64)value);
	else if (how == HOW_Q32)
		rxaqm_metrics_double(text, labels, (double)(__s64)value / RXAQM_Q32_ONE);
	else /* like a time: with nine digits after the point */
		rxaqm_metrics_ns(text, labels, (__s64)rxaqm_law_parts((__u32)value, 1000000000));
}

static void print_series(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_rows *rows,
			 const struct series *series)
{
	unsigned int i;

	if (series->family)
		rxaqm_metrics_family(text, series->type, series->family, series->help);
	for (i = 0; i < rows->nr; i++) {
		const struct rxaqm_metrics_row *row = &rows->row[i];
		const __u64 *value = (const __u64 *)((const char *)row + series->offset);
		const char *labels[LABELS_MAX + 4] = { "interface", row->interface, "queue",
						       row->queue };
		unsigned int nr = row->queue[0] ? 4 : 2;

		memcpy(&labels[nr], series->label, sizeof(series->label));
		print_value(text, labels, series->how, *value);
	}
}

static void print_table(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_rows *rows,
			const struct series *series, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		print_series(text, rows, &series[i]);
}

static void print_own_families(struct rxaqm_metrics_text *text,
			       const struct rxaqm_metrics_rows *rows)
{
	size_t i, k;

	for (i = 0; i < NR(own_families); i++) {
		for (k = 0; k < NR(counters) && counters[k].offset != own_families[i].offset;)
			k++;
		if (k == NR(counters))
			print_series(text, rows, &own_families[i]);
	}
}

/* Upper bounds of the histogram. A bucket of hist.h begins at each of them, so folding is exact,
 * except for packets of exactly the bound, which are counted above it.
 */
static const __u64 bounds_ns[] = {
	1 << 10, 1 << 14, 1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 3 << 19, 1 << 21, 3 << 20,
	1 << 22, 3 << 21, 1 << 23, 3 << 22, 1 << 24, 1 << 25, 1 << 26, 1 << 27, 1 << 30,
};

static void print_histogram(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_row *row)
{
	char le[24];
	const char *labels[] = { "interface", row->interface, "queue", row->queue, "le", le, NULL };
	unsigned int bucket = 0, i;
	__u64 below = 0;
	double sum_ns = 0; /* a __u64 would overflow in years of traffic */

	for (i = 0; i <= NR(bounds_ns); i++) {
		__u64 bound_ns = i < NR(bounds_ns) ? bounds_ns[i] : ~0ULL;

		for (; bucket < RXAQM_HIST_BUCKETS; bucket++) {
			__u64 from_ns = rxaqm_hist_floor_ns(bucket);
			__u64 to_ns = rxaqm_hist_floor_ns(bucket + 1);

			if (from_ns >= bound_ns)
				break;
			below += row->hist[bucket];
			sum_ns += (double)row->hist[bucket] * (double)(from_ns + to_ns) / 2;
		}
		snprintf(le, sizeof(le), i < NR(bounds_ns) ? "%.10g" : "+Inf",
			 (double)bound_ns / 1e9);
		rxaqm_metrics_begin(text, "_bucket", labels);
		fprintf(text->file, "%llu\n", below);
	}
	labels[4] = NULL;
	rxaqm_metrics_begin(text, "_sum", labels);
	fprintf(text->file, "%.15g\n", sum_ns / 1e9);
	rxaqm_metrics_begin(text, "_count", labels);
	fprintf(text->file, "%llu\n", below);
}

void rxaqm_metrics_print_queues(struct rxaqm_metrics_text *text,
				const struct rxaqm_metrics_rows *rows)
{
	unsigned int i;

	print_table(text, rows, counters, NR(counters));
	print_own_families(text, rows);
	rxaqm_metrics_family(
		text, RXAQM_METRICS_HISTOGRAM, "rxaqm_rx_sojourn_seconds",
		"Time packets stood in the queue; the sum takes the middle of each bucket");
	for (i = 0; i < rows->nr; i++)
		print_histogram(text, &rows->row[i]);
	print_table(text, rows, gauges, NR(gauges));
}

void rxaqm_metrics_print_ifaces(struct rxaqm_metrics_text *text,
				const struct rxaqm_metrics_rows *rows)
{
	print_table(text, rows, ifaces, NR(ifaces));
}
