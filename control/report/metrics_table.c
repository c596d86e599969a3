/* SPDX-License-Identifier: GPL-2.0-only */
/* The families of queues and of interfaces: labels interface and queue, and what each adds. */
#include <stddef.h>
#include <string.h>

#include "base/now.h"
#include "report/metrics_rows.h"

enum how {
	HOW_NUMBER,
	HOW_NUMBER_NOT_0, /* 0: not known */
	HOW_NS, /* printed in seconds */
	HOW_NS_NOT_0,
	HOW_Q32, /* a ratio, signed, of 2^32 */
	HOW_SHARE, /* of RXAQM_LAW_ONE */
};

#define LABELS_MAX 5

/* The series of a family stand together, the first says what it is. */
struct series {
	const char *family; /* NULL: that of the one before */
	enum rxaqm_metrics_type type;
	const char *help;
	const char *label[LABELS_MAX]; /* names and values, up to a NULL */
	enum how how;
	size_t offset; /* of a __u64 in struct rxaqm_metrics_row */
};

#define COUNTER(family, help) family, RXAQM_METRICS_COUNTER, help
#define GAUGE(family, help) family, RXAQM_METRICS_GAUGE, help
#define MORE NULL, RXAQM_METRICS_GAUGE, NULL
#define LABELS(...) { __VA_ARGS__ }
#define NO_LABELS { NULL }
#define AT(member) offsetof(struct rxaqm_metrics_row, member)
#define NUMBER(member) HOW_NUMBER, AT(member)
#define NUMBER_NOT_0(member) HOW_NUMBER_NOT_0, AT(member)
#define NS(member) HOW_NS, AT(member)
#define NS_NOT_0(member) HOW_NS_NOT_0, AT(member)
#define Q32(member) HOW_Q32, AT(member)
#define SHARE(member) HOW_SHARE, AT(member)
#define STAT(name) NUMBER(stat[RXAQM_STAT_##name])
#define NR(table) (sizeof(table) / sizeof((table)[0]))

