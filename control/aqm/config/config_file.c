/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading rxaqm.conf. */
#include <dirent.h>
#include <fnmatch.h>
#include <grp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "base/ini_file.h"

/* State while one file is read. */
struct reading {
	struct rxaqm_config *config;
	unsigned int iface; /* the one whose section is being read */
	struct rxaqm_keys_seen seen, seen_settings; /* in the section */
	unsigned int seen_sections; /* bit n: rxaqm_config_sections[n] was begun */
};

static struct rxaqm_config_iface *current(const struct reading *reading)
{
	return &reading->config->iface[reading->iface];
}

/* Begin the section [Interface MATCH]. */
static int begin_iface(struct reading *reading, const char *match, struct rxaqm_error *error)
{
	struct rxaqm_config *config = reading->config;
	struct rxaqm_config_iface *grown;

	match += strspn(match, " \t");
	if (!*match || strcspn(match, " \t/") != strlen(match))
		return rxaqm_bad(error,
				 "[Interface %s]: write one name or pattern, such as [Interface "
				 "eth0] or [Interface en*]",
				 match);
	for (reading->iface = 0; reading->iface < config->nr_ifaces; reading->iface++) {
		if (strcmp(current(reading)->match, match))
			continue;
		if (current(reading)->here)
			return rxaqm_bad(error, "[Interface %s] occurs twice; join the two", match);
		current(reading)->here = true;
		current(reading)->line = 0;
		return 0;
	}
	grown = reallocarray(config->iface, config->nr_ifaces + 1, sizeof(*grown));
	if (!grown)
		return rxaqm_no_memory(error);
	config->iface = grown;
	config->nr_ifaces++;
	rxaqm_config_iface_init(current(reading));
	current(reading)->here = true;
	/* The ini reader has refused longer names already. */
	snprintf(current(reading)->match, sizeof(current(reading)->match), "%s", match);
	current(reading)->glob = strpbrk(match, "*?") != NULL;
	if (!current(reading)->glob && strlen(match) >= RXAQM_IFNAMSIZ)
		return rxaqm_bad(error,
				 "[Interface %s]: no interface has a name of more than %d "
				 "characters",
				 match, RXAQM_IFNAMSIZ - 1);
	return 0;
}

static int read_section(void *arg, const char *section, struct rxaqm_error *error)
{
	struct reading *reading = arg;
	unsigned int i;

	reading->seen = reading->seen_settings = (struct rxaqm_keys_seen){};
	if (!strncmp(section, "Interface ", 10) || !strcmp(section, "Interface"))
		return begin_iface(reading, section + 9, error);
	for (i = 0; rxaqm_config_sections[i]; i++) {
		if (strcmp(rxaqm_config_sections[i], section))
			continue;
		if (reading->seen_sections & (1U << i))
			return rxaqm_bad(error, "[%s] occurs twice; join the two", section);
		reading->seen_sections |= 1U << i;
		return 0;
	}
	return rxaqm_bad(error,
			 "unknown section [%s]; there are [Daemon], [Metrics], [Overload] and "
			 "[Interface NAME]",
			 section);
}

static int unknown(const char *key, const char *section, const char *table,
		   struct rxaqm_error *error)
{
	const char *names[RXAQM_KEYS_MAX + 1];
	unsigned int nr = rxaqm_key_names(rxaqm_config_keys, table, 0, names);

	if (!strcmp(table, "Interface"))
		rxaqm_setting_names(nr, names);
	return rxaqm_key_unknown("key", key, section, names, "see rxaqm.conf(5)", error);
}

static int set_key(struct reading *reading, const char *section, const char *key, const char *value,
		   unsigned int line, struct rxaqm_error *error)
{
	bool of_iface = !strncmp(section, "Interface", 9);
	const char *table = of_iface ? "Interface" : section;
	const struct rxaqm_key *row = rxaqm_key_find(rxaqm_config_keys, table, key);
	void *object = of_iface ? (void *)current(reading) : (void *)reading->config;
	int err;

	if (of_iface && !current(reading)->line)
		current(reading)->line = line;
	if (!row) {
		if (of_iface && (rxaqm_setting_find(key) || !strcmp(key, "preset")))
			return rxaqm_typed_add(current(reading)->setting,
					       &current(reading)->nr_settings,
					       &reading->seen_settings, section, key, value, line,
					       error);
		return unknown(key, section, table, error);
	}
	err = rxaqm_key_once(&reading->seen, rxaqm_config_keys, key, section, line, error);
	if (err)
		return err;
	if (of_iface && !strcmp(key, "xdp_mode"))
		current(reading)->xdp_mode_set = true;
	if (of_iface && !strcmp(key, "lease"))
		current(reading)->lease_set = true;
	return rxaqm_key_set(row, object, value, 0, error);
}

static int read_key(void *arg, const char *section, const char *key, const char *value,
		    unsigned int line, struct rxaqm_error *error)
{
	struct reading *reading = arg;
	int err = set_key(reading, section, key, value, line, error);

	/* What is wrong between its keys may follow from this. */
	if (err && !strncmp(section, "Interface", 9))
		current(reading)->wrong = true;
	return err;
}

