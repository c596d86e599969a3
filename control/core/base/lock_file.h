/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RXAQM_LOCK_FILE_H
#define RXAQM_LOCK_FILE_H

/* Make the file @path, if it is not there, and lock it: a descriptor to read and write it, to be
 * closed; the holder may remove the file before. -EWOULDBLOCK: another has it; -errno.
 */
int rxaqm_lock_file(const char *path);

#endif /* RXAQM_LOCK_FILE_H */
