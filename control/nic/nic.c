/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/nic.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nic/ethtool.h"
#include "nic/netns.h"

const char *rxaqm_first_line(int dir_fd, const char *path, char *buf, size_t size)
{
	int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	buf[len < 0 ? 0 : len] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return buf;
}

/* True if an rps_cpus mask ("00,00000002") has a CPU in it. */
static bool mask_file_is_set(int queues_fd, const char *queue)
{
	char path[300], mask[1024];

	snprintf(path, sizeof(path), "%s/rps_cpus", queue);
	rxaqm_first_line(queues_fd, path, mask, sizeof(mask));
	return mask[strspn(mask, "0,")];
}

/* ARPHRD_*; that of Ethernet if the kernel does not say. */
static unsigned int read_link_type(int sysfs_fd, const char *ifname)
{
	char path[64], text[16];

	snprintf(path, sizeof(path), "class/net/%s/type", ifname);
	return *rxaqm_first_line(sysfs_fd, path, text, sizeof(text)) ?
		       (unsigned int)strtoul(text, NULL, 10) :
		       ARPHRD_ETHER;
}

/* Rx queues and RPS, from sysfs: the one source that every driver has. */
static int read_queues(const char *ifname, struct rxaqm_nic *nic)
{
	struct dirent *entry;
	char path[64];
	int sysfs_fd, fd;
	DIR *dir;

	sysfs_fd = rxaqm_netns_sysfs(false);
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
		nic->rps |= mask_file_is_set(fd, entry->d_name);
	}
	closedir(dir);
	return 0;
}

int rxaqm_nic_read(const char *ifname, struct rxaqm_nic *nic, struct rxaqm_error *error)
{
	struct ethtool_ringparam ring = { .cmd = ETHTOOL_GRINGPARAM };
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
	nic->rx_ring = rxaqm_ethtool(ifname, &ring) ? 0 : ring.rx_pending;
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

static void read_max_backlog(void *ret_entries)
{
	unsigned int *entries = ret_entries;
	char text[16];

	rxaqm_first_line(AT_FDCWD, "/proc/sys/net/core/netdev_max_backlog", text, sizeof(text));
	*entries = (unsigned int)strtoul(text, NULL, 10);
}

unsigned int rxaqm_max_backlog(void)
{
	unsigned int entries = 0;

	/* One for the whole machine, but shown in its first namespace only. */
	rxaqm_netns_origin(read_max_backlog, &entries);
	return entries;
}
