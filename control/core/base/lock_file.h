/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* Lock the file or directory @fd, which was opened as @path. 0; -EWOULDBLOCK: another has the lock;
 * -ESTALE: whoever had it has removed @path since, so this is the lock of another file; -errno. The
 * lock ends when @fd is closed.
 */
int rxaqm_lock_opened(int fd, const char *path);

/* Make the file @path, if it is not there, and lock it: a descriptor to read and write it, to be
 * closed; the holder may remove the file before. -EWOULDBLOCK: another has it; -errno.
 */
int rxaqm_lock_file(const char *path);