/* Every counter of stats.h, in the family and with the labels that it has there. */
static const struct series counters[] = {
	{ COUNTER("rxaqm_rx_packets_total", "Packets seen"), NO_LABELS, STAT(PACKETS) },

	{ COUNTER("rxaqm_rx_polls_total", "NAPI polls: drained the queue, left packets behind "
					  "(busy), or their end was never seen (lost)"),
	  LABELS("result", "drained"), STAT(POLLS_DRAINED) },
	{ MORE, LABELS("result", "busy"), STAT(POLLS_BUSY) },
	{ MORE, LABELS("result", "lost"), STAT(POLLS_LOST) },

	{ COUNTER("rxaqm_rx_judged_packets_total", "Packets judged while the queue stood"),
	  NO_LABELS, STAT(JUDGED) },

	{ COUNTER("rxaqm_rx_class_packets_total",
		  "Packets judged: not over target (low), or over it and of this class"),
	  LABELS("class", "low"), STAT(LOW) },
	{ MORE, LABELS("class", "exempt"), STAT(OVER_EXEMPT) },
	{ MORE, LABELS("class", "ack"), STAT(OVER_ACK) },
	{ MORE, LABELS("class", "ce"), STAT(OVER_CE) },
	{ MORE, LABELS("class", "ect0"), STAT(OVER_ECT0) },
	{ MORE, LABELS("class", "ect1"), STAT(OVER_ECT1) },
	{ MORE, LABELS("class", "not_ect"), STAT(OVER_NECT) },

	{ COUNTER("rxaqm_rx_verdict_packets_total",
		  "Packets by verdict and its reason; those that simply passed are not among them"),
	  LABELS("verdict", "drop", "reason", "law"), STAT(DROP) },
	{ MORE, LABELS("verdict", "drop", "reason", "ack"), STAT(ACK_DROP) },
	{ MORE, LABELS("verdict", "mark", "reason", "law"), STAT(ECN_MARK) },
	{ MORE, LABELS("verdict", "mark", "reason", "threshold"), STAT(CE_MARK) },
	{ MORE, LABELS("verdict", "pass", "reason", "class_capped"), STAT(PASS_CAPPED) },
	{ MORE, LABELS("verdict", "pass", "reason", "no_signal"), STAT(PASS_NO_SIGNAL) },
	{ MORE, LABELS("verdict", "pass", "reason", "no_clock"), STAT(PASS_NO_CLOCK) },
	{ MORE, LABELS("verdict", "pass", "reason", "stale"), STAT(PASS_STALE) },
	{ MORE, LABELS("verdict", "pass", "reason", "implausible"), STAT(PASS_IMPLAUSIBLE) },

	{ COUNTER("rxaqm_rx_would_verdict_packets_total",
		  "Packets passed in mode observe that enforce would have marked or dropped"),
	  LABELS("verdict", "drop", "reason", "law"), STAT(WOULD_DROP) },
	{ MORE, LABELS("verdict", "drop", "reason", "ack"), STAT(WOULD_ACK_DROP) },
	{ MORE, LABELS("verdict", "mark", "reason", "law"), STAT(WOULD_ECN_MARK) },
	{ MORE, LABELS("verdict", "mark", "reason", "threshold"), STAT(WOULD_CE_MARK) },

	{ COUNTER("rxaqm_rx_class_drop_packets_total",
		  "Of the packets dropped by the law: SYN, FIN or RST, and ECN-capable ones"),
	  LABELS("class", "syn"), STAT(DROP_SYN) },
	{ MORE, LABELS("class", "ect"), STAT(DROP_ECT) },

	{ COUNTER("rxaqm_rx_would_class_drop_packets_total",
		  "The same of what enforce would have dropped in mode observe"),
	  LABELS("class", "syn"), STAT(WOULD_DROP_SYN) },
	{ MORE, LABELS("class", "ect"), STAT(WOULD_DROP_ECT) },

	{ COUNTER("rxaqm_rx_shed_futile_total",
		  "Times that drops were given up, since the queue left no faster for them"),
	  NO_LABELS, STAT(SHED_FUTILE) },

	{ COUNTER("rxaqm_rx_stamp_faults_total", "Samples that came to nothing: no stamp, a stamp "
						 "from the future, or an absurdly old one"),
	  LABELS("reason", "missing"), STAT(STAMP_MISSING) },
	{ MORE, LABELS("reason", "negative"), STAT(STAMP_NEGATIVE) },
	{ MORE, LABELS("reason", "absurd"), STAT(STAMP_ABSURD) },

	{ COUNTER("rxaqm_rx_clock_resets_total",
		  "Clock estimates begun anew after a step that this queue noticed"),
	  NO_LABELS, STAT(CLOCK_RESETS) },

	{ COUNTER("rxaqm_rx_socket_packets_total",
		  "Packets handed to the AF_XDP socket of the queue"),
	  NO_LABELS, STAT(REDIRECT) },

	{ COUNTER("rxaqm_rx_socket_wait_faults_total",
		  "Packets judged without what the socket's consumer says of its wait: too old, or "
		  "not believed"),
	  LABELS("reason", "stale"), STAT(WAIT_STALE) },
	{ MORE, LABELS("reason", "bad"), STAT(WAIT_BAD) },

	{ COUNTER("rxaqm_rx_socket_ring_full_packets_total",
		  "Packets dropped since the socket's ring was full, as its consumer says"),
	  NO_LABELS, NUMBER(ring_full) },
};

