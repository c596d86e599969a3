/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/measure/settings.h"

#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nic/ethtool.h"
#include "nic/netns.h"
#include "nic/nic.h"
#include "qualify/measure/link.h"
#include "qualify/measure/probe.h"

static int get_ring(const char *ifname, const char *what, char *value)
{
	struct ethtool_ringparam ring = { .cmd = ETHTOOL_GRINGPARAM };
	int err = rxaqm_ethtool(ifname, &ring);

	(void)what;
	snprintf(value, QUALIFY_SETTING_LEN, "%u", ring.rx_pending);
	return err;
}

static int set_ring(const char *ifname, const char *what, const char *value)
{
	struct ethtool_ringparam ring = { .cmd = ETHTOOL_GRINGPARAM };
	__u32 entries = (__u32)strtoul(value, NULL, 10);
	int err = rxaqm_ethtool(ifname, &ring);

	(void)what;
	if (err || ring.rx_pending == entries)
		return err;
	ring.cmd = ETHTOOL_SRINGPARAM;
	ring.rx_pending = entries;
	return rxaqm_ethtool(ifname, &ring);
}

static int get_channels(const char *ifname, const char *what, char *value)
{
	struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };
	int err = rxaqm_ethtool(ifname, &channels);

	(void)what;
	snprintf(value, QUALIFY_SETTING_LEN, "%u %u %u", channels.rx_count, channels.tx_count,
		 channels.combined_count);
	return err;
}

static int set_channels(const char *ifname, const char *what, const char *value)
{
	struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };
	char now[QUALIFY_SETTING_LEN];
	int err = get_channels(ifname, what, now);

	if (err || !strcmp(now, value))
		return err;
	err = rxaqm_ethtool(ifname, &channels);
	if (err || sscanf(value, "%u %u %u", &channels.rx_count, &channels.tx_count,
			  &channels.combined_count) != 3)
		return err ?: -EINVAL;
	channels.cmd = ETHTOOL_SCHANNELS;
	return rxaqm_ethtool(ifname, &channels);
}

static int get_coalesce(const char *ifname, const char *what, char *value)
{
	struct ethtool_coalesce coalesce = { .cmd = ETHTOOL_GCOALESCE };
	int err = rxaqm_ethtool(ifname, &coalesce);

	(void)what;
	snprintf(value, QUALIFY_SETTING_LEN, "%u %u", coalesce.rx_coalesce_usecs,
		 coalesce.use_adaptive_rx_coalesce);
	return err;
}

static int set_coalesce(const char *ifname, const char *what, const char *value)
{
	struct ethtool_coalesce coalesce = { .cmd = ETHTOOL_GCOALESCE };
	int err = rxaqm_ethtool(ifname, &coalesce);

	(void)what;
	if (err)
		return err;
	if (sscanf(value, "%u %u", &coalesce.rx_coalesce_usecs,
		   &coalesce.use_adaptive_rx_coalesce) != 2)
		return -EINVAL;
	coalesce.cmd = ETHTOOL_SCOALESCE;
	return rxaqm_ethtool(ifname, &coalesce);
}

static int get_hwtstamp(const char *ifname, const char *what, char *value)
{
	struct hwtstamp_config config = {};
	int err = rxaqm_hwtstamp(ifname, SIOCGHWTSTAMP, &config);

	(void)what;
	snprintf(value, QUALIFY_SETTING_LEN, "%d %d %d", config.flags, config.tx_type,
		 config.rx_filter);
	return err;
}

static int set_hwtstamp(const char *ifname, const char *what, const char *value)
{
	struct hwtstamp_config config = {};

	(void)what;
	if (sscanf(value, "%d %d %d", &config.flags, &config.tx_type, &config.rx_filter) != 3)
		return -EINVAL;
	return rxaqm_hwtstamp(ifname, SIOCSHWTSTAMP, &config);
}

