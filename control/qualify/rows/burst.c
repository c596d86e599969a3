/* SPDX-License-Identifier: GPL-2.0-only */
/* Q10: the longest burst that is received without loss. */
#include <math.h>
#include <unistd.h>

#include "base/now.h"
#include "qualify/rows/backlog.h"
#include "qualify/rows/traffic.h"

#define TRIES 3
#define SHORTEST 16U
#define FLOWS 1024
#define LONGEST_TAKES_NS 3e9 /* the next burst must not meet it */
#define CLOSE_ENOUGH 16 /* a length is known to 1/16 */

/* The flows of bursts, and what a frame costs the stack. */
struct way {
	__u32 flows, cost_ns, most;
};

struct burst {
	__u32 count;
	double lost; /* share */
	double pps;
	double stood; /* frames still waiting when the last one was sent */
};

/* What bursts tell about a buffer. */
struct limits {
	struct burst whole; /* the longest without loss */
	struct burst lossy; /* the shortest with loss; count 0: none */
	double stood; /* frames, the most that waited when a burst's last one was sent */
};

/* Count what came of a burst, frame by frame: queues use CPUs of their own. How many were taken
 * while it came is known by the clock; if the peer has another clock, by rates (RFC 9004, 6.4, with
 * frames instead of time, which would be the sender's).
 */
static void count_burst(struct qualify_run *run, __u32 first, const struct qualify_sent *sent,
			struct burst *burst)
{
	__u64 came = 0, stood = 0, sent_ns = 0, least_ns = ~0ULL, most_ns = 0;
	const struct qualify_seen *seen;
	__u32 i;

	qualify_each_seen(i, seen, run, first, sent->count) sent_ns = seen->sent_ns;
	qualify_each_seen(i, seen, run, first, sent->count)
	{
		if (!seen->xdp_ns)
			continue;
		came++;
		stood += rxaqm_ns_after(seen->xdp_ns, sent_ns);
		least_ns = seen->xdp_ns < least_ns ? seen->xdp_ns : least_ns;
		most_ns = seen->xdp_ns > most_ns ? seen->xdp_ns : most_ns;
	}
	burst->lost = sent->count ? 1 - (double)came / (double)sent->count : NAN;
	burst->pps = (double)sent->count * 1e9 / (double)(sent->took_ns + 1);
	burst->stood = (double)stood;
	if (!run->peer.same_host)
		burst->stood = fmax(0, (double)came - (double)came * (double)came * 1e9 /
							      ((double)(most_ns - least_ns + 1) *
							       burst->pps));
}

/* Keep the best of some tries: a busy host may be late, which is no loss by the NIC. */
static int send_burst(struct qualify_run *run, const struct way *way, __u32 count,
		      struct burst *best, double *stood)
{
	struct qualify_sent sent;
	struct burst burst = { .count = count };
	int err = 0, i;

	*best = (struct burst){ .lost = INFINITY };
	for (i = 0; !err && best->lost > 0 && i < TRIES; i++) {
		struct qualify_send send = QUALIFY_SEND(.count = count, .flows = way->flows);

		qualify_probe_clear(&run->probe);
		run->probe.orders->cost_ns = way->cost_ns;
		err = qualify_traffic(run, &send, NULL, &sent);
		if (err)
			break;
		count_burst(run, send.first, &sent, &burst);
		*stood = fmax(*stood, burst.stood);
		if (burst.lost < best->lost)
			*best = burst;
	}
	return err;
}

static int search(struct qualify_run *run, const struct way *way, struct rxaqm_curve *curve,
		  struct limits *limits)
{
	struct burst *whole = &limits->whole, *lossy = &limits->lossy;
	__u32 count = SHORTEST;
	struct burst burst;
	int err = 0;

