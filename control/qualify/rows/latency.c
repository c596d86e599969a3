/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/rows/latency.h"

#include <linux/net_tstamp.h>
#include <math.h>
#include <stdio.h>

#include "base/now.h"
#include "clock/phc.h"
#include "qualify/rows/backlog.h"
#include "qualify/rows/traffic.h"

#define NOW_TRIES 20
#define LATE_NS 100e3
#define DRIFT_MAX 1.1e-3 /* RXAQM_PHC_DRIFT_MAX_Q32, plus 100 ppm of the host */

int qualify_phc_now(struct qualify_run *run, struct rxaqm_phc_sample *sample)
{
	struct rxaqm_phc_sample best = { .err_ns = ~0ULL };
	struct rxaqm_phc phc;
	int err = rxaqm_phc_open(&phc, run->ifname, &run->error), i;

	for (i = 0; !err && i < NOW_TRIES; i++) {
		if (!rxaqm_phc_read(&phc, sample, NULL) && sample->err_ns < best.err_ns)
			best = *sample;
	}
	if (!err)
		rxaqm_phc_close(&phc);
	*sample = best;
	if (!err && best.err_ns == ~0ULL)
		err = qualify_failed(run, EBUSY, "the clock of \"%s\" cannot be read now",
				     run->ifname);
	return err;
}

static double to_host_ns(const struct qualify_phc_line *line, __u64 phc_ns)
{
	double span = (double)(line->to.phc_ns - line->from.phc_ns);
	double rate = span > 0 ? (double)(line->to.host_ns - line->from.host_ns) / span : 1;

	/* Relative to the first reading: a double holds differences exactly, not times. */
	return (double)(__s64)(phc_ns - line->from.phc_ns) * rate;
}

/* The error of what to_host_ns() returns. */
static double error_ns(const struct qualify_phc_line *line)
{
	return (double)(line->from.err_ns > line->to.err_ns ? line->from.err_ns : line->to.err_ns);
}

/* It moved farther than a clock drifts that can be followed. */
static bool has_stepped(const struct qualify_phc_line *line)
{
	double off_ns = (double)(__s64)((line->to.phc_ns - line->from.phc_ns) -
					(line->to.host_ns - line->from.host_ns));
	double span_ns = (double)(line->to.host_ns - line->from.host_ns);

	return fabs(off_ns) > DRIFT_MAX * span_ns + 2 * error_ns(line);
}

/* Delays from the stamps of received frames. A stamp that came twice, or is earlier than its packet
 * was sent, belongs to another packet: row Q3.
 */
static void by_stamps(struct qualify_run *run, const struct qualify_receiver *receiver,
		      const struct qualify_phc_line *line, struct qualify_latency *latency)
{
	__u64 last_hw_ns = 0;
	size_t i;

	for (i = 0; i < receiver->seen.nr; i++) {
		const struct qualify_received *received = &receiver->seen.at[i];
		const struct qualify_seen *seen = qualify_seen(run, received->seq);
		double stamp_ns, took_ns, late_ns;

		if (!seen || !seen->xdp_ns || !received->hw_ns || received->hw_ns == last_hw_ns)
			continue;
		last_hw_ns = received->hw_ns;
		stamp_ns = to_host_ns(line, received->hw_ns);
		late_ns = stamp_ns - (double)(__s64)(seen->sent_ns - line->from.host_ns);
		if (run->peer.same_host && late_ns < -error_ns(line)) {
			latency->before_sent++;
			continue;
		}
		took_ns = (double)(__s64)(seen->xdp_ns - line->from.host_ns) - stamp_ns;
		qualify_samples_add(&latency->samples, took_ns);
		latency->after_xdp += took_ns < -error_ns(line);
		if (run->peer.same_host && !(latency->late_ns < late_ns))
			latency->late_ns = late_ns;
	}
	latency->stamps = latency->samples.nr + latency->before_sent;
	latency->clock_ns = error_ns(line);
	/* Packets arrived up to late_ns before their stamps. */
	latency->error_ns = latency->clock_ns + fmax(latency->late_ns, 0);
	latency->by_stamps = true;
}

