/* SPDX-License-Identifier: GPL-2.0-only */
/* What --deep measured, as a bundle has them. */
#include "doctor/snapshot/layouts.h"

static const struct rxaqm_field doctor_deep_napi_fields[] = {
	FIELD(doctor_deep_napi, ifindex, RXAQM_FIELD_U32),
	FIELD(doctor_deep_napi, id, RXAQM_FIELD_U32),
	FIELD(doctor_deep_napi, cpu, RXAQM_FIELD_U32),
	FIELD(doctor_deep_napi, polls, RXAQM_FIELD_U64),
	FIELD(doctor_deep_napi, busy, RXAQM_FIELD_U64),
	FIELD(doctor_deep_napi, packets, RXAQM_FIELD_U64),
	FIELD(doctor_deep_napi, poll_ns, RXAQM_FIELD_U64),
	FIELD(doctor_deep_napi, longest_poll_ns, RXAQM_FIELD_U64),
	FIELD(doctor_deep_napi, wait_ns, RXAQM_FIELD_U64),
	FIELD(doctor_deep_napi, longest_wait_ns, RXAQM_FIELD_U64),
	{}
};
SHARED_TYPE(doctor_deep_napi);

static const struct rxaqm_field doctor_deep_prog_fields[] = {
	FIELD(doctor_deep_prog, id, RXAQM_FIELD_U32),
	TEXT(doctor_deep_prog, name),
	TEXT(doctor_deep_prog, type),
	FIELD(doctor_deep_prog, runs, RXAQM_FIELD_U64),
	FIELD(doctor_deep_prog, run_ns, RXAQM_FIELD_U64),
	{}
};
SHARED_TYPE(doctor_deep_prog);

static const struct rxaqm_field doctor_deep_frames_fields[] = {
	FIELD(doctor_deep_frames, ifindex, RXAQM_FIELD_U32),
	FIELD(doctor_deep_frames, queue, RXAQM_FIELD_U32),
	FIELD(doctor_deep_frames, frames, RXAQM_FIELD_U64),
	FIELD(doctor_deep_frames, bytes, RXAQM_FIELD_U64),
	FIELD(doctor_deep_frames, segments, RXAQM_FIELD_U64),
	FIELD(doctor_deep_frames, median, RXAQM_FIELD_U64),
	{}
};
SHARED_TYPE(doctor_deep_frames);

static const struct rxaqm_field doctor_deep_fragments_fields[] = {
	FIELD(doctor_deep_fragments, ifindex, RXAQM_FIELD_U32),
	FIELD(doctor_deep_fragments, queue, RXAQM_FIELD_U32),
	FIELD(doctor_deep_fragments, packets, RXAQM_FIELD_U64),
	FIELD(doctor_deep_fragments, fragments, RXAQM_FIELD_U64),
	{}
};
SHARED_TYPE(doctor_deep_fragments);

static const struct rxaqm_field doctor_deep_stalls_fields[] = {
	FIELD(doctor_deep_stalls, ifindex, RXAQM_FIELD_U32),
	FIELD(doctor_deep_stalls, queue, RXAQM_FIELD_U32),
	FIELD(doctor_deep_stalls, stalls, RXAQM_FIELD_U64),
	FIELD(doctor_deep_stalls, longest_ms, RXAQM_FIELD_U64),
	{}
};
SHARED_TYPE(doctor_deep_stalls);
