/* SPDX-License-Identifier: GPL-2.0-only */
/* Interfaces: links by netlink, their queues by sysfs. */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/collect/collect.h"
#include "base/fields.h"
#include "nic/netlink.h"
#include "nic/nic.h"

#define MAX_QUEUES 4096
#define PARENT_DEV_NAME 56 /* IFLA_PARENT_DEV_NAME, in kernels and headers from 5.14 on */

struct doctor_iface *doctor_iface_of(struct doctor_sample *sample, __u32 ifindex)
{
	struct doctor_iface *iface;

	return rxaqm_list_find(iface, &sample->ifaces, iface->ifindex == ifindex);
}

struct doctor_queue *doctor_queue_of(struct doctor_iface *iface, bool tx, __u32 id)
{
	struct doctor_queue *queue;

	queue = rxaqm_list_find(queue, &iface->queues, queue->id == id && queue->tx == tx);
	if (queue || id >= MAX_QUEUES)
		return queue;
	queue = rxaqm_list_add(&iface->queues);
	if (!queue)
		return NULL;
	memset(queue, 0xff, sizeof(*queue));
	queue->id = id;
	queue->tx = tx;
	queue->napi = queue->irq = 0;
	return queue;
}

static void set_stats(struct doctor_iface *iface, const struct nlattr *attr)
{
	size_t i, nr = rxaqm_attr_len(attr) / sizeof(__u64);

	for (i = 0; i < nr && i < RXAQM_LINK_STATS; i++) {
		__u64 value;

		memcpy(&value, (const char *)rxaqm_attr_data(attr) + i * sizeof(value),
		       sizeof(value));
		doctor_map_set(&iface->stats, rxaqm_link_stat_names[i], value);
	}
}

static void set_words(char *to, size_t size, const struct nlattr *attr)
{
	if (attr && rxaqm_attr_text(attr))
		snprintf(to, size, "%s", rxaqm_attr_text(attr));
}

static void set_attrs(struct doctor_iface *iface, const struct nlmsghdr *message)
{
#define ATTR(type, least) rxaqm_netlink_attr(message, sizeof(struct ifinfomsg), type, least)
	const struct nlattr *stats = ATTR(IFLA_STATS64, 0);
	const struct nlattr *queues = ATTR(IFLA_NUM_RX_QUEUES, sizeof(__u32));
	const struct nlattr *mtu = ATTR(IFLA_MTU, sizeof(__u32));
	const struct nlattr *kind = ATTR(IFLA_LINKINFO, 0);

	set_words(iface->name, sizeof(iface->name), ATTR(IFLA_IFNAME, 1));
	set_words(iface->qdisc, sizeof(iface->qdisc), ATTR(IFLA_QDISC, 1));
	if (queues)
		iface->rx_queues = rxaqm_attr_u32(queues);
	if (mtu)
		iface->mtu = rxaqm_attr_u32(mtu);
	if (stats)
		set_stats(iface, stats);
	/* Real interfaces of a kind (ipoib, dsa) have a parent device. */
	iface->is_virtual = kind && rxaqm_netlink_nested(kind, IFLA_INFO_KIND, 1) &&
			    !ATTR(PARENT_DEV_NAME, 1);
#undef ATTR
}

struct links {
	struct doctor_sample *sample;
	const char *interface;
	size_t nr; /* interfaces that are up */
};

static int take_link(const struct nlmsghdr *message, void *arg)
{
	const struct ifinfomsg *info = NLMSG_DATA(message);
	struct links *links = arg;
	struct doctor_iface iface = {
		.ifindex = (__u32)info->ifi_index,
		.link_type = info->ifi_type,
		.speed_mbit = -1,
		.rx_usecs = ~0U,
		.pcie_width = ~0U,
		.pcie_max_width = ~0U,
	};

	set_attrs(&iface, message);
	if ((links->interface ? !strcmp(iface.name, links->interface) : info->ifi_flags & IFF_UP) &&
	    ++links->nr && links->sample->ifaces.nr < DOCTOR_MAX_IFACES &&
	    rxaqm_list_put(&links->sample->ifaces, iface))
		return 0;
	json_object_put(iface.stats);
	return 0;
}