static const struct series gauges[] = {
	{ GAUGE("rxaqm_rx_mode",
		"Queues in this mode now; lapsed: enforce, but the lease is over, so it observes"),
	  LABELS("mode", "off"), NUMBER(mode[RXAQM_MODE_NOW_OFF]) },
	{ MORE, LABELS("mode", "observe"), NUMBER(mode[RXAQM_MODE_NOW_OBSERVE]) },
	{ MORE, LABELS("mode", "enforce"), NUMBER(mode[RXAQM_MODE_NOW_ENFORCE]) },
	{ MORE, LABELS("mode", "lapsed"), NUMBER(mode[RXAQM_MODE_NOW_LAPSED]) },

	{ GAUGE("rxaqm_rx_signal", "Queues whose sojourn comes from this signal now"),
	  LABELS("signal", "hint"), NUMBER(signal[RXAQM_SIGNAL_NOW_HINT]) },
	{ MORE, LABELS("signal", "stamp"), NUMBER(signal[RXAQM_SIGNAL_NOW_STAMP]) },
	{ MORE, LABELS("signal", "busy"), NUMBER(signal[RXAQM_SIGNAL_NOW_BUSY]) },
	{ MORE, LABELS("signal", "none"), NUMBER(signal[RXAQM_SIGNAL_NOW_NONE]) },

	{ GAUGE("rxaqm_rx_standing", "Queues whose last poll left packets behind"), NO_LABELS,
	  NUMBER(standing) },
	{ GAUGE("rxaqm_rx_codel_dropping", "law=codel: queues in its dropping state"), NO_LABELS,
	  NUMBER(dropping) },
	{ GAUGE("rxaqm_rx_bad", "law=auto: queues that stood over target for an interval"),
	  NO_LABELS, NUMBER(bad) },
	{ GAUGE("rxaqm_rx_held_by_exempt",
		"Queues held over target by exempt packets, which no law can help against"),
	  NO_LABELS, NUMBER(held_by_exempt) },
	{ GAUGE("rxaqm_rx_socket_served", "Queues that go to an AF_XDP socket"), NO_LABELS,
	  NUMBER(socket) },
	{ GAUGE("rxaqm_rx_stamps_distrusted", "Queues whose stamps are not believed now"),
	  NO_LABELS, NUMBER(distrusted) },
	{ GAUGE("rxaqm_rx_target_seconds", "Target in use"), NO_LABELS, NS_NOT_0(target_ns) },
	{ GAUGE("rxaqm_rx_goal_seconds",
		"law=auto: what queues are held at, less than target where the ring has no room"),
	  NO_LABELS, NS_NOT_0(goal_ns) },
	{ GAUGE("rxaqm_rx_interval_seconds", "Interval in use"), NO_LABELS, NS_NOT_0(interval_ns) },
	{ GAUGE("rxaqm_rx_floor_seconds",
		"Sojourn below which a target asks too much, as measured"),
	  NO_LABELS, NS_NOT_0(floor_ns) },
	{ GAUGE("rxaqm_rx_ceiling_seconds",
		"Sojourn beyond which the ring overflows before a law acts, as measured"),
	  NO_LABELS, NS_NOT_0(ceiling_ns) },
	{ GAUGE("rxaqm_rx_sample_error_seconds", "Error bound of the newest sojourn sample"),
	  NO_LABELS, NS_NOT_0(err_ns) },
	{ GAUGE("rxaqm_rx_socket_wait_seconds",
		"Time packets wait in the socket's ring, as its consumer says"),
	  NO_LABELS, NS(wait_ns) },
	{ GAUGE("rxaqm_rx_lease_seconds",
		"Time until enforce lapses to observe; absent without a lease"),
	  NO_LABELS, NS(lease_ns) },
	{ GAUGE("rxaqm_rx_probability",
		"law=auto: the probability that its controller has come to"),
	  NO_LABELS, SHARE(p) },
};

