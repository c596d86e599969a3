/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernels that were built without AF_XDP (CONFIG_XDP_SOCKETS): all but sockets works there. */
#pragma once

#include <stdbool.h>

struct bpf_object;

/* Has this kernel maps of AF_XDP sockets? True if it does not say. */
bool rxaqm_afxdp_known(void);

/* Before @obj is loaded: if it has not, let another map take the place of xsk_map. Programs are
 * then to be loaded with no_sockets (xdp_config.h), or not to use it.
 */
void rxaqm_afxdp_fit(struct bpf_object *obj);

/* Is the pinned xsk_map one of sockets? True also if it cannot be read. */
bool rxaqm_afxdp_pinned(void);
