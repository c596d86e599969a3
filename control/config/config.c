/* SPDX-License-Identifier: GPL-2.0-only */
#include "config/config.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* @name in @dir, which systemd has given, or else in @otherwise. */
static const char *path_in(const char *dir, const char *otherwise, const char *name, char *buf,
			   size_t size)
{
	/* systemd parts several directories by colons. */
	if (!dir || dir[0] != '/' || strcspn(dir, ":") > RXAQM_CONFIG_PATH_LEN / 2)
		dir = otherwise;
	snprintf(buf, size, "%.*s/%s", (int)strcspn(dir, ":"), dir, name);
	return buf;
}

const char *rxaqm_config_runtime_path(const char *name, char *buf, size_t size)
{
	return path_in(getenv("RUNTIME_DIRECTORY"), "/run/rxaqm", name, buf, size);
}

const char *rxaqm_config_state_path(const char *name, char *buf, size_t size)
{
	return path_in(getenv("STATE_DIRECTORY"), "/var/lib/rxaqm", name, buf, size);
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

static void fold(__u32 *digest, const void *data, size_t bytes)
{
	const unsigned char *at = data;

	/* FNV-1a */
	while (bytes--)
		*digest = (*digest ^ *at++) * 16777619U;
}

__u32 rxaqm_config_digest(const struct rxaqm_config_iface *iface)
{
	__u32 digest = 2166136261U;
	unsigned int i;

	fold(&digest, &iface->enable, sizeof(iface->enable));
	fold(&digest, &iface->xdp_mode_set, sizeof(iface->xdp_mode_set));
	fold(&digest, &iface->auto_enforce, sizeof(iface->auto_enforce));
	fold(&digest, &iface->xdp_mode, sizeof(iface->xdp_mode));
	fold(&digest, &iface->hook, sizeof(iface->hook));
	fold(&digest, &iface->key, sizeof(iface->key));
	fold(&digest, iface->profile, strlen(iface->profile) + 1);
	fold(&digest, &iface->lease_ns, sizeof(iface->lease_ns));
	for (i = 0; i < iface->nr_settings; i++) {
		fold(&digest, iface->setting[i].key, strlen(iface->setting[i].key) + 1);
		fold(&digest, iface->setting[i].value, strlen(iface->setting[i].value) + 1);
	}
	return digest ? digest : 1;
}

int rxaqm_config_policy(const struct rxaqm_config_iface *iface, __u64 now_ns,
			struct rxaqm_policy *policy, struct rxaqm_error *error)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < iface->nr_settings; i++)
		err = rxaqm_setting_set_by(policy, RXAQM_SOURCE_CONFIG, iface->setting[i].key,
					   iface->setting[i].value, now_ns, error);
	if (err)
		return err;
	if (iface->lease_ns)
		rxaqm_setting_mark(policy, "lease", RXAQM_SOURCE_CONFIG);
	policy->lease_until_ns = iface->lease_ns ? now_ns + iface->lease_ns : 0;
	return rxaqm_policy_check(policy, error);
}
