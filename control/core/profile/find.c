/* SPDX-License-Identifier: GPL-2.0-only */
/* Find profiles, and choose one for an interface. */
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/each.h"
#include "base/fields.h"
#include "nic/nic.h"
#include "profile/match.h"
#include "profiles.h"

/* The directory in the search path that stands for the profiles in the program. */
#define BUILT_IN "(built-in)"
#define DEFAULT_PATH "/etc/rxaqm/profiles.d:" BUILT_IN
#define SUFFIX ".conf"

/* A file of the search path. */
struct entry {
	char name[NAME_MAX + 1];
	char path[PATH_MAX];
	unsigned int dir; /* index of its directory in the search path */
};

struct entries {
	RXAQM_LIST(struct entry);
};

const char *rxaqm_profile_path(void)
{
	const char *path = getenv("RXAQM_PROFILE_PATH");

	return path ? path : DEFAULT_PATH;
}

/* Length of the profile's name in the file name @file; 0: not a profile. */
static size_t name_len(const char *file)
{
	return fnmatch("*" SUFFIX, file, FNM_PERIOD) ? 0 : strlen(file) - strlen(SUFFIX);
}

static int add_entry(struct entries *entries, const char *dir, const char *file,
		     unsigned int nr_dir)
{
	struct entry found = { .dir = nr_dir }, *entry;

	if (!name_len(file) ||
	    snprintf(found.path, sizeof(found.path), "%s/%s", dir, file) >= (int)sizeof(found.path))
		return 0;
	snprintf(found.name, sizeof(found.name), "%.*s", (int)name_len(file), file);
	if (rxaqm_list_find(entry, entries, !strcmp(entry->name, found.name)))
		return 0;
	return rxaqm_list_put(entries, found) ? 0 : -ENOMEM;
}

static int add_dir(struct entries *entries, const char *path, unsigned int nr_dir)
{
	int err = 0;
	size_t i;

	for (i = 0; !strcmp(path, BUILT_IN) && i < sizeof(built_in) / sizeof(built_in[0]) && !err;
	     i++)
		err = add_entry(entries, path, built_in[i].file, nr_dir);
	/* /etc/rxaqm need not exist. */
	rxaqm_each_entry(file, path)
		err = err ?: add_entry(entries, path, file->d_name, nr_dir);
	return err;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* All profiles, sorted by name. To be freed with free(entries->at), also on error. */
static int find_all(struct entries *entries, struct rxaqm_error *error)
{
	unsigned int nr_dir = 0;
	char *path, *dir, *rest;
	int err = 0;

	*entries = (struct entries){ 0 };
	path = strdup(rxaqm_profile_path());
	for (rest = path; path && !err && (dir = strsep(&rest, ":"));)
		if (*dir)
			err = add_dir(entries, dir, nr_dir++);
	if (!path || err)
		err = rxaqm_no_memory(error);
	free(path);
	if (!err && entries->nr)
		qsort(entries->at, entries->nr, sizeof(*entries->at), by_name);
	return err;
}

static FILE *open_profile(const char *path)
{
	size_t len = strlen(BUILT_IN "/"), i;

	for (i = 0; !strncmp(path, BUILT_IN "/", len) && i < sizeof(built_in) / sizeof(built_in[0]);
	     i++)
		if (!strcmp(path + len, built_in[i].file))
			return fmemopen((void *)built_in[i].text, strlen(built_in[i].text), "r");
	return fopen(path, "re");
}

int rxaqm_profile_read(const char *path, struct rxaqm_profile *profile, struct rxaqm_error *error)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t len = name_len(base) ?: strlen(base);
	FILE *file;
	int err;

	memset(profile, 0, sizeof(*profile));
	file = open_profile(path);
	if (file) {
		err = rxaqm_profile_parse(file, path, profile, error);
		fclose(file);
	} else {
		err = rxaqm_failed(error, errno, "cannot open \"%s\": %s", path, strerror(errno));
	}
	snprintf(profile->name, sizeof(profile->name), "%.*s", (int)len, base);
	snprintf(profile->path, sizeof(profile->path), "%s", path);
	if (!err && len >= sizeof(profile->name))
		err = rxaqm_error_set(error, RXAQM_EXIT_USAGE, ENAMETOOLONG,
				      "%s: name longer than %d characters", path,
				      RXAQM_PROFILE_NAME_LEN - 1);
	return err;
}

