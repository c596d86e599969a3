/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON files that others may have written, read strictly and within limits. */
#pragma once

#include "base/file.h"

struct json_object;

/* The type of a file, by its keys "format" and "version". */
struct rxaqm_json_format {
	const char *format; /* "rxaqm-doctor" */
	const char *what; /* in messages: "bundle of \"rxaqm doctor --record\"" */
	int version;
};

/* Add the keys of @format to @object and write it by rxaqm_file_replace(). Frees @object; NULL
 * means that there was no memory for it.
 */
int rxaqm_json_write(struct json_object *object, const struct rxaqm_json_format *format,
		     const char *path, mode_t mode, struct rxaqm_error *error);

/* Parse @text, of @len bytes, as one JSON object of @format. @path only for messages. */
int rxaqm_json_parse(const char *text, size_t len, const struct rxaqm_json_format *format,
		     const char *path, struct json_object **ret_object, struct rxaqm_error *error);
