/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/json_words.h"

#include <json-c/json.h>
#include <string.h>

#include "base/parse.h"

const char *rxaqm_json_text(struct json_object *of, const char *key)
{
	struct json_object *value = json_object_object_get(of, key);

	return value ? json_object_get_string(value) : "";
}

__u64 rxaqm_json_u64(struct json_object *of, const char *key)
{
	return json_object_get_uint64(json_object_object_get(of, key));
}

bool rxaqm_json_true(struct json_object *of, const char *key)
{
	return json_object_get_boolean(json_object_object_get(of, key));
}

struct json_object *rxaqm_json_at(struct json_object *array, size_t i)
{
	if (!json_object_is_type(array, json_type_array) || i >= json_object_array_length(array))
		return NULL;
	return json_object_array_get_idx(array, i);
}

struct json_object *rxaqm_json_object(struct json_object *of, const char *key)
{
	struct json_object *value = json_object_object_get(of, key);

	return json_object_is_type(value, json_type_object) ? value : NULL;
}

void rxaqm_say_text(struct rxaqm_out *out, const char *fmt, const char *text)
{
	const char *at = strstr(fmt, "%s");

	if (at)
		rxaqm_out_text(out, "%.*s%s%s", (int)(at - fmt), fmt, text, at + 2);
	else
		rxaqm_out_text(out, "%s", fmt);
}

void rxaqm_say(struct rxaqm_out *out, struct json_object *of, const struct rxaqm_words *words)
{
	for (; words->key; words++) {
		struct json_object *value = json_object_object_get(of, words->key);
		const char *unit = strrchr(words->key, '_');

		if (!value || (json_object_is_type(value, json_type_boolean) &&
			       !json_object_get_boolean(value)))
			continue;
		rxaqm_say_text(out, words->fmt,
			       unit && !strcmp(unit, "_ns") ?
				       rxaqm_duration(json_object_get_uint64(value)) :
				       json_object_get_string(value));
	}
}
