/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * libxdp's dispatcher: an XDP program whose empty functions the programs of an interface replace.
 * Which ones do is asked of the kernel, not of libxdp: that goes by its own pins, takes
 * milliseconds, and before 1.4.1 (Debian 12 has 1.3.1) leaves two descriptors open each time; see
 * commit 48ad94b of xdp-tools.
 */
#ifndef RXAQM_DISPATCHER_H
#define RXAQM_DISPATCHER_H

#include <linux/types.h>
#include <stdbool.h>

#define RXAQM_DISPATCHER_NAME "xdp_dispatcher"

/* What the kernel says of the program, link or map @fd, which is closed; @info is zeroed but for what
 * it asks for. -errno, also if @fd is one.
 */
int rxaqm_bpf_info(int fd, void *info, __u32 len);

/* The next program that runs inside the dispatcher with the id @dispatcher_id; false if there is
 * none. *@link_id says where to go on, and is 0 at first. Needs CAP_SYS_ADMIN.
 */
bool rxaqm_dispatcher_next(__u32 dispatcher_id, __u32 *link_id, __u32 *ret_prog_id);

/* Descriptors that libxdp before 1.4.1 leaves open: those of BPF programs that are open at the end,
 * and were not at the beginning. For a process of one thread.
 */
#define RXAQM_DISPATCHER_FDS 1024
struct rxaqm_dispatcher_fds {
	bool known[RXAQM_DISPATCHER_FDS]; /* by number */
};

void rxaqm_dispatcher_begin(struct rxaqm_dispatcher_fds *fds);
void rxaqm_dispatcher_end(const struct rxaqm_dispatcher_fds *fds);

#endif /* RXAQM_DISPATCHER_H */
