/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * simnic: pairs of Ethernet devices with rings, completion queues, interrupts and a PHC.
 *
 *   xmit -> Tx ring -> wire -> peer's Rx ring -> completion queue -> IRQ -> NAPI -> XDP -> GRO
 *                        '---> own completion queue -> interrupt -> NAPI frees the skb
 *
 * Who writes what:
 *   Tx ring, tx_head, tx_rung   whoever holds the netdev Tx queue lock
 *   desc_ring, cq->prod         the wire, under hw_lock (any CPU, any context)
 *   rx_posted, cq->cons,        the queue's NAPI
 *   tx_tail, histograms
 * The wire is "hardware": it holds raw spinlocks with interrupts off and never allocates or frees.
 */
#ifndef SIMNIC_H
#define SIMNIC_H

#include <linux/bpf.h>
#include <linux/debugfs.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/ktime.h>
#include <linux/platform_device.h>
#include <linux/seqlock.h>
#include <linux/skbuff.h>
#include <linux/smp.h>

#include "compat.h"

#define SIMNIC_MAX_QUEUES 16
#define SIMNIC_RING_MIN 64
#define SIMNIC_RING_MAX 4096
#define SIMNIC_RING_DEFAULT 1024
#define SIMNIC_MTU_MAX 9000
#define SIMNIC_SPIN_MAX_NS NSEC_PER_MSEC
#define SIMNIC_USECS_MAX 10000
/* Preamble, FCS and inter-frame gap: what a frame occupies on the wire beyond its bytes. */
#define SIMNIC_WIRE_OVERHEAD 24
#define SIMNIC_STEER_HASH (-1)
#define SIMNIC_NR_FILES 30
#define SIMNIC_RSS_KEY 40
#define SIMNIC_RSS_TABLE 128
#define SIMNIC_RSS_INPUT 36 /* two IPv6 addresses and two ports */

enum simnic_coverage {
	SIMNIC_STAMP_ALL,
	SIMNIC_STAMP_PTP,
	SIMNIC_STAMP_NONE,
};

enum simnic_rx_path {
	SIMNIC_PATH_GRO,
	SIMNIC_PATH_LIST,
};

/* 16 buckets an octave: a quantile is right to about 3 %. */
#define SIMNIC_HIST_SUB_BITS 4
#define SIMNIC_HIST_SUB (1 << SIMNIC_HIST_SUB_BITS)
#define SIMNIC_HIST_TOP_BIT 39
#define SIMNIC_HIST_BUCKETS ((SIMNIC_HIST_TOP_BIT - SIMNIC_HIST_SUB_BITS + 2) * SIMNIC_HIST_SUB)

/*
 * One writer, the NAPI. A reset remembers the counts as a baseline instead of clearing them, so
 * that it cannot race with the writer.
 */
struct simnic_hist {
	u64 max_ns;
	u64 count[SIMNIC_HIST_BUCKETS];
	u64 base[SIMNIC_HIST_BUCKETS];
};

struct simnic_quantiles {
	u64 count;
	u64 p50_ns;
	u64 p99_ns;
	u64 max_ns;
};

struct simnic_rx_desc {
	struct page *page;
	u32 len;
	u32 hash;
	u64 arrival_ns; /* CLOCK_MONOTONIC */
	u64 hw_ns; /* PHC at the same instant, 0: not stamped */
	bool csum_ok;
};

struct simnic_tx_desc {
	struct sk_buff *skb; /* owned until the completion is processed ... */
	struct xdp_frame *xdpf; /* ... or this */
	struct sk_buff *segs; /* what the wire carries for a GSO skb */
	struct simnic_tx_desc *next; /* in the wire's FIFO */
	struct sk_buff *next_seg; /* next to leave, NULL: none left */
	u64 posted_ns;
	u32 idx;
	u16 queue;
};

struct simnic_cqe {
	u32 idx;
	bool tx;
};

struct simnic_cq {
	struct simnic_cqe *e;
	u32 mask;
	u32 prod;
	u32 cons;
};

/* Facts about a frame that the receiving hardware parses out of its first bytes. */
struct simnic_frame_info {
	u32 hash;
	bool ptp_event;
};

