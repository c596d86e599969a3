/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel tells of interfaces (rtnetlink) and of their channels and rings (generic
 * netlink, family "ethtool", from 5.6 on). Messages only say where to look: if some are
 * lost, everything is looked at.
 */
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "daemon/run.h"
#include "base/now.h"
#include "nic/nlattr.h"

/* Several changes in a row, as drivers announce them, are looked at once. */
#define CHANGES_NS (100 * RXAQM_NSEC_PER_MSEC)
#define FACTS_NS (300 * RXAQM_NSEC_PER_MSEC)
#define MESSAGES_MAX 256 /* read at a time; then others get their turn */

static char buffer[32768] __attribute__((aligned(NLMSG_ALIGNTO)));

static int open_socket(int protocol, unsigned int groups)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = groups };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

/* Room of a message behind its first @header bytes of payload; -1 if it is too short. */
static ssize_t behind(const struct nlmsghdr *message, size_t header)
{
	size_t all = NLMSG_HDRLEN + NLMSG_ALIGN(header);

	return message->nlmsg_len < all ? -1 : (ssize_t)(message->nlmsg_len - all);
}

static void on_link_message(struct rxaqm_run *run, const struct nlmsghdr *message)
{
	const struct ifinfomsg *info = NLMSG_DATA(message);
	ssize_t bytes = behind(message, sizeof(*info));
	const struct nlattr *attr;
	struct rxaqm_link *link;
	char name[RXAQM_IFNAMSIZ] = "";

	if (bytes < 0 || (message->nlmsg_type != RTM_NEWLINK && message->nlmsg_type != RTM_DELLINK))
		return;
	link = rxaqm_run_link_find(run, (unsigned int)info->ifi_index);
	/* A bridge that loses a member says DELLINK, too. */
	if (message->nlmsg_type == RTM_DELLINK && info->ifi_family != AF_UNSPEC)
		return;
	attr = rxaqm_nlattr_find((const struct nlattr *)(info + 1), (size_t)bytes, IFLA_IFNAME, 1);
	if (attr)
		snprintf(name, sizeof(name), "%.*s", (int)(attr->nla_len - NLA_HDRLEN),
			 (const char *)rxaqm_nlattr_payload(attr));
	if (link && message->nlmsg_type == RTM_NEWLINK && !strcmp(link->name, name)) {
		/* Up, down, or the program is another. */
		link->look = true;
		rxaqm_run_changed(link);
	} else if (link && message->nlmsg_type == RTM_DELLINK) {
		/* At once: one with the same index and name may be there when the list is made. */
		rxaqm_run_link_gone(link);
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
	ssize_t bytes = behind(message, sizeof(*header));
	const struct nlattr *attr;
	struct rxaqm_link *link;

	if (bytes < 0 || message->nlmsg_type != run->ethtool_family)
		return;
	if (header->cmd != ETHTOOL_MSG_CHANNELS_NTF && header->cmd != ETHTOOL_MSG_RINGS_NTF)
		return;
	/* In both the header is attribute 1. */
	attr = rxaqm_nlattr_find((const struct nlattr *)(header + 1), (size_t)bytes,
				 ETHTOOL_A_CHANNELS_HEADER, 0);
	if (attr)
		attr = rxaqm_nlattr_nested(attr, ETHTOOL_A_HEADER_DEV_INDEX, sizeof(__u32));
	link = attr ? rxaqm_run_link_find(run, *(const __u32 *)rxaqm_nlattr_payload(attr)) : NULL;
	if (!link || !link->section)
		return;
	link->facts = true;
	link->due_ns = rxaqm_now_ns() + FACTS_NS;
	rxaqm_run_sync_by(run, link->due_ns);
}

/* Some messages were lost: look at everything. */
static void on_loss(struct rxaqm_run *run)
{
	__u64 now_ns = rxaqm_now_ns();
	struct rxaqm_link *link;

	run->rescan = true;
	for (link = run->links; link; link = link->next) {
		link->look = true;
		link->facts = true;
		if (!link->due_ns)
			link->due_ns = now_ns + FACTS_NS;
	}
	rxaqm_run_sync_by(run, now_ns + CHANGES_NS);
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
		for (message = (const struct nlmsghdr *)buffer; NLMSG_OK(message, bytes);
		     message = NLMSG_NEXT(message, bytes))
			on(run, message);
	}
	return 0;
}

/* An error returned to sd-event would end the listening for good: it goes on with the next tick. */
static void keep_listening(struct rxaqm_run *run, sd_event_source *source, int err)
{
	if (!err)
		return;
	rxaqm_run_log(LOG_ERR,
		      "cannot read what the kernel tells of interfaces: %s; looking at all of them, "
		      "and listening again in 1s",
		      strerror(-err));
	sd_event_source_set_enabled(source, SD_EVENT_OFF);
	on_loss(run);
}

void rxaqm_run_netlink_resume(struct rxaqm_run *run)
{
	sd_event_source_set_enabled(run->rtnl_source, SD_EVENT_ON);
	if (run->genl_source)
		sd_event_source_set_enabled(run->genl_source, SD_EVENT_ON);
}

static int on_rtnl(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	(void)events;
	keep_listening(arg, source, read_all(arg, fd, on_link_message));
	return 0;
}

