/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * libxdp's dispatcher: an XDP program whose empty functions the programs of an interface replace.
 * The kernel is asked which ones do, not libxdp: libxdp reads its own pins, takes milliseconds, and
 * before 1.4.1 (Debian 12 has 1.3.1) leaves two descriptors open each time; see commit 48ad94b of
 * xdp-tools.
 */
#pragma once

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct bpf_link_info;

/* Read the kernel's info of the program, link or map @fd, and close @fd. @info is zero, except for
 * what it asks for. 0 or -errno; a negative @fd is returned as such an -errno.
 */
int rxaqm_bpf_info(int fd, void *info, __u32 len);

/* The next BPF link after @id: its id and its info. Begin with @id 0. 1; 0: no more; or -errno. */
int rxaqm_bpf_next_link(__u32 *id, struct bpf_link_info *info);

/* Map the map that is pinned as @path. 0 or -errno. */
int rxaqm_bpf_map_pin(const char *path, size_t bytes, bool writable, void **ret_data);

/* The XDP programs on an interface, those inside a dispatcher included. Needs CAP_SYS_ADMIN. */
#define RXAQM_XDP_PROGS_MAX 16
struct rxaqm_xdp_progs {
	unsigned int nr;
	__u32 id[RXAQM_XDP_PROGS_MAX];
	bool dispatcher; /* the first is libxdp's dispatcher */
	bool fragments; /* it takes packets in fragments, since all programs in it do */
	bool generic;
};

/* None, if there is no such interface here. -errno: not all could be read; @progs has the others.
 */
int rxaqm_xdp_read(unsigned int ifindex, struct rxaqm_xdp_progs *progs);
bool rxaqm_xdp_has(const struct rxaqm_xdp_progs *progs, __u32 prog_id);

/* Does a program with this id exist at all? False only if the kernel has said so. */
bool rxaqm_xdp_exists(__u32 prog_id);
