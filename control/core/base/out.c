/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/out.h"

#include <assert.h>
#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/clean.h"
#include "base/number.h"
#include "base/parse.h"

static void add(struct rxaqm_out *out, const char *key, struct json_object *value)
{
	struct json_object *parent = out->open[out->depth - 1];

	if (json_object_is_type(parent, json_type_array))
		json_object_array_add(parent, value);
	else
		json_object_object_add(parent, key, value);
}

static void open_child(struct rxaqm_out *out, const char *key, struct json_object *child)
{
	assert(out->depth < RXAQM_OUT_DEPTH);
	add(out, key, child);
	out->open[out->depth++] = child;
}

void rxaqm_out_open(struct rxaqm_out *out, FILE *file, bool json)
{
	*out = (struct rxaqm_out){ .file = file, .json = json };
	if (json)
		out->open[out->depth++] = json_object_new_object();
}

void rxaqm_out_head(struct rxaqm_out *out, const char *what)
{
	struct utsname host = {};
	char text[80];
	time_t now = time(NULL);
	struct tm tm;

	snprintf(text, sizeof(text), "rxaqm-%s", what);
	rxaqm_out_str(out, "format", NULL, text);
	rxaqm_out_u64(out, "version", NULL, RXAQM_OUT_VERSION);
	strftime(text, sizeof(text), "%FT%TZ", gmtime_r(&now, &tm));
	rxaqm_out_str(out, "time", NULL, text);
	uname(&host);
	rxaqm_out_str(out, "host", NULL, host.nodename);
}

void rxaqm_out_begin(struct rxaqm_out *out, const char *what, bool json)
{
	rxaqm_out_open(out, stdout, json);
	if (json) {
		rxaqm_out_head(out, what);
		return;
	}
	/* Without memory it is printed at once. */
	out->file = open_memstream(&out->text, &out->bytes);
	out->to = out->file ? stdout : NULL;
	if (!out->file)
		out->file = stdout;
}

void rxaqm_out_paint(struct rxaqm_out *out, enum rxaqm_paint paint)
{
	if (!out->to || (!paint && (!out->marks.nr || !out->marks.at[out->marks.nr - 1].paint)))
		return;
	/* Without memory it stays plain. */
	rxaqm_list_put(&out->marks, (struct rxaqm_mark){ (size_t)ftell(out->file), paint });
}

/* Print the kept text, and keep no more. */
static void release(struct rxaqm_out *out)
{
	struct rxaqm_mark *end;

	if (!out->to)
		return;
	fclose(out->file);
	out->file = out->to;
	out->to = NULL;
	end = rxaqm_list_put(&out->marks, (struct rxaqm_mark){ .at = SIZE_MAX });
	rxaqm_wrap(out->file, 0, out->text, end ? out->marks.at : NULL);
	rxaqm_paint(out->file, RXAQM_PLAIN);
	free(out->marks.at);
	free(out->text);
}

int rxaqm_out_close(struct rxaqm_out *out, bool compact)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE;

	if (!compact)
		flags |= JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED;
	release(out);
	if (out->json) {
		assert(out->depth == 1);
		rxaqm_clean_puts(out->file, json_object_to_json_string_ext(out->open[0], flags));
		fputc('\n', out->file);
		json_object_put(out->open[0]);
		out->depth = 0;
	}
	if (fflush(out->file))
		return -errno;
	return ferror(out->file) ? -EIO : 0;
}

void rxaqm_out_object(struct rxaqm_out *out, const char *key)
{
	if (out->json)
		open_child(out, key, json_object_new_object());
}

void rxaqm_out_array(struct rxaqm_out *out, const char *key)
{
	if (out->json)
		open_child(out, key, json_object_new_array());
}

void rxaqm_out_end(struct rxaqm_out *out)
{
	if (!out->json)
		return;
	assert(out->depth > 1);
	out->depth--;
}

void rxaqm_out_text(struct rxaqm_out *out, const char *fmt, ...)
{
	va_list args;

	if (out->json)
		return;
	va_start(args, fmt);
	vfprintf(out->file, fmt, args);
	va_end(args);
}

void rxaqm_out_u64(struct rxaqm_out *out, const char *key, const char *fmt, __u64 value)
{
	if (out->json)
		add(out, key, json_object_new_uint64(value));
	else if (fmt)
		fprintf(out->file, fmt, value);
}

void rxaqm_out_count(struct rxaqm_out *out, const char *key, const char *fmt, __u64 value)
{
	char number[RXAQM_COUNTED_LEN];

	if (out->json)
		rxaqm_out_u64(out, key, NULL, value);
	else
		rxaqm_out_str(out, key, fmt, rxaqm_counted((double)value, number));
}

void rxaqm_out_s64(struct rxaqm_out *out, const char *key, const char *fmt, __s64 value)
{
	if (out->json)
		add(out, key, json_object_new_int64(value));
	else if (fmt)
		fprintf(out->file, fmt, value);
}

/* All seventeen digits would only show rounding errors. */
static struct json_object *new_double(double value)
{
	static char format[] = "%.9g";
	struct json_object *object;

	if (!isfinite(value))
		return NULL;
	object = json_object_new_double(value);
	json_object_set_serializer(object, json_object_double_to_json_string, format, NULL);
	return object;
}

void rxaqm_out_double(struct rxaqm_out *out, const char *key, const char *fmt, double value)
{
	if (out->json)
		add(out, key, new_double(value));
	else if (fmt)
		fprintf(out->file, fmt, value);
}

void rxaqm_out_str(struct rxaqm_out *out, const char *key, const char *fmt, const char *value)
{
	if (out->json)
		add(out, key, value ? json_object_new_string(value) : NULL);
	else if (fmt && value)
		fprintf(out->file, fmt, value);
}

void rxaqm_out_bool(struct rxaqm_out *out, const char *key, const char *yes, const char *no,
		    bool value)
{
	const char *text = value ? yes : no;

	if (out->json)
		add(out, key, json_object_new_boolean(value));
	else if (text)
		fputs(text, out->file);
}

void rxaqm_out_ns(struct rxaqm_out *out, const char *key, const char *fmt, __u64 ns)
{
	if (out->json)
		rxaqm_out_u64(out, key, NULL, ns);
	else
		rxaqm_out_str(out, key, fmt, rxaqm_duration(ns));
}

void rxaqm_out_null(struct rxaqm_out *out, const char *key, const char *text)
{
	if (out->json)
		add(out, key, NULL);
	else if (text)
		fputs(text, out->file);
}
