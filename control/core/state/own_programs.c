/* SPDX-License-Identifier: GPL-2.0-only */
#include "state/own_programs.h"

#include <bpf/bpf.h>

#include "state/dispatcher.h"
#include "state/state.h"

#define MAPS_MAX 32 /* of a program */

bool rxaqm_xdp_is_ours(__u32 prog_id)
{
	__u32 map_ids[MAPS_MAX] = {}, i;
	struct bpf_prog_info prog = {
		.nr_map_ids = MAPS_MAX,
		.map_ids = (__u64)(unsigned long)map_ids,
	};
	struct bpf_map_info map;

	if (!prog_id || rxaqm_state_map_info("queue_map", &map) ||
	    rxaqm_bpf_info(bpf_prog_get_fd_by_id(prog_id), &prog, sizeof(prog)))
		return false;
	for (i = 0; i < prog.nr_map_ids && i < MAPS_MAX; i++)
		if (map_ids[i] == map.id)
			return true;
	return false;
}

__u32 rxaqm_xdp_find_ours(unsigned int ifindex)
{
	struct rxaqm_xdp_progs progs;
	unsigned int i;

	rxaqm_xdp_read(ifindex, &progs);
	for (i = 0; i < progs.nr; i++)
		if (rxaqm_xdp_is_ours(progs.id[i]))
			return progs.id[i];
	return 0;
}
