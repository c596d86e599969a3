// SPDX-License-Identifier: GPL-2.0-only
/* What the maps of a Plane say, and are made to say. */
#include "plane.hpp"

#include <vector>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "poll_run.skel.h"
#include "rxaqm.skel.h"

rxaqm_cpu Plane::cpu()
{
	size_t nr_cpus = size_t(libbpf_num_possible_cpus());
	std::vector<rxaqm_cpu> cpus(nr_cpus);
	__u32 zero = 0;

	if (bpf_map_lookup_elem(bpf_map__fd(xdp_->maps.cpu_map), &zero, cpus.data()))
		fail("reading cpu_map", errno);
	return cpus.at(size_t(cpu_));
}

std::optional<uint32_t> Plane::watched(uint64_t napi)
{
	rxaqm_standing standing;

	if (bpf_map_lookup_elem(bpf_map__fd(poll_->maps.standing_map), &napi, &standing))
		return {};
	return standing.queue[0] - config_.queue_base;
}

void Plane::set_policy(const rxaqm_policy &policy)
{
	uint32_t gen = iface().policy_gen + 1;

	for (unsigned i = 0; i < config_.nr_queues; i++)
		this->policy(i, gen) = policy;
	__atomic_store_n(&iface().policy_gen, gen, __ATOMIC_RELEASE);
}

void Plane::stand(uint64_t sojourn_ns, unsigned n)
{
	rxaqm_queue &q = queue(n);

	q.flags |= RXAQM_QUEUE_STANDING | RXAQM_QUEUE_POLLED | RXAQM_QUEUE_SAMPLED;
	q.sample_ns = q.poll_end_ns = now_ns();
	q.sample_sojourn_ns = sojourn_ns;
	q.sample_err_ns = 0;
	q.skip = q.skipped_from = 0;
}

void Plane::stands_since(uint64_t stood_ns)
{
	rxaqm_queue &q = queue();

	q.flags |= RXAQM_QUEUE_STANDING | RXAQM_QUEUE_POLLED | RXAQM_QUEUE_DRAIN_KNOWN;
	q.poll_end_ns = now_ns();
	q.drained_ns = q.empty_ns = q.poll_end_ns - stood_ns;
}

void Plane::overdue(unsigned n)
{
	rxaqm_codel_vars &codel = queue(n).codel;

	codel.above = 1;
	codel.first_above_time_ns = now_ns() - 1;
	codel.dropping = 0;
	codel.count = codel.lastcount = 0;
}

std::vector<rxaqm_flow> Plane::flows()
{
	const size_t nr_cpus = size_t(libbpf_num_possible_cpus());
	std::vector<rxaqm_flow_set> sets(nr_cpus);
	std::vector<rxaqm_flow> found;

	for (__u32 key = 0; key < RXAQM_FLOW_SETS; key++) {
		if (bpf_map_lookup_elem(bpf_map__fd(xdp_->maps.flow_map), &key, sets.data()))
			fail("reading flow_map", errno);
		for (const rxaqm_flow &flow : sets.at(size_t(cpu_)).flow)
			if (flow.id)
				found.push_back(flow);
	}
	return found;
}

void Plane::set_flows(const rxaqm_flow &all)
{
	const size_t nr_cpus = size_t(libbpf_num_possible_cpus());
	std::vector<rxaqm_flow_set> sets(nr_cpus);

	for (rxaqm_flow_set &set : sets)
		for (rxaqm_flow &flow : set.flow)
			flow = all;
	for (__u32 key = 0; key < RXAQM_FLOW_SETS; key++)
		if (bpf_map_update_elem(bpf_map__fd(xdp_->maps.flow_map), &key, sets.data(),
					BPF_ANY))
			fail("writing flow_map", errno);
}

void Plane::hold(double times, bool bad)
{
	const __u32 limit = 1000 * RXAQM_PACKET;
	rxaqm_law_vars &law = queue().law;

	law.x = RXAQM_LAW_OCTAVE;
	law.bad = bad;
	law.limit = law.strangers = limit;
	law.floor[0] = law.floor[1] = 0;
	law.thin = RXAQM_LAW_ONE;
	law.stamp_bits = rxaqm_law_stamp_bits(queue().interval_ns);
	law.turn_ns = now_ns();
	for (rxaqm_level &strangers : law.stranger)
		strangers = { __u32(times * limit), rxaqm_law_stamp(&law, law.turn_ns) };
	/* All flows are strangers: who is known goes on, and lets nobody in. */
	set_flows({ 1, { ~0U >> 1, rxaqm_law_stamp(&law, law.turn_ns) }, 0, 0, 0 });
	queue().flags |= RXAQM_QUEUE_ENFORCED;
}

rxaqm_policy simple_policy()
{
	rxaqm_policy policy = {};

	policy.target_ns = 1 * MS;
	policy.interval_ns = INTERVAL;
	policy.max_drop_permille = 1000;
	policy.mode = RXAQM_MODE_ENFORCE;
	policy.law = RXAQM_LAW_CODEL;
	policy.ecn = RXAQM_ECN_ON;
	policy.exempt_dscp = 1ULL << 48 | 1ULL << 56; /* the default: CS6, CS7 */
	return policy;
}

rxaqm_policy auto_policy()
{
	rxaqm_policy policy = simple_policy();

	policy.law = RXAQM_LAW_AUTO;
	policy.ack = RXAQM_ACK_THIN;
	return policy;
}

packets::Packet data_packet(uint8_t tos)
{
	packets::Packet p;

	p.tos = tos;
	p.flags = packets::ACK | packets::PSH;
	p.payload = 100;
	return p;
}