static int get_link(const char *ifname, const char *what, char *value)
{
	struct ifreq ifr = {};
	int err = rxaqm_nic_ioctl(ifname, SIOCGIFFLAGS, &ifr);

	(void)what;
	strcpy(value, ifr.ifr_flags & IFF_UP ? "1" : "0");
	return err;
}

static int set_link(const char *ifname, const char *what, const char *value)
{
	(void)what;
	return qualify_link_set(ifname, value[0] == '1');
}

/* A file of the interface in sysfs. */
static int open_sysfs(const char *ifname, const char *what, int flags)
{
	int sys = rxaqm_netns_sysfs(flags != O_RDONLY), fd;
	char path[128];

	if (sys < 0)
		return sys;
	snprintf(path, sizeof(path), "class/net/%s/%s", ifname, what);
	fd = openat(sys, path, flags | O_CLOEXEC);
	fd = fd < 0 ? -errno : fd;
	close(sys);
	return fd;
}

static int get_sysfs(const char *ifname, const char *what, char *value)
{
	int fd = open_sysfs(ifname, what, O_RDONLY);
	ssize_t got;

	if (fd < 0)
		return fd;
	got = read(fd, value, QUALIFY_SETTING_LEN - 1);
	got = got < 0 ? -errno : got;
	close(fd);
	if (got < 0)
		return (int)got;
	/* What was cut short must not be put back. */
	if (got == QUALIFY_SETTING_LEN - 1)
		return -E2BIG;
	value[got] = '\0';
	value[strcspn(value, "\n")] = '\0';
	return 0;
}

static int set_sysfs(const char *ifname, const char *what, const char *value)
{
	int fd = open_sysfs(ifname, what, O_WRONLY), err = 0;

	if (fd < 0)
		return fd;
	if (write(fd, value, strlen(value)) < 0)
		err = -errno;
	close(fd);
	return err;
}

static int get_threaded(const char *ifname, const char *what, char *value)
{
	(void)what;
	return get_sysfs(ifname, "threaded", value);
}

/* A veth has NAPIs, and so this, only while XDP is on it. */
static int set_threaded(const char *ifname, const char *what, const char *value)
{
	int err = set_sysfs(ifname, "threaded", value);
	struct qualify_probe probe;

	(void)what;
	if (err != -EOPNOTSUPP || qualify_probe_open(&probe, ifname, NULL))
		return err;
	if (!qualify_probe_xdp_on(&probe, NULL))
		err = set_sysfs(ifname, "threaded", value);
	qualify_probe_close(&probe);
	return err;
}

static int get_tc(const char *ifname, const char *what, char *value)
{
	(void)what;
	strcpy(value, qualify_probe_has_clsact(if_nametoindex(ifname)) ? "clsact" : "none");
	return 0;
}

/* "on" is the probe's to do: it has the program. */
static int set_tc(const char *ifname, const char *what, const char *value)
{
	unsigned int ifindex = if_nametoindex(ifname);

	(void)what;
	if (!ifindex)
		return -errno;
	if (strcmp(value, "on"))
		qualify_probe_tc_off(ifindex, !strcmp(value, "clsact"));
	return 0;
}

static int get_attached(const char *ifname, const char *what, char *value)
{
	(void)ifname;
	(void)what;
	strcpy(value, "no");
	return 0;
}

static int set_attached(const char *ifname, const char *what, const char *value)
{
	(void)what;
	return qualify_rxaqm(ifname, value);
}

/* The key of RSS, ethtool -x. */
#define KEY_MAX ((QUALIFY_SETTING_LEN - 1) / 2)

static int get_rss_key(const char *ifname, const char *what, char *value)
{
	struct ethtool_rxfh *rss;
	int err = rxaqm_ethtool_rss(ifname, &rss);
	const __u8 *key;
	__u32 i;

	(void)what;
	if (err)
		return err;
	if (!rss->key_size || rss->key_size > KEY_MAX)
		err = -EOPNOTSUPP;
	key = (const __u8 *)(rss->rss_config + rss->indir_size);
	for (i = 0; !err && i < rss->key_size; i++)
		sprintf(value + 2 * (size_t)i, "%02x", key[i]);
	free(rss);
	return err;
}