	*limits = (struct limits){};
	while (!err && count <= way->most && !*run->stop) {
		err = send_burst(run, way, count, &burst, &limits->stood);
		if (err)
			break;
		if (curve && !lossy->count)
			qualify_curve_point(curve, count, burst.lost);
		if (burst.lost > 0)
			*lossy = burst;
		else
			*whole = burst;
		/* Grow by half until frames are lost, then search in between. */
		if (!lossy->count)
			count += count / 2;
		else if (lossy->count - whole->count <= whole->count / CLOSE_ENOUGH + 1)
			break;
		else
			count = (lossy->count + whole->count) / 2;
	}
	return err;
}

/* By the clock the number may be too small, not too large: it lacks frames that a poll took whose
 * buffers the driver had not yet returned. By rates, pauses of the CPU count as frames.
 */
static void put_buffer(struct qualify_run *run, struct qualify_row *row,
		       const struct limits *limits, bool all, double error_packets)
{
	bool by_clock = run->peer.same_host;

	qualify_put_number(row, all ? "buffer_all" : "buffer_queue", "packets",
			   by_clock ? limits->stood : limits->whole.stood, 1, error_packets, "%s",
			   by_clock ?
				   "most frames of a burst that were not yet taken when its last one was "
				   "sent, by the clock" :
				   "frames of that burst that were not taken while it came (RFC 9004, "
				   "corrected), by rates");
}

static int put_bursts(struct qualify_run *run, struct qualify_row *row, const struct way *way,
		      bool all)
{
	struct qualify_figure *figure = qualify_figure_add(
		row, all ? "burst_all" : "burst_queue", "packets",
		"the longest burst without loss, of %u to %u shortest frames back to back, to "
		"%s, in the best of %d tries; each frame cost the stack %u ns",
		SHORTEST, way->most, all ? "all queues" : "one queue", TRIES, way->cost_ns);
	struct rxaqm_curve *curve = qualify_curve_add(figure, all ? "lost, all queues" : "lost",
						      "packets", "share");
	struct limits limits;
	double error_packets;
	int err = search(run, way, curve, &limits);

	if (err)
		return err;
	error_packets = limits.lossy.count ? (double)(limits.lossy.count - limits.whole.count) :
					     NAN;
	qualify_figure_number(figure, limits.whole.count, 1, error_packets);
	if (limits.whole.count && limits.lossy.count)
		put_buffer(run, row, &limits, all, error_packets);
	qualify_put_number(row, all ? "burst_rate_all" : "burst_rate", "pps", limits.whole.pps, 1,
			   NAN, "rate at which the peer sent it%s",
			   limits.lossy.count ? "" : "; none was lost");
	return 0;
}

static void limit_to(struct way *way, __u32 frames)
{
	double most = LONGEST_TAKES_NS / (way->cost_ns + 1.0);

	way->most = frames < most ? frames : (__u32)most;
}

int qualify_row_burst(struct qualify_run *run, struct qualify_row *row)
{
	unsigned int queues = run->facts.nr_rx + run->facts.nr_combined;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct way one = { .flows = 1 }, all = { .flows = FLOWS };
	double capacity_pps;
	int err;

	qualify_put_entries(run, row);
	/* The peer sends three times of what is taken, however slow the peer is. */
	err = qualify_slow_down(run, &one.cost_ns, &capacity_pps);
	limit_to(&one, qualify_overflowing(run));
	if (!err)
		err = put_bursts(run, row, &one, false);
	if (err || queues < 2)
		return err;
	/* That many CPUs may take them. */
	all.cost_ns = one.cost_ns * (__u32)(queues < cpus ? queues : cpus);
	if (all.cost_ns > QUALIFY_COST_MAX_NS)
		all.cost_ns = QUALIFY_COST_MAX_NS;
	limit_to(&all, qualify_overflowing(run) * queues);
	if (all.most > QUALIFY_SEEN / 2)
		all.most = QUALIFY_SEEN / 2;
	return put_bursts(run, row, &all, true);
}
