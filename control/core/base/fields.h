/* SPDX-License-Identifier: GPL-2.0-only */
/* C structs to JSON and back: one row per field. */
#pragma once

#include <stddef.h>

#include "base/log.h"

struct json_object;

/* An array of structs. */
#define RXAQM_LIST(type)   \
	struct {           \
		type *at;  \
		size_t nr; \
	}

/* Append a zeroed entry to a RXAQM_LIST, and return it; NULL: no memory. */
#define rxaqm_list_add(list) rxaqm_list_grow((void **)&(list)->at, &(list)->nr, sizeof(*(list)->at))
void *rxaqm_list_grow(void **at, size_t *nr, size_t size);

/* Append the value given after @list, and return the entry; NULL: no memory, and it is left out. */
#define rxaqm_list_put(list, ...)                               \
	({                                                      \
		typeof((list)->at) put_ = rxaqm_list_add(list); \
		if (put_)                                       \
			*put_ = __VA_ARGS__;                    \
		put_;                                           \
	})

/* For each entry of the RXAQM_LIST at @list; @entry points to it. */
#define rxaqm_list_each(entry, list) \
	for ((entry) = (list)->at; (entry) && (entry) < (list)->at + (list)->nr; (entry)++)

/* The first entry for which @is_it is true, where @entry is its name; NULL: none. */
#define rxaqm_list_find(entry, list, is_it)                                    \
	({                                                                     \
		rxaqm_list_each(entry, list)                                   \
			if (is_it)                                             \
				break;                                         \
		(entry) && (entry) < (list)->at + (list)->nr ? (entry) : NULL; \
	})

enum rxaqm_field_kind {
	RXAQM_FIELD_U64,
	RXAQM_FIELD_U32,
	RXAQM_FIELD_S64,
	RXAQM_FIELD_S32,
	RXAQM_FIELD_DOUBLE,
	RXAQM_FIELD_BOOL,
	RXAQM_FIELD_TEXT, /* a char array */
	RXAQM_FIELD_NAME, /* a __u32, an enum, by its name; 0 if the key is missing */
	RXAQM_FIELD_NUMBERS, /* a map of names to non-negative integers */
	RXAQM_FIELD_WORDS, /* a map of names to strings */
	RXAQM_FIELD_STRUCT,
	RXAQM_FIELD_ARRAY, /* a RXAQM_LIST */
};

struct rxaqm_layout;

struct rxaqm_field {
	const char *name;
	enum rxaqm_field_kind kind;
	size_t offset;
	size_t size; /* of a char array; for a list, most entries that are read: 0 for 65536 */
	const struct rxaqm_layout *type; /* of a struct, or of a list's entries */
	const char *const *names; /* of an enum, up to NULL */
};

struct rxaqm_layout {
	const struct rxaqm_field *fields; /* up to one without name */
	size_t size;
};

/* @text, cleaned, as a file of such rows has it; NULL: no memory. */
struct json_object *rxaqm_clean_json(const char *text);

/* The JSON object for @at, of @type; NULL: no memory. An unsigned field of all ones, or a double
 * that is not finite, means "not known" and is left out.
 */
struct json_object *rxaqm_fields_encode(const struct rxaqm_layout *type, const void *at);

/* Fill @at, zeroed, of @type. Unknown keys are ignored; fields whose keys are missing become "not
 * known". -EINVAL with @error, which names @path and the key.
 */
int rxaqm_fields_decode(const struct rxaqm_layout *type, void *at, struct json_object *object,
			const char *path, struct rxaqm_error *error);

/* Free what @at points to, maps and lists; zeroes it. */
void rxaqm_fields_free(const struct rxaqm_layout *type, void *at);
