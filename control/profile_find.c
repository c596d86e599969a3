/* SPDX-License-Identifier: GPL-2.0-only */
/* Where profiles are, and which one a driver gets. */
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile.h"

#ifndef RXAQM_PROFILE_DIR
#define RXAQM_PROFILE_DIR "/usr/local/share/rxaqm/profiles"
#endif
#define DEFAULT_PATH "/etc/rxaqm/profiles.d:" RXAQM_PROFILE_DIR
#define SUFFIX ".conf"

/* A file of the search path. */
struct entry {
	char name[RXAQM_PROFILE_NAME_LEN];
	char path[PATH_MAX];
	unsigned int dir; /* which of the search path it is in */
};

struct entries {
	struct entry *entry;
	size_t nr;
};

static const char *search_path(void)
{
	const char *path = getenv("RXAQM_PROFILE_PATH");

	return path ? path : DEFAULT_PATH;
}

/* The profile's name from that of its file. False if the file is none. */
static bool name_of(const char *file, char name[RXAQM_PROFILE_NAME_LEN])
{
	size_t len = strlen(file);
	const size_t suffix = strlen(SUFFIX);

	if (file[0] == '.' || len <= suffix || strcmp(file + len - suffix, SUFFIX) ||
	    len - suffix >= RXAQM_PROFILE_NAME_LEN)
		return false;
	memcpy(name, file, len - suffix);
	name[len - suffix] = '\0';
	return true;
}

static int add_entry(struct entries *entries, const char *dir, const char *file,
		     unsigned int nr_dir)
{
	struct entry found, *grown;
	size_t i;

	if (!name_of(file, found.name) ||
	    snprintf(found.path, sizeof(found.path), "%s/%s", dir, file) >= (int)sizeof(found.path))
		return 0;
	found.dir = nr_dir;
	for (i = 0; i < entries->nr; i++)
		if (!strcmp(entries->entry[i].name, found.name))
			return 0;
	grown = realloc(entries->entry, (entries->nr + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	grown[entries->nr++] = found;
	entries->entry = grown;
	return 0;
}

static int add_dir(struct entries *entries, const char *path, unsigned int nr_dir)
{
	struct dirent *file;
	int err = 0;
	DIR *dir;

	dir = opendir(path);
	if (!dir)
		return 0; /* /etc/rxaqm need not exist */
	while (!err && (file = readdir(dir)))
		err = add_entry(entries, path, file->d_name, nr_dir);
	closedir(dir);
	return err;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* All profiles, sorted by name. To be freed with free(entries->entry), also on error. */
static int find_all(struct entries *entries, struct rxaqm_error *error)
{
	unsigned int nr_dir = 0;
	char *path, *dir, *rest;
	int err = 0;

	*entries = (struct entries){ 0 };
	path = strdup(search_path());
	for (rest = path; path && !err && (dir = strsep(&rest, ":"));)
		if (*dir)
			err = add_dir(entries, dir, nr_dir++);
	if (!path || err)
		err = rxaqm_error_set(error, RXAQM_EXIT_FAILED, ENOMEM, "out of memory");
	free(path);
	if (!err && entries->nr)
		qsort(entries->entry, entries->nr, sizeof(*entries->entry), by_name);
	return err;
}

int rxaqm_profile_read(const char *path, struct rxaqm_profile *profile, struct rxaqm_error *error)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	FILE *file;
	int err;

	file = fopen(path, "re");
	if (!file)
		return rxaqm_error_set(error, RXAQM_EXIT_FAILED, errno, "cannot open \"%s\": %s",
				       path, strerror(errno));
	err = rxaqm_profile_parse(file, path, profile, error);
	fclose(file);
	if (!name_of(base, profile->name))
		snprintf(profile->name, sizeof(profile->name), "%.*s", RXAQM_PROFILE_NAME_LEN - 1,
			 base);
	snprintf(profile->path, sizeof(profile->path), "%s", path);
	return err;
}

int rxaqm_profile_by_name(const char *name, struct rxaqm_profile *profile,
			  struct rxaqm_error *error)
{
	struct entries entries;
	size_t i;
	int err;

	if (strchr(name, '/'))
		return rxaqm_profile_read(name, profile, error);
	err = find_all(&entries, error);
	if (err)
		goto out;
	for (i = 0; i < entries.nr; i++)
		if (!strcmp(entries.entry[i].name, name))
			break;
	if (i < entries.nr)
		err = rxaqm_profile_read(entries.entry[i].path, profile, error);
	else
		err = rxaqm_error_set(error, RXAQM_EXIT_USAGE, ENOENT,
				      "no profile \"%s\" in %s; see \"rxaqm profile list\"", name,
				      search_path());
out:
	free(entries.entry);
	return err;
}

/* How well @profile fits @driver; 0: not at all. A name beats "*". */
static int fit(const struct rxaqm_profile *profile, const char *driver)
{
	if (!strcmp(profile->driver, driver))
		return 2;
	return !strcmp(profile->driver, "*");
}

/* Read the one of @entries that fits best, and of those that fit alike, comes first in the
 * search path. A file with errors counts if it is, or is called, the driver's: to fall back
 * from it would hide the errors.
 */
static int read_best(const struct entries *entries, const char *driver,
		     struct rxaqm_profile *profile, struct rxaqm_error *error)
{
	const struct entry *best = NULL;
	int best_fit = 0;
	size_t i;

	for (i = 0; i < entries->nr; i++) {
		const struct entry *entry = &entries->entry[i];
		int err, this_fit;

		err = rxaqm_profile_read(entry->path, profile, NULL);
		this_fit = err && !strcmp(entry->name, driver) ? 2 : fit(profile, driver);
		if (this_fit > best_fit ||
		    (best && this_fit == best_fit && entry->dir < best->dir)) {
			best_fit = this_fit;
			best = entry;
		}
	}
	if (best)
		return rxaqm_profile_read(best->path, profile, error);
	return rxaqm_error_set(error, RXAQM_EXIT_FAILED, ENOENT,
			       "no profile for driver \"%s\" and none for all drivers in %s; "
			       "install rxaqm or set RXAQM_PROFILE_PATH",
			       driver, search_path());
}

int rxaqm_profile_for_driver(const char *driver, struct rxaqm_profile *profile,
			     struct rxaqm_error *error)
{
	struct entries entries;
	int err;

	err = find_all(&entries, error);
	if (!err)
		err = read_best(&entries, driver, profile, error);
	free(entries.entry);
	return err;
}

int rxaqm_profile_each(int (*each)(const struct rxaqm_profile *profile,
				   const struct rxaqm_error *error, void *arg),
		       void *arg)
{
	struct rxaqm_profile profile;
	struct rxaqm_error error;
	struct entries entries;
	int err, ret;
	size_t i;

	ret = find_all(&entries, NULL);
	for (i = 0; !ret && i < entries.nr; i++) {
		err = rxaqm_profile_read(entries.entry[i].path, &profile, &error);
		ret = each(&profile, err ? &error : NULL, arg);
	}
	free(entries.entry);
	return ret;
}