int rxaqm_profile_by_name(const char *name, struct rxaqm_profile *profile,
			  struct rxaqm_error *error)
{
	const struct entry *found;
	struct entries entries;
	int err;

	if (strchr(name, '/'))
		return rxaqm_profile_read(name, profile, error);
	err = find_all(&entries, error);
	found = rxaqm_list_find(found, &entries, !strcmp(found->name, name));
	if (!err && found)
		err = rxaqm_profile_read(found->path, profile, error);
	else if (!err)
		err = rxaqm_error_set(error, RXAQM_EXIT_USAGE, ENOENT,
				      "no profile \"%s\" in %s; \"rxaqm profile show\" has all",
				      name, rxaqm_profile_path());
	free(entries.at);
	return err;
}

/* Is @this better than @best, which comes earlier by name? */
static bool is_better(const struct rxaqm_fit *this, unsigned int this_dir,
		      const struct rxaqm_fit *best, unsigned int best_dir)
{
	if (this->fits != best->fits)
		return this->fits;
	if (this->named != best->named)
		return this->named;
	if (this_dir != best_dir)
		return this_dir < best_dir;
	return this->conditions > best->conditions;
}

/* Does a file with errors, called @name, count as one of @driver's? "igb" and "igb-apart" do. To
 * fall back to another file would hide the errors.
 */
static bool is_named_after(const char *name, const char *driver)
{
	size_t len = strlen(driver);

	return len && !strncmp(name, driver, len) && (!name[len] || name[len] == '-');
}

/* Read the best fitting one of @entries. */
static int read_best(const struct entries *entries, struct rxaqm_nic_facts *facts,
		     struct rxaqm_profile *profile, struct rxaqm_error *error)
{
	const struct entry *best = NULL, *entry;
	struct rxaqm_fit best_fit = { 0 };

	rxaqm_list_each(entry, entries) {
		struct rxaqm_fit fit = { .named = true, .conditions = UINT_MAX };
		int err = rxaqm_profile_read(entry->path, profile, NULL);

		/* If only its name is wrong, its content still says what it is for. */
		if (err && err != -ENAMETOOLONG)
			fit.fits = is_named_after(entry->name, facts->driver);
		else
			fit = rxaqm_match_fit(profile, facts);
		if (fit.fits && is_better(&fit, entry->dir, &best_fit, best ? best->dir : 0)) {
			best_fit = fit;
			best = entry;
		}
	}
	if (best)
		return rxaqm_profile_read(best->path, profile, error);
	return rxaqm_failed(error, ENOENT,
			    "no profile for driver \"%s\" and none for all drivers in %s; correct "
			    "RXAQM_PROFILE_PATH",
			    facts->driver, rxaqm_profile_path());
}

int rxaqm_profile_for_nic(struct rxaqm_nic_facts *facts, struct rxaqm_profile *profile,
			  struct rxaqm_error *error)
{
	struct entries entries;
	int err;

	err = find_all(&entries, error);
	if (!err)
		err = read_best(&entries, facts, profile, error);
	free(entries.at);
	return err;
}

int rxaqm_profile_for_interface(const char *ifname, struct rxaqm_profile *profile,
				struct rxaqm_error *error)
{
	struct rxaqm_nic_facts facts;

	unsigned int ifindex;
	int err = rxaqm_nic_index(ifname, &ifindex, error);

	if (err)
		return err;
	rxaqm_nic_facts_read(ifname, &facts);
	return rxaqm_profile_for_nic(&facts, profile, error);
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
	if (!ret && !entries.nr)
		ret = -ENOENT;
	for (i = 0; !ret && i < entries.nr; i++) {
		err = rxaqm_profile_read(entries.at[i].path, &profile, &error);
		ret = each(&profile, err ? &error : NULL, arg);
	}
	free(entries.at);
	return ret;
}
