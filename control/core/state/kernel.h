/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What some kernels lack. Those built without AF_XDP (CONFIG_XDP_SOCKETS) run all but sockets;
 * docs/platforms.md says what older ones do not run.
 */
#pragma once

#include <stdbool.h>

struct bpf_object;

/* Does this kernel have maps of AF_XDP sockets? True if it does not say. */
bool rxaqm_afxdp_known(void);

/* Is the pinned xsk_map a map of sockets? True also if it cannot be read. */
bool rxaqm_afxdp_pinned(void);

/* Does it have XDP with packets in fragments (Linux 5.18)? True if it does not say. */
bool rxaqm_kernel_has_fragments(void);

/* Is it Linux 5.13 or newer? True if it does not say. 5.12 brought global functions that take
 * pointers, and BPF atomic instructions that return a value: without the latter there are no
 * stamps, and no generic mode, whose program can measure by stamps. 5.13 tells which programs are
 * in libxdp's dispatcher.
 */
bool rxaqm_kernel_is_whole(void);

/* Adapt the programs of @obj to this kernel, before it is loaded. Without AF_XDP another map
 * replaces xsk_map; load programs with no_sockets (xdp_config.h) then, or do not use it.
 */
void rxaqm_kernel_fit(struct bpf_object *obj);
