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

/* Write what @print prints of @what to @path, or to the file that @path links to. A regular file is
 * replaced whole; its mode is @mode, less the umask and the bits that the old file did not have.
 * "-" is standard output; a device or a pipe is written to. Not where another user has put it, or a
 * link, into a directory in which all may write. -errno with @error: @path is unchanged.
 */
int rxaqm_file_print(const char *path, void (*print)(FILE *file, const void *what),
		     const void *what, mode_t mode, struct rxaqm_error *error);
/* The same for @text. */
int rxaqm_file_replace(const char *path, const char *text, mode_t mode, struct rxaqm_error *error);

/* A file that only one process at a time writes. */
struct rxaqm_own_file {
	void (*print)(FILE *file, const void *what);
	const void *what;
	mode_t mode; /* regardless of the umask */
	gid_t gid; /* (gid_t)-1: not changed */
	bool sync; /* sync the content to disk, but not its name */
};

/* Replace @path by @own, and remove what a killed writer has left. A link is replaced, a device or
 * a pipe is written to. -errno: @path is unchanged.
 */
int rxaqm_file_own(const char *path, const struct rxaqm_own_file *own);
/* The print function for a @what that is text. */
void rxaqm_file_put(FILE *file, const void *text);

/* Can rxaqm_file_replace() write @path? Ask before long work. -errno with @error. */
int rxaqm_file_try(const char *path, struct rxaqm_error *error);
/* The same for @nr @paths; NULL stands for no file. No two may be the same. */
int rxaqm_files_try(const char *const paths[], size_t nr, struct rxaqm_error *error);
/* False for NULL. */
bool rxaqm_is_stdout(const char *path);

/* Read all of @path, at most RXAQM_FILE_MAX bytes; "-" is standard input. @ret_text ends with a NUL
 * and is to be freed, unless -errno is returned.
 */
int rxaqm_file_read(const char *path, char **ret_text, size_t *ret_len, struct rxaqm_error *error);

/* Read @fd to its end, or until there are more than @max bytes. The text ends with a NUL and is to
 * be freed. NULL with errno.
 */
char *rxaqm_read_all(int fd, size_t max, size_t *ret_len);
