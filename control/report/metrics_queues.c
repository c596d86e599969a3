/* SPDX-License-Identifier: GPL-2.0-only */
/* The families of queues: labels interface and queue, and what each family adds. */
#include "report/metrics_rows.h"

#define NONE { NULL, NULL }

/* Every counter of stats.h, in the family and with the labels that it has there. Rows of a
 * family stand together.
 */
static const struct counter {
	const char *family, *help; /* help: in the first row of the family */
	struct {
		const char *name, *value;
	} label[2];
	enum rxaqm_stat stat;
} counters[] = {
	{ "rxaqm_rx_packets_total", "Packets seen", { NONE, NONE }, RXAQM_STAT_PACKETS },

	{ "rxaqm_rx_polls_total",
	  "NAPI polls: drained the queue, left packets behind (busy), or their end was never seen (lost)",
	  { { "result", "drained" }, NONE },
	  RXAQM_STAT_POLLS_DRAINED },
	{ "rxaqm_rx_polls_total", NULL, { { "result", "busy" }, NONE }, RXAQM_STAT_POLLS_BUSY },
	{ "rxaqm_rx_polls_total", NULL, { { "result", "lost" }, NONE }, RXAQM_STAT_POLLS_LOST },

	{ "rxaqm_rx_judged_packets_total",
	  "Packets judged while the queue stood",
	  { NONE, NONE },
	  RXAQM_STAT_JUDGED },

	{ "rxaqm_rx_class_packets_total",
	  "Packets judged: not over target (low), or over it and of this class",
	  { { "class", "low" }, NONE },
	  RXAQM_STAT_LOW },
	{ "rxaqm_rx_class_packets_total",
	  NULL,
	  { { "class", "exempt" }, NONE },
	  RXAQM_STAT_OVER_EXEMPT },
	{ "rxaqm_rx_class_packets_total", NULL, { { "class", "ack" }, NONE }, RXAQM_STAT_OVER_ACK },
	{ "rxaqm_rx_class_packets_total", NULL, { { "class", "ce" }, NONE }, RXAQM_STAT_OVER_CE },
	{ "rxaqm_rx_class_packets_total",
	  NULL,
	  { { "class", "ect0" }, NONE },
	  RXAQM_STAT_OVER_ECT0 },
	{ "rxaqm_rx_class_packets_total",
	  NULL,
	  { { "class", "ect1" }, NONE },
	  RXAQM_STAT_OVER_ECT1 },
	{ "rxaqm_rx_class_packets_total",
	  NULL,
	  { { "class", "not_ect" }, NONE },
	  RXAQM_STAT_OVER_NECT },

	{ "rxaqm_rx_verdict_packets_total",
	  "Packets by verdict and its reason; those that simply passed are not among them",
	  { { "verdict", "drop" }, { "reason", "law" } },
	  RXAQM_STAT_DROP },
	{ "rxaqm_rx_verdict_packets_total",
	  NULL,
	  { { "verdict", "drop" }, { "reason", "ack" } },
	  RXAQM_STAT_ACK_DROP },
	{ "rxaqm_rx_verdict_packets_total",
	  NULL,
	  { { "verdict", "mark" }, { "reason", "law" } },
	  RXAQM_STAT_ECN_MARK },
	{ "rxaqm_rx_verdict_packets_total",
	  NULL,
	  { { "verdict", "mark" }, { "reason", "threshold" } },
	  RXAQM_STAT_CE_MARK },
	{ "rxaqm_rx_verdict_packets_total",
	  NULL,
	  { { "verdict", "pass" }, { "reason", "class_capped" } },
	  RXAQM_STAT_PASS_CAPPED },
	{ "rxaqm_rx_verdict_packets_total",
	  NULL,
	  { { "verdict", "pass" }, { "reason", "no_signal" } },
	  RXAQM_STAT_PASS_NO_SIGNAL },
	{ "rxaqm_rx_verdict_packets_total",
	  NULL,
	  { { "verdict", "pass" }, { "reason", "no_clock" } },
	  RXAQM_STAT_PASS_NO_CLOCK },
	{ "rxaqm_rx_verdict_packets_total",
	  NULL,
	  { { "verdict", "pass" }, { "reason", "stale" } },
	  RXAQM_STAT_PASS_STALE },
	{ "rxaqm_rx_verdict_packets_total",
	  NULL,
	  { { "verdict", "pass" }, { "reason", "implausible" } },
	  RXAQM_STAT_PASS_IMPLAUSIBLE },

	{ "rxaqm_rx_would_verdict_packets_total",
	  "Packets passed in mode observe that enforce would have marked or dropped",
	  { { "verdict", "drop" }, { "reason", "law" } },
	  RXAQM_STAT_WOULD_DROP },
	{ "rxaqm_rx_would_verdict_packets_total",
	  NULL,
	  { { "verdict", "drop" }, { "reason", "ack" } },
	  RXAQM_STAT_WOULD_ACK_DROP },
	{ "rxaqm_rx_would_verdict_packets_total",
	  NULL,
	  { { "verdict", "mark" }, { "reason", "law" } },
	  RXAQM_STAT_WOULD_ECN_MARK },
	{ "rxaqm_rx_would_verdict_packets_total",
	  NULL,
	  { { "verdict", "mark" }, { "reason", "threshold" } },
	  RXAQM_STAT_WOULD_CE_MARK },

	{ "rxaqm_rx_class_drop_packets_total",
	  "Of the packets dropped by the law: SYN, FIN or RST, and ECN-capable ones",
	  { { "class", "syn" }, NONE },
	  RXAQM_STAT_DROP_SYN },
	{ "rxaqm_rx_class_drop_packets_total",
	  NULL,
	  { { "class", "ect" }, NONE },
	  RXAQM_STAT_DROP_ECT },

	{ "rxaqm_rx_would_class_drop_packets_total",
	  "The same of what enforce would have dropped in mode observe",
	  { { "class", "syn" }, NONE },
	  RXAQM_STAT_WOULD_DROP_SYN },
	{ "rxaqm_rx_would_class_drop_packets_total",
	  NULL,
	  { { "class", "ect" }, NONE },
	  RXAQM_STAT_WOULD_DROP_ECT },

	{ "rxaqm_rx_stamp_faults_total",
	  "Samples that came to nothing: no stamp, a stamp from the future, or an absurdly old one",
	  { { "reason", "missing" }, NONE },
	  RXAQM_STAT_STAMP_MISSING },
	{ "rxaqm_rx_stamp_faults_total",
	  NULL,
	  { { "reason", "negative" }, NONE },
	  RXAQM_STAT_STAMP_NEGATIVE },
	{ "rxaqm_rx_stamp_faults_total",
	  NULL,
	  { { "reason", "absurd" }, NONE },
	  RXAQM_STAT_STAMP_ABSURD },

	{ "rxaqm_rx_clock_resets_total",
	  "Clock estimates begun anew after a step that this queue noticed",
	  { NONE, NONE },
	  RXAQM_STAT_CLOCK_RESETS },

	{ "rxaqm_rx_socket_packets_total",
	  "Packets handed to the AF_XDP socket of the queue",
	  { NONE, NONE },
	  RXAQM_STAT_REDIRECT },

	{ "rxaqm_rx_socket_wait_faults_total",
	  "Packets judged without what the socket's consumer says of its wait: too old, or not believed",
	  { { "reason", "stale" }, NONE },
	  RXAQM_STAT_WAIT_STALE },
	{ "rxaqm_rx_socket_wait_faults_total",
	  NULL,
	  { { "reason", "bad" }, NONE },
	  RXAQM_STAT_WAIT_BAD },
};

