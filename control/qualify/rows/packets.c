/* SPDX-License-Identifier: GPL-2.0-only */
/* Q17: how large packets are in the stack. */
#include <math.h>
#include <stdio.h>

#include "qualify/rows/traffic.h"

#define TRUESIZE_FRAMES 64

int qualify_row_truesize(struct qualify_run *run, struct qualify_row *row)
{
	static const __u32 sizes[] = { 64, 200, 1500, 9000 };
	struct qualify_receiver receiver;
	struct qualify_sent sent;
	char name[32];
	size_t i;
	/* Every other one: what is not the peer's is charged to a socket that takes all. */
	int err = qualify_receiver_open(&receiver, run->ifname, 2, &run->error);

	for (i = 0; !err && i < 4 && sizes[i] <= run->record->mtu + ETH_HLEN; i++) {
		struct qualify_send send = QUALIFY_SEND(.count = TRUESIZE_FRAMES, .pps = 1000,
							.size = sizes[i]);
		long before, memory;

		qualify_receiver_clear(&receiver);
		qualify_probe_clear(&run->probe);
		before = qualify_receiver_memory(&receiver);
		/* Nobody reads meanwhile: what was charged is still there. */
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
	if (receiver.fd >= 0)
		qualify_receiver_close(&receiver);
	return err;
}
