// SPDX-License-Identifier: GPL-2.0-only
/* The settings, and the truth, as they are read and written. A bad value is -EINVAL. */
#include <linux/ctype.h>
#include <linux/cpumask.h>

#include "knob.h"

#define RATE_MBPS_MAX 1000000
#define ONE_IN_MAX 1000000
#define STAMP_LATE_MAX_NS (100 * NSEC_PER_MSEC)
#define RESET_MAX_MS 5000
#define STALL_MAX_US 200000

static int parse_u32(const char *line, u32 max, u32 *out)
{
	u32 value;

	if (kstrtou32(line, 0, &value) || value > max)
		return -EINVAL;
	*out = value;
	return 0;
}

int simnic_store_number(const struct simnic_file *file, const char *line)
{
	u32 value;

	if (parse_u32(line, file->knob->max, &value) || value < file->knob->min)
		return -EINVAL;
	WRITE_ONCE(*simnic_number(file), value);
	return 0;
}

static void rate_show(struct simnic *sn, struct seq_file *m)
{
	seq_printf(m, "%u\n", sn->wire.rate_mbps);
}

static int rate_store(struct simnic *sn, char *line)
{
	u32 rate_mbps;

	if (parse_u32(line, RATE_MBPS_MAX, &rate_mbps))
		return -EINVAL;
	simnic_wire_set_rate(sn, rate_mbps);
	return 0;
}

static void irq_cpu_show(struct simnic *sn, struct seq_file *m)
{
	u32 i;

	for (i = 0; i < sn->max_queues; i++)
		seq_printf(m, "%u %d\n", i, sn->q[i].irq_cpu);
}

/* "CPU" for all queues, or "QUEUE CPU". */
static int irq_cpu_store(struct simnic *sn, char *line)
{
	char *second = strchr(line, ' ');
	u32 i, cpu, queue = 0;

	if (second) {
		*second = '\0';
		second = skip_spaces(second + 1);
		if (parse_u32(line, sn->max_queues - 1, &queue))
			return -EINVAL;
	}
	if (parse_u32(second ? second : line, nr_cpu_ids - 1, &cpu) || !cpu_online(cpu))
		return -EINVAL;
	for (i = 0; i < sn->max_queues; i++) {
		if (!second || i == queue)
			WRITE_ONCE(sn->q[i].irq_cpu, cpu);
	}
	return 0;
}

static void rx_queue_show(struct simnic *sn, struct seq_file *m)
{
	if (sn->steer == SIMNIC_STEER_HASH)
		seq_puts(m, "hash\n");
	else
		seq_printf(m, "%d\n", sn->steer);
}

/* "hash", or the queue that all frames go to. */
static int rx_queue_store(struct simnic *sn, char *line)
{
	u32 queue;

	if (!strcmp(line, "hash")) {
		WRITE_ONCE(sn->steer, SIMNIC_STEER_HASH);
		return 0;
	}
	if (parse_u32(line, sn->max_queues - 1, &queue))
		return -EINVAL;
	WRITE_ONCE(sn->steer, queue);
	return 0;
}

/* The rings start anew: a NAPI is given its weight, and its rings, when it is made. */
static int store_cfg(struct simnic *sn, const char *line, size_t field, u32 max)
{
	struct simnic_cfg cfg;
	u32 value;
	int err;

	if (parse_u32(line, max, &value) || !value)
		return -EINVAL;
	rtnl_lock();
	cfg = sn->cfg;
	*(u32 *)((void *)&cfg + field) = value;
	err = simnic_reconfigure(sn, &cfg);
	rtnl_unlock();
	return err;
}

static void alloc_fail_show(struct simnic *sn, struct seq_file *m)
{
	seq_printf(m, "%u %u\n", sn->alloc_fail_after, sn->alloc_fail_count);
}

/* "AFTER COUNT": so many pages from now are had, then so many are not. */
static int alloc_fail_store(struct simnic *sn, char *line)
{
	char *second = strchr(line, ' ');
	u32 after, count;

	if (!second)
		return -EINVAL;
	*second = '\0';
	if (parse_u32(line, ONE_IN_MAX, &after) ||
	    parse_u32(skip_spaces(second + 1), ONE_IN_MAX, &count))
		return -EINVAL;
	WRITE_ONCE(sn->alloc_fail_count, 0);
	WRITE_ONCE(sn->alloc_fail_after, after);
	WRITE_ONCE(sn->alloc_fail_count, count);
	return 0;
}