static void by_sender(struct qualify_run *run, const struct qualify_send *send,
		      struct qualify_latency *latency)
{
	__u32 i, n = send->count > QUALIFY_SEEN ? QUALIFY_SEEN : send->count;
	const struct qualify_seen *seen;

	latency->samples.nr = 0;
	latency->of = n;
	qualify_each_seen(i, seen, run, send->first + send->count - n, n)
	{
		if (seen->xdp_ns)
			qualify_samples_add(&latency->samples,
					    (double)(__s64)(seen->xdp_ns - seen->sent_ns));
	}
	/* From reading the clock to the wire: the time of a frame or two at the peer's rate. */
	latency->error_ns = 1000 + 2e9 / run->peer_pps;
	latency->by_stamps = false;
}

/* Stamps that are not from the arrival tell no delay. */
static bool are_late(const struct qualify_latency *latency)
{
	return latency->late_ns > LATE_NS || latency->after_xdp * 100 > latency->stamps;
}

/* Compute the delays after all frames came. */
static int evaluate(struct qualify_run *run, const struct qualify_send *send,
		    const struct qualify_receiver *receiver, const struct qualify_phc_line *line,
		    struct qualify_latency *latency)
{
	bool stamps = receiver->fd >= 0;

	if (stamps && has_stepped(line))
		return qualify_failed(
			run, EAGAIN,
			"the clock of the NIC was stepped meanwhile, or is off by over %.0f ppm",
			DRIFT_MAX * 1e6);
	if (stamps)
		by_stamps(run, receiver, line, latency);
	/* Row Q2 judges promised stamps that do not come. */
	if (run->peer.same_host && (!latency->samples.nr || are_late(latency)))
		by_sender(run, send, latency);
	else if (latency->samples.nr && are_late(latency))
		return qualify_failed(run, ERANGE, "%llu of %llu stamps are later than XDP",
				      latency->after_xdp, latency->stamps);
	return 0;
}

int qualify_latency(struct qualify_run *run, struct qualify_send *send,
		    struct qualify_latency *latency)
{
	bool stamps = run->rx_filter == HWTSTAMP_FILTER_ALL && !run->stamp_point.later;
	struct qualify_receiver receiver = QUALIFY_RECEIVER_CLOSED;
	struct qualify_phc_line line;
	struct qualify_sent sent;
	int err = 0;

	*latency = (struct qualify_latency){ .late_ns = NAN };
	if (stamps)
		err = qualify_phc_now(run, &line.from);
	else if (!run->peer.same_host)
		err = rxaqm_error_set(&run->error, RXAQM_EXIT_UNSUPPORTED, EOPNOTSUPP,
				      "needs stamps of all packets when they arrive, or a peer of "
				      "the same host (--loopback)");
	if (!err && stamps)
		err = qualify_receiver_open(&receiver, run->ifname, 1, &run->error);
	if (!err)
		err = qualify_traffic(run, send, stamps ? &receiver : NULL, &sent);
	if (!err && stamps)
		err = qualify_phc_now(run, &line.to);
	if (!err)
		latency->of = sent.count;
	if (!err)
		err = evaluate(run, send, &receiver, &line, latency);
	qualify_receiver_close(&receiver);
	if (!err && !latency->samples.nr)
		err = qualify_failed(run, ENODATA, "none of %llu frames came", sent.count);
	if (err)
		qualify_samples_free(&latency->samples);
	return err;
}

#define FRAMES 256U
#define STAMPS_LEAST 8
/* The time from the last frame sent to the first taken. A stamp that is late by less is not found.
 */
#define STAND_MS 20

struct point {
	__u32 stamps, later; /* later: than the time the ring was let go */
	double most_ns; /* how much later */
	bool stepped; /* the clock was stepped, or drifts too far: no result */
};

