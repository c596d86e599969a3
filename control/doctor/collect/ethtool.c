/* SPDX-License-Identifier: GPL-2.0-only */
/* What drivers say by ethtool: counters of their own, rings, channels, the spread of RSS. */
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "doctor/collect/ifaces.h"

/* Drivers' counters that a rule may read; a NIC has thousands of others. */
static bool tells(const char *name)
{
	static const char *const parts[] = {
		"drop",	      "discard", "miss",     "no_buf",	   "nobuf",  "alloc_f",
		"allocation", "overrun", "overflow", "fifo",	   "crc",    "fec",
		"pause",      "pfc",	 "exceeded", "limit",	   "error",  "stall",
		"wake",	      "cqe_err", "xdp",	     "buff_alloc", "out_of",
	};
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strcasestr(name, parts[i]))
			return true;
	}
	return false;
}

/* "rx_queue_3_packets", "rx3_packets", "rx-3.rx_packets", "queue_3_rx_cnt": the names that
 * drivers have for a queue's packets. Returns false if @name is none of them.
 */
static bool names_queue(const char *name, bool *ret_tx, unsigned int *ret_id)
{
	static const struct {
		const char *fmt;
		bool tx;
	} forms[] = {
		{ "rx_queue_%u_packets%n", false },
		{ "tx_queue_%u_packets%n", true },
		{ "rx%u_packets%n", false },
		{ "tx%u_packets%n", true },
		{ "rx-%u.packets%n", false },
		{ "tx-%u.packets%n", true },
		{ "rx-%u.rx_packets%n", false },
		{ "tx-%u.tx_packets%n", true },
		{ "rx_%u_packets%n", false },
		{ "tx_%u_packets%n", true },
		{ "queue_%u_rx_cnt%n", false },
		{ "queue_%u_tx_cnt%n", true },
		{ "[%u]: rx_ucast_packets%n", false },
		{ "[%u]: tx_ucast_packets%n", true },
		{ "rx_queue_%u_xdp_packets%n", false }, /* veth */
	};
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		int used = 0;

		if (sscanf(name, forms[i].fmt, ret_id, &used) == 1 && used && !name[used]) {
			*ret_tx = forms[i].tx;
			return true;
		}
	}
	return false;
}

static int ask(int fd, const char *ifname, void *cmd)
{
	struct ifreq ifr = { .ifr_data = cmd };

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%.15s", ifname);
	return ioctl(fd, SIOCETHTOOL, &ifr);
}

static unsigned int count_stats(int fd, const char *ifname)
{
	/* The count follows the struct, as its data[]. */
	__u32 words[(sizeof(struct ethtool_sset_info) + sizeof(__u32)) / sizeof(__u32)] = {};
	struct ethtool_sset_info info = { .cmd = ETHTOOL_GSSET_INFO,
					  .sset_mask = 1ULL << ETH_SS_STATS };
	__u32 count;

	memcpy(words, &info, sizeof(info));
	if (ask(fd, ifname, words))
		return 0;
	memcpy(&info, words, sizeof(info));
	count = words[sizeof(info) / sizeof(__u32)];
	return !info.sset_mask || count > 65536 ? 0 : count;
}

static void take_stat(struct doctor_iface *iface, const char *raw, __u64 value)
{
	char name[ETH_GSTRING_LEN + 1], *at;
	struct doctor_queue *queue;
	unsigned int id;
	bool tx;

	snprintf(name, sizeof(name), "%.*s", ETH_GSTRING_LEN, raw);
	for (at = name; *at; at++)
		*at = *at < ' ' ? '?' : *at;
	at = name + strspn(name, " ");
	if (names_queue(at, &tx, &id)) {
		queue = doctor_queue_of(iface, tx, id);
		if (queue)
			queue->packets = value;
	} else if (tells(at)) {
		doctor_map_set(&iface->ethtool, at, value);
	}
}

static void collect_stats(struct doctor_iface *iface, int fd)
{
	unsigned int nr = count_stats(fd, iface->name), i;
	struct ethtool_gstrings *names;
	struct ethtool_stats *stats;

	names = calloc(1, sizeof(*names) + (size_t)nr * ETH_GSTRING_LEN);
	stats = calloc(1, sizeof(*stats) + nr * sizeof(__u64));
	if (nr && names && stats) {
		names->cmd = ETHTOOL_GSTRINGS;
		names->string_set = ETH_SS_STATS;
		names->len = nr;
		stats->cmd = ETHTOOL_GSTATS;
		stats->n_stats = nr;
		if (!ask(fd, iface->name, names) && !ask(fd, iface->name, stats)) {
			for (i = 0; i < nr; i++)
				take_stat(iface, (char *)names->data + i * ETH_GSTRING_LEN,
					  stats->data[i]);
		}
	}
	free(names);
	free(stats);
}

/* How the indirection table spreads: queues that are in it, and the largest share of one. */
static void collect_rss(struct doctor_iface *iface, int fd)
{
	struct ethtool_rxfh_indir ask_size = { .cmd = ETHTOOL_GRXFHINDIR }, *table;
	unsigned int counts[1024] = {}, i, most = 0, used = 0;

	if (ask(fd, iface->name, &ask_size) || !ask_size.size || ask_size.size > 65536)
		return;
	table = calloc(1, sizeof(*table) + ask_size.size * sizeof(table->ring_index[0]));
	if (!table)
		return;
	table->cmd = ETHTOOL_GRXFHINDIR;
	table->size = ask_size.size;
	if (!ask(fd, iface->name, table)) {
		for (i = 0; i < table->size; i++) {
			unsigned int *count = &counts[table->ring_index[i] % 1024];

			used += !(*count)++;
			most = *count > most ? *count : most;
		}
		iface->rss_queues = used;
		iface->rss_share_max_permille = most * 1000 / table->size;
	}
	free(table);
}

void doctor_collect_ethtool(struct doctor_iface *iface)
{
	struct ethtool_drvinfo driver = { .cmd = ETHTOOL_GDRVINFO };
	struct ethtool_ringparam ring = { .cmd = ETHTOOL_GRINGPARAM };
	struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };
	struct ethtool_coalesce coalesce = { .cmd = ETHTOOL_GCOALESCE };
	struct ethtool_value gro = { .cmd = ETHTOOL_GGRO };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	if (!ask(fd, iface->name, &driver))
		snprintf(iface->driver, sizeof(iface->driver), "%.31s", driver.driver);
	if (!ask(fd, iface->name, &ring)) {
		iface->rx_ring = ring.rx_pending;
		iface->rx_ring_max = ring.rx_max_pending;
	}
	if (!ask(fd, iface->name, &channels)) {
		iface->channels = channels.rx_count + channels.combined_count;
		iface->rx_max_queues = channels.max_rx > channels.max_combined ?
					       channels.max_rx :
					       channels.max_combined;
	}
	if (!ask(fd, iface->name, &coalesce))
		iface->rx_usecs = coalesce.rx_coalesce_usecs;
	iface->gro_known = !ask(fd, iface->name, &gro);
	iface->gro = iface->gro_known && gro.data;
	collect_rss(iface, fd);
	collect_stats(iface, fd);
	close(fd);
}