static const char *const tunnel_names[] = { "outer", "inner" };

static void tunnel_show(struct simnic *sn, struct seq_file *m)
{
	seq_printf(m, "%s\n", tunnel_names[sn->rss.inner]);
}

static int tunnel_store(struct simnic *sn, char *line)
{
	int inner = match_string(tunnel_names, ARRAY_SIZE(tunnel_names), line);

	if (inner < 0)
		return -EINVAL;
	WRITE_ONCE(sn->rss.inner, inner);
	return 0;
}

static void weight_show(struct simnic *sn, struct seq_file *m)
{
	seq_printf(m, "%u\n", sn->cfg.napi_weight);
}

static int weight_store(struct simnic *sn, char *line)
{
	return store_cfg(sn, line, offsetof(struct simnic_cfg, napi_weight), NAPI_POLL_WEIGHT);
}

static void rings_show(struct simnic *sn, struct seq_file *m)
{
	seq_printf(m, "%u\n", sn->cfg.rings_per_napi);
}

static int rings_store(struct simnic *sn, char *line)
{
	return store_cfg(sn, line, offsetof(struct simnic_cfg, rings_per_napi), sn->max_queues);
}

static const char *const rx_path_names[] = {
	[SIMNIC_PATH_GRO] = "gro",
	[SIMNIC_PATH_LIST] = "list",
};

static void rx_path_show(struct simnic *sn, struct seq_file *m)
{
	seq_printf(m, "%s\n", rx_path_names[sn->rx_path]);
}

static int rx_path_store(struct simnic *sn, char *line)
{
	int path = match_string(rx_path_names, ARRAY_SIZE(rx_path_names), line);

	if (path < 0)
		return -EINVAL;
	WRITE_ONCE(sn->rx_path, path);
	return 0;
}

static const char *const coverage_names[] = {
	[SIMNIC_STAMP_ALL] = "all",
	[SIMNIC_STAMP_PTP] = "ptp",
	[SIMNIC_STAMP_NONE] = "none",
};

static void coverage_show(struct simnic *sn, struct seq_file *m)
{
	seq_printf(m, "%s\n", coverage_names[sn->coverage]);
}

/* A filter that the new coverage does not allow is switched off. */
static int coverage_store(struct simnic *sn, char *line)
{
	int coverage = match_string(coverage_names, ARRAY_SIZE(coverage_names), line);

	if (coverage < 0)
		return -EINVAL;
	rtnl_lock();
	sn->coverage = coverage;
	if (!simnic_filter_allowed(sn, sn->rx_filter))
		WRITE_ONCE(sn->rx_filter, HWTSTAMP_FILTER_NONE);
	rtnl_unlock();
	return 0;
}

static void offset_show(struct simnic *sn, struct seq_file *m)
{
	u64 mono_ns = ktime_get_ns();

	seq_printf(m, "%lld\n", (s64)(simnic_phc_at(&sn->phc, mono_ns) - mono_ns));
}

/* The PHC shows MONOTONIC plus this, now. */
static int offset_store(struct simnic *sn, char *line)
{
	u64 mono_ns = ktime_get_ns();
	s64 offset_ns;

	if (kstrtos64(line, 0, &offset_ns) || (s64)(mono_ns + offset_ns) < 0)
		return -EINVAL;
	simnic_phc_set(&sn->phc, mono_ns + offset_ns, mono_ns);
	return 0;
}

static void drift_show(struct simnic *sn, struct seq_file *m)
{
	seq_printf(m, "%d\n", sn->phc.drift_ppb);
}

static int drift_store(struct simnic *sn, char *line)
{
	s32 drift_ppb;

	if (kstrtos32(line, 0, &drift_ppb))
		return -EINVAL;
	return simnic_phc_set_drift(&sn->phc, drift_ppb);
}

static int step_store(struct simnic *sn, char *line)
{
	s64 step_ns;

	if (kstrtos64(line, 0, &step_ns))
		return -EINVAL;
	if ((s64)(simnic_phc_at(&sn->phc, ktime_get_ns()) + step_ns) < 0)
		return -EINVAL;
	simnic_phc_step(&sn->phc, step_ns);
	return 0;
}

