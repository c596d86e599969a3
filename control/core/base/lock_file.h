/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* Lock the file or directory @fd, which was opened as @path. 0; -EWOULDBLOCK: another has the lock;
 * -ESTALE: the last holder has removed @path since, so that @fd is another file; -errno. The lock
 * ends when @fd is closed.
 */
int rxaqm_lock_opened(int fd, const char *path);

/* Create the file @path, if it is missing, and lock it. Returns a descriptor to read and write it;
 * the lock ends when that is closed. The holder may remove the file first. -EWOULDBLOCK: another
 * has the lock; -errno.
 */
int rxaqm_lock_file(const char *path);

/* Who has locked the file or directory @path: "rxaqm attach eth0 (pid 123)", in @buf; "": nobody,
 * or it cannot be seen, as from another PID namespace.
 */
#define RXAQM_LOCK_HOLDER 160
const char *rxaqm_lock_holder(const char *path, char buf[RXAQM_LOCK_HOLDER]);
