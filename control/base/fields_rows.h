/* SPDX-License-Identifier: GPL-2.0-only */
/* Short words for the rows of base/fields.h; for .c files that consist of such tables. */
#ifndef RXAQM_FIELDS_ROWS_H
#define RXAQM_FIELDS_ROWS_H

#include <stddef.h>

#include "base/fields.h"

#define FIELD(s, f, k) { .name = #f, .kind = (k), .offset = offsetof(struct s, f) }
#define TEXT(s, f)                         \
	{ .name = #f,                      \
	  .kind = RXAQM_FIELD_TEXT,        \
	  .offset = offsetof(struct s, f), \
	  .size = sizeof(((struct s *)0)->f) }
#define OF(s, f, k, t) { .name = #f, .kind = (k), .offset = offsetof(struct s, f), .type = &(t) }
#define TYPE(s) static const struct rxaqm_layout s##_type = { s##_fields, sizeof(struct s) }

#endif /* RXAQM_FIELDS_ROWS_H */
