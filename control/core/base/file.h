/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that are written whole or not at all, and read whole. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/log.h"

/* Larger than any file that rxaqm writes. */
#define RXAQM_FILE_MAX (64 << 20)

/* Let @print print @what into @path, or into the file that @path links to. A regular file is
 * replaced whole; its mode is @mode, less the umask and what the old file did not allow. "-" is
 * standard output; a device or a pipe is written into. -errno with @error: @path is unchanged.
 */
int rxaqm_file_print(const char *path, void (*print)(FILE *file, const void *what),
		     const void *what, mode_t mode, struct rxaqm_error *error);
/* The same, of @text. */
int rxaqm_file_replace(const char *path, const char *text, mode_t mode, struct rxaqm_error *error);

/* A file that one process at a time writes, and nothing else. */
struct rxaqm_own_file {
	void (*print)(FILE *file, const void *what);
	const void *what;
	mode_t mode; /* whatever the umask is */
	gid_t gid; /* (gid_t)-1: as it comes */
	bool sync; /* on the disk, but for its name */
};

/* Replace @path by @own, and remove what a writer that was killed has left. A link is replaced, a
 * device or a pipe is written into. -errno: @path is unchanged.
 */
int rxaqm_file_own(const char *path, const struct rxaqm_own_file *own);
/* The print function for a @what that is a text. */
void rxaqm_file_put(FILE *file, const void *text);

/* Can rxaqm_file_replace() write @path? To be asked before long work. -errno with @error. */
int rxaqm_file_try(const char *path, struct rxaqm_error *error);
/* The same of @nr @paths, of which NULL is none. No two may be the same. */
int rxaqm_files_try(const char *const paths[], size_t nr, struct rxaqm_error *error);
/* False for NULL, too. */
bool rxaqm_is_stdout(const char *path);

/* All of @path, at most RXAQM_FILE_MAX bytes, with a NUL behind it; "-" is standard input. To be
 * freed, unless -errno is returned.
 */
int rxaqm_file_read(const char *path, char **ret_text, size_t *ret_len, struct rxaqm_error *error);

/* Read @fd to its end, or until there are more than @max bytes. The text has a NUL behind it and is
 * to be freed. NULL with errno.
 */
char *rxaqm_read_all(int fd, size_t max, size_t *ret_len);
