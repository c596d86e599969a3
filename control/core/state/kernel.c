/* SPDX-License-Identifier: GPL-2.0-only */
#include "state/kernel.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <string.h>

#include "state/state.h"

#define SOCKETS "xsk_map"

/* By number: linux/bpf.h has the names from 5.13 and 5.18 on. */
#define FUNC_FOR_EACH_MAP_ELEM 164
#define FUNC_XDP_LOAD_BYTES 189

bool rxaqm_afxdp_known(void)
{
	static int known = -1;

	if (known < 0)
		known = libbpf_probe_bpf_map_type(BPF_MAP_TYPE_XSKMAP, NULL) != 0;
	return known;
}

bool rxaqm_afxdp_pinned(void)
{
	struct bpf_map_info info;

	return rxaqm_state_map_info(SOCKETS, &info) || info.type == BPF_MAP_TYPE_XSKMAP;
}

static bool has_function(int function)
{
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_XDP, function, NULL) != 0;
}

bool rxaqm_kernel_has_fragments(void)
{
	static int has = -1;

	if (has < 0)
		has = has_function(FUNC_XDP_LOAD_BYTES);
	return has;
}

bool rxaqm_kernel_is_whole(void)
{
	static int has = -1;

	if (has < 0)
		has = has_function(FUNC_FOR_EACH_MAP_ELEM);
	return has;
}

/* The type without const and other modifiers. */
static const struct btf_type *skip(const struct btf *btf, __u32 id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	while (btf_is_mod(type) || btf_is_typedef(type))
		type = btf__type_by_id(btf, type->type);
	return type;
}

/* May @func be global before 5.12? Only if it has no pointers but the context. */
static bool is_plain(const struct btf *btf, const struct btf_type *func)
{
	const struct btf_type *proto = btf__type_by_id(btf, func->type), *arg;
	__u16 i;

	for (i = 0; i < btf_vlen(proto); i++) {
		arg = skip(btf, btf_params(proto)[i].type);
		if (btf_is_ptr(arg) &&
		    strcmp(btf__name_by_offset(btf, skip(btf, arg->type)->name_off), "xdp_md"))
			return false;
	}
	return true;
}

/* Functions that are not plain become static: the verifier walks them again for each call, which
 * costs time at attach only. libbpf does so for kernels without global functions.
 */
static void make_static(const struct bpf_object *obj)
{
	struct btf *btf = bpf_object__btf(obj);
	__u32 id;

	for (id = 1; btf && id < btf__type_cnt(btf); id++) {
		struct btf_type *type = (struct btf_type *)btf__type_by_id(btf, id);

		if (btf_is_func(type) && !is_plain(btf, type))
			type->info = BTF_KIND_FUNC << 24 | BTF_FUNC_STATIC;
	}
}

void rxaqm_kernel_fit(struct bpf_object *obj)
{
	struct bpf_map *map = bpf_object__find_map_by_name(obj, SOCKETS);
	struct bpf_program *prog;

	if (map && !rxaqm_afxdp_known())
		bpf_map__set_type(map, BPF_MAP_TYPE_ARRAY);
	if (!rxaqm_kernel_is_whole())
		make_static(obj);
	bpf_object__for_each_program(prog, obj)
		if (bpf_program__type(prog) == BPF_PROG_TYPE_XDP && rxaqm_kernel_has_fragments())
			bpf_program__set_flags(prog, BPF_F_XDP_HAS_FRAGS);
}
