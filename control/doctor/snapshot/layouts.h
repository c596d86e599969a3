/* SPDX-License-Identifier: GPL-2.0-only */
/* For the files that make a bundle of the snapshot: a row a field. */
#ifndef RXAQM_DOCTOR_LAYOUTS_H
#define RXAQM_DOCTOR_LAYOUTS_H

#include "base/fields_rows.h"
#include "doctor/snapshot/snapshot.h"

/* One that another file uses. */
#define SHARED_TYPE(s) const struct rxaqm_layout s##_type = { s##_fields, sizeof(struct s) }

extern const struct rxaqm_layout doctor_sockets_type, doctor_deep_napi_type, doctor_deep_prog_type,
	doctor_deep_frames_type, doctor_deep_fragments_type, doctor_deep_stalls_type;

#endif /* RXAQM_DOCTOR_LAYOUTS_H */
