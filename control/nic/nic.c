/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/nic.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nic/netns.h"

static int ifr_ioctl(const char *ifname, unsigned long request, void *data)
{
	struct ifreq ifr = {};
	int fd, err = 0;

	if (strlen(ifname) >= sizeof(ifr.ifr_name))
		return -ENODEV;
	strcpy(ifr.ifr_name, ifname);
	ifr.ifr_data = data;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, request, &ifr))
		err = -errno;
	close(fd);
	return err;
}

int rxaqm_nic_driver(const char *ifname, char *buf, size_t size)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	int err = ifr_ioctl(ifname, SIOCETHTOOL, &info);

	if (err)
		return err;
	snprintf(buf, size, "%s", info.driver);
	return 0;
}

static unsigned int rx_ring_entries(const char *ifname)
{
	struct ethtool_ringparam ring = { .cmd = ETHTOOL_GRINGPARAM };

	return ifr_ioctl(ifname, SIOCETHTOOL, &ring) ? 0 : ring.rx_pending;
}

/* True if an rps_cpus mask ("00,00000002") has a CPU in it. */
static bool mask_file_is_set(int queues_fd, const char *queue)
{
	char path[300], mask[1024];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "%s/rps_cpus", queue);
	fd = openat(queues_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, mask, sizeof(mask) - 1);
	close(fd);
	if (len <= 0)
		return false;
	mask[len] = '\0';
	return strspn(mask, "0,\n") != (size_t)len;
}

/* ARPHRD_*; that of Ethernet if the kernel does not say. */
static unsigned int read_link_type(int sysfs_fd, const char *ifname)
{
	unsigned int type = ARPHRD_ETHER;
	char path[64], text[16];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "class/net/%s/type", ifname);
	fd = openat(sysfs_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return type;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (len > 0) {
		text[len] = '\0';
		type = (unsigned int)strtoul(text, NULL, 10);
	}
	return type;
}

/* Rx queues and RPS, from sysfs: the one source that every driver has. */
static int read_queues(const char *ifname, struct rxaqm_nic *nic)
{
	struct dirent *entry;
	char path[64];
	int sysfs_fd, fd;
	DIR *dir;

	sysfs_fd = rxaqm_netns_sysfs();
	if (sysfs_fd < 0)
		return sysfs_fd;
	snprintf(path, sizeof(path), "class/net/%s/bonding", ifname);
	nic->bond = !faccessat(sysfs_fd, path, F_OK, 0);
	nic->link_type = read_link_type(sysfs_fd, ifname);
	snprintf(path, sizeof(path), "class/net/%s/queues", ifname);
	fd = openat(sysfs_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(sysfs_fd);
	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while ((entry = readdir(dir))) {
		if (strncmp(entry->d_name, "rx-", 3))
			continue;
		nic->nr_rx_queues++;
		if (mask_file_is_set(fd, entry->d_name))
			nic->rps = true;
	}
	closedir(dir);
	return 0;
}

int rxaqm_nic_read(const char *ifname, struct rxaqm_nic *nic, struct rxaqm_error *error)
{
	int err;

	memset(nic, 0, sizeof(*nic));
	nic->ifindex = if_nametoindex(ifname);
	if (!nic->ifindex)
		return rxaqm_error_set(error, RXAQM_EXIT_FAILED, ENODEV,
				       "no interface \"%s\" in this network namespace; see \"ip link\", "
				       "or name another namespace with --netns",
				       ifname);
	/* A driver without ethtool operations (lo) has no name to go by. */
	rxaqm_nic_driver(ifname, nic->driver, sizeof(nic->driver));
	nic->rx_ring = rx_ring_entries(ifname);
	err = read_queues(ifname, nic);
	if (err || !nic->nr_rx_queues)
		return rxaqm_error_set(error, RXAQM_EXIT_FAILED, err ? -err : ENODEV,
				       "cannot count the Rx queues of \"%s\" in sysfs: %s", ifname,
				       strerror(err ? -err : ENODEV));
	return 0;
}

int rxaqm_nic_check_link(const char *ifname, const struct rxaqm_nic *nic, struct rxaqm_error *error)
{
	/* The loopback device's packets have an Ethernet header, too. */
	if (nic->link_type == ARPHRD_ETHER || nic->link_type == ARPHRD_LOOPBACK)
		return 0;
	return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, EOPNOTSUPP,
			       "\"%s\" is of link type %u%s, and packets without an Ethernet header "
			       "cannot be read; attach to the interface that they come in by",
			       ifname, nic->link_type,
			       nic->link_type == ARPHRD_NONE ? " (none: tun, WireGuard and such)" :
							       "");
}

/* The kinds of received packets that the device can be told to stamp: bits HWTSTAMP_FILTER_*. */
static __u32 rx_filters(const char *ifname)
{
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };

	if (ifr_ioctl(ifname, SIOCETHTOOL, &info) ||
	    !(info.so_timestamping & SOF_TIMESTAMPING_RX_HARDWARE))
		return 0;
	return info.rx_filters & ~(1U << HWTSTAMP_FILTER_NONE);
}

bool rxaqm_nic_stamps_all(const char *ifname)
{
	return rx_filters(ifname) & (1U << HWTSTAMP_FILTER_ALL);
}

bool rxaqm_nic_stamps_some(const char *ifname)
{
	return rx_filters(ifname);
}

int rxaqm_nic_phc(const char *ifname)
{
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };
	int err = ifr_ioctl(ifname, SIOCETHTOOL, &info);

	if (err)
		return err == -ENODEV ? err : -ENOENT;
	return info.phc_index < 0 ? -ENOENT : info.phc_index;
}

int rxaqm_hwtstamp_get(const char *ifname, struct rxaqm_hwtstamp *config)
{
	struct hwtstamp_config hw = {};
	int err = ifr_ioctl(ifname, SIOCGHWTSTAMP, &hw);

	memset(config, 0, sizeof(*config));
	if (err == -EOPNOTSUPP || err == -ENOTTY || err == -EINVAL)
		return 0;
	if (err)
		return err;
	config->known = true;
	config->flags = hw.flags;
	config->tx_type = hw.tx_type;
	config->rx_filter = hw.rx_filter;
	return 0;
}

int rxaqm_hwtstamp_set(const char *ifname, const struct rxaqm_hwtstamp *config)
{
	struct hwtstamp_config hw = {
		.flags = config->flags,
		.tx_type = config->tx_type,
		.rx_filter = config->rx_filter,
	};

	return ifr_ioctl(ifname, SIOCSHWTSTAMP, &hw);
}

static void read_max_backlog(void *ret_entries)
{
	FILE *file = fopen("/proc/sys/net/core/netdev_max_backlog", "re");
	unsigned int *entries = ret_entries;

	if (!file)
		return;
	if (fscanf(file, "%u", entries) != 1)
		*entries = 0;
	fclose(file);
}

unsigned int rxaqm_max_backlog(void)
{
	unsigned int entries = 0;

	/* One for the whole machine, but shown in its first namespace only. */
	rxaqm_netns_origin(read_max_backlog, &entries);
	return entries;
}
