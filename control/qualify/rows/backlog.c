/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/rows/backlog.h"

#include <math.h>
#include <sched.h>
#include <unistd.h>

#include "base/now.h"
#include "qualify/rows/traffic.h"

#define CALIBRATE_MS 150
#define CALIBRATE_TRIES 3
#define STALL_MAX_MS 1500 /* a peer behind ssh begins late */
#define STALL_SEND_MS 300
#define STALL_SEEN_MS 1000
#define STALL_SEEN_FAR_MS 5000
#define ODD_NS 50000.0
#define DEPTH_MAX 30000

/* Keep this process and a peer of this host off @cpu, which NAPI needs. */
static void leave_alone(struct qualify_run *run, unsigned int cpu)
{
	cpu_set_t cpus;

	if (!run->peer.same_host || sched_getaffinity(0, sizeof(cpus), &cpus))
		return;
	CPU_CLR(cpu, &cpus);
	if (!CPU_COUNT(&cpus))
		return; /* the only CPU; rows that need two say so */
	sched_setaffinity(0, sizeof(cpus), &cpus);
	sched_setaffinity(run->peer.pid, sizeof(cpus), &cpus);
}

/* Send @send, and find any frame of it that came; NULL: none. -errno with @error. */
static int sample(struct qualify_run *run, struct qualify_send *send, struct qualify_sent *sent,
		  const struct qualify_seen **ret_seen)
{
	__u32 i;
	int err;

	qualify_probe_clear(&run->probe);
	run->probe.orders->drop = 1;
	err = qualify_traffic(run, send, NULL, sent);
	*ret_seen = NULL;
	for (i = 0; !err && i < sent->count && !*ret_seen && !*run->stop; i++)
		*ret_seen = qualify_seen(run, send->first + i);
	return err;
}

int qualify_calibrate(struct qualify_run *run)
{
	struct qualify_send few = QUALIFY_SEND(.count = 200, .pps = 20000),
			    many = QUALIFY_SEND(.count = 60000, .max_ms = CALIBRATE_MS);
	const struct qualify_seen *seen = NULL;
	struct qualify_sent sent = {};
	unsigned int tries;
	int err = 0;

	if (run->peer_pps)
		return 0;
	/* First find the queue and CPU of frames, then, from another CPU, the rate. */
	for (tries = 0; !err && !seen && tries < CALIBRATE_TRIES; tries++)
		err = sample(run, &few, &sent, &seen);
	if (!err && !seen)
		err = qualify_failed(run, ENETUNREACH,
				     "none of %llu frames that the peer sent reached \"%s\": is the "
				     "cable between the two, are both up?",
				     sent.count, run->ifname);
	if (err)
		return err;
	run->rx_queue = seen->queue;
	leave_alone(run, seen->cpu);
	err = sample(run, &many, &sent, &seen);
	if (!err)
		run->peer_pps = (__u32)((double)sent.count * 1e9 / (double)(sent.took_ns + 1)) + 1;
	return err;
}

static bool wait_stalled(struct qualify_run *run)
{
	const __u64 most_ns = (run->peer.same_host ? STALL_SEEN_MS : STALL_SEEN_FAR_MS) *
			      RXAQM_NSEC_PER_MSEC;
	const volatile struct qualify_progress *progress = run->probe.progress;
	__u64 start_ns = rxaqm_now_ns();

	while (!progress->stalled && !*run->stop &&
	       rxaqm_ns_since(rxaqm_now_ns(), start_ns) < most_ns)
		usleep(200);
	return progress->stalled == 1;
}

/* Frames a second while they were taken one after the other, from @first to @last. Leave out gaps
 * many times the median: there the CPU did something else.
 */
static double drain_rate(struct qualify_run *run, __u32 first, __u32 last)
{
	struct qualify_samples gaps = {};
	double sum = 0, most;
	size_t n = 0, i;
	__u32 seq;

	for (seq = first; seq < last; seq++)
		qualify_samples_add(&gaps, (double)(__s64)(qualify_seen(run, seq + 1)->xdp_ns -
							   qualify_seen(run, seq)->xdp_ns));
	qualify_samples_sort(&gaps);
	most = 20 * qualify_samples_quantile(&gaps, 0.5) + ODD_NS;
	for (i = 0; i < gaps.nr && gaps.at[i] <= most; i++) {
		sum += gaps.at[i];
		n++;
	}
	qualify_samples_free(&gaps);
	return n && sum > 0 ? (double)n * 1e9 / sum : NAN;
}

static void count_backlog(struct qualify_run *run, __u32 first, struct qualify_backlog *backlog)
{
	bool gap = false;
	__u64 i, skip;

	for (i = 0; i < backlog->sent && !*run->stop; i++) {
		bool seen = qualify_seen(run, first + (__u32)i);

		gap |= !seen;
		backlog->came += seen;
		backlog->held += !gap;
	}
	/* The first frames measure the caches, not the rate. */
	skip = backlog->held / 8;
	if (backlog->held >= skip + 16)
		backlog->drain_pps = drain_rate(run, first + (__u32)skip,
						first + (__u32)backlog->held - 1);
}

