// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive side scaling, by ethtool -x and -X: Toeplitz over addresses and ports, and 128 entries
 * that tell the queue. The key that it begins with is that of Microsoft's "Verifying the RSS Hash
 * Calculation", so that what is published there holds.
 */
#include "simnic.h"

static const u8 first_key[SIMNIC_RSS_KEY] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
	0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
	0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

/* The 32 bits of @key that begin at bit @at. */
static u32 key_at(const u8 *key, u32 at)
{
	u64 bits = 0;
	u32 i;

	for (i = 0; i < 5; i++)
		bits = bits << 8 | key[at / 8 + i];
	return bits >> (8 - at % 8);
}

/* What each value of each byte adds, so that a frame costs a look a byte. Frames on their way
 * meanwhile may get a hash of either key, or of neither.
 */
static void set_key(struct simnic_rss *rss, const u8 *key)
{
	u32 byte, value, bit;

	memcpy(rss->key, key, SIMNIC_RSS_KEY);
	for (byte = 0; byte < SIMNIC_RSS_INPUT; byte++) {
		for (value = 0; value < 256; value++) {
			u32 sum = 0;

			for (bit = 0; bit < 8; bit++) {
				if (value & (0x80 >> bit))
					sum ^= key_at(key, byte * 8 + bit);
			}
			WRITE_ONCE(rss->add[byte][value], sum);
		}
	}
}

u32 simnic_rss_hash(const struct simnic_rss *rss, const void *data, u32 len)
{
	const u8 *bytes = data;
	u32 i, sum = 0;

	for (i = 0; i < len; i++)
		sum ^= READ_ONCE(rss->add[i][bytes[i]]);
	return sum;
}

/* The queue of a frame with that hash, of @nr; 0 where there are none. */
u32 simnic_rss_queue(const struct simnic_rss *rss, u32 hash, u32 nr)
{
	u32 queue = READ_ONCE(rss->table[hash % SIMNIC_RSS_TABLE]);

	return queue < nr ? queue : 0;
}

/* Spread evenly, unless the table is the administrator's. Under RTNL. */
void simnic_rss_spread(struct simnic *sn)
{
	u32 i;

	if (netif_is_rxfh_configured(sn->dev))
		return;
	for (i = 0; i < SIMNIC_RSS_TABLE; i++)
		WRITE_ONCE(sn->rss.table[i], ethtool_rxfh_indir_default(i, sn->cfg.queues));
}

void simnic_rss_init(struct simnic *sn)
{
	set_key(&sn->rss, first_key);
	simnic_rss_spread(sn);
}

u32 simnic_rss_key_size(struct net_device *dev)
{
	return SIMNIC_RSS_KEY;
}

u32 simnic_rss_table_size(struct net_device *dev)
{
	return SIMNIC_RSS_TABLE;
}

int simnic_rss_get(struct net_device *dev, u32 *table, u8 *key, u8 *hfunc)
{
	const struct simnic *sn = netdev_priv(dev);

	if (table)
		memcpy(table, sn->rss.table, sizeof(sn->rss.table));
	if (key)
		memcpy(key, sn->rss.key, SIMNIC_RSS_KEY);
	if (hfunc)
		*hfunc = ETH_RSS_HASH_TOP;
	return 0;
}

/* The core has checked the table. The rings go on, unless told otherwise. */
int simnic_rss_set(struct net_device *dev, const u32 *table, const u8 *key, u8 hfunc)
{
	struct simnic *sn = netdev_priv(dev);
	const struct simnic_cfg cfg = sn->cfg;
	u32 i;

	if (hfunc != ETH_RSS_HASH_NO_CHANGE && hfunc != ETH_RSS_HASH_TOP)
		return -EOPNOTSUPP;
	for (i = 0; table && i < SIMNIC_RSS_TABLE; i++)
		WRITE_ONCE(sn->rss.table[i], table[i]);
	if (key)
		set_key(&sn->rss, key);
	return key && sn->rekey_resets ? simnic_reconfigure(sn, &cfg) : 0;
}

/* How many queues a table may name. */
u32 simnic_rss_rings(struct net_device *dev)
{
	const struct simnic *sn = netdev_priv(dev);

	return sn->cfg.queues;
}

/* The same question, as older kernels ask it. */
int simnic_get_rxnfc(struct net_device *dev, struct ethtool_rxnfc *info, u32 *rules)
{
	if (info->cmd != ETHTOOL_GRXRINGS)
		return -EOPNOTSUPP;
	info->data = simnic_rss_rings(dev);
	return 0;
}
