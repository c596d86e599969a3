/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/json_file.h"

#include <ctype.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Deeper than anything rxaqm writes. */
#define MAX_DEPTH 16

static bool add(struct json_object *object, const char *key, struct json_object *value)
{
	if (value && !json_object_object_add(object, key, value))
		return true;
	json_object_put(value);
	return false;
}

int rxaqm_record_write(const struct rxaqm_record_kind *kind, const void *at, const char *path,
		       struct rxaqm_error *error)
{
	struct json_object *object = rxaqm_fields_encode(kind->type, at);
	const char *text = NULL;
	char *lines = NULL;
	int err;

	if (object && add(object, "format", json_object_new_string(kind->format.format)) &&
	    add(object, "version", json_object_new_int(kind->format.version)))
		text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_NOSLASHESCAPE |
								      JSON_C_TO_STRING_PRETTY |
								      JSON_C_TO_STRING_SPACED);
	if (!text || asprintf(&lines, "%s\n", text) < 0)
		err = rxaqm_no_memory(error);
	else
		err = rxaqm_file_replace(path, lines, kind->mode, error);
	free(lines);
	json_object_put(object);
	return err;
}

static int check_format(struct json_object *object, const struct rxaqm_json_format *want,
			const char *path, struct rxaqm_error *error)
{
	struct json_object *format, *version;

	if (!json_object_object_get_ex(object, "format", &format) ||
	    strcmp(json_object_get_string(format) ?: "", want->format) ||
	    !json_object_object_get_ex(object, "version", &version))
		return rxaqm_bad(error, "%s: not a %s", path, want->what);
	if (json_object_get_int(version) != want->version)
		return rxaqm_bad(error, "%s: a %s of version %d; this rxaqm reads version %d", path,
				 want->what, json_object_get_int(version), want->version);
	return 0;
}

int rxaqm_json_parse(const char *text, size_t len, const struct rxaqm_json_format *format,
		     const char *path, struct json_object **ret_object, struct rxaqm_error *error)
{
	struct json_tokener *tokener = json_tokener_new_ex(MAX_DEPTH);
	struct json_object *object;
	enum json_tokener_error why;
	size_t end;
	int err;

	if (!tokener)
		return rxaqm_no_memory(error);
	/* Not in strict mode: json-c 0.18 then refuses all but ASCII. */
	object = json_tokener_parse_ex(tokener, text, (int)len);
	why = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	while (why == json_tokener_success && end < len && isspace((unsigned char)text[end]))
		end++;
	if (why != json_tokener_success)
		err = rxaqm_bad(error, "%s: not JSON, at byte %zu: %s", path, end,
				why == json_tokener_continue ? "it ends too early" :
							       json_tokener_error_desc(why));
	else if (end < len)
		err = rxaqm_bad(error, "%s: not JSON, at byte %zu: more after its end", path, end);
	else
		err = check_format(object, format, path, error);
	json_tokener_free(tokener);
	if (err)
		json_object_put(object);
	else
		*ret_object = object;
	return err;
}

int rxaqm_record_decode(const struct rxaqm_record_kind *kind, void *at, struct json_object *object,
			struct rxaqm_error *error)
{
	int err;

	err = rxaqm_fields_decode(kind->type, at, object, kind->root, error);
	return err || !kind->check ? err : kind->check(at, error);
}

int rxaqm_record_parse(const struct rxaqm_record_kind *kind, void *at, const char *text, size_t len,
		       const char *path, struct rxaqm_error *error)
{
	struct rxaqm_error inner = {};
	struct json_object *object;
	int err = rxaqm_json_parse(text, len, &kind->format, path, &object, error);

	if (err)
		return err;
	err = rxaqm_record_decode(kind, at, object, &inner);
	if (err)
		rxaqm_error_set(error, inner.exit_code, -err, "%s: %s", path, inner.text);
	json_object_put(object);
	return err;
}

int rxaqm_record_read(const struct rxaqm_record_kind *kind, void *at, const char *path,
		      struct rxaqm_error *error)
{
	size_t len;
	char *text;
	int err = rxaqm_file_read(path, &text, &len, error);

	if (err)
		return err;
	err = rxaqm_record_parse(kind, at, text, len, path, error);
	free(text);
	return err;
}