static void print_counters(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_rows *rows)
{
	unsigned int c, i;

	for (c = 0; c < sizeof(counters) / sizeof(counters[0]); c++) {
		const struct counter *counter = &counters[c];

		if (counter->help)
			rxaqm_metrics_family(text, RXAQM_METRICS_COUNTER, counter->family,
					     counter->help);
		for (i = 0; i < rows->nr; i++) {
			const struct rxaqm_metrics_row *row = &rows->row[i];

			rxaqm_metrics_u64(text,
					  RXAQM_METRICS_LABELS("interface", row->interface, "queue",
							       row->queue, counter->label[0].name,
							       counter->label[0].value,
							       counter->label[1].name,
							       counter->label[1].value),
					  row->stat[counter->stat]);
		}
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

/* How many queues are in each of some states. */
static void print_states(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_row *row,
			 const char *label, const char *const *names, const __u32 *queues,
			 unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		rxaqm_metrics_u64(text,
				  RXAQM_METRICS_LABELS("interface", row->interface, "queue",
						       row->queue, label, names[i]),
				  queues[i]);
}

static void print_modes(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_rows *rows)
{
	static const char *const modes[RXAQM_METRICS_NR_MODES] = {
		[RXAQM_METRICS_MODE_OFF] = "off",
		[RXAQM_METRICS_MODE_OBSERVE] = "observe",
		[RXAQM_METRICS_MODE_ENFORCE] = "enforce",
		[RXAQM_METRICS_MODE_LAPSED] = "lapsed",
	};
	static const char *const signals[RXAQM_METRICS_NR_SIGNALS] = {
		[RXAQM_METRICS_SIGNAL_HINT] = "hint",
		[RXAQM_METRICS_SIGNAL_STAMP] = "stamp",
		[RXAQM_METRICS_SIGNAL_BUSY] = "busy",
		[RXAQM_METRICS_SIGNAL_NONE] = "none",
	};
	unsigned int i;

	rxaqm_metrics_family(
		text, RXAQM_METRICS_GAUGE, "rxaqm_rx_mode",
		"Queues in this mode now; lapsed: enforce, but the lease is over, so it observes");
	for (i = 0; i < rows->nr; i++)
		print_states(text, &rows->row[i], "mode", modes, rows->row[i].mode,
			     RXAQM_METRICS_NR_MODES);
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_rx_signal",
			     "Queues whose sojourn comes from this signal now");
	for (i = 0; i < rows->nr; i++)
		print_states(text, &rows->row[i], "signal", signals, rows->row[i].signal,
			     RXAQM_METRICS_NR_SIGNALS);
}

/* Members of a row that are printed as they are. */
static const struct gauge {
	const char *family, *help;
	size_t offset;
	bool is_count; /* a __u32; else ns in a __u64 */
	__u64 unknown_ns; /* value that is not printed */
} gauges[] = {
#define COUNT(name, help, member) \
	{ "rxaqm_rx_" name, help, offsetof(struct rxaqm_metrics_row, member), true, 0 }
#define TIME(name, help, member, unknown)                                                       \
	{ "rxaqm_rx_" name "_seconds", help, offsetof(struct rxaqm_metrics_row, member), false, \
	  unknown }
	COUNT("standing", "Queues whose last poll left packets behind", standing),
	COUNT("codel_dropping", "law=codel: queues in its dropping state", dropping),
	COUNT("bad", "law=auto: queues that stood over target for an interval", bad),
	COUNT("held_by_exempt",
	      "Queues held over target by exempt packets, which no law can help against",
	      held_by_exempt),
	COUNT("socket_served", "Queues that go to an AF_XDP socket", socket),
	COUNT("stamps_distrusted", "Queues whose stamps are not believed now", distrusted),
	TIME("target", "Target in use", target_ns, 0),
	TIME("goal",
	     "law=auto: what queues are held at, less than target where the ring has no room",
	     goal_ns, 0),
	TIME("interval", "Interval in use", interval_ns, 0),
	TIME("floor", "Sojourn below which a target asks too much, as measured", floor_ns, 0),
	TIME("ceiling", "Sojourn beyond which the ring overflows before a law acts, as measured",
	     ceiling_ns, 0),
	TIME("sample_error", "Error bound of the newest sojourn sample", err_ns, 0),
	TIME("socket_wait", "Time packets wait in the socket's ring, as its consumer says", wait_ns,
	     ~0ULL),
	TIME("lease", "Time until enforce lapses to observe; absent without a lease", lease_ns,
	     ~0ULL),
#undef COUNT
#undef TIME
};

static void print_ring_full(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_rows *rows)
{
	unsigned int i;

	rxaqm_metrics_family(text, RXAQM_METRICS_COUNTER, "rxaqm_rx_socket_ring_full_packets_total",
			     "Packets dropped since the socket's ring was full, as its consumer says");
	for (i = 0; i < rows->nr; i++)
		rxaqm_metrics_u64(text,
				  RXAQM_METRICS_LABELS("interface", rows->row[i].interface, "queue",
						       rows->row[i].queue),
				  rows->row[i].ring_full);
}

static void print_gauges(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_rows *rows)
{
	unsigned int g, i;

	for (g = 0; g < sizeof(gauges) / sizeof(gauges[0]); g++) {
		rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, gauges[g].family, gauges[g].help);
		for (i = 0; i < rows->nr; i++) {
			const struct rxaqm_metrics_row *row = &rows->row[i];
			const void *member = (const char *)row + gauges[g].offset;
			const char *const *labels = RXAQM_METRICS_LABELS("interface",
									 row->interface, "queue",
									 row->queue);

			if (gauges[g].is_count)
				rxaqm_metrics_u64(text, labels, *(const __u32 *)member);
			else if (*(const __u64 *)member != gauges[g].unknown_ns)
				rxaqm_metrics_ns(text, labels, (__s64) * (const __u64 *)member);
		}
	}
}

void rxaqm_metrics_print_queues(struct rxaqm_metrics_text *text,
				const struct rxaqm_metrics_rows *rows)
{
	unsigned int i;

	print_counters(text, rows);
	print_ring_full(text, rows);
	rxaqm_metrics_family(
		text, RXAQM_METRICS_HISTOGRAM, "rxaqm_rx_sojourn_seconds",
		"Time packets stood in the queue; the sum takes each for the middle of its bucket");
	for (i = 0; i < rows->nr; i++)
		print_histogram(text, &rows->row[i]);
	print_modes(text, rows);
	print_gauges(text, rows);
	rxaqm_metrics_print_law(text, rows);
}
