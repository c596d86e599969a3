/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Contract of meta_map: what the pinned state is. One entry, written by control when it makes the
 * state, read before anything else is touched; "rxaqm top --flows" asks here. abi_version 0: the
 * state was never completed, and is made anew.
 */
#ifndef RXAQM_META_H
#define RXAQM_META_H

#include "types.h"

/* How the Rx path is watched (kprobes/). */
enum rxaqm_hook {
	RXAQM_HOOK_AUTO, /* requested: the first that attaches; in use: none */
	RXAQM_HOOK_TP,
	RXAQM_HOOK_KPROBE,
};

struct rxaqm_meta_info {
	__u32 abi_version;
	__u32 hook; /* enum rxaqm_hook in use */
	__u64 names_until_ns; /* somebody wants to know who flows are until then (flow_name.h) */
};
RXAQM_ASSERT_SIZE(struct rxaqm_meta_info, 16);

#endif /* RXAQM_META_H */
