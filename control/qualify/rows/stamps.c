/* SPDX-License-Identifier: GPL-2.0-only */
/* Q2, Q3, Q4, Q8: stamps of received packets, and the time from stamp to XDP. */
#include <linux/net_tstamp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qualify/rows/latency.h"
#include "qualify/rows/traffic.h"

#define COVERAGE_FRAMES 200
#define COVERAGE_PPS 4000

static const struct kind_of_packet {
	const char *figure;
	enum qualify_kind kind;
	__u32 size; /* 0: of the MTU */
	__u32 pps; /* 0: back to back */
	bool ptp;
} kinds_of_packets[] = {
	{ "stamped_small", QUALIFY_UDP4, QUALIFY_FRAME_MIN, COVERAGE_PPS, false },
	{ "stamped_udp", QUALIFY_UDP4, 0, COVERAGE_PPS, false },
	{ "stamped_tcp", QUALIFY_TCP4, 0, COVERAGE_PPS, false },
	{ "stamped_udp6", QUALIFY_UDP6, 200, COVERAGE_PPS, false },
	{ "stamped_vlan", QUALIFY_VLAN, 200, COVERAGE_PPS, false },
	{ "stamped_fragment", QUALIFY_FRAGMENT, 200, COVERAGE_PPS, false },
	{ "stamped_burst", QUALIFY_UDP4, QUALIFY_FRAME_MIN, 0, false },
	{ "stamped_ptp", QUALIFY_PTP_L2, 100, COVERAGE_PPS, true },
	{ "stamped_ptp_udp", QUALIFY_PTP_UDP, 120, COVERAGE_PPS, true },
};

struct share {
	__u64 stamped, came, sent;
};

/* A late frame of an earlier sending does not count. */
static bool is_of(const struct qualify_received *received, const struct qualify_send *send)
{
	return received->seq - send->first < send->count;
}

static struct share count_stamped(const struct qualify_receiver *receiver,
				  const struct qualify_send *send)
{
	const struct qualify_received *received;
	struct share share = {};

	rxaqm_list_each(received, &receiver->seen) {
		if (!is_of(received, send))
			continue;
		share.came++;
		share.stamped += received->hw_ns != 0;
	}
	return share;
}

static int cover(struct qualify_run *run, const struct kind_of_packet *of,
		 struct qualify_receiver *receiver, struct qualify_row *row,
		 struct share *ret_share)
{
	struct qualify_send send = QUALIFY_SEND(.kind = of->kind, .count = COVERAGE_FRAMES,
						.pps = of->pps, .size = of->size);
	struct qualify_figure *figure;
	struct qualify_sent sent;
	int err;

	if (!send.size)
		send.size = run->record->mtu + ETH_HLEN;
	/* Counting begins here. */
	qualify_receiver_clear(receiver);
	qualify_probe_clear(&run->probe);
	err = qualify_traffic(run, &send, receiver, &sent);
	if (err)
		return err;
	*ret_share = count_stamped(receiver, &send);
	figure = qualify_figure_add(row, of->figure, "share",
				    "SO_TIMESTAMPING of frames of %u bytes that came, %s",
				    send.size, of->pps ? "250 us apart" : "back to back");
	ret_share->sent = sent.count;
	qualify_figure_of(figure, sent.count);
	if (ret_share->came)
		qualify_figure_number(figure, (double)ret_share->stamped / (double)ret_share->came,
				      ret_share->came, 1 / (double)ret_share->came);
	else
		qualify_figure_detail(figure, "unknown", "none of them arrived");
	return 0;
}

static const char *filter_words(int filter)
{
	return filter == HWTSTAMP_FILTER_NONE ? "none" :
	       filter == HWTSTAMP_FILTER_ALL  ? "all" :
	       filter == HWTSTAMP_FILTER_SOME ? "some" :
						"ptp";
}

