/* SPDX-License-Identifier: GPL-2.0-only */
/* C structs to JSON and back, by one row a field. */
#ifndef RXAQM_DOCTOR_FIELDS_H
#define RXAQM_DOCTOR_FIELDS_H

#include <stddef.h>

#include "base/log.h"

struct json_object;

enum doctor_field_kind {
	DOCTOR_U64,
	DOCTOR_U32,
	DOCTOR_S64,
	DOCTOR_S32,
	DOCTOR_BOOL,
	DOCTOR_TEXT, /* a char array */
	DOCTOR_NUMBERS, /* a map of names to non-negative integers */
	DOCTOR_WORDS, /* a map of names to strings */
	DOCTOR_STRUCT,
	DOCTOR_ARRAY, /* a DOCTOR_LIST */
};

struct doctor_type;

struct doctor_field {
	const char *name;
	enum doctor_field_kind kind;
	size_t offset;
	size_t size; /* of a char array */
	const struct doctor_type *type; /* of a struct, or of a list's entries */
};

struct doctor_type {
	const struct doctor_field *fields; /* up to one without name */
	size_t size;
};

/* The object for @at, of @type; NULL: no memory. All ones in an unsigned field mean "not known":
 * such a field is left out.
 */
struct json_object *doctor_fields_encode(const struct doctor_type *type, const void *at);

/* Fill @at, zeroed, of @type. Unknown keys are ignored, missing ones leave what the field's
 * "not known" is. -EINVAL with @error naming @path and the key.
 */
int doctor_fields_decode(const struct doctor_type *type, void *at, struct json_object *object,
			 const char *path, struct rxaqm_error *error);

/* All unsigned numbers of @at become "not known". */
void doctor_fields_unknown(const struct doctor_type *type, void *at);

/* Free what @at points to: maps and lists. */
void doctor_fields_free(const struct doctor_type *type, void *at);

#endif /* RXAQM_DOCTOR_FIELDS_H */
