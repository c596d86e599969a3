/* SPDX-License-Identifier: GPL-2.0-only */
/* Q15, Q17: merging by the stack and the device, and the memory that packets take. */
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "qualify/rows/traffic.h"

#define SEGMENTS 512
#define SEGMENT 1000
#define HEADERS (14 + 20 + 20)

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

/* How many segments of the stream a frame of the stack has on average. */
static void put_merged(struct qualify_run *run, struct qualify_row *row,
		       const struct qualify_receiver *receiver)
{
	bool lro = flag_on(run->ifname, ETHTOOL_GFLAGS, ETH_FLAG_LRO);
	bool gro = flag_on(run->ifname, ETHTOOL_GGRO, 0);
	__u64 stamped = 0, merged = 0, bytes = 0;
	const struct qualify_received *received;

	rxaqm_list_each(received, &receiver->seen) {
		bytes += received->size - HEADERS;
		merged += received->size > SEGMENT;
		stamped += received->size > SEGMENT && received->hw_ns;
	}
	if (bytes / (SEGMENT - HEADERS) < SEGMENTS / 2) {
		qualify_unknown(row, "%llu of %u segments came", bytes / (SEGMENT - HEADERS),
				SEGMENTS);
		return;
	}
	qualify_put_number(row, "merged_gro", "packets",
			   (double)bytes / (SEGMENT - HEADERS) / (double)receiver->seen.nr,
			   receiver->seen.nr, NAN,
			   "segments in a frame of the stack, mean of %u of one TCP stream back to "
			   "back, GRO %s, LRO %s, no XDP",
			   SEGMENTS, gro ? "on" : "off", lro ? "on" : "off");
	if (!merged || !data_has_stamps(run))
		return;
	qualify_put_words(row, "merged_stamps", "stamps of merged frames", "%s",
			  stamped == merged ? "first" :
			  stamped	    ? "some" :
					      "none");
}

int qualify_row_gro(struct qualify_run *run, struct qualify_row *row)
{
	struct qualify_send send = QUALIFY_SEND(.kind = QUALIFY_STREAM, .count = SEGMENTS,
						.size = SEGMENT);
	struct qualify_receiver receiver;
	struct qualify_sent sent;
	int err = qualify_receiver_open(&receiver, run->ifname, 1, &run->error);

	qualify_probe_clear(&run->probe);
	if (!err)
		err = qualify_traffic(run, &send, &receiver, &sent);
	if (!err && receiver.seen.nr)
		put_merged(run, row, &receiver);
	else if (!err)
		qualify_unknown(row, "none of %u segments came", SEGMENTS);
	qualify_receiver_close(&receiver);
	return err;
}

#define TRUESIZE_FRAMES 64

int qualify_row_truesize(struct qualify_run *run, struct qualify_row *row)
{
	static const __u32 sizes[] = { 64, 200, 1500, 9000 };
	struct qualify_receiver receiver;
	struct qualify_sent sent;
	char name[32];
	size_t i;
	/* Take every other frame: other packets would be charged to a socket that takes all. */
	int err = qualify_receiver_open(&receiver, run->ifname, 2, &run->error);

	for (i = 0; !err && i < 4 && sizes[i] <= run->record->mtu + ETH_HLEN; i++) {
		struct qualify_send send = QUALIFY_SEND(.count = TRUESIZE_FRAMES, .pps = 1000,
							.size = sizes[i]);
		long before, memory;

		qualify_receiver_clear(&receiver);
		qualify_probe_clear(&run->probe);
		before = qualify_receiver_memory(&receiver);
		/* Nobody reads meanwhile, so all charged memory is still charged. */
		err = qualify_traffic(run, &send, NULL, &sent);
		memory = qualify_receiver_memory(&receiver);
		qualify_receiver_take(&receiver);
		if (err || before < 0 || memory <= before || !receiver.seen.nr)
			continue;
		snprintf(name, sizeof(name), "truesize_%u", sizes[i]);
		qualify_figure_of(qualify_put_number(
					  row, name, "",
					  (double)(memory - before) / (double)receiver.seen.nr /
						  sizes[i],
					  receiver.seen.nr, NAN,
					  "memory charged to a packet socket (SO_MEMINFO) over length, "
					  "%zu frames; XDP %s",
					  receiver.seen.nr,
					  run->probe.native ? "native" : "generic"),
				  sent.count / 2);
	}
	if (!err && !row->figures.nr)
		qualify_unknown(row, "no frame came");
	qualify_receiver_close(&receiver);
	return err;
}