static void truth_show(struct simnic *sn, struct seq_file *m)
{
	u32 i, bucket;

	for (i = 0; i < sn->max_queues; i++) {
		const struct simnic_hist *h = &sn->q[i].rx_delay;
		struct simnic_quantiles quantiles;

		simnic_hist_quantiles(&h, 1, &quantiles);
		seq_printf(m, "queue %u count %llu p50_ns %llu p99_ns %llu max_ns %llu\n", i,
			   quantiles.count, quantiles.p50_ns, quantiles.p99_ns, quantiles.max_ns);
		for (bucket = 0; bucket < SIMNIC_HIST_BUCKETS; bucket++) {
			u64 n = simnic_hist_count(h, bucket);

			if (n)
				seq_printf(m, "  %llu %llu %llu\n", simnic_hist_low(bucket),
					   simnic_hist_low(bucket + 1), n);
		}
	}
}

/* Forgets both delays, those of Rx and those of Tx completions. */
static int truth_reset_store(struct simnic *sn, char *line)
{
	u32 i;

	if (strcmp(line, "1"))
		return -EINVAL;
	for (i = 0; i < sn->max_queues; i++) {
		simnic_hist_reset(&sn->q[i].rx_delay);
		simnic_hist_reset(&sn->q[i].tx_delay);
	}
	return 0;
}

struct stall {
	struct simnic *sn;
	u32 us;
};

static void stall(void *arg)
{
	const struct stall *s = arg;

	simnic_stall(s->sn, s->us);
}

/* Pauses the irq CPU of queue 0, once, for this long. */
static int stall_store(struct simnic *sn, char *line)
{
	struct stall s = { .sn = sn };

	if (parse_u32(line, STALL_MAX_US, &s.us))
		return -EINVAL;
	return smp_call_function_single(READ_ONCE(sn->q[0].irq_cpu), stall, &s, true);
}

#define NUMBER(name, min, max) { #name, NULL, NULL, offsetof(struct simnic, name), min, max }

const struct simnic_knob simnic_knobs[] = {
	{ "rate_mbps", rate_show, rate_store },
	NUMBER(rx_cost_ns, 0, SIMNIC_SPIN_MAX_NS),
	NUMBER(xdp_cost_ns, 0, SIMNIC_SPIN_MAX_NS),
	NUMBER(tx_cost_ns, 0, SIMNIC_SPIN_MAX_NS),
	NUMBER(rx_skb_ns, 0, SIMNIC_SPIN_MAX_NS),
	NUMBER(tx_ack_ns, 0, SIMNIC_SPIN_MAX_NS),
	NUMBER(pace, 0, 1),
	{ "irq_cpu", irq_cpu_show, irq_cpu_store },
	{ "rx_queue", rx_queue_show, rx_queue_store },
	{ "rss_tunnel", tunnel_show, tunnel_store },
	NUMBER(rekey_resets, 0, 1),
	NUMBER(xdp_resets_phc, 0, 1),
	{ "alloc_fail", alloc_fail_show, alloc_fail_store },
	NUMBER(alloc_retry, 0, 1),
	{ "napi_weight", weight_show, weight_store },
	{ "rings_per_napi", rings_show, rings_store },
	{ "rx_path", rx_path_show, rx_path_store },
	{ "stamp_coverage", coverage_show, coverage_store },
	NUMBER(stamp_one_in, 1, ONE_IN_MAX),
	NUMBER(stamp_repeat_one_in, 0, ONE_IN_MAX),
	NUMBER(stamp_late_ns, 0, STAMP_LATE_MAX_NS),
	NUMBER(stamp_at_poll, 0, 1),
	{ "phc_offset_ns", offset_show, offset_store },
	{ "phc_drift_ppb", drift_show, drift_store },
	{ "phc_step_ns", NULL, step_store },
	NUMBER(missed_one_in, 0, ONE_IN_MAX),
	NUMBER(reset_ms, 0, RESET_MAX_MS),
	{ "stall_us", NULL, stall_store },
	{ "truth", truth_show, NULL },
	{ "truth_reset", NULL, truth_reset_store },
};

static_assert(ARRAY_SIZE(simnic_knobs) == SIMNIC_NR_FILES);
