/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/nic.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "nic/ethtool.h"
#include "nic/netlink.h"
#include "nic/netns.h"

bool rxaqm_read_line(int dir_fd, const char *path, char *buf, size_t size)
{
	int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	/* The kernel gives a line at once. */
	ssize_t len = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	buf[len < 0 ? 0 : len] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return len >= 0;
}

const char *rxaqm_lockdown(void)
{
	char levels[64];

	rxaqm_first_line(AT_FDCWD, "/sys/kernel/security/lockdown", levels, sizeof(levels));
	return strstr(levels, "[confidentiality]") ?
		       "kernel lockdown (confidentiality) forbids BPF to read the kernel's memory" :
		       NULL;
}

static int on_link_stats(const struct nlmsghdr *message, void *stats)
{
	const struct nlattr *attr = rxaqm_netlink_attr(message, sizeof(struct ifinfomsg),
						       IFLA_STATS64, 0);
	size_t size = attr ? rxaqm_attr_len(attr) : 0;

	if (attr)
		memcpy(stats, rxaqm_attr_data(attr), MIN(size, sizeof(struct rtnl_link_stats64)));
	return 0;
}

const char *const rxaqm_link_stat_names[RXAQM_LINK_STATS] = {
	"rx_packets",	     "tx_packets",	  "rx_bytes",	      "tx_bytes",
	"rx_errors",	     "tx_errors",	  "rx_dropped",	      "tx_dropped",
	"multicast",	     "collisions",	  "rx_length_errors", "rx_over_errors",
	"rx_crc_errors",     "rx_frame_errors",	  "rx_fifo_errors",   "rx_missed_errors",
	"tx_aborted_errors", "tx_carrier_errors", "tx_fifo_errors",   "tx_heartbeat_errors",
	"tx_window_errors",  "rx_compressed",	  "tx_compressed",    "rx_nohandler",
};

int rxaqm_link_stats(const char *ifname, struct rtnl_link_stats64 *stats)
{
	union rxaqm_netlink_request request;
	struct ifinfomsg *info = rxaqm_netlink_begin(&request, RTM_GETLINK, 0, sizeof(*info));

	memset(stats, 0, sizeof(*stats));
	info->ifi_index = (int)if_nametoindex(ifname);
	if (!info->ifi_index)
		return -errno;
	return rxaqm_netlink_ask(NETLINK_ROUTE, &request, on_link_stats, stats);
}

bool rxaqm_mask_is_set(const char *mask)
{
	return mask[strspn(mask, "0,")];
}

int rxaqm_nic_read_dir(const char *ifname, const char *below, rxaqm_nic_entry_fn *each, void *arg)
{
	int sysfs_fd = rxaqm_netns_sysfs(false), fd, err = 0;
	struct dirent *entry;
	char path[64];
	DIR *dir;

	if (sysfs_fd < 0)
		return sysfs_fd;
	snprintf(path, sizeof(path), "class/net/%s%s", ifname, below);
	fd = openat(sysfs_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		err = -errno;
		if (fd >= 0)
			close(fd);
	}
	while (dir && (entry = readdir(dir)))
		each(fd, entry->d_name, arg);
	if (dir)
		closedir(dir);
	close(sysfs_fd);
	return err;
}

static void find_lower(int dir_fd, const char *name, void *arg)
{
	struct rxaqm_nic *nic = arg;

	(void)dir_fd;
	if (!strncmp(name, "lower_", 6))
		snprintf(nic->lower, sizeof(nic->lower), "%.15s", name + 6);
}

static void count_rx_queue(int dir_fd, const char *name, void *arg)
{
	struct rxaqm_nic *nic = arg;

	(void)dir_fd;
	nic->nr_rx_queues += !strncmp(name, "rx-", 3);
}

static void look_for_rps(int dir_fd, const char *name, void *arg)
{
	char path[300], mask[1024];
	bool *rps = arg;

	if (*rps || strncmp(name, "rx-", 3))
		return;
	snprintf(path, sizeof(path), "%s/rps_cpus", name);
	*rps = rxaqm_mask_is_set(rxaqm_first_line(dir_fd, path, mask, sizeof(mask)));
}

bool rxaqm_nic_has_rps(const char *ifname)
{
	bool rps = false;

	rxaqm_nic_read_dir(ifname, "/queues", look_for_rps, &rps);
	return rps;
}

