/* SPDX-License-Identifier: GPL-2.0-only */
#include "config/config.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *rxaqm_config_runtime_path(const char *name, char *buf, size_t size)
{
	const char *dir = getenv("RUNTIME_DIRECTORY");

	/* systemd parts several directories by colons. */
	if (!dir || dir[0] != '/' || strcspn(dir, ":") > RXAQM_CONFIG_PATH_LEN / 2)
		dir = "/run/rxaqm";
	snprintf(buf, size, "%.*s/%s", (int)strcspn(dir, ":"), dir, name);
	return buf;
}

void rxaqm_config_init(struct rxaqm_config *config)
{
	memset(config, 0, sizeof(*config));
	rxaqm_config_runtime_path("status.json", config->status_file, sizeof(config->status_file));
	config->status_mode = 0640;
	strcpy(config->status_group, "root");
	config->status_interval_ns = 10 * RXAQM_NSEC_PER_SEC;
	config->settle_ns = 500 * RXAQM_NSEC_PER_MSEC;
	config->metrics_textfile_interval_ns = 15 * RXAQM_NSEC_PER_SEC;
	rxaqm_overload_config_init(&config->overload);
	rxaqm_autoenforce_config_init(&config->autoenforce);
}

void rxaqm_config_iface_init(struct rxaqm_config_iface *iface)
{
	*iface = (struct rxaqm_config_iface){ .enable = true };
}

void rxaqm_config_free(struct rxaqm_config *config)
{
	free(config->iface);
	config->iface = NULL;
	config->nr_ifaces = 0;
}

const struct rxaqm_config_iface *rxaqm_config_find(const struct rxaqm_config *config,
						   const char *ifname)
{
	unsigned int i;

	for (i = 0; i < config->nr_ifaces; i++)
		if (!config->iface[i].glob && !strcmp(config->iface[i].match, ifname))
			return &config->iface[i];
	/* Nobody who writes "*" means the loopback device. */
	if (!strcmp(ifname, "lo"))
		return NULL;
	for (i = 0; i < config->nr_ifaces; i++)
		if (config->iface[i].glob && !fnmatch(config->iface[i].match, ifname, 0))
			return &config->iface[i];
	return NULL;
}

int rxaqm_config_policy(const struct rxaqm_config_iface *iface, __u64 now_ns,
			struct rxaqm_policy *policy, struct rxaqm_error *error)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < iface->nr_settings; i++)
		err = rxaqm_setting_set(policy, iface->setting[i].key, iface->setting[i].value,
					now_ns, error);
	if (err)
		return err;
	policy->lease_until_ns = iface->lease_ns ? now_ns + iface->lease_ns : 0;
	return rxaqm_policy_check(policy, error);
}
