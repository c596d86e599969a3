/* SPDX-License-Identifier: GPL-2.0-only */
/* Files written at once, and JSON that others wrote, read strictly and within limits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/log.h"

struct json_object;

/* Larger than any file that rxaqm writes. */
#define RXAQM_FILE_MAX (64 << 20)

/* Write what print(@file, @what) prints to @path, or to what it is a link to. A file is replaced at
 * once, and then has the bits @mode that the umask and the file before leave. "-" is standard
 * output; what is no regular file is written into.
 * -errno with @error, and then @path is as it was.
 */
int rxaqm_file_print(const char *path, void (*print)(FILE *file, const void *what),
		     const void *what, mode_t mode, struct rxaqm_error *error);
/* The same of @text. */
int rxaqm_file_replace(const char *path, const char *text, mode_t mode, struct rxaqm_error *error);

/* A file that one process at a time writes, and nothing else. */
struct rxaqm_own_file {
	void (*print)(FILE *file, const void *what);
	const void *what;
	mode_t mode; /* whatever the umask is */
	gid_t gid; /* (gid_t)-1: as it comes */
	bool sync; /* on the disk, but for its name */
};

/* Replace @path by @own, and what a writer that was killed has left of it. What is no file is
 * written into, but a link is replaced. -errno, and then @path is as it was.
 */
int rxaqm_file_own(const char *path, const struct rxaqm_own_file *own);
/* Its @print, where @what is a text. */
void rxaqm_file_put(FILE *file, const void *text);

/* Could rxaqm_file_replace() write @path now? For what takes long before it does. -errno with
 * @error.
 */
int rxaqm_file_try(const char *path, struct rxaqm_error *error);

/* All of @path, at most RXAQM_FILE_MAX bytes, with a NUL behind it; "-" is standard input. To be
 * freed, unless -errno is returned.
 */
int rxaqm_file_read(const char *path, char **ret_text, size_t *ret_len, struct rxaqm_error *error);

/* What there is to read from @fd, with a NUL behind it, to be freed; more than @max bytes if there
 * are more, but not all. NULL with errno.
 */
char *rxaqm_read_all(int fd, size_t max, size_t *ret_len);

/* What a file is, by its keys "format" and "version". */
struct rxaqm_json_format {
	const char *format; /* "rxaqm-doctor" */
	const char *what; /* in messages: "bundle of \"rxaqm doctor --record\"" */
	int version;
};

/* Add the keys of @format to @object and write it by rxaqm_file_replace(). Takes @object, which
 * may be NULL: no memory.
 */
int rxaqm_json_write(struct json_object *object, const struct rxaqm_json_format *format,
		     const char *path, mode_t mode, struct rxaqm_error *error);

/* Parse @text, of @len bytes, as one JSON object of @format. @path only for messages. */
int rxaqm_json_parse(const char *text, size_t len, const struct rxaqm_json_format *format,
		     const char *path, struct json_object **ret_object, struct rxaqm_error *error);