int doctor_collect_links(struct doctor_snapshot *snap, struct doctor_sample *sample,
			 const char *interface)
{
	struct links links = { sample, interface, 0 };
	union rxaqm_netlink_request request;
	int err;

	rxaqm_netlink_begin(&request, RTM_GETLINK, NLM_F_DUMP, sizeof(struct ifinfomsg));
	err = rxaqm_netlink_ask(NETLINK_ROUTE, &request, take_link, &links);
	if (err == -EAGAIN)
		err = 0;
	if (links.nr > sample->ifaces.nr) {
		doctor_cannot_see(
			snap, "interfaces",
			"%zu of %zu that are up exceed the limit of %d: name one, rxaqm doctor IFACE",
			links.nr - sample->ifaces.nr, links.nr, DOCTOR_MAX_IFACES);
		/* Without these interfaces no host can be called healthy. */
		if (snap->cannot_see.nr)
			snap->cannot_see.at[snap->cannot_see.nr - 1].essential = true;
	}
	if (err)
		doctor_cannot_see(snap, "interfaces", "RTM_GETLINK: %s", strerror(-err));
	else if (interface && !sample->ifaces.nr)
		err = -ENODEV;
	return err;
}

/* Read BQL and the hang count of a Tx queue. False: no such queue, nor one with a higher number. */
static bool collect_bql(struct doctor_iface *iface, int sysfs_fd, __u32 id)
{
	struct doctor_queue *queue;
	char dir[96];
	__u64 limit;

	snprintf(dir, sizeof(dir), "class/net/%s/queues/tx-%u/byte_queue_limits", iface->name, id);
	limit = doctor_read_u64(sysfs_fd, ~0ULL, "%s/limit", dir);
	queue = limit != ~0ULL ? doctor_queue_of(iface, true, id) : NULL;
	if (!queue)
		return false;
	queue->bql_limit = limit;
	/* A virtual interface has no watchdog. */
	if (!iface->is_virtual)
		queue->hangs = doctor_read_u64(sysfs_fd, ~0ULL,
					       "class/net/%s/queues/tx-%u/tx_timeout", iface->name,
					       id);
	/* A driver without BQL keeps the limit at 0. */
	if (!limit)
		return true;
	queue->bql_inflight = doctor_read_u64(sysfs_fd, ~0ULL, "%s/inflight", dir);
	return true;
}

void doctor_collect_queues(struct doctor_iface *iface, int sysfs_fd)
{
	char mask[4096];
	__u32 id;

	for (id = 0; doctor_read_line(sysfs_fd, mask, sizeof(mask),
				      "class/net/%s/queues/rx-%u/rps_cpus", iface->name, id) &&
		     doctor_queue_of(iface, false, id);
	     id++)
		iface->rps_queues += rxaqm_mask_is_set(mask);
	for (id = 0; collect_bql(iface, sysfs_fd, id); id++)
		;
}

/* Which program configures it, by the state that programs keep of a link. */
static void collect_manager(struct doctor_iface *iface)
{
	static const struct {
		const char *name, *path, *line;
	} managers[] = {
		{ "NetworkManager", "/run/NetworkManager/devices/%u", "managed=true" },
		{ "systemd-networkd", "/run/systemd/netif/links/%u", "ADMIN_STATE=configured" },
	};
	char path[64], *text;
	size_t i;

	for (i = 0; i < sizeof(managers) / sizeof(managers[0]); i++) {
		snprintf(path, sizeof(path), managers[i].path, iface->ifindex);
		text = doctor_read(AT_FDCWD, path);
		if (text && strstr(text, managers[i].line))
			snprintf(iface->managed_by, sizeof(iface->managed_by), "%s",
				 managers[i].name);
		free(text);
	}
}

void doctor_collect_device(struct doctor_iface *iface, int sysfs_fd)
{
	char path[64];

	snprintf(path, sizeof(path), "class/net/%s/device", iface->name);
	if (iface->is_virtual || faccessat(sysfs_fd, path, F_OK, 0))
		return;
	collect_manager(iface);
	iface->pcie_width = (__u32)doctor_read_u64(sysfs_fd, ~0U, "%s/current_link_width", path);
	iface->pcie_max_width = (__u32)doctor_read_u64(sysfs_fd, ~0U, "%s/max_link_width", path);
}
