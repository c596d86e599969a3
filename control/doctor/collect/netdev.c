/* SPDX-License-Identifier: GPL-2.0-only */
/* Queues and NAPIs by the netlink family "netdev" (Documentation/netlink/specs/netdev.yaml). */
#include <string.h>

#include "doctor/collect/collect.h"
#include "nic/netdev.h"
#include "nic/netlink.h"

static struct doctor_queue *queue_of(struct doctor_sample *sample, const __u64 *value,
				     __u16 ifindex, __u16 type, __u16 id)
{
	struct doctor_iface *iface = doctor_iface_of(sample, (__u32)value[ifindex]);

	if (!iface || value[id] == ~0ULL)
		return NULL;
	return doctor_queue_of(iface, value[type] == RXAQM_ND_QUEUE_TYPE_TX, (__u32)value[id]);
}

static void take_queue(const __u64 *value, void *sample)
{
	struct doctor_queue *queue = queue_of(sample, value, RXAQM_ND_A_QUEUE_IFINDEX,
					      RXAQM_ND_A_QUEUE_TYPE, RXAQM_ND_A_QUEUE_ID);

	if (queue && value[RXAQM_ND_A_QUEUE_NAPI_ID] != ~0ULL)
		queue->napi = (__u32)value[RXAQM_ND_A_QUEUE_NAPI_ID];
}

static void take_napi(const __u64 *value, void *sample)
{
	static const char *const threaded[] = { "disabled", "enabled", "busy-poll" };
	struct doctor_iface *iface = doctor_iface_of(sample, (__u32)value[RXAQM_ND_A_NAPI_IFINDEX]);
	struct doctor_napi *napi = iface ? rxaqm_list_add(&iface->napis) : NULL;
	__u64 mode = value[RXAQM_ND_A_NAPI_THREADED];
	struct doctor_queue *queue;

	if (!napi)
		return;
	napi->id = (__u32)value[RXAQM_ND_A_NAPI_ID];
	if (value[RXAQM_ND_A_NAPI_IRQ] != ~0ULL)
		napi->irq = (__u32)value[RXAQM_ND_A_NAPI_IRQ];
	if (value[RXAQM_ND_A_NAPI_PID] != ~0ULL)
		napi->pid = (__u32)value[RXAQM_ND_A_NAPI_PID];
	if (mode < sizeof(threaded) / sizeof(threaded[0]))
		snprintf(napi->threaded, sizeof(napi->threaded), "%s", threaded[mode]);
	rxaqm_list_each(queue, &iface->queues) {
		if (queue->napi == napi->id)
			queue->irq = napi->irq;
	}
}

/* Keep the value of ethtool -S if the driver does not count by queue here. */
static void take_known(__u64 *to, __u64 value)
{
	if (value != ~0ULL)
		*to = value;
}

static void take_qstats(const __u64 *value, void *sample)
{
	struct doctor_queue *queue = queue_of(sample, value, RXAQM_ND_A_QSTATS_IFINDEX,
					      RXAQM_ND_A_QSTATS_QUEUE_TYPE,
					      RXAQM_ND_A_QSTATS_QUEUE_ID);

	if (!queue)
		return;
	if (queue->tx) {
		take_known(&queue->packets, value[RXAQM_ND_A_QSTATS_TX_PACKETS]);
		take_known(&queue->bytes, value[RXAQM_ND_A_QSTATS_TX_BYTES]);
		return;
	}
	take_known(&queue->packets, value[RXAQM_ND_A_QSTATS_RX_PACKETS]);
	take_known(&queue->bytes, value[RXAQM_ND_A_QSTATS_RX_BYTES]);
	/* Overruns are part of all hardware drops. */
	take_known(&queue->drops, value[RXAQM_ND_A_QSTATS_RX_HW_DROPS]);
	take_known(&queue->drops, value[RXAQM_ND_A_QSTATS_RX_HW_DROP_OVERRUNS]);
	take_known(&queue->alloc_fails, value[RXAQM_ND_A_QSTATS_RX_ALLOC_FAIL]);
}

void doctor_collect_netdev(struct doctor_snapshot *snap, struct doctor_sample *sample)
{
	static const struct {
		__u8 command;
		__u32 scope;
		rxaqm_netdev_fn *each;
		const char *what, *none;
	} questions[] = {
		{ RXAQM_ND_CMD_QUEUE_GET, 0, take_queue, "NAPIs of queues", NULL },
		{ RXAQM_ND_CMD_NAPI_GET, 0, take_napi, "settings of NAPIs", NULL },
		{ RXAQM_ND_CMD_QSTATS_GET, RXAQM_ND_QSTATS_SCOPE_QUEUE, take_qstats,
		  "counters of queues by netlink",
		  "no driver here implements qstats; those of ethtool -S are used" },
	};
	size_t i;

	if (rxaqm_netlink_family("netdev", NULL, NULL) < 0) {
		doctor_cannot_see(snap, "queues and NAPIs",
				  "the kernel has no netlink family \"netdev\" (6.3 has)");
		return;
	}
	for (i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		__u16 attr = questions[i].scope ? RXAQM_ND_A_QSTATS_SCOPE : 0;
		int answers = rxaqm_netdev_ask(questions[i].command, attr, questions[i].scope,
					       questions[i].each, sample);

		if (answers < 0)
			doctor_cannot_see(snap, questions[i].what, "the kernel refuses: %s",
					  strerror(-answers));
		else if (!answers && questions[i].none)
			doctor_cannot_see(snap, questions[i].what, "%s", questions[i].none);
	}
}
