/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's messages about interfaces (rtnetlink) and about their channels and rings (generic
 * netlink, family "ethtool", from 5.6 on). Messages only say where to look: if some are lost,
 * everything is looked at.
 */
#include "daemon/netlink.h"

#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/now.h"
#include "daemon/link.h"
#include "daemon/link_list.h"
#include "daemon/log.h"
#include "nic/netlink.h"
#include "nic/netns.h"

/* Several changes in a row, as drivers announce them, are usually handled once. */
#define CHANGES_NS (100 * RXAQM_NSEC_PER_MSEC)
#define FACTS_NS (300 * RXAQM_NSEC_PER_MSEC)
#define MESSAGES_MAX 256 /* read at a time; then other sources get their turn */

static char buffer[32768] __attribute__((aligned(NLMSG_ALIGNTO)));

/* The interface @ifindex was deleted, not moved to another namespace: note whose entry it was,
 * since libxdp's pins may keep its program.
 */
static void on_deleted(struct rxaqm_run *run, unsigned int ifindex)
{
	const struct rxaqm_iface *iface = NULL;

	while ((iface = rxaqm_iface_next(&run->state, iface)))
		if (iface->ifindex == ifindex && iface->netns_ino == rxaqm_netns_ino())
			run->any_deleted = run->deleted[iface - run->state.iface] = true;
}

static void on_link_message(struct rxaqm_run *run, const struct nlmsghdr *message)
{
	const struct ifinfomsg *info = NLMSG_DATA(message);
	const struct nlattr *attr;
	struct rxaqm_link *link;
	char name[RXAQM_IFNAMSIZ] = "";

	if (NLMSG_PAYLOAD(message, 0) < sizeof(*info) ||
	    (message->nlmsg_type != RTM_NEWLINK && message->nlmsg_type != RTM_DELLINK))
		return;
	link = rxaqm_run_link_find(run, (unsigned int)info->ifi_index);
	/* A bridge that loses a member sends DELLINK, too. */
	if (message->nlmsg_type == RTM_DELLINK && info->ifi_family != AF_UNSPEC)
		return;
	if (message->nlmsg_type == RTM_DELLINK &&
	    !rxaqm_netlink_attr(message, sizeof(*info), IFLA_NEW_NETNSID, 0))
		on_deleted(run, (unsigned int)info->ifi_index);
	attr = rxaqm_netlink_attr(message, sizeof(*info), IFLA_IFNAME, 1);
	if (attr)
		snprintf(name, sizeof(name), "%.*s", (int)rxaqm_attr_len(attr),
			 (const char *)rxaqm_attr_data(attr));
	if (link && message->nlmsg_type == RTM_NEWLINK && !strcmp(link->name, name)) {
		/* Up, down, or another program. */
		link->verify = true;
		rxaqm_run_changed(link);
	} else if (link && message->nlmsg_type == RTM_DELLINK) {
		/* At once: the next listing may find another one with the same index and name. */
		rxaqm_run_link_removed(link);
		run->rescan = true;
	} else if (link || rxaqm_config_find(&run->config, name)) {
		run->rescan = true;
	} else {
		return;
	}
	rxaqm_run_sync_by(run, rxaqm_now_ns() + CHANGES_NS);
}

static void on_ethtool_message(struct rxaqm_run *run, const struct nlmsghdr *message)
{
	const struct genlmsghdr *header = NLMSG_DATA(message);
	const struct nlattr *attr;
	struct rxaqm_link *link;

	if (NLMSG_PAYLOAD(message, 0) < sizeof(*header) ||
	    message->nlmsg_type != run->ethtool_family)
		return;
	if (header->cmd != ETHTOOL_MSG_CHANNELS_NTF && header->cmd != ETHTOOL_MSG_RINGS_NTF)
		return;
	/* In both messages the header is attribute 1. */
	attr = rxaqm_netlink_attr(message, sizeof(*header), ETHTOOL_A_CHANNELS_HEADER, 0);
	if (attr)
		attr = rxaqm_netlink_nested(attr, ETHTOOL_A_HEADER_DEV_INDEX, sizeof(__u32));
	link = attr ? rxaqm_run_link_find(run, rxaqm_attr_u32(attr)) : NULL;
	if (!link || !link->section)
		return;
	rxaqm_run_try_again(link, FACTS_NS);
}

