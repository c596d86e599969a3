/* SPDX-License-Identifier: GPL-2.0-only */
/* Directories of the files that rxaqm writes for itself. */
#pragma once

#include <stddef.h>

#define RXAQM_DIRS_PATH_LEN 108 /* what the address of a Unix socket can hold */

/* Path of @name in the daemon's directory: $RUNTIME_DIRECTORY, or /run/rxaqm. Returns @buf. */
const char *rxaqm_runtime_path(const char *name, char *buf, size_t size);

/* Path of @name in the directory that outlives a reboot: $STATE_DIRECTORY, or /var/lib/rxaqm.
 * Returns @buf.
 */
const char *rxaqm_kept_path(const char *name, char *buf, size_t size);
