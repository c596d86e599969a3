/* SPDX-License-Identifier: GPL-2.0-only */
#include "state/afxdp.h"

#include <bpf/libbpf.h>

#include "state/state.h"

#define SOCKETS "xsk_map"

bool rxaqm_afxdp_known(void)
{
	static int known = -1;

	if (known < 0)
		known = libbpf_probe_bpf_map_type(BPF_MAP_TYPE_XSKMAP, NULL) != 0;
	return known;
}

void rxaqm_afxdp_fit(struct bpf_object *obj)
{
	struct bpf_map *map = bpf_object__find_map_by_name(obj, SOCKETS);

	if (map && !rxaqm_afxdp_known())
		bpf_map__set_type(map, BPF_MAP_TYPE_ARRAY);
}

bool rxaqm_afxdp_pinned(void)
{
	struct bpf_map_info info;

	return rxaqm_state_map_info(SOCKETS, &info) || info.type == BPF_MAP_TYPE_XSKMAP;
}