static int set_rss_key(const char *ifname, const char *what, const char *value)
{
	union {
		struct ethtool_rxfh rxfh;
		__u8 room[sizeof(struct ethtool_rxfh) + KEY_MAX];
	} set = { .rxfh = { .cmd = ETHTOOL_SRSSH, .indir_size = ETH_RXFH_INDIR_NO_CHANGE } };
	char now[QUALIFY_SETTING_LEN];
	__u32 i, bytes = (__u32)strlen(value) / 2;

	/* A driver may start its rings anew for it. */
	if (!get_rss_key(ifname, what, now) && !strcmp(now, value))
		return 0;
	set.rxfh.key_size = bytes;
	for (i = 0; i < bytes && i < KEY_MAX; i++) {
		if (sscanf(value + 2 * (size_t)i, "%2hhx", &set.room[sizeof(set.rxfh) + i]) != 1)
			return -EINVAL;
	}
	return rxaqm_ethtool(ifname, &set);
}

/* Allocations of pages that fail on purpose: fail_page_alloc (Documentation/fault-injection). */
#define DIR_OF "/sys/kernel/debug/fail_page_alloc/"

/* In the order of the words. While others are written none is to fail. */
static const char *const files[] = { DIR_OF "times", DIR_OF "min-order", DIR_OF "verbose",
				     DIR_OF "probability" };
#define NR_FILES (sizeof(files) / sizeof(files[0]))
#define PROBABILITY (NR_FILES - 1)

static int put_number(const char *path, int number)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), err = 0;
	char text[16];

	if (fd < 0)
		return -errno;
	if (write(fd, text, (size_t)snprintf(text, sizeof(text), "%d\n", number)) < 0)
		err = -errno;
	close(fd);
	return err;
}

static int get_page_faults(const char *ifname, const char *what, char *value)
{
	size_t i, at = 0;

	(void)ifname;
	(void)what;
	for (i = 0; i < NR_FILES; i++) {
		char text[16];
		int number;

		if (sscanf(rxaqm_first_line(AT_FDCWD, files[i], text, sizeof(text)), "%d",
			   &number) != 1)
			return -EOPNOTSUPP;
		at += (size_t)snprintf(value + at, QUALIFY_SETTING_LEN - at, "%s%d", i ? " " : "",
				       number);
	}
	return 0;
}

static int set_page_faults(const char *ifname, const char *what, const char *value)
{
	int number[NR_FILES], err;
	size_t i;

	(void)ifname;
	(void)what;
	if (sscanf(value, "%d %d %d %d", &number[0], &number[1], &number[2], &number[3]) != 4)
		return -EINVAL;
	err = put_number(files[PROBABILITY], 0);
	for (i = 0; !err && i < NR_FILES; i++)
		err = put_number(files[i], number[i]);
	return err;
}

const struct qualify_setting_kind qualify_setting_kinds[QUALIFY_NR_SETTINGS] = {
	[QUALIFY_RING] = { "ring", get_ring, set_ring },
	[QUALIFY_CHANNELS] = { "channels", get_channels, set_channels },
	[QUALIFY_COALESCE] = { "coalescing", get_coalesce, set_coalesce },
	[QUALIFY_HWTSTAMP] = { "timestamps", get_hwtstamp, set_hwtstamp },
	[QUALIFY_LINK] = { "link", get_link, set_link },
	[QUALIFY_SYSFS] = { "sysfs", get_sysfs, set_sysfs },
	[QUALIFY_THREADED] = { "threaded", get_threaded, set_threaded },
	[QUALIFY_TC] = { "tc", get_tc, set_tc },
	[QUALIFY_ATTACHED] = { "attached", get_attached, set_attached },
	[QUALIFY_RSS_KEY] = { "rss-key", get_rss_key, set_rss_key },
	[QUALIFY_PAGE_FAULTS] = { "page-faults", get_page_faults, set_page_faults },
};
