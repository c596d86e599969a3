/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/overflow.h"

#include <errno.h>
#include <ifaddrs.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/socket.h>

#define SOFTNET_PATH "/proc/net/softnet_stat"

int rxaqm_overflow_rings(const char *ifname, __u32 *ret_packets)
{
	struct ifaddrs *addrs, *addr;
	int err = -ENODEV;

	/* Asks by netlink, so that it is of the namespace entered, as sysfs would not be. */
	if (getifaddrs(&addrs))
		return -errno;
	for (addr = addrs; addr; addr = addr->ifa_next) {
		const struct rtnl_link_stats *stats = addr->ifa_data;

		if (!addr->ifa_addr || addr->ifa_addr->sa_family != AF_PACKET || !stats ||
		    strcmp(addr->ifa_name, ifname))
			continue;
		*ret_packets = stats->rx_missed_errors + stats->rx_over_errors +
			       stats->rx_fifo_errors;
		err = 0;
		break;
	}
	freeifaddrs(addrs);
	return err;
}

int rxaqm_overflow_parse(FILE *file, __u32 *ret_packets)
{
	unsigned int dropped, cpus = 0;
	char line[512];

	*ret_packets = 0;
	/* A line a CPU, of hexadecimal numbers: processed, dropped, ... */
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%*x %x", &dropped) != 1)
			return -EINVAL;
		*ret_packets += dropped;
		cpus++;
	}
	return cpus ? 0 : -EINVAL;
}

int rxaqm_overflow_backlogs(__u32 *ret_packets)
{
	FILE *file = fopen(SOFTNET_PATH, "re");
	int err;

	if (!file)
		return -errno;
	err = rxaqm_overflow_parse(file, ret_packets);
	fclose(file);
	return err;
}