static const struct series ifaces[] = {
	{ GAUGE("rxaqm_interface_state",
		"1 for the state it is in: attached, elsewhere (another network namespace), "
		"interrupted (a command died), lost (its XDP program was taken off)"),
	  LABELS("state", "attached"), NUMBER(state[RXAQM_METRICS_IFACE_ATTACHED]) },
	{ MORE, LABELS("state", "elsewhere"), NUMBER(state[RXAQM_METRICS_IFACE_ELSEWHERE]) },
	{ MORE, LABELS("state", "interrupted"), NUMBER(state[RXAQM_METRICS_IFACE_INTERRUPTED]) },
	{ MORE, LABELS("state", "lost"), NUMBER(state[RXAQM_METRICS_IFACE_LOST]) },

	{ GAUGE("rxaqm_interface_queues", "Queues served, in use or not"), NO_LABELS,
	  NUMBER_NOT_0(nr_queues) },
	{ GAUGE("rxaqm_interface_ring_entries",
		"Packets that fit in a queue; absent where that is not known"),
	  NO_LABELS, NUMBER_NOT_0(ring_entries) },
	{ GAUGE("rxaqm_interface_attached_seconds", "Time since attach"), NO_LABELS,
	  NS(attached_ns) },
	{ GAUGE("rxaqm_clock_valid",
		"1 if NIC time, learnt from packets, can be converted to host time now"),
	  NO_LABELS, NUMBER(clock_valid) },
	{ GAUGE("rxaqm_clock_offset_seconds", "Host clock (CLOCK_MONOTONIC) less NIC clock"),
	  NO_LABELS, NS(clock_offset_ns) },
	{ GAUGE("rxaqm_clock_error_seconds", "Bound of the error of a conversion now"), NO_LABELS,
	  NS(clock_err_ns) },
	{ GAUGE("rxaqm_clock_age_seconds", "Time since the mapping was learnt"), NO_LABELS,
	  NS(clock_age_ns) },
	{ GAUGE("rxaqm_clock_drift_ratio", "Seconds that the host gains on the NIC in a second"),
	  NO_LABELS, Q32(clock_rate_q32) },
	{ GAUGE("rxaqm_clock_error_growth_ratio",
		"Seconds by which the error bound grows in a second"),
	  NO_LABELS, Q32(clock_drift_err_q32) },
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
	else /* as a time is: with nine digits behind the point */
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

static void print_shares(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_rows *rows)
{
	unsigned int s;

	for (s = 0; s < RXAQM_NR_SHARES; s++) {
		const struct rxaqm_law_share_name *name = &rxaqm_law_share_names[s];
		struct series series = { GAUGE("rxaqm_rx_share",
					       "law=auto: share of a class that is marked, "
					       "dropped or, of redundant ACKs, thinned"),
					 LABELS("action", name->action, "class", name->packets),
					 SHARE(share[s]) };

		if (s)
			series.family = NULL;
		print_series(text, rows, &series);
	}
}

/* Upper bounds of the histogram: all are where a bucket of hist.h begins, so folding is exact,
 * but for packets of exactly the bound, which are counted above it.
 */
static const struct {
	__u64 ns;
	const char *le;
} bounds[] = {
	{ 1ULL << 10, "1.024e-06" },   { 1ULL << 14, "1.6384e-05" },  { 1ULL << 16, "6.5536e-05" },
	{ 1ULL << 17, "0.000131072" }, { 1ULL << 18, "0.000262144" }, { 1ULL << 19, "0.000524288" },
	{ 1ULL << 20, "0.001048576" }, { 3ULL << 19, "0.001572864" }, { 1ULL << 21, "0.002097152" },
	{ 3ULL << 20, "0.003145728" }, { 1ULL << 22, "0.004194304" }, { 3ULL << 21, "0.006291456" },
	{ 1ULL << 23, "0.008388608" }, { 3ULL << 22, "0.012582912" }, { 1ULL << 24, "0.016777216" },
	{ 1ULL << 25, "0.033554432" }, { 1ULL << 26, "0.067108864" }, { 1ULL << 27, "0.134217728" },
	{ 1ULL << 30, "1.073741824" },
};
#define NR_BOUNDS (sizeof(bounds) / sizeof(bounds[0]))

static void print_histogram(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_row *row)
{
	__u64 count[NR_BOUNDS + 1] = {};
	const char *le[NR_BOUNDS];
	unsigned int bucket, i;
	double sum_ns = 0; /* in years of traffic, a __u64 would run over */

	for (i = 0; i < NR_BOUNDS; i++)
		le[i] = bounds[i].le;
	for (bucket = 0, i = 0; bucket < RXAQM_HIST_BUCKETS; bucket++) {
		__u64 from_ns = rxaqm_hist_floor_ns(bucket),
		      to_ns = rxaqm_hist_floor_ns(bucket + 1);

		while (i < NR_BOUNDS && from_ns >= bounds[i].ns)
			i++;
		count[i] += row->hist[bucket];
		sum_ns += (double)row->hist[bucket] * (double)(from_ns + to_ns) / 2;
	}
	rxaqm_metrics_histogram(text,
				RXAQM_METRICS_LABELS("interface", row->interface, "queue",
						     row->queue),
				le, count, NR_BOUNDS, sum_ns / 1e9);
}

void rxaqm_metrics_print_queues(struct rxaqm_metrics_text *text,
				const struct rxaqm_metrics_rows *rows)
{
	unsigned int i;

	print_table(text, rows, counters, NR(counters));
	rxaqm_metrics_family(
		text, RXAQM_METRICS_HISTOGRAM, "rxaqm_rx_sojourn_seconds",
		"Time packets stood in the queue; the sum takes each for the middle of its bucket");
	for (i = 0; i < rows->nr; i++)
		print_histogram(text, &rows->row[i]);
	print_table(text, rows, gauges, NR(gauges));
	print_shares(text, rows);
}

void rxaqm_metrics_print_ifaces(struct rxaqm_metrics_text *text,
				const struct rxaqm_metrics_rows *rows)
{
	print_table(text, rows, ifaces, NR(ifaces));
}
