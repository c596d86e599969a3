/* SPDX-License-Identifier: GPL-2.0-only */
/* Queues and NAPIs by the netlink family "netdev" (Documentation/netlink/specs/netdev.yaml). */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netdev.h>
#include <string.h>

#include "doctor/collect/ifaces.h"
#include "nic/netlink.h"

/* After 6.12, whose headers the build may have. */
#define NAPI_DEFER_HARD_IRQS 5
#define NAPI_GRO_FLUSH_TIMEOUT 6
#define NAPI_IRQ_SUSPEND_TIMEOUT 7
#define NAPI_THREADED 8
#define MAX_ATTR 64

/* The unsigned integers of an answer by attribute, ~0 where there is none. */
struct answer {
	__u64 value[MAX_ATTR];
};

struct netdev {
	struct doctor_sample *sample;
	void (*each)(struct doctor_sample *sample, const struct answer *answer);
	__u64 answers;
};

static int take(const struct nlmsghdr *message, void *arg)
{
	const struct nlattr *attr;
	struct netdev *netdev = arg;
	struct answer answer;

	memset(&answer, 0xff, sizeof(answer));
	mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr))
	{
		__u16 type = mnl_attr_get_type(attr), len = mnl_attr_get_payload_len(attr);

		/* "uint" of the specification is of 4 or 8 bytes. */
		if (type < MAX_ATTR && len == sizeof(__u32))
			answer.value[type] = mnl_attr_get_u32(attr);
		else if (type < MAX_ATTR && len == sizeof(__u64))
			answer.value[type] = mnl_attr_get_u64(attr);
	}
	netdev->answers++;
	netdev->each(netdev->sample, &answer);
	return 0;
}

static struct doctor_queue *queue_of(struct doctor_sample *sample, const struct answer *answer,
				     __u16 ifindex, __u16 type, __u16 id)
{
	struct doctor_iface *iface = doctor_iface_of(sample, (__u32)answer->value[ifindex]);

	if (!iface || answer->value[id] == ~0ULL)
		return NULL;
	return doctor_queue_of(iface, answer->value[type] == NETDEV_QUEUE_TYPE_TX,
			       (__u32)answer->value[id]);
}

static void take_queue(struct doctor_sample *sample, const struct answer *answer)
{
	struct doctor_queue *queue = queue_of(sample, answer, NETDEV_A_QUEUE_IFINDEX,
					      NETDEV_A_QUEUE_TYPE, NETDEV_A_QUEUE_ID);

	if (queue && answer->value[NETDEV_A_QUEUE_NAPI_ID] != ~0ULL)
		queue->napi = (__u32)answer->value[NETDEV_A_QUEUE_NAPI_ID];
}

static void take_napi(struct doctor_sample *sample, const struct answer *answer)
{
	static const char *const threaded[] = { "disabled", "enabled", "busy-poll" };
	struct doctor_iface *iface = doctor_iface_of(sample,
						     (__u32)answer->value[NETDEV_A_NAPI_IFINDEX]);
	struct doctor_napi *napi = iface ? rxaqm_list_add(&iface->napis) : NULL;
	__u64 mode = answer->value[NAPI_THREADED];
	struct doctor_queue *queue;

	if (!napi)
		return;
	napi->id = (__u32)answer->value[NETDEV_A_NAPI_ID];
	if (answer->value[NETDEV_A_NAPI_IRQ] != ~0ULL)
		napi->irq = (__u32)answer->value[NETDEV_A_NAPI_IRQ];
	if (answer->value[NETDEV_A_NAPI_PID] != ~0ULL)
		napi->pid = (__u32)answer->value[NETDEV_A_NAPI_PID];
	napi->defer_hard_irqs = answer->value[NAPI_DEFER_HARD_IRQS];
	napi->gro_flush_timeout_ns = answer->value[NAPI_GRO_FLUSH_TIMEOUT];
	napi->irq_suspend_timeout_ns = answer->value[NAPI_IRQ_SUSPEND_TIMEOUT];
	if (mode < sizeof(threaded) / sizeof(threaded[0]))
		snprintf(napi->threaded, sizeof(napi->threaded), "%s", threaded[mode]);
	rxaqm_list_each(queue, &iface->queues) {
		if (queue->napi == napi->id)
			queue->irq = napi->irq;
	}
}

