/* SPDX-License-Identifier: GPL-2.0-only */
/* What drivers tell by ethtool: their own counters, rings, channels, the RSS table. */
#include <json-c/json.h>
#include <limits.h>
#include <linux/ethtool.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/collect/collect.h"
#include "doctor/snapshot/loss_counters.h"
#include "nic/ethtool.h"

/* Keep known loss counters, and those whose name says loss; a NIC has thousands of others. */
static bool tells(const char *name, const char *driver)
{
	const struct doctor_loss *loss = doctor_loss_of(DOCTOR_IN_ETHTOOL, name, driver);

	/* No loss, but it tells whether a ring was full. */
	return (loss && loss->what) || !strcmp(name, "rx_no_buffer_count");
}

/* "rx_queue_3_packets", "rx3_packets", "rx-3.rx_packets", "queue_3_rx_cnt": drivers' names for a
 * queue's packets. Return false if @name is none of them.
 */
static bool names_queue(const char *name, bool *ret_tx, unsigned int *ret_id)
{
	/* The last form is veth's. */
	static const char *const forms[] = {
		"rx_queue_%u_packets%n",    "rx%u_packets%n",		"rx-%u.packets%n",
		"rx-%u.rx_packets%n",	    "rx_%u_packets%n",		"queue_%u_rx_cnt%n",
		"[%u]: rx_ucast_packets%n", "rx_queue_%u_xdp_packets%n"
	};
	char as_rx[ETH_GSTRING_LEN + 1], *at = as_rx;
	size_t i;
	int used;

	/* All forms have one of these words, and sscanf() is slow. */
	if (!strstr(name, "packets") && !strstr(name, "_cnt"))
		return false;
	snprintf(as_rx, sizeof(as_rx), "%s", name);
	for (*ret_tx = false; (at = strstr(at, "tx")); *ret_tx = true)
		*at = 'r';
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		used = 0;
		if (sscanf(as_rx, forms[i], ret_id, &used) == 1 && used && !as_rx[used])
			return true;
	}
	return false;
}

static void take_stat(const char *name, __u64 value, void *arg)
{
	struct doctor_iface *iface = arg;
	struct doctor_queue *queue;
	unsigned int id;
	bool tx;

	if (names_queue(name, &tx, &id)) {
		queue = doctor_queue_of(iface, tx, id);
		/* virtio_net uses veth's name for XDP packets, after its name for all packets: keep
		 * the first.
		 */
		if (queue && queue->packets == ~0ULL)
			queue->packets = value;
	} else if (tells(name, iface->driver)) {
		doctor_map_set(&iface->ethtool, name, value);
	}
}

/* The largest share of one queue in the indirection table. */
static void collect_rss(struct doctor_iface *iface)
{
	unsigned int counts[1024] = {}, i, most = 0;
	struct ethtool_rxfh *rss;

	if (rxaqm_ethtool_rss(iface->name, &rss))
		return;
	for (i = 0; i < rss->indir_size; i++) {
		unsigned int count = ++counts[rss->rss_config[i] % 1024];

		most = count > most ? count : most;
	}
	if (i)
		iface->rss_share_max_permille = most * 1000 / rss->indir_size;
	free(rss);
}

/* The fastest copper mode that the NIC supports: there a cable or the other end can lower the
 * speed. Of a module's modes the module decides.
 */
static __u32 fastest(const __u32 *supported, int words)
{
	static const struct {
		unsigned char bit;
		__u32 mbit;
	} modes[] = {
		{ ETHTOOL_LINK_MODE_10000baseT_Full_BIT, 10000 },
		{ ETHTOOL_LINK_MODE_5000baseT_Full_BIT, 5000 },
		{ ETHTOOL_LINK_MODE_2500baseT_Full_BIT, 2500 },
		{ ETHTOOL_LINK_MODE_1000baseT_Full_BIT, 1000 },
		{ ETHTOOL_LINK_MODE_1000baseKX_Full_BIT, 1000 },
		{ ETHTOOL_LINK_MODE_1000baseX_Full_BIT, 1000 },
	};
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (modes[i].bit / 32 < words &&
		    supported[modes[i].bit / 32] >> modes[i].bit % 32 & 1)
			return modes[i].mbit;
	}
	return 0;
}

static void collect_link(struct doctor_iface *iface)
{
	union {
		struct ethtool_link_settings link;
		__u32 room[sizeof(struct ethtool_link_settings) / sizeof(__u32) + 3 * SCHAR_MAX];
	} ask = { .link = { .cmd = ETHTOOL_GLINKSETTINGS } };

	/* The first answer is the negative of the mask length. */
	if (rxaqm_ethtool(iface->name, &ask) || ask.link.link_mode_masks_nwords >= 0)
		return;
	ask.link.link_mode_masks_nwords = (__s8)-ask.link.link_mode_masks_nwords;
	ask.link.cmd = ETHTOOL_GLINKSETTINGS;
	if (rxaqm_ethtool(iface->name, &ask) || ask.link.link_mode_masks_nwords <= 0)
		return;
	if (ask.link.speed && ask.link.speed <= INT_MAX)
		iface->speed_mbit = ask.link.speed;
	if (ask.link.duplex <= DUPLEX_FULL)
		snprintf(iface->duplex, sizeof(iface->duplex), "%s",
			 ask.link.duplex == DUPLEX_FULL ? "full" : "half");
	iface->speed_max_mbit = fastest(ask.link.link_mode_masks, ask.link.link_mode_masks_nwords);
}

void doctor_collect_ethtool(struct doctor_iface *iface, const struct doctor_iface *was)
{
	if (was)
		snprintf(iface->driver, sizeof(iface->driver), "%s", was->driver);
	else
		rxaqm_nic_driver(iface->name, iface->driver, sizeof(iface->driver));
	/* On a container host most veths carried nothing meanwhile: their counters are those of
	 * before.
	 */
	if (was && iface->is_virtual && json_object_equal(was->stats, iface->stats)) {
		iface->ethtool = json_object_get(was->ethtool);
		return;
	}
	rxaqm_ethtool_stats(iface->name, take_stat, iface);
}

void doctor_collect_settings(struct doctor_iface *iface)
{
	struct ethtool_ringparam ring = { .cmd = ETHTOOL_GRINGPARAM };
	struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };
	struct ethtool_value gro = { .cmd = ETHTOOL_GGRO };
	struct ethtool_coalesce coalesce = { .cmd = ETHTOOL_GCOALESCE };

	if (!rxaqm_ethtool(iface->name, &channels)) {
		iface->channels = channels.rx_count + channels.combined_count;
		iface->rx_channels = channels.rx_count;
		iface->rx_max_queues = channels.max_rx > channels.max_combined ?
					       channels.max_rx :
					       channels.max_combined;
	}
	iface->gro_known = !rxaqm_ethtool(iface->name, &gro);
	iface->gro = iface->gro_known && gro.data;
	if (iface->is_virtual)
		return;
	if (!rxaqm_ethtool(iface->name, &ring)) {
		iface->rx_ring = ring.rx_pending;
		iface->rx_ring_max = ring.rx_max_pending;
	}
	if (!rxaqm_ethtool(iface->name, &coalesce) && !coalesce.use_adaptive_rx_coalesce)
		iface->rx_usecs = coalesce.rx_coalesce_usecs;
	collect_link(iface);
	collect_rss(iface);
}
