/* SPDX-License-Identifier: GPL-2.0-only */
/* Short macros for rows of base/fields.h, for .c files that consist of such tables. */
#pragma once

#include <stddef.h>

#include "base/fields.h"

/* The kind follows from the C type, so that they cannot differ. A char array is a text. */
#define FIELD_KIND(f)                       \
	_Generic((f),                       \
		__u64: RXAQM_FIELD_U64,     \
		__u32: RXAQM_FIELD_U32,     \
		__s64: RXAQM_FIELD_S64,     \
		__s32: RXAQM_FIELD_S32,     \
		double: RXAQM_FIELD_DOUBLE, \
		bool: RXAQM_FIELD_BOOL,     \
		char *: RXAQM_FIELD_TEXT)
#define ROW_OF(s, f, k) .name = #f, .kind = (k), .offset = offsetof(struct s, f)
#define FIELD(s, f) \
	{ ROW_OF(s, f, FIELD_KIND(((struct s *)0)->f)), .size = sizeof(((struct s *)0)->f) }
/* A map needs its kind: of numbers or of words. */
#define MAP(s, f, k) { ROW_OF(s, f, k) }
/* An enum needs its names. */
#define NAME(s, f, n) { ROW_OF(s, f, RXAQM_FIELD_NAME), .names = (n) }
#define STRUCT(s, f, t) { ROW_OF(s, f, RXAQM_FIELD_STRUCT), .type = &(t) }
#define LIST(s, f, t) { ROW_OF(s, f, RXAQM_FIELD_ARRAY), .type = &(t) }

/* One row for each of up to eight fields, grouped as in the struct. */
#define FIELDS(s, ...) FIELDS_NAME(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1)(s, __VA_ARGS__)
#define FIELDS_NAME(a, b, c, d, e, f, g, h, nr, ...) FIELDS_##nr
#define FIELDS_1(s, f) FIELD(s, f)
#define FIELDS_2(s, f, ...) FIELD(s, f), FIELDS_1(s, __VA_ARGS__)
#define FIELDS_3(s, f, ...) FIELD(s, f), FIELDS_2(s, __VA_ARGS__)
#define FIELDS_4(s, f, ...) FIELD(s, f), FIELDS_3(s, __VA_ARGS__)
#define FIELDS_5(s, f, ...) FIELD(s, f), FIELDS_4(s, __VA_ARGS__)
#define FIELDS_6(s, f, ...) FIELD(s, f), FIELDS_5(s, __VA_ARGS__)
#define FIELDS_7(s, f, ...) FIELD(s, f), FIELDS_6(s, __VA_ARGS__)
#define FIELDS_8(s, f, ...) FIELD(s, f), FIELDS_7(s, __VA_ARGS__)

/* s_type: the layout of struct s in a file, by rows. */
#define LAYOUT(s, ...)                                                      \
	static const struct rxaqm_field s##_fields[] = { __VA_ARGS__, {} }; \
	static const struct rxaqm_layout s##_type = { s##_fields, sizeof(struct s) }
