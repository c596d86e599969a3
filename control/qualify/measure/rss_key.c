/* SPDX-License-Identifier: GPL-2.0-only */
/* The key of RSS, ethtool -x. */
#include <errno.h>
#include <linux/ethtool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic/ethtool.h"
#include "qualify/measure/kind.h"

#define KEY_MAX ((QUALIFY_SETTING_LEN - 1) / 2)

int qualify_get_rss_key(const char *ifname, const char *what, char *value)
{
	struct ethtool_rxfh *rss;
	int err = rxaqm_ethtool_rss(ifname, &rss);
	const __u8 *key;
	__u32 i;

	(void)what;
	if (err)
		return err;
	if (!rss->key_size || rss->key_size > KEY_MAX)
		err = -EOPNOTSUPP;
	key = (const __u8 *)(rss->rss_config + rss->indir_size);
	for (i = 0; !err && i < rss->key_size; i++)
		sprintf(value + 2 * (size_t)i, "%02x", key[i]);
	free(rss);
	return err;
}

int qualify_set_rss_key(const char *ifname, const char *what, const char *value)
{
	union {
		struct ethtool_rxfh rxfh;
		__u8 room[sizeof(struct ethtool_rxfh) + KEY_MAX];
	} set = { .rxfh = { .cmd = ETHTOOL_SRSSH, .indir_size = ETH_RXFH_INDIR_NO_CHANGE } };
	char now[QUALIFY_SETTING_LEN];
	__u32 i, bytes = (__u32)strlen(value) / 2;

	/* A driver may start its rings anew for it. */
	if (!qualify_get_rss_key(ifname, what, now) && !strcmp(now, value))
		return 0;
	set.rxfh.key_size = bytes;
	for (i = 0; i < bytes && i < KEY_MAX; i++) {
		if (sscanf(value + 2 * (size_t)i, "%2hhx", &set.room[sizeof(set.rxfh) + i]) != 1)
			return -EINVAL;
	}
	return rxaqm_ethtool(ifname, &set);
}