enum simnic_stat {
	/* NAPI writes */
	SIMNIC_RX_PACKETS,
	SIMNIC_RX_BYTES,
	SIMNIC_RX_DROPPED,
	SIMNIC_RX_ALLOC_FAILED,
	SIMNIC_RX_POLLS,
	SIMNIC_RX_POLLS_BUSY,
	SIMNIC_RX_POLL_NS,
	SIMNIC_RX_STAMPED,
	SIMNIC_XDP_PASS,
	SIMNIC_XDP_DROP,
	SIMNIC_XDP_DROP_NS,
	SIMNIC_XDP_TX,
	SIMNIC_XDP_REDIRECT,
	SIMNIC_XDP_ERRORS,
	SIMNIC_TX_COMPLETIONS,
	SIMNIC_TX_ACKS,
	SIMNIC_RX_BULK_PACKETS,
	SIMNIC_RX_BULK_SKBS,
	SIMNIC_MODEL_NS,
	SIMNIC_MODEL_WAIT_NS,
	SIMNIC_MODEL_LOST_NS,
	SIMNIC_MODEL_STALLED_NS,
	/* the wire writes, under hw_lock of the receiving queue */
	SIMNIC_RX_MISSED,
	SIMNIC_RX_CLOSED,
	SIMNIC_RX_LENGTH_ERRORS,
	/* the sender writes, under the Tx queue lock */
	SIMNIC_TX_PACKETS,
	SIMNIC_TX_BYTES,
	SIMNIC_TX_FRAMES,
	SIMNIC_TX_DROPPED,
	SIMNIC_TX_STOPPED,
	SIMNIC_TX_XDP_FRAMES,
	SIMNIC_TX_XDP_FULL,
	SIMNIC_NR_STATS,
};

struct simnic;

struct simnic_queue {
	struct simnic *sn;
	u32 id;
	struct simnic_queue *vector; /* whose interrupt and NAPI serve this queue, too */
	struct napi_struct napi; /* of a vector, as is the interrupt below */
	struct page_pool *pool;
	struct xdp_rxq_info xdp_rxq;

	/* the hardware's side */
	raw_spinlock_t hw_lock;
	bool rx_open;
	u32 rx_filled;
	u32 stamp_phase;
	u32 repeat_phase;
	u32 missed_phase;
	u64 last_hw_ns;
	struct simnic_cq cq[2]; /* [0] Rx, and Tx as well if shared; [1] Tx if split */
	struct simnic_cq *tx_cq;

	/* the driver's side: Rx */
	struct simnic_rx_desc *rx;
	u32 rx_mask;
	u32 rx_size;
	u32 rx_posted;
	u32 rx_done;
	bool drained; /* of a vector: nothing was left after its last poll */
	u64 due_ns; /* of a vector: the CPU of the model is busy until then */
	u64 stalled_ns; /* of a vector: it was kept from working since, on purpose */
	bool rx_starved; /* it gets no pages any more */

	/* the driver's side: Tx */
	struct simnic_tx_desc *tx;
	u32 tx_mask;
	u32 tx_size;
	u32 tx_head;
	u32 tx_rung; /* descriptors below this were told to the wire */
	u32 tx_tail;
	bool tx_open;
	u32 bql_packets; /* completed, not yet told to BQL */
	u32 bql_bytes;

	/* the interrupt */
	int armed;
	int irq_cpu;
	atomic_t irq_flying;
	call_single_data_t csd;
	struct hrtimer moderation;

	u64 stat[SIMNIC_NR_STATS];
	struct simnic_hist rx_delay;
	struct simnic_hist tx_delay;
};

/* The link in one direction: frames leave one after the other, each when its last bit is sent. */
struct simnic_wire {
	raw_spinlock_t lock;
	struct hrtimer timer;
	struct simnic_tx_desc *first;
	struct simnic_tx_desc *last;
	u64 end_ns; /* when the frame on the wire has left */
	u32 rate_mbps; /* 0: at once */
};

/* PHC = base_phc + d + d * rate / 2^48, where d = MONOTONIC - base_mono. */
struct simnic_phc {
	raw_spinlock_t lock;
	seqcount_raw_spinlock_t seq;
	u64 base_mono_ns;
	u64 base_phc_ns;
	s64 rate; /* of both below, in 2^-48 */
	s32 drift_ppb;
	long scaled_ppm;
	struct ptp_clock_info info;
	struct ptp_clock *clock;
};

struct simnic_knob;

/* A file in debugfs: which setting of which device. */
struct simnic_file {
	struct simnic *sn;
	const struct simnic_knob *knob;
};

/* The key, what each byte of a frame's addresses and ports adds to the hash, and queues by hash. */
struct simnic_rss {
	u8 key[SIMNIC_RSS_KEY];
	u32 add[SIMNIC_RSS_INPUT][256];
	u32 table[SIMNIC_RSS_TABLE];
	u32 inner; /* of what is in a tunnel; else of the tunnel itself */
};

