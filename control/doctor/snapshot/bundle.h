/* SPDX-License-Identifier: GPL-2.0-only */
/* Bundles: a snapshot in a file. */
#pragma once

#include "doctor/snapshot/snapshot.h"

/* Write @snap to @path, which is replaced at once and only readable by its owner: it names
 * addresses and programs. "-" is standard output. -errno with @error.
 */
int doctor_bundle_write(const struct doctor_snapshot *snap, const char *path,
			struct rxaqm_error *error);
/* "-" is standard input. */
int doctor_bundle_read(struct doctor_snapshot *snap, const char *path, struct rxaqm_error *error);
/* The same of @text, of @len bytes; @path only for messages. */
int doctor_bundle_parse(struct doctor_snapshot *snap, const char *text, size_t len,
			const char *path, struct rxaqm_error *error);

/* @to, which is empty, becomes what a bundle of @from would be read as; @from is freed. */
int doctor_bundle_pass(struct doctor_snapshot *from, struct doctor_snapshot *to,
		       struct rxaqm_error *error);