/* Check conditions between the keys of a section. */
static int check_iface(const struct rxaqm_config_iface *iface, struct rxaqm_error *error)
{
	struct rxaqm_policy policy;

	if (iface->key == RXAQM_KEY_CPU && iface->xdp_mode != RXAQM_XDP_GENERIC)
		return rxaqm_bad(error, "key=cpu goes with xdp_mode=generic: in native mode a "
					"queue is an Rx queue of the NIC");
	rxaqm_policy_init(&policy);
	return rxaqm_config_policy(iface, 1, &policy, error);
}

/* Check what @path, the file just read, has added. */
static void check_all(struct rxaqm_config *config, const char *path, struct rxaqm_error *errors)
{
	struct rxaqm_error reason, error;
	unsigned int i;

	if (config->metrics_textfile[0] && fnmatch("*[!/].prom", config->metrics_textfile, 0)) {
		rxaqm_bad(&error,
			  "%s: [Metrics]: textfile=%s must end in .prom, or node_exporter does not "
			  "read it",
			  path, config->metrics_textfile);
		rxaqm_error_join(errors, &error);
	}
	for (i = 0; i < config->nr_ifaces; i++) {
		struct rxaqm_config_iface *iface = &config->iface[i];

		if (iface->here && !iface->wrong && check_iface(iface, &reason)) {
			rxaqm_error_set(&error, reason.exit_code, reason.err,
					"%s:%u: [Interface %s]: %.400s", path, iface->line,
					iface->match, reason.text);
			rxaqm_error_join(errors, &error);
		}
		iface->here = false;
	}
}

/* Add @file's content, which overrides what was read before. */
static void add_file(FILE *file, const char *path, struct rxaqm_config *config,
		     struct rxaqm_error *errors)
{
	const struct rxaqm_ini_ops ops = { .section = read_section, .key = read_key };
	struct reading reading = { .config = config };
	struct rxaqm_error error;

	if (rxaqm_ini_read(file, path, &ops, &reading, &error))
		rxaqm_error_join(errors, &error);
	check_all(config, path, errors);
}

/* Enforcing is to end with the daemon, unless somebody wants it otherwise. */
static void add_leases(struct rxaqm_config *config)
{
	struct rxaqm_config_iface *iface;
	unsigned int i;

	for (iface = config->iface; iface < config->iface + config->nr_ifaces; iface++)
		for (i = 0; i < iface->nr_settings && !iface->lease_set; i++)
			if (!strcmp(iface->setting[i].key, "mode"))
				iface->lease_ns = strcmp(iface->setting[i].value, "enforce") ?
							  0 :
							  RXAQM_CONFIG_LEASE_NS;
}

static int finish(const struct rxaqm_error *errors, struct rxaqm_config *config,
		  struct rxaqm_error *error)
{
	int err = -errors->err;
	const struct group *group = err ? NULL : getgrnam(config->status_group);

	add_leases(config);
	if (err)
		rxaqm_config_free(config);
	if (err && error)
		*error = *errors;
	config->status_gid = group ? group->gr_gid : (gid_t)-1;
	return err;
}

int rxaqm_config_parse(FILE *file, const char *path, struct rxaqm_config *config,
		       struct rxaqm_error *error)
{
	struct rxaqm_error errors = {};

	rxaqm_config_init(config);
	add_file(file, path, config, &errors);
	return finish(&errors, config, error);
}

static void add_path(const char *path, const char *remedy, struct rxaqm_config *config,
		     struct rxaqm_error *errors)
{
	FILE *file = fopen(path, "re");
	struct rxaqm_error error;

	if (file) {
		add_file(file, path, config, errors);
		fclose(file);
		return;
	}
	rxaqm_failed(&error, errno, "cannot open \"%s\": %s; %s", path, strerror(errno), remedy);
	rxaqm_error_join(errors, &error);
}

static int is_drop_in(const struct dirent *entry)
{
	return !fnmatch("*.conf", entry->d_name, FNM_PERIOD);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Files of the directory PATH.d. */
static void add_drop_ins(const char *path, struct rxaqm_config *config, struct rxaqm_error *errors)
{
	char dir[PATH_MAX], file[PATH_MAX + NAME_MAX + 2];
	struct dirent **entry = NULL;
	struct rxaqm_error error;
	int nr, i;

	snprintf(dir, sizeof(dir), "%s.d", path);
	nr = scandir(dir, &entry, is_drop_in, by_name);
	if (nr < 0 && errno != ENOENT && errno != ENOTDIR) {
		rxaqm_failed(&error, errno, "cannot read directory \"%s\": %s", dir,
			     strerror(errno));
		rxaqm_error_join(errors, &error);
	}
	for (i = 0; i < nr; i++) {
		snprintf(file, sizeof(file), "%s/%s", dir, entry[i]->d_name);
		add_path(file, "make it readable, or remove it", config, errors);
		free(entry[i]);
	}
	free(entry);
}

int rxaqm_config_read(const char *path, struct rxaqm_config *config, struct rxaqm_error *error)
{
	struct rxaqm_error errors = {};

	rxaqm_config_init(config);
	add_path(path, "--config names another file", config, &errors);
	add_drop_ins(path, config, &errors);
	return finish(&errors, config, error);
}