/* Some messages were lost: look at everything. */
static void on_loss(struct rxaqm_run *run)
{
	struct rxaqm_link *link;

	run->rescan = true;
	for (link = run->links; link; link = link->next) {
		link->verify = true;
		if (!link->due_ns)
			rxaqm_run_try_again(link, FACTS_NS);
	}
	rxaqm_run_sync_by(run, rxaqm_now_ns() + CHANGES_NS);
}

static int read_all(struct rxaqm_run *run, int fd,
		    void (*on)(struct rxaqm_run *run, const struct nlmsghdr *message))
{
	const struct nlmsghdr *message;
	ssize_t bytes;
	int i;

	for (i = 0; i < MESSAGES_MAX; i++) {
		bytes = recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);
		if (bytes < 0 && errno == ENOBUFS) {
			on_loss(run);
			continue;
		}
		if (bytes < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		for (message = (const struct nlmsghdr *)buffer;
		     rxaqm_message_ok(message, buffer + bytes);
		     message = rxaqm_message_next(message))
			on(run, message);
	}
	return 0;
}

static int on_readable(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct rxaqm_run *run = arg;
	int err = read_all(run, fd,
			   source == run->rtnl_source ? on_link_message : on_ethtool_message);

	(void)events;
	if (!err)
		return 0;
	/* Returning it to sd-event would end the listening for good: go on with the next tick. */
	rxaqm_run_log(LOG_ERR,
		      "cannot read the kernel's messages about interfaces: %s; looking at all of "
		      "them, and listening again in 1s",
		      strerror(-err));
	sd_event_source_set_enabled(source, SD_EVENT_OFF);
	on_loss(run);
	return 0;
}

void rxaqm_run_netlink_resume(struct rxaqm_run *run)
{
	sd_event_source_set_enabled(run->rtnl_source, SD_EVENT_ON);
	if (run->genl_source)
		sd_event_source_set_enabled(run->genl_source, SD_EVENT_ON);
}

/* Listen to the multicast group with the number @group. */
static int listen_to(struct rxaqm_run *run, int protocol, __u32 group, sd_event_source **source)
{
	const struct sockaddr_nl any = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol), err = 0;

	if (fd < 0)
		return -errno;
	/* A socket without an address gets no messages for groups. */
	if (bind(fd, (const struct sockaddr *)&any, sizeof(any)) ||
	    setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)))
		err = -errno;
	if (!err)
		err = sd_event_add_io(run->event, source, fd, EPOLLIN, on_readable, run);
	if (err < 0)
		close(fd);
	return err;
}

/* Without it (kernels before 5.6, or without the family) rings and channels are polled. */
static void open_genl(struct rxaqm_run *run)
{
	__u32 group = 0;
	int family = rxaqm_netlink_family(ETHTOOL_GENL_NAME, ETHTOOL_MCGRP_MONITOR_NAME, &group);
	int err = family < 0 ? family : listen_to(run, NETLINK_GENERIC, group, &run->genl_source);

	if (err >= 0)
		run->ethtool_family = (unsigned int)family;
	else
		rxaqm_run_log(LOG_NOTICE,
			      "the kernel does not announce changes of rings and channels (%s); "
			      "rxaqm looks for them every 10 s",
			      strerror(-err));
}

int rxaqm_run_netlink_open(struct rxaqm_run *run, struct rxaqm_error *error)
{
	int err = listen_to(run, NETLINK_ROUTE, RTNLGRP_LINK, &run->rtnl_source);

	if (err < 0)
		return rxaqm_failed(error, -err, "cannot listen to rtnetlink: %s", strerror(-err));
	open_genl(run);
	return 0;
}
