/* SPDX-License-Identifier: GPL-2.0-only */
#include "state/own_programs.h"

#include <bpf/bpf.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/fields.h"
#include "nic/netlink.h"
#include "state/dispatcher.h"
#include "state/state.h"

#define MAPS_MAX 32 /* of a program */
#define NAME "rxaqm_" /* prefix of the names of our programs */
#define QUEUES "queue_map"

struct slots {
	RXAQM_LIST(unsigned int);
};

static int on_link(const struct nlmsghdr *message, void *arg)
{
	const struct ifinfomsg *info = NLMSG_DATA(message);
	const struct nlattr *xdp, *attached = NULL;
	struct slots *slots = arg;

	xdp = rxaqm_netlink_attr(message, sizeof(*info), IFLA_XDP, 0);
	if (xdp)
		attached = rxaqm_netlink_nested(xdp, IFLA_XDP_ATTACHED, sizeof(__u8));
	if (!attached || *(const __u8 *)rxaqm_attr_data(attached) == XDP_ATTACHED_NONE)
		return 0;
	return rxaqm_list_put(slots, (unsigned int)info->ifi_index) ? 0 : -ENOMEM;
}

int rxaqm_xdp_each(int (*each)(unsigned int ifindex, void *arg), void *arg)
{
	union rxaqm_netlink_request request;
	struct slots slots = {};
	const unsigned int *ifindex;
	int tries = 5, ret;

	do {
		slots.nr = 0;
		rxaqm_netlink_begin(&request, RTM_GETLINK, NLM_F_DUMP, sizeof(struct ifinfomsg));
		rxaqm_netlink_put_u32(&request, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
		ret = rxaqm_netlink_ask(NETLINK_ROUTE, &request, on_link, &slots);
	} while (ret == -EAGAIN && --tries);
	rxaqm_list_each(ifindex, &slots) {
		if (ret)
			break;
		ret = each(*ifindex, arg);
	}
	free(slots.at);
	return ret;
}

int rxaqm_xdp_owner(__u32 prog_id)
{
	__u32 map_ids[MAPS_MAX] = {}, i;
	struct bpf_prog_info prog = {
		.nr_map_ids = MAPS_MAX,
		.map_ids = (__u64)(unsigned long)map_ids,
	};
	struct bpf_map_info map, ours;
	int owner = RXAQM_OWNER_OTHER, err = rxaqm_state_map_info(QUEUES, &ours);

	if (!prog_id)
		return RXAQM_OWNER_OTHER;
	if (err && err != -ENOENT)
		return err;
	err = rxaqm_bpf_info(bpf_prog_get_fd_by_id(prog_id), &prog, sizeof(prog));
	for (i = 0; !err && i < MIN(prog.nr_map_ids, MAPS_MAX); i++) {
		if (ours.id && map_ids[i] == ours.id)
			return RXAQM_OWNER_OURS;
		memset(&map, 0, sizeof(map));
		if (!strncmp(prog.name, NAME, strlen(NAME)))
			err = rxaqm_bpf_info(bpf_map_get_fd_by_id(map_ids[i]), &map, sizeof(map));
		if (!strcmp(map.name, QUEUES))
			owner = RXAQM_OWNER_STRAY;
	}
	/* A program that has just gone is nobody's. */
	return err == -ENOENT ? RXAQM_OWNER_OTHER : err ? err : owner;
}

int rxaqm_xdp_find_ours(unsigned int ifindex, __u32 *ret_prog_id)
{
	int owner = RXAQM_OWNER_OTHER, one, err;
	struct rxaqm_xdp_progs progs;
	unsigned int i;

	*ret_prog_id = 0;
	err = rxaqm_xdp_read(ifindex, &progs);
	for (i = 0; !err && i < progs.nr; i++) {
		one = rxaqm_xdp_owner(progs.id[i]);
		if (one < 0)
			return one;
		if (one <= owner)
			continue;
		owner = one;
		*ret_prog_id = progs.id[i];
	}
	return err ? err : owner;
}
