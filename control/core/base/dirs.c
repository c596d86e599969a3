/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/dirs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The path of @name in @dir, which systemd has set, or else in @otherwise. */
static const char *path_in(const char *dir, const char *otherwise, const char *name, char *buf,
			   size_t size)
{
	/* systemd separates several directories by colons. */
	if (!dir || dir[0] != '/' || strcspn(dir, ":") > RXAQM_DIRS_PATH_LEN / 2)
		dir = otherwise;
	snprintf(buf, size, "%.*s/%s", (int)strcspn(dir, ":"), dir, name);
	return buf;
}

const char *rxaqm_runtime_path(const char *name, char *buf, size_t size)
{
	return path_in(getenv("RUNTIME_DIRECTORY"), "/run/rxaqm", name, buf, size);
}

const char *rxaqm_kept_path(const char *name, char *buf, size_t size)
{
	return path_in(getenv("STATE_DIRECTORY"), "/var/lib/rxaqm", name, buf, size);
}
