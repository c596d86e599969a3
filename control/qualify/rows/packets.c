/* SPDX-License-Identifier: GPL-2.0-only */
/* Q15, Q17: what becomes of packets in the stack: merged, and how large. */
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qualify/rows/traffic.h"

#define SEGMENTS 512

static bool flag_on(const char *ifname, __u32 cmd, __u32 bit)
{
	struct ethtool_value value = { .cmd = cmd };

	return !rxaqm_ethtool(ifname, &value) && (!bit || value.data & bit) && value.data;
}

static bool data_has_stamps(const struct qualify_run *run)
{
	const struct qualify_figure *coverage = qualify_figure(run->record, "Q2", "coverage");

	return run->rx_filter == HWTSTAMP_FILTER_ALL &&
	       (!coverage || !strcmp(coverage->words, "all") || !strcmp(coverage->words, "some"));
}

int qualify_row_gro(struct qualify_run *run, struct qualify_row *row, struct rxaqm_error *error)
{
	struct qualify_send send = QUALIFY_SEND(.kind = QUALIFY_STREAM, .count = SEGMENTS,
						.size = 1000);
	struct qualify_receiver receiver;
	__u64 stamped = 0, merged = 0, bytes = 0;
	struct qualify_figure *figure;
	struct qualify_sent sent;
	double headers = 14 + 20 + 20, payload = 1000 - headers;
	size_t i;
	int err = qualify_receiver_open(&receiver, run->ifname, 1, error);

	qualify_probe_clear(&run->probe);
	if (!err)
		err = qualify_traffic(run, &send, &receiver, &sent, error);
	for (i = 0; !err && i < receiver.seen.nr; i++) {
		const struct qualify_received *received = &receiver.seen.at[i];

		bytes += received->size - (__u64)headers;
		merged += received->size > 1000;
		stamped += received->size > 1000 && received->hw_ns;
	}
	if (!err && !receiver.seen.nr)
		qualify_unknown(row, "none of %u segments came", SEGMENTS);
	if (!err && receiver.seen.nr) {
		figure = qualify_figure_add(row, "merged_gro", "packets",
					    "segments in a frame of the stack, mean of %u of one TCP "
					    "stream back to back, GRO %s, LRO %s, no XDP",
					    SEGMENTS,
					    flag_on(run->ifname, ETHTOOL_GGRO, 0) ? "on" : "off",
					    flag_on(run->ifname, ETHTOOL_GFLAGS, ETH_FLAG_LRO) ?
						    "on" :
						    "off");
		qualify_figure_number(figure, (double)bytes / payload / (double)receiver.seen.nr,
				      receiver.seen.nr, NAN);
		if (merged && data_has_stamps(run))
			qualify_figure_words(qualify_figure_add(row, "merged_stamps", "",
								"stamps of merged frames"),
					     "%s",
					     stamped == merged ? "first" :
					     stamped	       ? "some" :
								 "none");
	}
	if (receiver.fd >= 0)
		qualify_receiver_close(&receiver);
	return err;
}

#define TRUESIZE_FRAMES 32

int qualify_row_truesize(struct qualify_run *run, struct qualify_row *row,
			 struct rxaqm_error *error)
{
	static const __u32 sizes[] = { 64, 200, 1500, 9000 };
	struct qualify_receiver receiver;
	struct qualify_sent sent;
	char name[32];
	size_t i;
	int err = qualify_receiver_open(&receiver, run->ifname, 1, error);

	for (i = 0; !err && i < 4 && sizes[i] <= run->record->mtu + ETH_HLEN; i++) {
		struct qualify_send send = QUALIFY_SEND(.count = TRUESIZE_FRAMES, .pps = 1000,
							.size = sizes[i]);
		long before, memory;

		qualify_receiver_clear(&receiver);
		qualify_probe_clear(&run->probe);
		before = qualify_receiver_memory(&receiver);
		/* Nobody reads meanwhile: what was charged is still there. */
		err = qualify_traffic(run, &send, NULL, &sent, error);
		memory = qualify_receiver_memory(&receiver);
		qualify_receiver_take(&receiver);
		if (err || before < 0 || memory <= before || !receiver.seen.nr)
			continue;
		snprintf(name, sizeof(name), "truesize_%u", sizes[i]);
		qualify_figure_number(
			qualify_figure_add(row, name, "",
					   "memory charged to a packet socket (SO_MEMINFO) over "
					   "length, %zu frames; XDP %s",
					   receiver.seen.nr,
					   run->probe.native ? "native" : "generic"),
			(double)(memory - before) / (double)receiver.seen.nr / sizes[i],
			receiver.seen.nr, NAN);
	}
	if (!err && !row->figures.nr)
		qualify_unknown(row, "no frame came");
	if (receiver.fd >= 0)
		qualify_receiver_close(&receiver);
	return err;
}
