/* SPDX-License-Identifier: GPL-2.0-only */
/* For the files that make a bundle of the snapshot: a row a field. */
#ifndef RXAQM_DOCTOR_LAYOUTS_H
#define RXAQM_DOCTOR_LAYOUTS_H

#include "base/fields.h"
#include "doctor/snapshot/snapshot.h"

#define FIELD(s, f, k) { .name = #f, .kind = (k), .offset = offsetof(struct s, f) }
#define TEXT(s, f)                         \
	{ .name = #f,                      \
	  .kind = RXAQM_FIELD_TEXT,        \
	  .offset = offsetof(struct s, f), \
	  .size = sizeof(((struct s *)0)->f) }
#define OF(s, f, k, t) { .name = #f, .kind = (k), .offset = offsetof(struct s, f), .type = &(t) }
#define TYPE(s) static const struct rxaqm_layout s##_type = { s##_fields, sizeof(struct s) }
/* One that another file uses. */
#define SHARED_TYPE(s) const struct rxaqm_layout s##_type = { s##_fields, sizeof(struct s) }

extern const struct rxaqm_layout doctor_sockets_type, doctor_deep_napi_type, doctor_deep_prog_type,
	doctor_deep_frames_type, doctor_deep_fragments_type, doctor_deep_stalls_type;

#endif /* RXAQM_DOCTOR_LAYOUTS_H */
