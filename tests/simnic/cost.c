// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the CPU takes for what it receives and sends, as the model has it.
 *
 * With pace the model has a clock of its own, due_ns: until then its CPU is busy with what it was
 * given so far. What the emulated CPU executes itself, in a poll or after it, is time that passes
 * towards due_ns; it only waits for the rest. It may be behind by PACE_LAG_NS, for some packets
 * take it longer than others; what it is behind beyond that it never gets back, and that is
 * counted: so much longer did everything take than the model says.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>

#include "simnic.h"

#define SPIN_HALT_MIN_NS 5000

struct spinner {
	struct hrtimer timer;
	bool over;
};

static enum hrtimer_restart spin_over(struct hrtimer *timer)
{
	WRITE_ONCE(container_of(timer, struct spinner, timer)->over, true);
	return HRTIMER_NORESTART;
}

/*
 * An emulator runs one virtual CPU at a time: while this one halts the other gets on, as it would
 * beside a CPU that works; and it comes back here on time, for that is when the timer fires.
 */
static void halt_until_over(u32 ns)
{
	struct spinner s = { .over = false };

	simnic_hrtimer_setup_on_stack(&s.timer, spin_over, HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&s.timer, ns_to_ktime(ns), HRTIMER_MODE_REL_PINNED_HARD);
	while (!READ_ONCE(s.over)) {
		local_irq_disable();
		if (READ_ONCE(s.over))
			local_irq_enable();
		else
			simnic_halt();
	}
	destroy_hrtimer_on_stack(&s.timer);
}

/* Spent by the CPU, as work would be; bounded, for it runs in softirq. */
void simnic_spin(u32 ns)
{
	u64 end_ns;

	if (!ns)
		return;
	ns = min_t(u32, ns, SIMNIC_SPIN_MAX_NS);
	if (ns >= SPIN_HALT_MIN_NS && SIMNIC_CAN_HALT && !irqs_disabled()) {
		halt_until_over(ns);
		return;
	}
	end_ns = ktime_get_ns() + ns;
	while (ktime_get_ns() < end_ns)
		cpu_relax();
}

/* On the irq CPU of queue 0, with interrupts off: the CPU does nothing else meanwhile. */
void simnic_stall(struct simnic *sn, u32 us)
{
	u64 begin_ns = ktime_get_ns();
	u32 left;

	for (left = us; left >= USEC_PER_MSEC; left -= USEC_PER_MSEC)
		simnic_spin(NSEC_PER_MSEC);
	simnic_spin(left * NSEC_PER_USEC);
	/* The CPU of the model stood still as well. */
	sn->q[0].stalled_ns += ktime_get_ns() - begin_ns;
}

/* A poll of @vector begins. A CPU that had nothing to do has not saved up any time. */
void simnic_pace_begin(struct simnic_queue *vector, u64 now_ns)
{
	if (vector->drained) {
		vector->due_ns = max(vector->due_ns, now_ns);
		WRITE_ONCE(vector->stalled_ns, 0);
	}
	vector->drained = false;
}

#define PACE_LAG_NS (4 * NSEC_PER_MSEC)
#define PACE_WAIT_MIN_NS 2000

/* In NAPI: what it does now takes the CPU of the model @ns. */
void simnic_spend(struct simnic_queue *q, u32 ns)
{
	struct simnic_queue *vector = q->vector;
	u64 now_ns, stalled_ns, wait_ns = ns;

	if (!ns)
		return;
	simnic_count(q, SIMNIC_MODEL_NS, ns);
	if (!READ_ONCE(q->sn->pace)) {
		vector->due_ns = 0;
	} else {
		now_ns = ktime_get_ns();
		if (!vector->due_ns)
			vector->due_ns = now_ns;
		stalled_ns = xchg(&vector->stalled_ns, 0);
		simnic_count(q, SIMNIC_MODEL_STALLED_NS, stalled_ns);
		vector->due_ns += stalled_ns;
		if (vector->due_ns + PACE_LAG_NS < now_ns) {
			simnic_count(q, SIMNIC_MODEL_LOST_NS,
				     now_ns - PACE_LAG_NS - vector->due_ns);
			vector->due_ns = now_ns - PACE_LAG_NS;
		}
		vector->due_ns += ns;
		wait_ns = vector->due_ns > now_ns ? vector->due_ns - now_ns : 0;
		if (wait_ns < PACE_WAIT_MIN_NS)
			return;
	}
	simnic_count(q, SIMNIC_MODEL_WAIT_NS, wait_ns);
	simnic_spin(wait_ns);
}

/* Where its TCP header is, if it is a TCP packet, from the network header on; else 0. */
static u32 tcp_offset(const struct sk_buff *skb)
{
	u32 at = skb_network_offset(skb);

	if (at >= skb_headlen(skb))
		return 0;
	if (skb->protocol == htons(ETH_P_IP) && skb_headlen(skb) >= at + sizeof(struct iphdr) &&
	    ip_hdr(skb)->protocol == IPPROTO_TCP)
		return at + ip_hdr(skb)->ihl * 4;
	if (skb->protocol == htons(ETH_P_IPV6) && skb_headlen(skb) >= at + sizeof(struct ipv6hdr) &&
	    ipv6_hdr(skb)->nexthdr == IPPROTO_TCP)
		return at + sizeof(struct ipv6hdr);
	return 0;
}

/*
 * Of a TCP transfer: what requests, ACKs and handshakes are shorter than. The network header of a
 * packet that was just received is where its data begins.
 */
#define BULK_MIN_BYTES 512
bool simnic_is_bulk(const struct sk_buff *skb)
{
	const struct iphdr *ip = (const void *)skb->data;
	const struct ipv6hdr *ip6 = (const void *)skb->data;

	if (skb->len < BULK_MIN_BYTES)
		return false;
	return (skb->protocol == htons(ETH_P_IP) && ip->protocol == IPPROTO_TCP) ||
	       (skb->protocol == htons(ETH_P_IPV6) && ip6->nexthdr == IPPROTO_TCP);
}

/* Of one that is sent: nothing but an acknowledgement. */
bool simnic_is_ack(const struct sk_buff *skb)
{
	u32 at = tcp_offset(skb);
	const struct tcphdr *tcp = (const void *)(skb->data + at);

	if (!at || skb_headlen(skb) < at + sizeof(*tcp) || skb->len != at + tcp->doff * 4)
		return false;
	return tcp->ack && !tcp->syn && !tcp->fin && !tcp->rst;
}
