/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between kernels (Linux 6.1 to 7.2) is here and nowhere else. */
#ifndef SIMNIC_COMPAT_H
#define SIMNIC_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "simnic needs Linux 6.1 or newer: set KDIR to the build directory of such a kernel"
#endif

#include <linux/ethtool.h>
#include <linux/hrtimer.h>
#include <linux/net_tstamp.h>
#include <linux/netdevice.h>
#include <linux/ptp_clock_kernel.h>
#include <net/xdp.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#include <net/gso.h>
#include <net/page_pool/helpers.h>
#define SIMNIC_HAS_HWTSTAMP_NDO 1
#else
#include <net/page_pool.h>
#define SIMNIC_HAS_HWTSTAMP_NDO 0
/* The field names of Linux 6.6, so that the code above reads alike. */
struct kernel_hwtstamp_config {
	int flags;
	int tx_type;
	int rx_filter;
};
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define SIMNIC_HAS_XDP_METADATA 1
#else
#define SIMNIC_HAS_XDP_METADATA 0
#endif

/* Counters of queues by the netdev netlink family, those of drops among them. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#include <net/netdev_queues.h>
#define SIMNIC_HAS_QSTATS 1
#else
#define SIMNIC_HAS_QSTATS 0
#endif

/* How many queues an RSS table may name is a question of its own since 6.19. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)
#define SIMNIC_HAS_RX_RING_COUNT 1
#else
#define SIMNIC_HAS_RX_RING_COUNT 0
#endif

/* The table and key of RSS are one argument since 6.8. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define SIMNIC_HAS_RXFH_PARAM 1
#else
#define SIMNIC_HAS_RXFH_PARAM 0
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define simnic_ts_info kernel_ethtool_ts_info
#else
#define simnic_ts_info ethtool_ts_info
#endif

static inline void simnic_hrtimer_setup(struct hrtimer *timer,
					enum hrtimer_restart (*fn)(struct hrtimer *),
					enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = fn;
#endif
}

static inline void simnic_hrtimer_setup_on_stack(struct hrtimer *timer,
						 enum hrtimer_restart (*fn)(struct hrtimer *),
						 enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup_on_stack(timer, fn, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init_on_stack(timer, CLOCK_MONOTONIC, mode);
	timer->function = fn;
#endif
}

/* Enables interrupts and waits for one, at once. */
#ifdef CONFIG_X86
#define SIMNIC_CAN_HALT 1
static inline void simnic_halt(void)
{
	asm volatile("sti; hlt" ::: "memory");
}
#else
#define SIMNIC_CAN_HALT 0
static inline void simnic_halt(void)
{
}
#endif

/* The pool whose pages @napi alone consumes may recycle them without a lock since 6.4. */
static inline void simnic_pool_set_napi(struct page_pool_params *params, struct napi_struct *napi)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	params->napi = napi;
#endif
}

/* Which queue a NAPI serves is told to netlink since 6.8; NULL takes it back. */
static inline void simnic_queue_set_napi(struct net_device *dev, u32 queue,
					 struct napi_struct *napi)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	netif_queue_set_napi(dev, queue, NETDEV_QUEUE_TYPE_RX, napi);
	netif_queue_set_napi(dev, queue, NETDEV_QUEUE_TYPE_TX, napi);
#endif
}

static inline void simnic_set_xdp_features(struct net_device *dev)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	dev->xdp_features = NETDEV_XDP_ACT_BASIC | NETDEV_XDP_ACT_REDIRECT |
			    NETDEV_XDP_ACT_NDO_XMIT | NETDEV_XDP_ACT_RX_SG;
#endif
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
/* MONOTONIC now, and the clock that the caller of getcrosststamp wants at the same instant. */
static inline int simnic_snapshot(struct system_device_crosststamp *xt, u64 *mono_ns)
{
	struct system_time_snapshot snap;

	ktime_get_snapshot_id(CLOCK_MONOTONIC, &snap);
	switch (xt->clock_id) {
	case CLOCK_REALTIME:
		xt->sys_systime = ktime_mono_to_any(snap.systime, TK_OFFS_REAL);
		break;
	case CLOCK_BOOTTIME:
		xt->sys_systime = ktime_mono_to_any(snap.systime, TK_OFFS_BOOT);
		break;
	case CLOCK_TAI:
		xt->sys_systime = ktime_mono_to_any(snap.systime, TK_OFFS_TAI);
		break;
	case CLOCK_MONOTONIC:
		xt->sys_systime = snap.systime;
		break;
	case CLOCK_MONOTONIC_RAW:
		xt->sys_systime = snap.monoraw;
		break;
	default:
		return -EOPNOTSUPP;
	}
	xt->sys_monoraw = snap.monoraw;
	*mono_ns = ktime_to_ns(snap.systime);
	return 0;
}
#else
/*
 * The snapshot's realtime gives MONOTONIC at that instant, if nobody sets the clock in between.
 */
static inline int simnic_snapshot(struct system_device_crosststamp *xt, u64 *mono_ns)
{
	struct system_time_snapshot snap;
	ktime_t offset;

	do {
		offset = ktime_mono_to_real(0);
		ktime_get_snapshot(&snap);
	} while (offset != ktime_mono_to_real(0));
	xt->sys_realtime = snap.real;
	xt->sys_monoraw = snap.raw;
	*mono_ns = ktime_to_ns(ktime_sub(snap.real, offset));
	return 0;
}
#endif

#endif
