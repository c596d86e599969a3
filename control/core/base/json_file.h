/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON files that others may have written, read strictly and within limits. */
#pragma once

#include "base/fields.h"
#include "base/file.h"

/* The type of a file, by its keys "format" and "version". */
struct rxaqm_json_format {
	const char *format; /* "rxaqm-doctor" */
	const char *what; /* in messages: "bundle of \"rxaqm doctor --record\"" */
	int version;
};

/* Parse @text, of @len bytes, as one JSON object of @format. @path only for messages. */
int rxaqm_json_parse(const char *text, size_t len, const struct rxaqm_json_format *format,
		     const char *path, struct json_object **ret_object, struct rxaqm_error *error);

/* A struct as such a file. */
struct rxaqm_record_kind {
	struct rxaqm_json_format format;
	const struct rxaqm_layout *type;
	const char *root; /* what errors call the object: "record.rows: must be an array" */
	mode_t mode; /* of the file */
	/* Of what was read, more than types: -EINVAL with @error. NULL: there is no more. */
	int (*check)(const void *at, struct rxaqm_error *error);
};

/* Write the struct at @at to @path by rxaqm_file_replace(). -errno with @error. */
int rxaqm_record_write(const struct rxaqm_record_kind *kind, const void *at, const char *path,
		       struct rxaqm_error *error);

/* Fill @at, zeroed, from the file @path; from @text, of @len bytes, with @path only for messages;
 * or from @object. -errno with @error. @at is to be freed by rxaqm_fields_free() in any case.
 */
int rxaqm_record_read(const struct rxaqm_record_kind *kind, void *at, const char *path,
		      struct rxaqm_error *error);
int rxaqm_record_parse(const struct rxaqm_record_kind *kind, void *at, const char *text, size_t len,
		       const char *path, struct rxaqm_error *error);
int rxaqm_record_decode(const struct rxaqm_record_kind *kind, void *at, struct json_object *object,
			struct rxaqm_error *error);