static void count_later(const struct qualify_receiver *receiver, const struct qualify_send *send,
			const struct qualify_phc_line *line, __u64 free_ns, struct point *point)
{
	double until_ns = (double)(__s64)(free_ns - line->from.host_ns) + error_ns(line);
	const struct qualify_received *received;
	double over_ns;

	point->stepped = has_stepped(line);
	rxaqm_list_each(received, &receiver->seen) {
		if (!received->hw_ns || received->seq - send->first >= send->count)
			continue;
		point->stamps++;
		over_ns = to_host_ns(line, received->hw_ns) - until_ns;
		point->later += over_ns > 0;
		if (over_ns > point->most_ns)
			point->most_ns = over_ns;
	}
}

/* Let packets wait in the ring while the receiving CPU is held. -ETIMEDOUT: it could not be held.
 */
static int try_point(struct qualify_run *run, struct qualify_receiver *receiver,
		     struct point *point)
{
	__u32 ring = run->ring ? run->ring : FRAMES;
	struct qualify_send send = QUALIFY_SEND(.count = ring / 2 < FRAMES ? ring / 2 : FRAMES);
	struct qualify_backlog backlog;
	struct qualify_phc_line line;
	__u64 free_ns;
	bool held;
	int err = qualify_phc_now(run, &line.from);

	if (err)
		return err;
	*point = (struct point){};
	qualify_probe_clear(&run->probe);
	qualify_receiver_clear(receiver);
	err = qualify_hold(run, &send);
	qualify_sleep_ms(run, STAND_MS);
	free_ns = rxaqm_now_ns();
	held = qualify_let_go(run);
	if (!err)
		err = qualify_held(run, &send, held, &backlog);
	if (!err)
		err = qualify_phc_now(run, &line.to);
	qualify_receiver_take(receiver);
	if (!err)
		count_later(receiver, &send, &line, free_ns, point);
	return err;
}

static int measure_point(struct qualify_run *run, struct point *point)
{
	struct qualify_receiver receiver = QUALIFY_RECEIVER_CLOSED;
	int err = qualify_receiver_open(&receiver, run->ifname, 1, &run->error), i;

	if (err)
		return err;
	err = -ETIMEDOUT;
	for (i = 0; err == -ETIMEDOUT && i < QUALIFY_BACKLOG_TRIES && !*run->stop; i++)
		err = try_point(run, &receiver, point);
	qualify_receiver_close(&receiver);
	qualify_probe_clear(&run->probe);
	return err;
}

static void keep_point(struct qualify_run *run, int err, const struct point *point)
{
	bool known = !err && !point->stepped && point->stamps >= STAMPS_LEAST;
	char *detail = run->stamp_point.detail;
	size_t size = sizeof(run->stamp_point.detail);

	run->stamp_point.words = !known ? "unknown" : point->later ? "later" : "arrival";
	if (err)
		snprintf(detail, size, "%.80s", run->error.text);
	else if (point->stepped)
		snprintf(detail, size, "the clock was stepped meanwhile");
	else if (!known)
		snprintf(detail, size, "%u packets had a stamp", point->stamps);
	else if (point->later)
		snprintf(detail, size, "%u of %u, by %.1f ms and more", point->later, point->stamps,
			 STAND_MS + point->most_ns / 1e6);
	run->stamp_point.later = !err && !point->stepped && point->later;
}

void qualify_find_stamp_point(struct qualify_run *run)
{
	struct point point = {};

	if (run->rx_filter == HWTSTAMP_FILTER_ALL && !run->stamp_point.words)
		keep_point(run, measure_point(run, &point), &point);
}

void qualify_put_stamp_point(struct qualify_run *run, struct qualify_row *row)
{
	qualify_find_stamp_point(run);
	qualify_figure_detail(
		qualify_figure_add(row, "stamp_point", "",
				   "stamps of packets that waited in the ring for %d ms or more while "
				   "XDP held the CPU, compared with when it let go",
				   STAND_MS),
		run->stamp_point.words ?: "", "%s", run->stamp_point.detail);
}