/* What can only change while the rings are down. */
struct simnic_cfg {
	u32 queues;
	u32 rx_ring;
	u32 tx_ring;
	u32 page_order;
	u32 napi_weight; /* the budget that a poll gets */
	u32 rings_per_napi; /* queues that share an interrupt and a NAPI */
	bool shared_cq;
};

struct simnic {
	struct net_device *dev;
	struct simnic *peer;
	struct platform_device *pdev;
	struct dentry *dir;
	struct simnic_file files[SIMNIC_NR_FILES];
	char name[IFNAMSIZ]; /* at creation */

	struct bpf_prog *xdp_prog;
	bool up;
	u32 nr_queues; /* active; 0 while the rings are down */
	u32 max_queues;
	u32 rx_usecs;
	struct simnic_cfg cfg;

	u32 rx_cost_ns;
	u32 xdp_cost_ns;
	u32 tx_cost_ns;
	u32 rx_skb_ns;
	u32 tx_ack_ns;
	u32 pace;
	int steer;
	enum simnic_rx_path rx_path;
	enum simnic_coverage coverage;
	u32 stamp_one_in;
	u32 stamp_repeat_one_in; /* 0: none */
	u32 stamp_late_ns;
	u32 stamp_at_poll; /* not at arrival */
	u32 missed_one_in; /* 0: none */
	u32 reset_ms;
	u32 alloc_fail_after; /* that many more pages are had, */
	u32 alloc_fail_count; /* then so many are not */
	u32 alloc_retry; /* 0: where there was none a ring gets none until it is made anew */
	u32 rekey_resets; /* another key restarts the rings */
	u32 xdp_resets_phc; /* XDP that comes or goes sets it to CLOCK_REALTIME */
	int rx_filter;

	struct simnic_rss rss;
	struct simnic_wire wire;
	struct simnic_phc phc;
	struct simnic_queue q[];
};

static inline void simnic_count(struct simnic_queue *q, enum simnic_stat stat, u64 n)
{
	/* One writer each, see above; readers on other CPUs may see it a little late. */
	WRITE_ONCE(q->stat[stat], q->stat[stat] + n);
}

static inline u32 simnic_buf_size(const struct simnic *sn)
{
	return PAGE_SIZE << sn->cfg.page_order;
}

static inline u32 simnic_buf_room(const struct simnic *sn)
{
	return simnic_buf_size(sn) - XDP_PACKET_HEADROOM -
	       SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
}

/* A frame of the largest MTU that XDP takes fills a page, with one VLAN tag. */
#define SIMNIC_XDP_MTU_MAX                                                                        \
	((int)(PAGE_SIZE - XDP_PACKET_HEADROOM - SKB_DATA_ALIGN(sizeof(struct skb_shared_info)) - \
	       VLAN_ETH_HLEN))

/* How many queues @vector serves: itself and those behind it; 0: it is no vector. */
static inline u32 simnic_rings(const struct simnic_queue *vector)
{
	const struct simnic_cfg *cfg = &vector->sn->cfg;

	return vector->vector == vector ? min(cfg->rings_per_napi, cfg->queues - vector->id) : 0;
}

/* cost.c */
void simnic_spin(u32 ns);
void simnic_stall(struct simnic *sn, u32 us);
void simnic_spend(struct simnic_queue *q, u32 ns);
void simnic_pace_begin(struct simnic_queue *vector, u64 now_ns);
bool simnic_is_bulk(const struct sk_buff *skb);
bool simnic_is_ack(const struct sk_buff *skb);

/* netdev.c */
extern const struct net_device_ops simnic_netdev_ops;
int simnic_reconfigure(struct simnic *sn, const struct simnic_cfg *cfg);

/* irq.c */
void simnic_irq_init(struct simnic_queue *q);
void simnic_irq_raise(struct simnic_queue *q);
void simnic_irq_rearm(struct simnic_queue *q);
void simnic_irq_move(struct simnic_queue *q);
void simnic_irq_quiesce(struct simnic_queue *q);

/* ring.c */
int simnic_queue_alloc(struct simnic_queue *q);
void simnic_queue_free(struct simnic_queue *q);
int simnic_poll(struct napi_struct *napi, int budget);