int qualify_row_coverage(struct qualify_run *run, struct qualify_row *row)
{
	struct qualify_receiver receiver = QUALIFY_RECEIVER_CLOSED;
	struct share all = {}, ptp = {}, share;
	int err = qualify_receiver_open(&receiver, run->ifname, 1, &run->error);
	size_t i;

	for (i = 0; !err && i < sizeof(kinds_of_packets) / sizeof(kinds_of_packets[0]); i++) {
		struct share *sum = kinds_of_packets[i].ptp ? &ptp : &all;

		err = cover(run, &kinds_of_packets[i], &receiver, row, &share);
		if (!err) {
			sum->stamped += share.stamped;
			sum->came += share.came;
			sum->sent += share.sent;
		}
	}
	qualify_receiver_close(&receiver);
	if (err)
		return err;
	qualify_figure_of(qualify_put_number(row, "stamped", "share",
					     all.came ? (double)all.stamped / (double)all.came :
							NAN,
					     all.came, all.came ? 1 / (double)all.came : NAN,
					     "all of the above but PTP's"),
			  all.sent);
	qualify_put_words(row, "filter",
			  "SIOCSHWTSTAMP with HWTSTAMP_FILTER_ALL, or what is granted", "%s",
			  filter_words(run->rx_filter));
	qualify_put_words(row, "coverage", "which frames had a stamp", "%s",
			  all.came && all.stamped >= all.came ? "all" :
			  all.stamped			      ? "some" :
			  ptp.stamped			      ? "ptp" :
								"none");
	return 0;
}

#define STAMPS_FRAMES 4000
/* A stamp this far from its packet's possible arrival has a wrong upper half. */
#define WRAP_NS (100 * RXAQM_NSEC_PER_MSEC)

static int compare_u64(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Judge @nr stamps of @sent datagrams. */
static void judge_stamps(struct qualify_row *row, __u64 *stamp, size_t nr, __u64 sent,
			 const struct qualify_phc_line *line)
{
	__u64 duplicates = 0, backward = 0, wrapped = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		backward += i && stamp[i] < stamp[i - 1];
		wrapped += line && ((__s64)(stamp[i] - line->from.phc_ns) < -(__s64)WRAP_NS ||
				    (__s64)(stamp[i] - line->to.phc_ns) > (__s64)WRAP_NS);
	}
	qsort(stamp, nr, sizeof(*stamp), compare_u64);
	for (i = 1; i < nr; i++)
		duplicates += stamp[i] == stamp[i - 1];
	qualify_figure_of(qualify_put_number(row, "duplicates", "share",
					     (double)duplicates / (double)nr, nr, 0,
					     "equal stamps of %zu datagrams of one flow", nr),
			  sent);
	qualify_put_number(row, "backward", "count", (double)backward, nr, 0,
			   "stamps earlier than that of the datagram before; the same");
	qualify_put_number(row, "resolution", "ns", (double)qualify_resolution(stamp, nr), nr, 0,
			   "greatest common divisor of all differences");
	if (line)
		qualify_put_number(row, "wrap_errors", "count", (double)wrapped, nr, 0,
				   "stamps over 100 ms before or behind the clock's readings "
				   "around them");
}

int qualify_row_stamps(struct qualify_run *run, struct qualify_row *row)
{
	struct qualify_send send = QUALIFY_SEND(.count = STAMPS_FRAMES, .pps = 20000, .burst = 8);
	struct qualify_receiver receiver = QUALIFY_RECEIVER_CLOSED;
	__u64 *stamp = calloc(STAMPS_FRAMES, sizeof(*stamp));
	struct qualify_phc_line line;
	struct qualify_sent sent;
	size_t i, nr = 0;
	bool clock;
	int err = stamp ? qualify_receiver_open(&receiver, run->ifname, 1, &run->error) : -ENOMEM;

	clock = !qualify_phc_now(run, &line.from);
	qualify_probe_clear(&run->probe);
	if (!err)
		err = qualify_traffic(run, &send, &receiver, &sent);
	clock = clock && !qualify_phc_now(run, &line.to);
	for (i = 0; !err && i < receiver.seen.nr && nr < STAMPS_FRAMES; i++) {
		if (receiver.seen.at[i].hw_ns && is_of(&receiver.seen.at[i], &send))
			stamp[nr++] = receiver.seen.at[i].hw_ns;
	}
	if (!err && nr < 2)
		qualify_unknown(row,
				"of %zu datagrams %zu had a stamp: needs a NIC that stamps data "
				"packets",
				receiver.seen.nr, nr);
	else if (!err)
		judge_stamps(row, stamp, nr, sent.count, clock ? &line : NULL);
	qualify_receiver_close(&receiver);
	free(stamp);
	return err;
}

/* Stamps must lie between two known times. */
static void put_stamps(struct qualify_row *row, const struct qualify_latency *latency)
{
	if (!latency->stamps)
		return;
	qualify_put_number(row, "clock_error", "ns", latency->clock_ns, 2, NAN,
			   "half the width of the clock's readings before and after");
	qualify_figure_of(qualify_put_number(row, "after_xdp", "share",
					     (double)latency->after_xdp / (double)latency->stamps,
					     latency->stamps, 0,
					     "stamps later than when XDP saw their packet, by more "
					     "than the clock's error"),
			  latency->of);
	if (!isnan(latency->late_ns) || latency->before_sent)
		qualify_put_number(row, "before_sent", "share",
				   (double)latency->before_sent / (double)latency->stamps,
				   latency->stamps, 0,
				   "stamps before the sender's clock when their packet was made, "
				   "by more than that error");
	if (!isnan(latency->late_ns))
		qualify_put_number(
			row, "stamp_late", "ns", latency->late_ns, latency->stamps,
			latency->late_ns + latency->clock_ns,
			"upper bound of the lateness: the smallest time from the sender's clock to the "
			"stamp");
}

