/* SPDX-License-Identifier: GPL-2.0-only */
#include <json-c/json.h>
#include <linux/types.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/fields.h"

/* More than any host has; bounds the memory that a hostile bundle can ask for. */
#define MAX_ENTRIES 65536

struct list {
	void *at;
	size_t nr;
};

void *rxaqm_list_grow(void **at, size_t *nr, size_t size)
{
	/* The list is full at each power of two: then its memory is doubled. */
	bool full = !(*nr & (*nr - 1));
	char *grown = full ? realloc(*at, (*nr ? 2 * *nr : 1) * size) : *at;

	if (!grown)
		return NULL;
	*at = grown;
	return memset(grown + (*nr)++ * size, 0, size);
}

static struct json_object *encode_list(const struct rxaqm_layout *type, const struct list *list)
{
	struct json_object *array = json_object_new_array(), *entry;
	size_t i;

	for (i = 0; array && i < list->nr; i++) {
		entry = rxaqm_fields_encode(type, (char *)list->at + i * type->size);
		if (!entry || json_object_array_add(array, entry)) {
			json_object_put(entry);
			json_object_put(array);
			return NULL;
		}
	}
	return array;
}

/* Cleaned, since a decoder refuses control characters. */
struct json_object *rxaqm_clean_json(const char *at)
{
	struct json_object *object = NULL;
	char *text = strdup(at);

	if (text) {
		rxaqm_clean(text);
		object = json_object_new_string(text);
	}
	free(text);
	return object;
}

/* Returns NULL with @skip set if the value is not known. */
static struct json_object *encode(const struct rxaqm_field *field, const void *at, bool *skip)
{
	switch (field->kind) {
	case RXAQM_FIELD_U64:
		*skip = *(const __u64 *)at == ~0ULL;
		return *skip ? NULL : json_object_new_uint64(*(const __u64 *)at);
	case RXAQM_FIELD_U32:
		*skip = *(const __u32 *)at == ~0U;
		return *skip ? NULL : json_object_new_int64(*(const __u32 *)at);
	case RXAQM_FIELD_S64:
		return json_object_new_int64(*(const __s64 *)at);
	case RXAQM_FIELD_S32:
		return json_object_new_int64(*(const __s32 *)at);
	case RXAQM_FIELD_DOUBLE:
		*skip = !isfinite(*(const double *)at);
		return *skip ? NULL : json_object_new_double(*(const double *)at);
	case RXAQM_FIELD_BOOL:
		return json_object_new_boolean(*(const bool *)at);
	case RXAQM_FIELD_TEXT:
		return rxaqm_clean_json(at);
	case RXAQM_FIELD_NAME:
		return json_object_new_string(field->names[*(const __u32 *)at]);
	case RXAQM_FIELD_NUMBERS:
	case RXAQM_FIELD_WORDS:
		*skip = !*(struct json_object *const *)at;
		return json_object_get(*(struct json_object *const *)at);
	case RXAQM_FIELD_STRUCT:
		return rxaqm_fields_encode(field->type, at);
	case RXAQM_FIELD_ARRAY:
		return encode_list(field->type, at);
	}
	return NULL;
}

struct json_object *rxaqm_fields_encode(const struct rxaqm_layout *type, const void *at)
{
	struct json_object *object = json_object_new_object(), *value;
	const struct rxaqm_field *field;

	for (field = type->fields; object && field->name; field++) {
		bool skip = false;

		value = encode(field, (const char *)at + field->offset, &skip);
		if (skip)
			continue;
		if (!value || json_object_object_add(object, field->name, value)) {
			json_object_put(value);
			json_object_put(object);
			return NULL;
		}
	}
	return object;
}

static int wrong(const char *path, const char *key, const char *must, struct rxaqm_error *error)
{
	return rxaqm_bad(error, "%s.%s: must be %s", path, key, must);
}

