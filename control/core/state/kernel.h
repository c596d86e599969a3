/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What not all kernels have: those built without AF_XDP (CONFIG_XDP_SOCKETS) run all but sockets,
 * and older ones all but what docs/platforms.md says.
 */
#pragma once

#include <stdbool.h>

struct bpf_object;

/* Has this kernel maps of AF_XDP sockets? True if it does not say. */
bool rxaqm_afxdp_known(void);

/* Is the pinned xsk_map one of sockets? True also if it cannot be read. */
bool rxaqm_afxdp_pinned(void);

/* Has it XDP with packets in fragments, which is Linux 5.18? True if it does not say. */
bool rxaqm_kernel_has_fragments(void);

/* Is it Linux 5.13 or newer? True if it does not say. 5.12 brought BPF atomic instructions that
 * return a value: without them are no stamps, and no generic mode, whose program can measure by
 * stamps; and global functions that take pointers. 5.13 tells who is in libxdp's dispatcher.
 */
bool rxaqm_kernel_is_whole(void);

/* Before @obj is loaded: let its programs be what this kernel takes. Without AF_XDP another map is
 * in the place of xsk_map; programs are then to be loaded with no_sockets (xdp_config.h), or not to
 * use it.
 */
void rxaqm_kernel_fit(struct bpf_object *obj);
