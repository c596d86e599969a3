/* SPDX-License-Identifier: GPL-2.0-only */
/* Fields of JSON in words. Whatever is missing, or of another type, is "", 0, false or NULL. */
#pragma once

#include "base/out.h"

struct json_object;

const char *rxaqm_json_text(struct json_object *of, const char *key);
__u64 rxaqm_json_u64(struct json_object *of, const char *key);
bool rxaqm_json_true(struct json_object *of, const char *key);
struct json_object *rxaqm_json_object(struct json_object *of, const char *key);
/* The entry @i of @array. */
struct json_object *rxaqm_json_at(struct json_object *array, size_t i);

/* A field in words: @fmt has one %s, or none for a boolean that is true. A false one, or a missing
 * field, prints nothing.
 */
struct rxaqm_words {
	const char *key, *fmt;
};

/* Print @fmt, with its %s replaced by @text. */
void rxaqm_say_text(struct rxaqm_out *out, const char *fmt, const char *text);
/* Print fields of @of, in the order of @words, which a row without key ends. */
void rxaqm_say(struct rxaqm_out *out, struct json_object *of, const struct rxaqm_words *words);
