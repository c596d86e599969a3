/* SPDX-License-Identifier: GPL-2.0-only */
#include <json-c/json.h>
#include <stdlib.h>

#include "base/json_file.h"
#include "doctor/snapshot/bundle.h"

static const struct rxaqm_json_format bundle_format = {
	.format = "rxaqm-doctor",
	.what = "bundle of \"rxaqm doctor --record\"",
	.version = RXAQM_BUNDLE_VERSION,
};

int doctor_bundle_write(const struct doctor_snapshot *snap, const char *path,
			struct rxaqm_error *error)
{
	return rxaqm_json_write(doctor_snapshot_to_json(snap), &bundle_format, path, 0600, error);
}

int doctor_bundle_parse(struct doctor_snapshot *snap, const char *text, size_t len,
			const char *path, struct rxaqm_error *error)
{
	struct rxaqm_error inner = {};
	struct json_object *bundle;
	int err = rxaqm_json_parse(text, len, &bundle_format, path, &bundle, error);

	if (err)
		return err;
	err = doctor_snapshot_from_json(snap, bundle, &inner);
	if (err)
		rxaqm_error_set(error, inner.exit_code, -err, "%s: %s", path, inner.text);
	json_object_put(bundle);
	return err;
}

int doctor_bundle_read(struct doctor_snapshot *snap, const char *path, struct rxaqm_error *error)
{
	size_t len;
	char *text;
	int err = rxaqm_file_read(path, &text, &len, error);

	if (err)
		return err;
	err = doctor_bundle_parse(snap, text, len, path, error);
	free(text);
	return err;
}

int doctor_bundle_pass(struct doctor_snapshot *from, struct doctor_snapshot *to,
		       struct rxaqm_error *error)
{
	struct json_object *bundle = doctor_snapshot_to_json(from);
	int err = bundle ? doctor_snapshot_from_json(to, bundle, error) :
			   rxaqm_failed(error, ENOMEM, "no memory for a bundle");

	json_object_put(bundle);
	doctor_snapshot_free(from);
	return err;
}
