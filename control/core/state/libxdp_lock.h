/* SPDX-License-Identifier: GPL-2.0-only */
/* The directory in which libxdp pins, and the lock on it, which libxdp holds while it pins or
 * unpins.
 */
#pragma once

#include "base/log.h"

/* "/sys/fs/bpf/xdp", or below LIBXDP_BPFFS, as in libxdp. "" if that is too long for a path: libxdp
 * pins nothing then.
 */
const char *rxaqm_libxdp_dir(void);

/* Take the lock. Returns a descriptor, to be closed. -ENOENT: there is no such directory. With
 * @error: -ENOTDIR: others than root can change it; -ETIMEDOUT: another program held the lock
 * @tries times, 50 ms apart.
 */
int rxaqm_libxdp_lock(int tries, struct rxaqm_error *error);
#define RXAQM_LIBXDP_LOCK_TRIES 100 /* a driver may take seconds to attach */

/* libxdp waits for its lock without limit. So wait first until the lock is free: 5 s at most, then
 * -ETIMEDOUT with @error. Another program may take the lock right after this, but a sound one holds
 * it only for an instant.
 */
int rxaqm_libxdp_wait(struct rxaqm_error *error);
