/* SPDX-License-Identifier: GPL-2.0-only */
/* Q18: the state of an interface after a failure. */
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <string.h>

#include "nic/nic.h"
#include "qualify/rows/gap.h"
#include "qualify/rows/traffic.h"

#define LOAD_MS 3000

static int flap(struct qualify_run *run, void *arg)
{
	int err;

	(void)arg;
	err = qualify_setting_change(&run->journal, QUALIFY_LINK, "", "0");
	qualify_sleep_ms(run, 50);
	return err ?: qualify_setting_change(&run->journal, QUALIFY_LINK, "", "1");
}

static int reset(struct qualify_run *run, void *arg)
{
	/* ETH_RESET_DEDICATED would reset more, also for other interfaces. */
	struct ethtool_value value = { .cmd = ETHTOOL_RESET,
				       .data = ETH_RESET_MAC | ETH_RESET_DMA | ETH_RESET_FILTER |
					       ETH_RESET_OFFLOAD };

	(void)arg;
	return rxaqm_ethtool(run->ifname, &value);
}

static bool went_back(const struct rtnl_link_stats64 *before, const struct rtnl_link_stats64 *after)
{
	return after->rx_packets < before->rx_packets || after->rx_bytes < before->rx_bytes ||
	       after->tx_packets < before->tx_packets;
}

/* Send frames while @change is called. *@back is set if a counter of the link went back. */
static int disturb(struct qualify_run *run, int (*change)(struct qualify_run *run, void *arg),
		   struct qualify_gap *gap, bool *back)
{
	struct rtnl_link_stats64 before, after;
	bool known = !rxaqm_link_stats(run->ifname, &before);
	int err = qualify_gap(run, LOAD_MS, change, NULL, gap);

	known = !rxaqm_link_stats(run->ifname, &after) && known;
	*back |= known && went_back(&before, &after);
	return err;
}

int qualify_row_reset(struct qualify_run *run, struct qualify_row *row)
{
	static const struct {
		const char *name, *pause, *how;
		int (*change)(struct qualify_run *run, void *arg);
	} events[] = { { "after_flap", "gap_flap", "link down for 50 ms, and up", flap },
		       { "after_reset", "gap_reset",
			 "ETHTOOL_RESET of MAC, DMA, filters and offloads", reset } };
	struct qualify_gap gap;
	bool back = false;
	size_t i;
	int err;

	if (qualify_has_address(run->ifname))
		return qualify_unknown(row,
				       "\"%s\" has IP addresses, which are lost when it is taken "
				       "down: take them off",
				       run->ifname);
	for (i = 0; i < 2; i++) {
		run->error.err = 0;
		err = disturb(run, events[i].change, &gap, &back);
		if (err && run->error.err)
			return err;
		if (err == -EOPNOTSUPP)
			continue; /* the driver offers no reset */
		qualify_figure_detail(qualify_figure_add(row, events[i].name, "",
							 "%s while 2000 frames a second came; %llu "
							 "lost",
							 events[i].how, gap.lost),
				      !err && gap.again ? "yes" : "no", "%s",
				      err ? strerror(-err) : "");
		if (!err && gap.again)
			qualify_put_number(row, events[i].pause, "ns", gap.gap_ns, 1, gap.error_ns,
					   "longest pause of these frames");
	}
	qualify_put_words(row, "stats_kept", "rx_packets, rx_bytes and tx_packets of the link",
			  "%s", back ? "no" : "yes");
	return 0;
}
