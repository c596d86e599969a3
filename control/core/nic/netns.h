/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Network namespaces. rxaqm enters the network namespace only. "ip netns exec" also mounts another
 * /sys, which hides the bpffs.
 */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

#include "base/log.h"

#define RXAQM_NETNS_DIR "/run/netns"

/* Enter the namespace called @name (ip netns). */
int rxaqm_netns_enter(const char *name, struct rxaqm_error *error);

/* Inode of the namespace entered; 0: unknown. */
__u64 rxaqm_netns_ino(void);

/* Call @each in this namespace, in the machine's first one, and in the one that the program was
 * started in; then come back. Namespaces that cannot be entered are left out.
 */
void rxaqm_netns_outer(void (*each)(void *arg), void *arg);
/* Call @each in this namespace, and in every other one that has a name (ip netns) or that a process
 * is in. Others, which only a thread, a descriptor or a mount keeps, are not found, nor those of
 * processes that may not be looked at.
 */
void rxaqm_netns_each(void (*each)(void *arg), void *arg);
/* May this process look at others (CAP_SYS_PTRACE)? */
bool rxaqm_netns_sees_processes(void);

/* Open a sysfs that shows the namespace entered: a descriptor, or -errno. If the kernel refuses to
 * mount one, this opens /sys.
 */
int rxaqm_netns_sysfs(bool writable);
/* Mount a sysfs that no other process sees: a descriptor, or -errno. */
int rxaqm_netns_mount_sysfs(bool writable);
