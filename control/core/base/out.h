/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One call per field for text and JSON, so that they cannot disagree. In JSON the field goes into
 * the innermost open object under its key (into an array without it). In text it is printed with
 * its format, or not at all if that is NULL. Keys carry units: times are integers in ns, and their
 * keys end in _ns.
 */
#pragma once

#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/fields.h"
#include "base/terminal.h"

struct json_object;

#define RXAQM_OUT_DEPTH 16

struct rxaqm_out {
	FILE *file;
	bool json;
	int depth;
	struct json_object *open[RXAQM_OUT_DEPTH];
	FILE *to; /* rxaqm_out_begin(): for text, which is kept until its lines are whole */
	char *text;
	size_t bytes;
	RXAQM_LIST(struct rxaqm_mark) marks;
};

/* Begin a command's standard output. JSON gets four keys first: "format", which is "rxaqm-@what",
 * "version", "time" and "host". Lines of text are broken where they do not fit.
 */
void rxaqm_out_begin(struct rxaqm_out *out, const char *what, bool json);
#define RXAQM_OUT_VERSION 1 /* of all these formats */
/* Write those four keys. */
void rxaqm_out_head(struct rxaqm_out *out, const char *what);
/* Text has the colour @paint from now on; the end of a line resets it. */
void rxaqm_out_paint(struct rxaqm_out *out, enum rxaqm_paint paint);

/* Start one document on @file; JSON documents are one object. */
void rxaqm_out_open(struct rxaqm_out *out, FILE *file, bool json);
/* Finish it: print JSON, on one line if @compact. 0, or -errno if writing failed. */
int rxaqm_out_close(struct rxaqm_out *out, bool compact);

void rxaqm_out_object(struct rxaqm_out *out, const char *key); /* @key NULL: in an array */
void rxaqm_out_array(struct rxaqm_out *out, const char *key);
void rxaqm_out_end(struct rxaqm_out *out); /* ends the innermost object or array */

/* Text only. */
void rxaqm_out_text(struct rxaqm_out *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* @fmt: printf format for exactly the value (%llu, %lld, %f, %s), or NULL for JSON only. */
void rxaqm_out_u64(struct rxaqm_out *out, const char *key, const char *fmt, __u64 value);
/* @fmt has one %s, for the number with separators (1,234,567). */
void rxaqm_out_count(struct rxaqm_out *out, const char *key, const char *fmt, __u64 value);
void rxaqm_out_s64(struct rxaqm_out *out, const char *key, const char *fmt, __s64 value);
void rxaqm_out_double(struct rxaqm_out *out, const char *key, const char *fmt, double value);
/* @value NULL: JSON null, and no text. */
void rxaqm_out_str(struct rxaqm_out *out, const char *key, const char *fmt, const char *value);
/* In text @yes or @no; NULL prints nothing. */
void rxaqm_out_bool(struct rxaqm_out *out, const char *key, const char *yes, const char *no,
		    bool value);
/* @fmt has one %s, for the duration in words (1.25ms). */
void rxaqm_out_ns(struct rxaqm_out *out, const char *key, const char *fmt, __u64 ns);
/* JSON null; in text @text as it is, unless NULL. */
void rxaqm_out_null(struct rxaqm_out *out, const char *key, const char *text);