int rxaqm_nic_index(const char *ifname, unsigned int *ret_ifindex, struct rxaqm_error *error)
{
	char name[IF_NAMESIZE];

	*ret_ifindex = if_nametoindex(ifname);
	/* sysfs knows an interface by one name only. */
	if (*ret_ifindex && if_indextoname(*ret_ifindex, name) && strcmp(name, ifname))
		return rxaqm_failed(error, ENODEV,
				    "\"%s\" is an alternative name of \"%s\"; use \"%s\"", ifname,
				    name, name);
	if (*ret_ifindex)
		return 0;
	if (errno != ENODEV)
		return rxaqm_failed(error, errno, "cannot ask the kernel for interface \"%s\": %s",
				    ifname, strerror(errno));
	return rxaqm_failed(error, ENODEV,
			    "no interface \"%s\" in this network namespace; see \"ip link\", or "
			    "name another namespace with --netns",
			    ifname);
}

int rxaqm_nic_read(const char *ifname, struct rxaqm_nic *nic, struct rxaqm_error *error)
{
	struct ethtool_ringparam ring = { .cmd = ETHTOOL_GRINGPARAM };
	struct ifreq ifr = {};
	int err;

	memset(nic, 0, sizeof(*nic));
	err = rxaqm_nic_index(ifname, &nic->ifindex, error);
	if (err)
		return err;
	rxaqm_nic_driver(ifname, nic->driver, sizeof(nic->driver));
	nic->rx_ring = rxaqm_ethtool(ifname, &ring) ? 0 : ring.rx_pending;
	nic->link_type = ARPHRD_ETHER;
	if (!rxaqm_nic_ioctl(ifname, SIOCGIFHWADDR, &ifr))
		nic->link_type = ifr.ifr_hwaddr.sa_family;
	err = rxaqm_nic_read_dir(ifname, "", find_lower, nic);
	if (!err)
		err = rxaqm_nic_read_dir(ifname, "/queues", count_rx_queue, nic);
	if (!err && !nic->nr_rx_queues)
		err = -ENODEV;
	if (!err)
		return 0;
	return rxaqm_failed(error, -err, "cannot count the Rx queues of \"%s\" in sysfs: %s",
			    ifname, strerror(-err));
}

int rxaqm_nic_check_link(const char *ifname, const struct rxaqm_nic *nic, bool generic,
			 struct rxaqm_error *error)
{
	/* The loopback device's packets have an Ethernet header, too. */
	if (nic->link_type != ARPHRD_ETHER && nic->link_type != ARPHRD_LOOPBACK)
		return rxaqm_error_set(
			error, RXAQM_EXIT_UNSUPPORTED, EOPNOTSUPP,
			"\"%s\" is of link type %u%s, and packets without an Ethernet header cannot be "
			"read; attach to the interface through which they arrive",
			ifname, nic->link_type,
			nic->link_type == ARPHRD_NONE ? " (none: tun, WireGuard and such)" : "");
	if (generic)
		return 0;
	/* drivers/net/tun.c:tun_build_skb */
	if (!strcmp(nic->driver, "tun"))
		return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, EOPNOTSUPP,
				       "\"%s\" is a tap, where native XDP runs before packets wait "
				       "anywhere; use \"--mode generic\"",
				       ifname);
	/* bond_xdp_set(), netvsc_vf_setxdp(): a program goes to the devices below, too. */
	if (rxaqm_nic_is_bond(nic) || nic->lower[0])
		return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, EOPNOTSUPP,
				       "\"%s\" is above other interfaces%s%s%s, whose queues have the same "
				       "numbers; attach to those",
				       ifname, nic->lower[0] ? " (\"" : "", nic->lower,
				       nic->lower[0] ? "\")" : "");
	return 0;
}

static void read_max_backlog(void *ret_entries)
{
	unsigned int *entries = ret_entries;
	char text[16];

	/* One for the whole machine, but shown in its first namespace only. */
	rxaqm_first_line(AT_FDCWD, "/proc/sys/net/core/netdev_max_backlog", text, sizeof(text));
	if (*text)
		*entries = (unsigned int)strtoul(text, NULL, 10);
}

unsigned int rxaqm_max_backlog(void)
{
	unsigned int entries = 0;

	rxaqm_netns_outer(read_max_backlog, &entries);
	return entries;
}