/* What the driver does not count by queue here it may have in ethtool -S. */
static void take_known(__u64 *to, __u64 value)
{
	if (value != ~0ULL)
		*to = value;
}

static void take_qstats(struct doctor_sample *sample, const struct answer *answer)
{
	struct doctor_queue *queue = queue_of(sample, answer, NETDEV_A_QSTATS_IFINDEX,
					      NETDEV_A_QSTATS_QUEUE_TYPE, NETDEV_A_QSTATS_QUEUE_ID);
	const __u64 *value = answer->value;

	if (!queue)
		return;
	if (queue->tx) {
		take_known(&queue->packets, value[NETDEV_A_QSTATS_TX_PACKETS]);
		take_known(&queue->bytes, value[NETDEV_A_QSTATS_TX_BYTES]);
		take_known(&queue->gso_packets, value[NETDEV_A_QSTATS_TX_HW_GSO_PACKETS]);
		take_known(&queue->gso_wire_packets, value[NETDEV_A_QSTATS_TX_HW_GSO_WIRE_PACKETS]);
		return;
	}
	take_known(&queue->packets, value[NETDEV_A_QSTATS_RX_PACKETS]);
	take_known(&queue->bytes, value[NETDEV_A_QSTATS_RX_BYTES]);
	/* Overruns are among all that the hardware drops. */
	take_known(&queue->drops, value[NETDEV_A_QSTATS_RX_HW_DROPS]);
	take_known(&queue->drops, value[NETDEV_A_QSTATS_RX_HW_DROP_OVERRUNS]);
	take_known(&queue->alloc_fails, value[NETDEV_A_QSTATS_RX_ALLOC_FAIL]);
}

static int ask(__u16 family, __u8 cmd, __u32 scope, struct netdev *netdev)
{
	union rxaqm_netlink_request request;
	struct genlmsghdr *genl;
	int err;

	genl = rxaqm_netlink_begin(&request, family, NLM_F_DUMP, sizeof(*genl));
	*genl = (struct genlmsghdr){ .cmd = cmd, .version = 1 };
	if (scope)
		mnl_attr_put_u32(&request.nl, NETDEV_A_QSTATS_SCOPE, scope);
	err = rxaqm_netlink_ask(NETLINK_GENERIC, &request, take, netdev);
	/* What changed while it was listed is as good as any snapshot. */
	return err == -EAGAIN ? 0 : err;
}

void doctor_collect_netdev(struct doctor_snapshot *snap, struct doctor_sample *sample)
{
	static const struct {
		__u8 cmd;
		__u32 scope;
		void (*each)(struct doctor_sample *sample, const struct answer *answer);
		const char *what, *none;
	} questions[] = {
		{ NETDEV_CMD_QUEUE_GET, 0, take_queue, "NAPIs of queues", NULL },
		{ NETDEV_CMD_NAPI_GET, 0, take_napi, "settings of NAPIs", NULL },
		{ NETDEV_CMD_QSTATS_GET, NETDEV_QSTATS_SCOPE_QUEUE, take_qstats,
		  "counters of queues by netlink",
		  "no driver here implements qstats; those of ethtool -S are used" },
	};
	int family = rxaqm_netlink_family("netdev", NULL, NULL);
	size_t i;

	if (family < 0)
		doctor_cannot_see(snap, "queues and NAPIs",
				  "the kernel has no netlink family \"netdev\" (6.3 has)");
	for (i = 0; family > 0 && i < sizeof(questions) / sizeof(questions[0]); i++) {
		struct netdev netdev = {
			.sample = sample,
			.each = questions[i].each,
		};
		int err = ask((__u16)family, questions[i].cmd, questions[i].scope, &netdev);

		if (err && questions[i].what)
			doctor_cannot_see(snap, questions[i].what, "the kernel refuses: %s",
					  strerror(-err));
		else if (!err && !netdev.answers && questions[i].none)
			doctor_cannot_see(snap, questions[i].what, "%s", questions[i].none);
	}
}
