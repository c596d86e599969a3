/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Network namespaces. Only the network one is entered: "ip netns exec" mounts another
 * /sys on top and so hides the bpffs, which must stay in sight.
 */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

#include "base/log.h"

#define RXAQM_NETNS_DIR "/run/netns"

/* Enter the namespace called @name (ip netns). */
int rxaqm_netns_enter(const char *name, struct rxaqm_error *error);

/* Identity of the namespace entered; 0 if it cannot be told. */
__u64 rxaqm_netns_ino(void);

/* Enter, in turn, this namespace, the machine's first and the one started in, and call @each there;
 * then come back. Namespaces that cannot be entered are left out.
 */
void rxaqm_netns_outer(void (*each)(void *arg), void *arg);
/* The same in this one, and in every other that is mounted, with a name or without, that a thread
 * is in, or that a process has open. To look into processes may need CAP_SYS_PTRACE.
 */
void rxaqm_netns_each(void (*each)(void *arg), void *arg);

/* A descriptor of a sysfs that shows the namespace entered, to be read or @writable, or -errno. It
 * may be /sys, where the kernel lets none be mounted.
 */
int rxaqm_netns_sysfs(bool writable);
/* The same, but mounted for this, where no other process sees it. */
int rxaqm_netns_mount_sysfs(bool writable);
