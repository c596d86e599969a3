/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Convert Prometheus' text format (0.0.4), as the daemon writes it (base/metrics_text.h), to
 * OpenMetrics 1.0. That differs in three things: the family name of a counter has no "_total"; that
 * of an "_info" has no "_info", and its type is "info"; bucket bounds are floats.
 */
#include "exporter/page.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/now.h"

/* The length of @name without @suffix; 0: it has no such suffix. */
static size_t without(const char *name, size_t len, const char *suffix)
{
	size_t end = strlen(suffix);

	return len > end && !memcmp(name + len - end, suffix, end) ? len - end : 0;
}

/* Convert "# HELP name text" or "# TYPE name type". */
static void convert_comment(FILE *out, const char *line)
{
	const char *name = line + strlen("# HELP ");
	size_t len = strcspn(name, " \n"), counter = without(name, len, "_total"),
	       info = without(name, len, "_info");

	fprintf(out, "%.7s%.*s", line, (int)(counter ? counter : info ? info : len), name);
	if (info && !strncmp(line, "# TYPE ", 7))
		fputs(" info\n", out);
	else
		fputs(name + len, out);
}

/* Convert "name{...,le="1"} value": the bound becomes "1.0". */
static void convert_sample(FILE *out, const char *line)
{
	const char *bound = strstr(line, "le=\""), *end;

	if (bound && bound > line && (bound[-1] == ',' || bound[-1] == '{')) {
		bound += strlen("le=\"");
		end = bound + strspn(bound, "0123456789");
		if (end > bound && *end == '"') {
			fprintf(out, "%.*s.0%s", (int)(end - line), line, end);
			return;
		}
	}
	fputs(line, out);
}

static void convert(FILE *out, char *page)
{
	char *line, *rest = page, end;

	while (*rest) {
		line = rest;
		rest += strcspn(rest, "\n");
		rest += *rest == '\n';
		end = *rest;
		*rest = '\0';
		if (!strncmp(line, "# HELP ", 7) || !strncmp(line, "# TYPE ", 7))
			convert_comment(out, line);
		else
			convert_sample(out, line);
		*rest = end;
	}
}

static char *make_page(char *file, double age_s, bool openmetrics, size_t *ret_bytes)
{
	char *page = NULL;
	FILE *out = open_memstream(&page, ret_bytes);
	bool failed;

	if (!out)
		return NULL;
	if (openmetrics)
		convert(out, file);
	else
		fputs(file, out);
	fprintf(out,
		"# HELP rxaqm_metrics_age_seconds How long ago the daemon wrote the other figures\n"
		"# TYPE rxaqm_metrics_age_seconds gauge\n"
		"rxaqm_metrics_age_seconds %.3f\n%s",
		age_s, openmetrics ? "# EOF\n" : "");
	failed = ferror(out);
	if (!fclose(out) && !failed)
		return page;
	free(page);
	return NULL;
}

char *rxaqm_page_read(const char *path, bool openmetrics, size_t *ret_bytes,
		      struct rxaqm_error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *file = NULL, *page = NULL;
	__u64 written_ns;
	struct stat st;
	double age_s;
	size_t bytes;

	if (fd < 0 || fstat(fd, &st)) {
		rxaqm_failed(error, errno,
			     "cannot read \"%s\", which \"rxaqm run\" writes: %s; \"systemctl "
			     "status rxaqm\" says whether it runs\n",
			     path, strerror(errno));
		goto out;
	}
	if (!S_ISREG(st.st_mode) || st.st_size > RXAQM_FILE_MAX) {
		rxaqm_failed(error, EINVAL, "\"%s\" is no file that rxaqm writes\n", path);
		goto out;
	}
	written_ns = (__u64)st.st_mtim.tv_sec * RXAQM_NSEC_PER_SEC + (__u64)st.st_mtim.tv_nsec;
	age_s = (double)(__s64)(rxaqm_clock_ns(CLOCK_REALTIME) - written_ns) / 1e9;
	file = rxaqm_read_all(fd, RXAQM_FILE_MAX, &bytes);
	page = file ? make_page(file, age_s < 0 ? 0 : age_s, openmetrics, ret_bytes) : NULL;
	if (!page)
		rxaqm_failed(error, ENOMEM, "no memory for the metrics\n");
out:
	free(file);
	if (fd >= 0)
		close(fd);
	return page;
}
