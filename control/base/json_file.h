/* SPDX-License-Identifier: GPL-2.0-only */
/* Files written at once, and JSON that others wrote, read strictly and within limits. */
#ifndef RXAQM_JSON_FILE_H
#define RXAQM_JSON_FILE_H

#include <stddef.h>
#include <sys/types.h>

#include "base/log.h"

struct json_object;

/* Larger than any file that rxaqm writes. */
#define RXAQM_FILE_MAX (64 << 20)

/* Write @text to @path, which is replaced at once and then has the bits @mode that the umask
 * leaves. "-" is standard output; what is no regular file is written into. -errno with @error, and
 * then @path is as it was.
 */
int rxaqm_file_replace(const char *path, const char *text, mode_t mode, struct rxaqm_error *error);

/* Could rxaqm_file_replace() write @path now? For what takes long before it does. -errno with
 * @error.
 */
int rxaqm_file_try(const char *path, struct rxaqm_error *error);

/* All of @path, at most RXAQM_FILE_MAX bytes, with a NUL behind it; "-" is standard input. To be
 * freed, unless -errno is returned.
 */
int rxaqm_file_read(const char *path, char **ret_text, size_t *ret_len, struct rxaqm_error *error);

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

#endif /* RXAQM_JSON_FILE_H */
