/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading rxaqm.conf. */
#include <fnmatch.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "base/ini_file.h"

struct reading {
	struct rxaqm_config *config;
	struct rxaqm_keys_seen seen, seen_settings; /* in the section */
	unsigned int seen_sections; /* bit n: rxaqm_config_sections[n] was begun */
};

static struct rxaqm_config_iface *newest(const struct reading *reading)
{
	return &reading->config->iface[reading->config->nr_ifaces - 1];
}

/* [Interface MATCH] begins. */
static int begin_iface(struct reading *reading, const char *match, struct rxaqm_error *error)
{
	struct rxaqm_config *config = reading->config;
	struct rxaqm_config_iface *grown;
	unsigned int i;

	match += strspn(match, " \t");
	if (!*match || strcspn(match, " \t/") != strlen(match))
		return rxaqm_bad(error,
				 "[Interface %s]: write one name or pattern, such as [Interface "
				 "eth0] or [Interface en*]",
				 match);
	for (i = 0; i < config->nr_ifaces; i++)
		if (!strcmp(config->iface[i].match, match))
			return rxaqm_bad(error, "[Interface %s] is there twice; join the two",
					 match);
	grown = reallocarray(config->iface, config->nr_ifaces + 1, sizeof(*grown));
	if (!grown)
		return rxaqm_no_memory(error);
	config->iface = grown;
	config->nr_ifaces++;
	rxaqm_config_iface_init(newest(reading));
	/* The reader has cut longer names off before. */
	snprintf(newest(reading)->match, sizeof(newest(reading)->match), "%s", match);
	newest(reading)->glob = strpbrk(match, "*?") != NULL;
	if (!newest(reading)->glob && strlen(match) >= RXAQM_IFNAMSIZ)
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
			return rxaqm_bad(error, "[%s] is there twice; join the two", section);
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

static int listens_no_longer(const char *value, struct rxaqm_error *error)
{
	return rxaqm_bad(error,
			 "listen=%.40s is gone: the daemon no longer listens; delete it, and run "
			 "\"systemctl enable --now rxaqm-exporter.socket\", which serves "
			 "/run/rxaqm/metrics.prom at 127.0.0.1:9752; another address is ListenStream= "
			 "there (\"systemctl edit\")",
			 value);
}

static int read_key(void *arg, const char *section, const char *key, const char *value,
		    unsigned int line, struct rxaqm_error *error)
{
	struct reading *reading = arg;
	bool of_iface = !strncmp(section, "Interface", 9);
	const char *table = of_iface ? "Interface" : section;
	const struct rxaqm_key *row = rxaqm_key_find(rxaqm_config_keys, table, key);
	void *object = of_iface ? (void *)newest(reading) : (void *)reading->config;
	int err;

	if (of_iface && !newest(reading)->line)
		newest(reading)->line = line;
	if (!row) {
		if (!strcmp(key, "listen"))
			return listens_no_longer(value, error);
		if (of_iface && (rxaqm_setting_find(key) || !strcmp(key, "preset")))
			return rxaqm_typed_add(newest(reading)->setting,
					       &newest(reading)->nr_settings,
					       &reading->seen_settings, section, key, value, line,
					       error);
		return unknown(key, section, table, error);
	}
	err = rxaqm_key_once(&reading->seen, rxaqm_config_keys, key, section, line, error);
	if (err)
		return err;
	if (of_iface && !strcmp(key, "xdp_mode"))
		newest(reading)->xdp_mode_set = true;
	return rxaqm_key_set(row, object, value, 0, error);
}

/* What must hold between the keys of a section. */
static int check_iface(const struct rxaqm_config_iface *iface, struct rxaqm_error *error)
{
	struct rxaqm_policy policy;
	unsigned int i;

	if (iface->key == RXAQM_KEY_CPU && iface->xdp_mode != RXAQM_XDP_GENERIC)
		return rxaqm_bad(error, "key=cpu goes with xdp_mode=generic: in native mode a "
					"queue is an Rx queue of the NIC");
	for (i = 0; iface->auto_enforce && i < iface->nr_settings; i++)
		if (!strcmp(iface->setting[i].key, "mode") &&
		    strcmp(iface->setting[i].value, "observe"))
			return rxaqm_bad(error,
					 "auto_enforce=yes with mode=%s: it begins from observe; "
					 "delete one of the two",
					 iface->setting[i].value);
	rxaqm_policy_init(&policy);
	return rxaqm_config_policy(iface, 1, &policy, error);
}

static int check_all(const struct rxaqm_config *config, const char *path, struct rxaqm_error *error)
{
	struct rxaqm_error reason = {};
	unsigned int i;
	int err;

	if (config->metrics_textfile[0] && fnmatch("*[!/].prom", config->metrics_textfile, 0))
		return rxaqm_bad(error,
				 "%s: [Metrics]: textfile=%s must end in .prom, or node_exporter "
				 "does not read it",
				 path, config->metrics_textfile);
	for (i = 0; i < config->nr_ifaces; i++) {
		const struct rxaqm_config_iface *iface = &config->iface[i];

		err = check_iface(iface, &reason);
		if (err)
			return rxaqm_error_set(error, reason.exit_code, -err,
					       "%s:%u: [Interface %s]: %.400s", path, iface->line,
					       iface->match, reason.text);
	}
	return 0;
}

int rxaqm_config_parse(FILE *file, const char *path, struct rxaqm_config *config,
		       struct rxaqm_error *error)
{
	const struct rxaqm_ini_ops ops = { .section = read_section, .key = read_key };
	struct reading reading = { .config = config };
	const struct group *group;
	int err;

	rxaqm_config_init(config);
	err = rxaqm_ini_read(file, path, &ops, &reading, error);
	if (!err)
		err = check_all(config, path, error);
	if (err)
		rxaqm_config_free(config);
	group = err ? NULL : getgrnam(config->status_group);
	config->status_gid = group ? group->gr_gid : (gid_t)-1;
	return err;
}

int rxaqm_config_read(const char *path, struct rxaqm_config *config, struct rxaqm_error *error)
{
	FILE *file = fopen(path, "re");
	int err;

	if (!file) {
		err = errno;
		rxaqm_config_init(config);
		return rxaqm_failed(error, err,
				    "cannot open \"%s\": %s; --config names another file", path,
				    strerror(err));
	}
	err = rxaqm_config_parse(file, path, config, error);
	fclose(file);
	return err;
}