static int decode_integer(const struct rxaqm_field *field, void *at, struct json_object *value,
			  const char *path, struct rxaqm_error *error)
{
	static const struct {
		__s64 min, max;
		const char *must;
	} ranges[] = {
		[RXAQM_FIELD_U64] = { 0, INT64_MAX, "0 or more" },
		[RXAQM_FIELD_U32] = { 0, UINT32_MAX, "0 to 4294967295" },
		[RXAQM_FIELD_S64] = { INT64_MIN, INT64_MAX, NULL },
		[RXAQM_FIELD_S32] = { INT32_MIN, INT32_MAX, "a 32-bit number" },
	};
	__s64 number = json_object_get_int64(value);

	if (!json_object_is_type(value, json_type_int))
		return wrong(path, field->name, "an integer", error);
	if (number < ranges[field->kind].min || number > ranges[field->kind].max)
		return wrong(path, field->name, ranges[field->kind].must, error);
	if (field->kind == RXAQM_FIELD_U64)
		*(__u64 *)at = json_object_get_uint64(value);
	else if (field->kind == RXAQM_FIELD_S64)
		*(__s64 *)at = number;
	else
		*(__u32 *)at = (__u32)number;
	return 0;
}

/* Text that will be printed must not control a terminal. */
static bool is_clean(const char *text, size_t len)
{
	while (len && (unsigned char)text[len - 1] >= ' ')
		len--;
	return !len;
}

static int decode_text(const struct rxaqm_field *field, void *at, struct json_object *value,
		       const char *path, struct rxaqm_error *error)
{
	const char *text = json_object_get_string(value);
	size_t len;

	if (!json_object_is_type(value, json_type_string))
		return wrong(path, field->name, "a string", error);
	len = (size_t)json_object_get_string_len(value);
	if (len >= field->size)
		return wrong(path, field->name, "shorter", error);
	if (!is_clean(text, len))
		return wrong(path, field->name, "without control characters", error);
	memcpy(at, text, len + 1);
	return 0;
}

static int decode_name(const struct rxaqm_field *field, void *at, struct json_object *value,
		       const char *path, struct rxaqm_error *error)
{
	const char *name = json_object_get_string(value) ?: "";
	char must[160] = "";
	__u32 i;

	for (i = 0; field->names[i]; i++) {
		if (!strcmp(field->names[i], name)) {
			*(__u32 *)at = i;
			return 0;
		}
		snprintf(must + strlen(must), sizeof(must) - strlen(must), "%s%s",
			 i ? ", " : "one of ", field->names[i]);
	}
	return wrong(path, field->name, must, error);
}

static int decode_map(const struct rxaqm_field *field, void *at, struct json_object *value,
		      const char *path, struct rxaqm_error *error)
{
	bool words = field->kind == RXAQM_FIELD_WORDS;

	if (!json_object_is_type(value, json_type_object))
		return wrong(path, field->name, "an object", error);
	json_object_object_foreach(value, key, entry) {
		const char *text = words ? json_object_get_string(entry) : NULL;
		size_t len = text ? (size_t)json_object_get_string_len(entry) : 0;

		if (!is_clean(key, strlen(key)) || !is_clean(text, len))
			return wrong(path, field->name, "without control characters", error);
		if (words && !json_object_is_type(entry, json_type_string))
			return wrong(path, field->name, "an object of strings", error);
		if (!words && (!json_object_is_type(entry, json_type_int) ||
			       json_object_get_int64(entry) < 0))
			return wrong(path, field->name, "an object of integers, 0 or more", error);
	}
	*(struct json_object **)at = json_object_get(value);
	return 0;
}

static int decode_list(const struct rxaqm_field *field, void *at, struct json_object *value,
		       const char *path, struct rxaqm_error *error)
{
	struct list *list = at;
	size_t i, nr, most = field->size ? field->size : MAX_ENTRIES;
	char what[48];
	int err;

	if (!json_object_is_type(value, json_type_array))
		return wrong(path, field->name, "an array", error);
	nr = json_object_array_length(value);
	snprintf(what, sizeof(what), "an array of at most %zu", most);
	if (nr > most)
		return wrong(path, field->name, what, error);
	for (i = 0; i < nr; i++) {
		struct json_object *entry = json_object_array_get_idx(value, i);
		void *to = rxaqm_list_grow(&list->at, &list->nr, field->type->size);

		if (!to)
			return rxaqm_no_memory(error);
		err = rxaqm_fields_decode(field->type, to, entry, field->name, error);
		if (err)
			return err;
	}
	return 0;
}

