/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/arrivals.h"

#include <linux/if_link.h>

#include "attach/plan.h"
#include "base/now.h"
#include "nic/nic.h"
#include "poll.h"

/* A few packets may be of protocols that a driver keeps for itself. */
#define RECEIVED_MIN 100
/* Drivers that ask the NIC for its counters do so every two seconds (igb, bnxt) or more often: what
 * they count now may have come, and have been seen, that long ago.
 */
#define LATE_NS (3 * RXAQM_NSEC_PER_SEC)

/* Generic mode is the kernel's own, which no driver loses. Queues that came after attach are not
 * looked at by the program.
 */
static bool sees_all(const struct rxaqm_iface *iface, const char *here)
{
	return here && !(iface->flags & RXAQM_IFACE_GENERIC) && !rxaqm_entry_outgrown(iface, here);
}

void rxaqm_arrivals_take(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
			 const char *here, struct rxaqm_arrivals *now)
{
	struct rtnl_link_stats64 stats;
	unsigned int i;

	*now = (struct rxaqm_arrivals){
		.now_ns = rxaqm_now_ns(),
		.attached_ns = iface->attached_ns,
		.seen_ns = iface->attached_ns,
	};
	if (sees_all(iface, here) && !rxaqm_link_stats(here, &stats))
		now->received = stats.rx_packets;
	/* After the driver's counter: what comes in between was seen, if anything. */
	for (i = 0; i < iface->nr_queues; i++) {
		const struct rxaqm_queue *q = rxaqm_state_queue(state, iface, i);

		now->seen += q->stat[RXAQM_STAT_PACKETS] + rxaqm_poll_packets(q);
		if (q->flags & RXAQM_QUEUE_POLLED && rxaqm_ns_after(q->poll_end_ns, now->seen_ns))
			now->seen_ns = q->poll_end_ns;
	}
}

__u64 rxaqm_arrivals_unseen(const struct rxaqm_arrivals *before, const struct rxaqm_arrivals *now)
{
	__u64 packets = now->received - before->received;

	if (!before->received || !now->received || before->attached_ns != now->attached_ns ||
	    now->seen != before->seen || now->seen_ns != before->seen_ns ||
	    rxaqm_ns_since(before->now_ns, now->seen_ns) < LATE_NS || packets < RECEIVED_MIN)
		return 0;
	return packets;
}
