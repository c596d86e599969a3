/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/metrics.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/metrics_rows.h"

static int print_all(struct rxaqm_metrics_text *text, const struct rxaqm_metrics *metrics)
{
	struct rxaqm_metrics_view *view = malloc(sizeof(*view));
	struct rxaqm_metrics_rows *rows = malloc(sizeof(*rows));
	int err = -ENOMEM;

	if (view && rows) {
		rxaqm_metrics_look(view, metrics);
		rxaqm_metrics_print(text, view, rows);
		if (metrics->more)
			metrics->more(text, metrics->more_arg);
		err = 0;
	}
	free(view);
	free(rows);
	return err;
}

char *rxaqm_metrics_render(const struct rxaqm_metrics *metrics, size_t *ret_bytes)
{
	struct rxaqm_metrics_text text = {};
	char *page = NULL;
	bool failed;

	text.file = open_memstream(&page, ret_bytes);
	if (!text.file)
		return NULL;
	failed = print_all(&text, metrics) || ferror(text.file);
	if (fclose(text.file) || failed) {
		free(page);
		return NULL;
	}
	return page;
}

static int write_temporary(int fd, const struct rxaqm_metrics *metrics)
{
	struct rxaqm_metrics_text text = {};
	int err;

	text.file = fdopen(fd, "w");
	if (!text.file) {
		err = -errno;
		close(fd);
		return err;
	}
	/* The collector is another user. */
	err = fchmod(fd, 0644) ? -errno : print_all(&text, metrics);
	if (!err && fflush(text.file))
		err = -errno;
	if (fclose(text.file) && !err)
		err = -errno;
	return err;
}

int rxaqm_metrics_write_file(const struct rxaqm_metrics *metrics, const char *path,
			     struct rxaqm_error *error)
{
	size_t len = strlen(path);
	char temporary[PATH_MAX];
	int fd, err;

	if (len < 6 || strcmp(path + len - 5, ".prom") || path[len - 6] == '/')
		return rxaqm_bad(error,
				 "metrics file \"%s\": node_exporter reads only names that end in "
				 "\".prom\"; call it rxaqm.prom",
				 path);
	/* Beside it, for the rename, and under a name that the collector passes over. */
	if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path) >= (int)sizeof(temporary))
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, ENAMETOOLONG,
				       "metrics file \"%s\": the name is too long", path);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		err = -errno;
	} else {
		err = write_temporary(fd, metrics);
		if (!err && rename(temporary, path))
			err = -errno;
		if (err)
			unlink(temporary);
	}
	if (!err)
		return 0;
	return rxaqm_error_set(error, RXAQM_EXIT_FAILED, -err,
			       "cannot write metrics file \"%s\": %s; see that its directory "
			       "exists, "
			       "may be written to and has room",
			       path, strerror(-err));
}