static int on_genl(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	(void)events;
	keep_listening(arg, source, read_all(arg, fd, on_ethtool_message));
	return 0;
}

/* Id of the multicast group "monitor" in the answer about the family; 0 if there is none. */
static __u32 find_group(const struct nlattr *first, size_t bytes)
{
	const struct nlattr *groups = rxaqm_nlattr_find(first, bytes, CTRL_ATTR_MCAST_GROUPS, 0);
	const struct nlattr *group, *name, *id;
	unsigned int i;

	for (i = 1; groups && i < 16; i++) {
		group = rxaqm_nlattr_nested(groups, i, 0);
		name = group ? rxaqm_nlattr_nested(group, CTRL_ATTR_MCAST_GRP_NAME, 1) : NULL;
		id = group ? rxaqm_nlattr_nested(group, CTRL_ATTR_MCAST_GRP_ID, sizeof(__u32)) :
			     NULL;
		if (name && id &&
		    !strncmp(rxaqm_nlattr_payload(name), ETHTOOL_MCGRP_MONITOR_NAME,
			     name->nla_len - NLA_HDRLEN))
			return *(const __u32 *)rxaqm_nlattr_payload(id);
	}
	return 0;
}

/* Ask for the family "ethtool". Fills in its group; returns its id, or -errno. */
static int ask_for_family(int fd, __u32 *ret_group)
{
	const struct timeval patience = { .tv_sec = 1 };
	struct {
		struct nlmsghdr message;
		struct genlmsghdr genl;
		struct nlattr attr;
		char name[NLA_ALIGN(sizeof(ETHTOOL_GENL_NAME))];
	} request = {
		.message = { .nlmsg_len = sizeof(request),
			     .nlmsg_type = GENL_ID_CTRL,
			     .nlmsg_flags = NLM_F_REQUEST },
		.genl = { .cmd = CTRL_CMD_GETFAMILY, .version = 1 },
		.attr = { .nla_len = NLA_HDRLEN + sizeof(ETHTOOL_GENL_NAME),
			  .nla_type = CTRL_ATTR_FAMILY_NAME },
		.name = ETHTOOL_GENL_NAME,
	};
	const struct nlmsghdr *message = (const struct nlmsghdr *)buffer;
	const struct nlattr *first, *id;
	ssize_t bytes;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (send(fd, &request, sizeof(request), 0) < 0)
		return -errno;
	bytes = recv(fd, buffer, sizeof(buffer), 0);
	if (bytes < 0)
		return -errno;
	if (!NLMSG_OK(message, bytes))
		return -EPROTO;
	if (message->nlmsg_type == NLMSG_ERROR)
		return behind(message, sizeof(struct nlmsgerr)) < 0 ?
			       -EPROTO :
			       ((const struct nlmsgerr *)NLMSG_DATA(message))->error;
	bytes = behind(message, sizeof(struct genlmsghdr));
	if (bytes < 0)
		return -EPROTO;
	first = (const struct nlattr *)((const char *)NLMSG_DATA(message) + GENL_HDRLEN);
	id = rxaqm_nlattr_find(first, (size_t)bytes, CTRL_ATTR_FAMILY_ID, sizeof(__u16));
	*ret_group = find_group(first, (size_t)bytes);
	return id && *ret_group ? *(const __u16 *)rxaqm_nlattr_payload(id) : -ENOENT;
}

/* Without it rings and channels are polled for: kernels before 5.6, or without the family. */
static void open_genl(struct rxaqm_run *run)
{
	__u32 group = 0;
	int fd = open_socket(NETLINK_GENERIC, 0);
	int family = fd < 0 ? fd : ask_for_family(fd, &group);

	if (family >= 0 &&
	    setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)))
		family = -errno;
	if (family >= 0)
		family = sd_event_add_io(run->event, &run->genl_source, fd, EPOLLIN, on_genl, run) <
					 0 ?
				 -EIO :
				 family;
	if (family < 0) {
		rxaqm_run_log(LOG_NOTICE,
			      "the kernel does not announce changes of rings and channels (%s); "
			      "they are looked at every 10 s",
			      strerror(-family));
		if (fd >= 0)
			close(fd);
		return;
	}
	run->genl_fd = fd;
	run->ethtool_family = (unsigned int)family;
}

int rxaqm_run_netlink_open(struct rxaqm_run *run, struct rxaqm_error *error)
{
	int err;

	run->rtnl_fd = open_socket(NETLINK_ROUTE, RTMGRP_LINK);
	err = run->rtnl_fd;
	if (err >= 0)
		err = sd_event_add_io(run->event, &run->rtnl_source, run->rtnl_fd, EPOLLIN, on_rtnl,
				      run);
	if (err < 0)
		return rxaqm_error_set(error, RXAQM_EXIT_FAILED, -err,
				       "cannot listen to rtnetlink: %s", strerror(-err));
	open_genl(run);
	return 0;
}

void rxaqm_run_netlink_close(struct rxaqm_run *run)
{
	if (run->rtnl_fd >= 0)
		close(run->rtnl_fd);
	if (run->genl_fd >= 0)
		close(run->genl_fd);
	run->rtnl_fd = -1;
	run->genl_fd = -1;
}