int qualify_row_to_xdp(struct qualify_run *run, struct qualify_row *row)
{
	struct qualify_send send = QUALIFY_SEND(.count = 500, .pps = 500);
	struct qualify_latency latency;
	struct qualify_figure *figure;
	int err;

	qualify_put_stamp_point(run, row);
	qualify_probe_clear(&run->probe);
	err = qualify_latency(run, &send, &latency);
	put_stamps(row, &latency);
	if (err)
		return err;
	if (!latency.by_stamps) {
		qualify_samples_free(&latency.samples);
		return qualify_unknown(row,
				       "needs stamps of all packets: they are promised, and none "
				       "of %u datagrams had one",
				       send.count);
	}
	figure = qualify_figure_add(row, "stamp_to_xdp_idle", "ns",
				    "from the NIC's stamp to %s XDP, a datagram each 2 ms",
				    run->probe.native ? "native" : "generic");
	qualify_figure_samples(figure, &latency.samples, latency.error_ns);
	qualify_figure_of(figure, latency.of);
	qualify_curve_cdf(figure, "idle", &latency.samples);
	qualify_samples_free(&latency.samples);
	return 0;
}

/* Measure frames that come one at a time. */
static int latency_alone(struct qualify_run *run, struct qualify_row *row, const char *name,
			 const char *how)
{
	/* Farther apart than moderation delays any interrupt. */
	struct qualify_send send = QUALIFY_SEND(.count = 60, .pps = 40);
	struct qualify_latency latency;
	struct qualify_figure *figure;
	int err;

	qualify_probe_clear(&run->probe);
	err = qualify_latency(run, &send, &latency);
	if (err)
		return err;
	figure = qualify_figure_add(row, name, "ns", "%s to XDP, a datagram each 25 ms, %s",
				    latency.by_stamps ? "stamp" : "sender", how);
	qualify_figure_samples(figure, &latency.samples, latency.error_ns);
	qualify_figure_of(figure, latency.of);
	qualify_curve_cdf(figure, how, &latency.samples);
	qualify_samples_free(&latency.samples);
	return 0;
}

static void put_floor(struct qualify_row *row)
{
	struct qualify_figure least = { .median = NAN, .error = NAN };
	const struct qualify_figure *figure;

	rxaqm_list_each(figure, &row->figures) {
		if (!strncmp(figure->name, "latency_", strlen("latency_")) &&
		    !isnan(figure->median) && !(least.median <= figure->median))
			least = *figure;
	}
	qualify_figure_of(qualify_put_number(row, "floor", "ns", least.median, least.n, least.error,
					     "the smallest median of the above"),
			  least.of);
}

int qualify_row_moderation(struct qualify_run *run, struct qualify_row *row)
{
	static const unsigned int usecs[] = { 0, 100 };
	char was[QUALIFY_SETTING_LEN], value[32], name[32], how[48];
	unsigned int i;
	bool has;
	int err;

	qualify_find_stamp_point(run);
	err = latency_alone(run, row, "latency_idle", "as it is");
	if (err)
		return err;
	if (run->facts.moderation_us >= 0)
		qualify_put_number(row, "moderation", "ns", run->facts.moderation_us * 1e3, 1, 0,
				   "ethtool -c");
	/* Some drivers have no coalescing. */
	has = !qualify_setting_get(run->ifname, QUALIFY_COALESCE, "", was);
	for (i = 0; has && !err && i < 2; i++) {
		snprintf(value, sizeof(value), "%u 0", usecs[i]);
		snprintf(name, sizeof(name), "latency_usecs_%u", usecs[i]);
		snprintf(how, sizeof(how), "rx-usecs %u, adaptive-rx off", usecs[i]);
		if (qualify_setting_change(&run->journal, QUALIFY_COALESCE, "", value))
			qualify_put_said(row, name, "refused", "%s", how);
		else
			err = latency_alone(run, row, name, how);
	}
	if (has)
		qualify_setting_change(&run->journal, QUALIFY_COALESCE, "", was);
	put_floor(row);
	return err;
}
