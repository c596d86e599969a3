// SPDX-License-Identifier: GPL-2.0-only
/* The module: makes pairs of devices, and takes them away. */
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "trace.h"
#include "simnic.h"

#define PAIRS_MAX 8

static unsigned int pairs = 1;
module_param(pairs, uint, 0444);
MODULE_PARM_DESC(pairs, "pairs of connected devices, 1 to 8 (default 1)");

static unsigned int queues = 4;
module_param(queues, uint, 0444);
MODULE_PARM_DESC(queues, "most queues a device may have, 1 to 16 (default 4); it begins with 1");

static struct simnic *devices[2 * PAIRS_MAX];

/* Nothing to probe: the driver is there so that sysfs has one. */
static int bind(struct platform_device *pdev)
{
	return 0;
}

static struct platform_driver driver = {
	.probe = bind,
	.driver = {
		.name = "simnic",
		.suppress_bind_attrs = true,
	},
};

static void netdev_setup(struct simnic *sn)
{
	struct net_device *dev = sn->dev;

	strscpy(dev->name, sn->name, sizeof(dev->name));
	SET_NETDEV_DEV(dev, &sn->pdev->dev);
	eth_hw_addr_random(dev);
	dev->netdev_ops = &simnic_netdev_ops;
	dev->ethtool_ops = &simnic_ethtool_ops;
#if SIMNIC_HAS_XDP_METADATA
	dev->xdp_metadata_ops = &simnic_xdp_metadata_ops;
#endif
#if SIMNIC_HAS_QSTATS
	dev->stat_ops = &simnic_stat_ops;
#endif
	simnic_set_xdp_features(dev);
	dev->hw_features = NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_TSO | NETIF_F_TSO6 |
			   NETIF_F_TSO_ECN | NETIF_F_GSO_UDP_L4 | NETIF_F_RXCSUM | NETIF_F_RXHASH;
	dev->features = dev->hw_features | NETIF_F_HIGHDMA;
	dev->vlan_features = dev->features;
	dev->max_mtu = SIMNIC_MTU_MAX;
	netif_carrier_off(dev);
}

static void queues_init(struct simnic *sn)
{
	u32 i, cpu = cpumask_first(cpu_online_mask);

	for (i = 0; i < sn->max_queues; i++) {
		struct simnic_queue *q = &sn->q[i];

		q->sn = sn;
		q->id = i;
		q->vector = q;
		raw_spin_lock_init(&q->hw_lock);
		simnic_irq_init(q);
		q->irq_cpu = cpu;
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
	}
}

/* Not registered yet. */
static struct simnic *simnic_alloc(unsigned int nr)
{
	struct platform_device *pdev;
	struct net_device *dev;
	struct simnic *sn;

	pdev = platform_device_register_simple("simnic", nr, NULL, 0);
	if (IS_ERR(pdev))
		return ERR_CAST(pdev);
	dev = alloc_etherdev_mqs(struct_size(sn, q, queues), queues, queues);
	if (!dev) {
		platform_device_unregister(pdev);
		return ERR_PTR(-ENOMEM);
	}
	sn = netdev_priv(dev);
	sn->dev = dev;
	sn->pdev = pdev;
	sn->max_queues = queues;
	sn->cfg.queues = 1;
	sn->cfg.napi_weight = NAPI_POLL_WEIGHT;
	sn->cfg.rings_per_napi = 1;
	sn->cfg.rx_ring = SIMNIC_RING_DEFAULT;
	sn->cfg.tx_ring = SIMNIC_RING_DEFAULT;
	sn->steer = SIMNIC_STEER_HASH;
	sn->stamp_one_in = 1;
	sn->missed_one_in = 1;
	sn->alloc_retry = 1;
	sn->rx_filter = HWTSTAMP_FILTER_NONE;
	snprintf(sn->name, sizeof(sn->name), "sim%u", nr);
	queues_init(sn);
	simnic_wire_init(sn);
	netdev_setup(sn);
	simnic_rss_init(sn);
	return sn;
}

static void simnic_free(struct simnic *sn)
{
	struct platform_device *pdev = sn->pdev;

	simnic_phc_exit(sn);
	free_netdev(sn->dev);
	platform_device_unregister(pdev);
}

static int simnic_register(struct simnic *sn)
{
	int err = simnic_phc_init(sn);

	if (err) {
		pr_err("simnic: %s: no PTP clock: %d\n", sn->name, err);
		return err;
	}
	err = netif_set_real_num_queues(sn->dev, 1, 1);
	if (!err)
		err = register_netdev(sn->dev);
	if (err) {
		pr_err("simnic: cannot register %s: %d; is the name taken?\n", sn->name, err);
		return err;
	}
	simnic_debugfs_add(sn);
	return 0;
}

/* Both of all pairs are gone from the stack before any is freed: they point at each other. */
static void devices_remove(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(devices); i++) {
		if (!devices[i])
			continue;
		debugfs_remove_recursive(devices[i]->dir);
		if (devices[i]->dev->reg_state == NETREG_REGISTERED)
			unregister_netdev(devices[i]->dev);
	}
	for (i = 0; i < ARRAY_SIZE(devices); i++) {
		if (devices[i])
			simnic_free(devices[i]);
		devices[i] = NULL;
	}
}

static int devices_create(void)
{
	u32 i;
	int err;

	for (i = 0; i < 2 * pairs; i++) {
		struct simnic *sn = simnic_alloc(i);

		if (IS_ERR(sn))
			return PTR_ERR(sn);
		devices[i] = sn;
	}
	for (i = 0; i < 2 * pairs; i++) {
		devices[i]->peer = devices[i ^ 1];
		devices[i ^ 1]->peer = devices[i];
	}
	for (i = 0; i < 2 * pairs; i++) {
		err = simnic_register(devices[i]);
		if (err)
			return err;
	}
	return 0;
}

static int __init simnic_init(void)
{
	int err;

	if (!pairs || pairs > PAIRS_MAX || !queues || queues > SIMNIC_MAX_QUEUES) {
		pr_err("simnic: pairs=%u queues=%u: pairs is 1 to %u, queues 1 to %u\n", pairs,
		       queues, PAIRS_MAX, SIMNIC_MAX_QUEUES);
		return -EINVAL;
	}
	err = platform_driver_register(&driver);
	if (err)
		return err;
	simnic_debugfs_root_init();
	err = devices_create();
	if (err) {
		devices_remove();
		simnic_debugfs_root_exit();
		platform_driver_unregister(&driver);
	}
	return err;
}

static void __exit simnic_exit(void)
{
	devices_remove();
	simnic_debugfs_root_exit();
	platform_driver_unregister(&driver);
}

module_init(simnic_init);
module_exit(simnic_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Simulated pairs of NICs with rings, completion queues and a PHC");