static int decode(const struct rxaqm_field *field, void *at, struct json_object *value,
		  const char *path, struct rxaqm_error *error)
{
	switch (field->kind) {
	case RXAQM_FIELD_BOOL:
		if (!json_object_is_type(value, json_type_boolean))
			return wrong(path, field->name, "true or false", error);
		*(bool *)at = json_object_get_boolean(value);
		return 0;
	case RXAQM_FIELD_DOUBLE:
		if (!json_object_is_type(value, json_type_double) &&
		    !json_object_is_type(value, json_type_int))
			return wrong(path, field->name, "a number", error);
		*(double *)at = json_object_get_double(value);
		if (!isfinite(*(double *)at))
			return wrong(path, field->name, "a finite number", error);
		return 0;
	case RXAQM_FIELD_TEXT:
		return decode_text(field, at, value, path, error);
	case RXAQM_FIELD_NAME:
		return decode_name(field, at, value, path, error);
	case RXAQM_FIELD_NUMBERS:
	case RXAQM_FIELD_WORDS:
		return decode_map(field, at, value, path, error);
	case RXAQM_FIELD_STRUCT:
		return rxaqm_fields_decode(field->type, at, value, field->name, error);
	case RXAQM_FIELD_ARRAY:
		return decode_list(field, at, value, path, error);
	default:
		return decode_integer(field, at, value, path, error);
	}
}

/* Set all unsigned numbers and doubles of @at to "not known". */
static void make_unknown(const struct rxaqm_layout *type, void *at)
{
	const struct rxaqm_field *field;

	for (field = type->fields; field->name; field++) {
		void *to = (char *)at + field->offset;

		if (field->kind == RXAQM_FIELD_STRUCT)
			make_unknown(field->type, to);
		else if (field->kind == RXAQM_FIELD_U64)
			*(__u64 *)to = ~0ULL;
		else if (field->kind == RXAQM_FIELD_U32)
			*(__u32 *)to = ~0U;
		else if (field->kind == RXAQM_FIELD_DOUBLE)
			*(double *)to = NAN;
	}
}

int rxaqm_fields_decode(const struct rxaqm_layout *type, void *at, struct json_object *object,
			const char *path, struct rxaqm_error *error)
{
	const struct rxaqm_field *field;
	int err;

	if (!json_object_is_type(object, json_type_object))
		return wrong(path, "", "an object", error);
	make_unknown(type, at);
	for (field = type->fields; field->name; field++) {
		struct json_object *value;

		if (!json_object_object_get_ex(object, field->name, &value))
			continue;
		err = decode(field, (char *)at + field->offset, value, path, error);
		if (err)
			return err;
	}
	return 0;
}

void rxaqm_fields_free(const struct rxaqm_layout *type, void *at)
{
	const struct rxaqm_field *field;
	size_t i;

	for (field = type->fields; field->name; field++) {
		void *to = (char *)at + field->offset;
		struct list *list = to;

		if (field->kind == RXAQM_FIELD_STRUCT) {
			rxaqm_fields_free(field->type, to);
		} else if (field->kind == RXAQM_FIELD_NUMBERS || field->kind == RXAQM_FIELD_WORDS) {
			json_object_put(*(struct json_object **)to);
		} else if (field->kind == RXAQM_FIELD_ARRAY) {
			for (i = 0; i < list->nr; i++)
				rxaqm_fields_free(field->type,
						  (char *)list->at + i * field->type->size);
			free(list->at);
		}
	}
	memset(at, 0, type->size);
}