/* tx.c */
netdev_tx_t simnic_xmit(struct sk_buff *skb, struct net_device *dev);
bool simnic_tx_post_xdp(struct simnic_queue *q, struct xdp_frame *xdpf);
void simnic_tx_ring_doorbell(struct simnic_queue *q);
void simnic_tx_clean_one(struct simnic_queue *q, u32 idx, int budget);
void simnic_tx_wake(struct simnic_queue *q);
void simnic_tx_purge(struct simnic_queue *q);

/* wire.c */
void simnic_wire_init(struct simnic *sn);
void simnic_wire_send(struct simnic *sn, struct simnic_tx_desc *desc);
void simnic_wire_set_rate(struct simnic *sn, u32 rate_mbps);
void simnic_wire_purge(struct simnic *sn);

/* frame.c */
void simnic_frame_parse(const struct simnic_rss *rss, struct sk_buff *skb, const void *data,
			u32 len, struct simnic_frame_info *info);

/* rss.c */
u32 simnic_rss_hash(const struct simnic_rss *rss, const void *data, u32 len);
u32 simnic_rss_queue(const struct simnic_rss *rss, u32 hash, u32 nr);
void simnic_rss_init(struct simnic *sn);
void simnic_rss_spread(struct simnic *sn);
u32 simnic_rss_key_size(struct net_device *dev);
u32 simnic_rss_table_size(struct net_device *dev);
int simnic_rss_get(struct net_device *dev, u32 *table, u8 *key, u8 *hfunc);
int simnic_rss_set(struct net_device *dev, const u32 *table, const u8 *key, u8 hfunc);
u32 simnic_rss_rings(struct net_device *dev);
int simnic_get_rxnfc(struct net_device *dev, struct ethtool_rxnfc *info, u32 *rules);

/* qstats.c */
#if SIMNIC_HAS_QSTATS
extern const struct netdev_stat_ops simnic_stat_ops;
#endif

/* xdp.c */
struct simnic_xdp_buff {
	struct xdp_buff xdp;
	const struct simnic_rx_desc *desc;
};
enum simnic_xdp_result {
	SIMNIC_XDP_STACK,
	SIMNIC_XDP_CONSUMED,
	SIMNIC_XDP_FLUSH_TX,
	SIMNIC_XDP_FLUSH_REDIRECT,
};
#if SIMNIC_HAS_XDP_METADATA
extern const struct xdp_metadata_ops simnic_xdp_metadata_ops;
#endif
int simnic_bpf(struct net_device *dev, struct netdev_bpf *bpf);
int simnic_xdp_xmit(struct net_device *dev, int n, struct xdp_frame **frames, u32 flags);
enum simnic_xdp_result simnic_xdp_run(struct simnic_queue *q, struct bpf_prog *prog,
				      struct simnic_xdp_buff *sxdp, struct page *page);

/* phc.c */
int simnic_phc_init(struct simnic *sn);
void simnic_phc_exit(struct simnic *sn);
u64 simnic_phc_at(const struct simnic_phc *phc, u64 mono_ns);
void simnic_phc_set(struct simnic_phc *phc, u64 phc_ns, u64 mono_ns);
void simnic_phc_step(struct simnic_phc *phc, s64 delta_ns);
int simnic_phc_set_drift(struct simnic_phc *phc, s32 drift_ppb);

/* stamp.c */
bool simnic_filter_allowed(const struct simnic *sn, int rx_filter);
int simnic_hwtstamp_get(struct net_device *dev, struct kernel_hwtstamp_config *cfg);
int simnic_hwtstamp_set(struct net_device *dev, struct kernel_hwtstamp_config *cfg,
			struct netlink_ext_ack *extack);
int simnic_ioctl(struct net_device *dev, struct ifreq *ifr, int cmd);
int simnic_get_ts_info(struct net_device *dev, struct simnic_ts_info *info);

/* ethtool.c */
extern const struct ethtool_ops simnic_ethtool_ops;
u64 simnic_stat_sum(const struct simnic *sn, enum simnic_stat stat);

/* hist.c */
void simnic_hist_add(struct simnic_hist *h, u64 ns);
void simnic_hist_reset(struct simnic_hist *h);
u64 simnic_hist_count(const struct simnic_hist *h, u32 bucket);
u64 simnic_hist_low(u32 bucket);
void simnic_hist_quantiles(const struct simnic_hist *const *h, u32 nr,
			   struct simnic_quantiles *out);

/* debugfs.c */
void simnic_debugfs_root_init(void);
void simnic_debugfs_root_exit(void);
void simnic_debugfs_add(struct simnic *sn);

#endif
