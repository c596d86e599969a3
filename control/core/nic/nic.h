/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel says of an interface, in the network namespace entered. */
#pragma once

#include <linux/types.h>
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/log.h"

/* The id of this boot: equal ids mean one host, and so one clock. */
#define RXAQM_BOOT_ID "/proc/sys/kernel/random/boot_id"

/* The first line of the file @path of /proc or /sys, below @dir_fd, cut at @size; false, and "", if
 * it cannot be read. Or @buf.
 */
bool rxaqm_read_line(int dir_fd, const char *path, char *buf, size_t size);
static inline const char *rxaqm_first_line(int dir_fd, const char *path, char *buf, size_t size)
{
	rxaqm_read_line(dir_fd, path, buf, size);
	return buf;
}

/* If lockdown forbids BPF programs to read the kernel's memory, a sentence that says so; else NULL.
 */
const char *rxaqm_lockdown(void);

/* What identifies a queue of an interface. */
enum rxaqm_queue_key {
	RXAQM_KEY_AUTO, /* by CPU where packets reach XDP through a CPU's backlog */
	RXAQM_KEY_QUEUE,
	RXAQM_KEY_CPU,
};

struct rxaqm_nic {
	char driver[32];
	unsigned int ifindex;
	unsigned int nr_rx_queues;
	unsigned int rx_ring; /* entries of an Rx ring; 0: the driver does not say */
	char lower[IF_NAMESIZE]; /* a device below it, as of a bond; "": none */
	unsigned int link_type; /* ARPHRD_* */
};

/* The index of an interface. -ENODEV with @error if there is none, or if @ifname is an alternative
 * name of one (ip link property); another -errno if the kernel cannot be asked.
 */
int rxaqm_nic_index(const char *ifname, unsigned int *ret_ifindex, struct rxaqm_error *error);

/* -ENODEV with @error if there is no such interface. */
int rxaqm_nic_read(const char *ifname, struct rxaqm_nic *nic, struct rxaqm_error *error);

/* Read the kernel's counters of the interface @ifname; those that an old kernel lacks are 0. By
 * netlink, since sysfs may show another namespace. -ENODEV if there is no such interface.
 */
struct rtnl_link_stats64;
int rxaqm_link_stats(const char *ifname, struct rtnl_link_stats64 *stats);

/* The names of its first fields, of 64 bits each, in order. */
#define RXAQM_LINK_STATS 24
extern const char *const rxaqm_link_stat_names[RXAQM_LINK_STATS];

/* Is a CPU in the mask "00,00000002", as files of sysfs have it? */
bool rxaqm_mask_is_set(const char *mask);

/* Call @each for every entry of sysfs's directory class/net/@ifname@below; @below is "" or
 * "/queues". Only sysfs has related devices and Rx queues for every driver. -errno if the directory
 * cannot be read.
 */
typedef void rxaqm_nic_entry_fn(int dir_fd, const char *name, void *arg);
int rxaqm_nic_read_dir(const char *ifname, const char *below, rxaqm_nic_entry_fn *each, void *arg);

/* Is RPS on for any of its Rx queues? Reads one file per queue. */
bool rxaqm_nic_has_rps(const char *ifname);

static inline bool rxaqm_nic_is_bond(const struct rxaqm_nic *nic)
{
	return !strcmp(nic->driver, "bonding");
}

/* Fail with RXAQM_EXIT_UNSUPPORTED if XDP, native or @generic, cannot see the packets of @ifname's
 * queues.
 */
int rxaqm_nic_check_link(const char *ifname, const struct rxaqm_nic *nic, bool generic,
			 struct rxaqm_error *error);

/* net.core.netdev_max_backlog; 0 if no namespace in reach shows it. */
unsigned int rxaqm_max_backlog(void);