int qualify_hold(struct qualify_run *run, struct qualify_send *send)
{
	struct qualify_orders *orders = run->probe.orders;
	struct qualify_sent sent;
	__u64 until_ns;
	int err;

	/* The first frame holds the CPU; the others come behind it. */
	orders->stall_seq = run->seq;
	orders->stall_ms = STALL_MAX_MS;
	send->max_ms = STALL_SEND_MS;
	send->count++;
	err = qualify_begin(run, send);
	send->count--;
	send->first++;
	if (!err && !wait_stalled(run)) {
		qualify_let_go(run);
		qualify_peer_end(&run->peer, &sent, NULL);
		err = qualify_failed(run, ETIMEDOUT,
				     "the frame that was to hold the receiving CPU did not come");
	}
	/* By then all is sent. The answer may be missing: its interrupt may need the held CPU. */
	until_ns = rxaqm_now_ns() + 2 * STALL_SEND_MS * RXAQM_NSEC_PER_MSEC;
	while (!err && !*run->stop && !qualify_peer_done(&run->peer, 1) &&
	       !rxaqm_ns_reached(rxaqm_now_ns(), until_ns))
		;
	return err;
}

bool qualify_let_go(struct qualify_run *run)
{
	bool held = run->probe.progress->stalled == 1;

	run->probe.orders->release = 1;
	return held;
}

int qualify_held(struct qualify_run *run, const struct qualify_send *send, bool held,
		 struct qualify_backlog *backlog)
{
	struct qualify_sent sent = {};
	int err = qualify_finish(run, NULL, &sent);

	*backlog = (struct qualify_backlog){ .drain_pps = NAN };
	if (err)
		return err;
	if (!held)
		return qualify_failed(
			run, ETIMEDOUT,
			"the receiving CPU could not be held while the peer sent: do both share a "
			"CPU?");
	backlog->sent = sent.count ? sent.count - 1 : 0;
	count_backlog(run, send->first, backlog);
	return 0;
}

int qualify_backlog_once(struct qualify_run *run, struct qualify_send *send, bool drop,
			 struct qualify_backlog *backlog)
{
	bool held;
	int err;

	qualify_probe_clear(&run->probe);
	run->probe.orders->drop = drop;
	err = qualify_hold(run, send);
	held = qualify_let_go(run);
	return err ?: qualify_held(run, send, held, backlog);
}

int qualify_backlog(struct qualify_run *run, struct qualify_send *send, bool drop,
		    struct qualify_backlog *backlog)
{
	int err = -ETIMEDOUT, i;

	/* A busy host may be late. */
	for (i = 0; err == -ETIMEDOUT && i < QUALIFY_BACKLOG_TRIES && !*run->stop; i++)
		err = qualify_backlog_once(run, send, drop, backlog);
	return err;
}

int qualify_slow_down(struct qualify_run *run, __u32 *ret_cost_ns, double *ret_capacity_pps)
{
	struct qualify_send send = QUALIFY_SEND(.count = run->peer_pps, .max_ms = 400);
	const volatile struct qualify_progress *progress = run->probe.progress;
	double cost_ns = 3e9 / run->peer_pps;
	__u64 start_ns, first;
	struct qualify_sent sent;
	int err;

	*ret_cost_ns = cost_ns > QUALIFY_COST_MAX_NS ? QUALIFY_COST_MAX_NS : (__u32)cost_ns;
	qualify_probe_clear(&run->probe);
	run->probe.orders->cost_ns = *ret_cost_ns;
	err = qualify_begin(run, &send);
	qualify_sleep_ms(run, 150); /* a queue stands by now */
	start_ns = rxaqm_now_ns();
	first = progress->stack;
	qualify_sleep_ms(run, 200);
	*ret_capacity_pps = (double)(progress->stack - first) * 1e9 /
			    (double)(rxaqm_now_ns() - start_ns);
	if (!err)
		err = qualify_finish(run, NULL, &sent);
	if (!err && *ret_capacity_pps < 1)
		err = qualify_failed(run, ENETDOWN,
				     "nothing came while the peer sent at its full rate");
	run->rx_napi = progress->napi_id[run->rx_queue % QUALIFY_QUEUES];
	qualify_probe_clear(&run->probe);
	return err;
}

__u32 qualify_overflowing(const struct qualify_run *run)
{
	__u32 ring = run->ring ? run->ring : 4096;

	return 2 * ring + 1024 > DEPTH_MAX ? DEPTH_MAX : 2 * ring + 1024;
}

void qualify_not_overrun(struct qualify_row *row, double nr)
{
	qualify_unknown(row,
			"none of %.0f frames sent while the receiving CPU was held was lost: needs a "
			"peer that can send more in that time (ethtool -G tx; its interrupts on "
			"another CPU), and no flow control (ethtool -A)",
			nr);
}

void qualify_put_entries(const struct qualify_run *run, struct qualify_row *row)
{
	if (run->ring)
		qualify_put_number(row, "ring_entries", "packets", run->ring, 1, 0, "%s",
				   run->facts.ring ? "ethtool -g" : "the NIC's profile");
}
