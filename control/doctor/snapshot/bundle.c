/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/snapshot/bundle.h"

static int no_memory(struct rxaqm_error *error)
{
	return rxaqm_error_set(error, RXAQM_EXIT_FAILED, ENOMEM, "no memory for a bundle");
}

static int write_failed(const char *path, struct rxaqm_error *error)
{
	return rxaqm_error_set(error, RXAQM_EXIT_FAILED, errno, "cannot write \"%s\": %s", path,
			       strerror(errno));
}

static int write_text(const char *text, const char *path, struct rxaqm_error *error)
{
	char temporary[PATH_MAX];
	FILE *file;
	int fd;

	if (!strcmp(path, "-"))
		return fputs(text, stdout) < 0 || fputc('\n', stdout) < 0 || fflush(stdout) ?
			       write_failed("standard output", error) :
			       0;
	if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path) >= (int)sizeof(temporary)) {
		errno = ENAMETOOLONG;
		return write_failed(path, error);
	}
	fd = mkstemp(temporary);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file)
		return write_failed(path, error);
	fputs(text, file);
	fputc('\n', file);
	if (fclose(file) || rename(temporary, path)) {
		write_failed(path, error);
		unlink(temporary);
		return -EIO;
	}
	return 0;
}

int doctor_bundle_write(const struct doctor_snapshot *snap, const char *path,
			struct rxaqm_error *error)
{
	struct json_object *bundle = doctor_snapshot_to_json(snap);
	const char *text = NULL;
	int err;

	if (bundle)
		text = json_object_to_json_string_ext(bundle, JSON_C_TO_STRING_NOSLASHESCAPE |
								      JSON_C_TO_STRING_PRETTY |
								      JSON_C_TO_STRING_SPACED);
	err = text ? write_text(text, path, error) : no_memory(error);
	json_object_put(bundle);
	return err;
}

int doctor_bundle_parse(struct doctor_snapshot *snap, const char *text, size_t len,
			const char *path, struct rxaqm_error *error)
{
	struct json_tokener *tokener = json_tokener_new_ex(16);
	struct rxaqm_error inner = {};
	struct json_object *bundle;
	enum json_tokener_error why;
	int err;

	if (!tokener)
		return no_memory(error);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	bundle = json_tokener_parse_ex(tokener, text, (int)len);
	why = json_tokener_get_error(tokener);
	if (why == json_tokener_success) {
		err = doctor_snapshot_from_json(snap, bundle, &inner);
		if (err)
			rxaqm_error_set(error, inner.exit_code, -err, "%s: %s", path, inner.text);
	} else {
		err = rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				      "%s: not JSON, at byte %zu: %s", path,
				      json_tokener_get_parse_end(tokener),
				      why == json_tokener_continue ? "it ends too early" :
								     json_tokener_error_desc(why));
	}
	json_object_put(bundle);
	json_tokener_free(tokener);
	return err;
}

static int read_text(int fd, const char *path, char **ret_text, size_t *ret_len,
		     struct rxaqm_error *error)
{
	size_t size = 1 << 16, len = 0;
	char *text = NULL, *grown;
	ssize_t got = 1;

	while (got > 0 && len < RXAQM_BUNDLE_MAX) {
		grown = realloc(text, size);
		if (!grown) {
			free(text);
			return no_memory(error);
		}
		text = grown;
		got = read(fd, text + len, size - len);
		len += got > 0 ? (size_t)got : 0;
		size *= len == size ? 2 : 1;
	}
	*ret_text = text;
	*ret_len = len;
	if (got < 0)
		return rxaqm_error_set(error, RXAQM_EXIT_FAILED, errno, "cannot read \"%s\": %s",
				       path, strerror(errno));
	if (len >= RXAQM_BUNDLE_MAX)
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EFBIG,
				       "%s: more than 64 MiB is no bundle", path);
	return 0;
}

int doctor_bundle_read(struct doctor_snapshot *snap, const char *path, struct rxaqm_error *error)
{
	bool standard = !strcmp(path, "-");
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), err;
	char *text = NULL;
	size_t len = 0;

	if (fd < 0)
		return rxaqm_error_set(error, RXAQM_EXIT_FAILED, errno, "cannot read \"%s\": %s",
				       path, strerror(errno));
	err = read_text(fd, path, &text, &len, error);
	if (!err)
		err = doctor_bundle_parse(snap, text, len, path, error);
	free(text);
	if (!standard)
		close(fd);
	return err;
}

int doctor_bundle_pass(struct doctor_snapshot *from, struct doctor_snapshot *to,
		       struct rxaqm_error *error)
{
	struct json_object *bundle = doctor_snapshot_to_json(from);
	const char *text = bundle ? json_object_to_json_string_ext(bundle, JSON_C_TO_STRING_PLAIN) :
				    NULL;
	int err = text ? doctor_bundle_parse(to, text, strlen(text), "this host", error) :
			 no_memory(error);

	json_object_put(bundle);
	doctor_snapshot_free(from);
	return err;
}
