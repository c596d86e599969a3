// SPDX-License-Identifier: GPL-2.0-only
/* Control and the BPF programs must see the same structs: the kernel's BTF of the maps says
 * how the latter do.
 */
#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <string>
#include <unistd.h>
#include <vector>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "ack.h"
#include "clock_map.h"
#include "cpu_map.h"
#include "flow_name.h"
#include "iface.h"
#include "meta.h"
#include "queue.h"
#include "xdp_config.h"
#include "xsk.h"

#include "rxaqm.skel.h"

namespace
{

struct Member {
	std::string name;
	size_t offset, size;
};

#define M(type, field) { #field, offsetof(struct type, field), sizeof(type::field) }

const std::vector<Member> META = {
	M(rxaqm_meta_info, abi_version),
	M(rxaqm_meta_info, hook),
	M(rxaqm_meta_info, names_until_ns),
};
const std::vector<Member> IFACE = {
	M(rxaqm_iface, state),
	M(rxaqm_iface, flags),
	M(rxaqm_iface, policy_gen),
	M(rxaqm_iface, queue_base),
	M(rxaqm_iface, nr_queues),
	M(rxaqm_iface, ring_entries),
	M(rxaqm_iface, poll_packets),
	M(rxaqm_iface, stamp),
	M(rxaqm_iface, ifindex),
	M(rxaqm_iface, prog_id),
	M(rxaqm_iface, netns_ino),
	M(rxaqm_iface, config_digest),
	M(rxaqm_iface, attached_ns),
	M(rxaqm_iface, hwtstamp_flags),
	M(rxaqm_iface, hwtstamp_tx_type),
	M(rxaqm_iface, hwtstamp_rx_filter),
	M(rxaqm_iface, hwtstamp_granted),
	M(rxaqm_iface, target_rule),
	M(rxaqm_iface, target_quarters),
	M(rxaqm_iface, moderation_ns),
	M(rxaqm_iface, name),
	M(rxaqm_iface, profile),
};
const std::vector<Member> POLICY = {
	M(rxaqm_policy, target_ns),
	M(rxaqm_policy, interval_ns),
	M(rxaqm_policy, ce_threshold_ns),
	M(rxaqm_policy, lease_until_ns),
	M(rxaqm_policy, exempt_dscp),
	M(rxaqm_policy, exempt_port),
	M(rxaqm_policy, max_drop_permille),
	M(rxaqm_policy, nr_exempt_ports),
	M(rxaqm_policy, mode),
	M(rxaqm_policy, signal),
	M(rxaqm_policy, law),
	M(rxaqm_policy, target_auto),
	M(rxaqm_policy, ecn),
	M(rxaqm_policy, ce_selector),
	M(rxaqm_policy, ack),
	M(rxaqm_policy, merge),
	M(rxaqm_policy, lease_ns),
	M(rxaqm_policy, sources),
	M(rxaqm_policy, set_s),
};
const std::vector<Member> QUEUE = {
	M(rxaqm_queue, skip),
	M(rxaqm_queue, taken),
	M(rxaqm_queue, skipped_from),
	M(rxaqm_queue, flags),
	M(rxaqm_queue, policy_gen),
	M(rxaqm_queue, iface),
	M(rxaqm_queue, cpu),
	M(rxaqm_queue, poll_drops),
	M(rxaqm_queue, poll_bucket),
	M(rxaqm_queue, signal),
	M(rxaqm_queue, stood_lead_ns),
	M(rxaqm_queue, napi),
	M(rxaqm_queue, poll_end_ns),
	M(rxaqm_queue, drained_ns),
	M(rxaqm_queue, sample_ns),
	M(rxaqm_queue, sample_sojourn_ns),
	M(rxaqm_queue, sample_err_ns),
	M(rxaqm_queue, stood_since_ns),
	M(rxaqm_queue, last_hw_ns),
	M(rxaqm_queue, distrust_until_ns),
	M(rxaqm_queue, distrust_reason),
	M(rxaqm_queue, bad_stamps),
	M(rxaqm_queue, sample_age_max_ns),
	M(rxaqm_queue, round_ns),
	M(rxaqm_queue, packet_ns),
	M(rxaqm_queue, long_packet_ns),
	M(rxaqm_queue, stood_sojourn_ns),
	M(rxaqm_queue, empty_ns),
	M(rxaqm_queue, begin_ns),
	M(rxaqm_queue, clock_epoch),
	M(rxaqm_queue, clock_mask),
	M(rxaqm_queue, clock_ns),
	M(rxaqm_queue, window),
	M(rxaqm_queue, target_ns),
	M(rxaqm_queue, interval_ns),
	M(rxaqm_queue, law),
	M(rxaqm_queue, codel),
	M(rxaqm_queue, credit),
	M(rxaqm_queue, share),
	M(rxaqm_queue, target_quarters),
	M(rxaqm_queue, moderation_ns),
	M(rxaqm_queue, policy),
	M(rxaqm_queue, stat),
	M(rxaqm_queue, hist),
};
const std::vector<Member> CLOCK = {
	M(rxaqm_clock_entry, published),
	M(rxaqm_clock_entry, lock),
	M(rxaqm_clock_entry, clock),
	M(rxaqm_clock_entry, est),
	M(rxaqm_clock_entry, resets),
	M(rxaqm_clock_entry, phc_resets),
	M(rxaqm_clock_entry, phc_refused_until_ns),
	M(rxaqm_clock_entry, phc_refusals),
	M(rxaqm_clock_entry, last),
	M(rxaqm_clock_entry, epoch),
};
const std::vector<Member> PHC = {
	M(rxaqm_clock_phc, published), M(rxaqm_clock_phc, last),     M(rxaqm_clock_phc, clock),
	M(rxaqm_clock_phc, resets),    M(rxaqm_clock_phc, outliers), M(rxaqm_clock_phc, points),
	M(rxaqm_clock_phc, method),    M(rxaqm_clock_phc, index),
};
const std::vector<Member> CPU = {
	M(rxaqm_cpu, nr_queues),	   M(rxaqm_cpu, queue),
	M(rxaqm_cpu, want_ifindex),	   M(rxaqm_cpu, generic_ifindex),
	M(rxaqm_cpu, stamp_skip),	   M(rxaqm_cpu, generic_tstamp_ns),
	M(rxaqm_cpu, generic_hwtstamp_ns),
};
const std::vector<Member> ACK = {
	M(rxaqm_ack_flow, passed_ns), M(rxaqm_ack_flow, id),  M(rxaqm_ack_flow, ack),
	M(rxaqm_ack_flow, seq),	      M(rxaqm_ack_flow, ace), M(rxaqm_ack_flow, accecn),
};

const std::vector<Member> FLOWS = {
	M(rxaqm_flow_set, flow),
};

const std::vector<Member> NAMES = {
	M(rxaqm_flow_name, seen_ns),  M(rxaqm_flow_name, id),	 M(rxaqm_flow_name, index),
	M(rxaqm_flow_name, level),    M(rxaqm_flow_name, limit), M(rxaqm_flow_name, version),
	M(rxaqm_flow_name, protocol), M(rxaqm_flow_name, ports), M(rxaqm_flow_name, addresses),
};

const std::vector<Member> WAIT = {
	M(rxaqm_wait, wait_ns),	     M(rxaqm_wait, updated_ns), M(rxaqm_wait, ring_full),
	M(rxaqm_wait, ring_entries), M(rxaqm_wait, pid),
};

/* The members of @type in the kernel's eyes, padding left out. */
std::vector<Member> members_of(const btf *btf, const btf_type *type)
{
	std::vector<Member> members;

	for (int i = 0; i < btf_vlen(type); i++) {
		const btf_member *m = &btf_members(type)[i];
		std::string name = btf__name_by_offset(btf, m->name_off);

		if (name.find("pad") == std::string::npos)
			members.push_back({ name, btf_member_bit_offset(type, __u32(i)) / 8,
					    size_t(btf__resolve_size(btf, m->type)) });
	}
	return members;
}

void compare(bpf_map *map, size_t size, const std::vector<Member> &ours)
{
	bpf_map_info info = {};
	__u32 len = sizeof(info);

	CAPTURE(bpf_map__name(map));
	REQUIRE(bpf_obj_get_info_by_fd(bpf_map__fd(map), &info, &len) == 0);
	CHECK(info.value_size == size);
	btf *btf = btf__load_from_kernel_by_id(info.btf_id);
	REQUIRE(btf);
	std::vector<Member> theirs = members_of(btf, btf__type_by_id(btf, info.btf_value_type_id));
	CHECK(theirs.size() == ours.size());
	for (size_t i = 0; i < theirs.size() && i < ours.size(); i++) {
		CHECK(theirs[i].name == ours[i].name);
		CHECK(theirs[i].offset == ours[i].offset);
		CHECK(theirs[i].size == ours[i].size);
	}
	btf__free(btf);
}

} /* namespace */

TEST_CASE("layout: structs in maps are the same for the kernel and for control", "[layout]")
{
	if (geteuid())
		SKIP("BPF programs are loaded by root");
	libbpf_set_print(nullptr);
	struct rxaqm *skel = rxaqm__open();
	bpf_map *map;

	REQUIRE(skel);
	bpf_object__for_each_map(map, skel->obj)
		bpf_map__set_pin_path(map, nullptr);
	REQUIRE(rxaqm__load(skel) == 0);
	compare(skel->maps.meta_map, sizeof(rxaqm_meta_info), META);
	compare(skel->maps.iface_map, sizeof(rxaqm_iface), IFACE);
	compare(skel->maps.policy_map, sizeof(rxaqm_policy), POLICY);
	compare(skel->maps.queue_map, sizeof(rxaqm_queue), QUEUE);
	compare(skel->maps.clock_est_map, sizeof(rxaqm_clock_entry), CLOCK);
	compare(skel->maps.clock_phc_map, sizeof(rxaqm_clock_phc), PHC);
	compare(skel->maps.cpu_map, sizeof(rxaqm_cpu), CPU);
	compare(skel->maps.ack_map, sizeof(rxaqm_ack_flow), ACK);
	compare(skel->maps.flow_map, sizeof(rxaqm_flow_set), FLOWS);
	compare(skel->maps.flow_name_map, sizeof(rxaqm_flow_name), NAMES);
	compare(skel->maps.wait_map, sizeof(rxaqm_wait), WAIT);
	rxaqm__destroy(skel);
}

TEST_CASE("layout: what a packet of a queue that does not stand touches is one cache line",
	  "[layout]")
{
	STATIC_REQUIRE(offsetof(rxaqm_queue, sample_ns) <= 64);
	STATIC_REQUIRE(sizeof(rxaqm_queue) % 64 == 0);
	STATIC_REQUIRE(sizeof(rxaqm_queue) <= 1728);
}

TEST_CASE("layout: no two flags of an interface are one", "[layout]")
{
	const uint32_t flags[] = {
		RXAQM_IFACE_GENERIC,  RXAQM_IFACE_BY_CPU,	  RXAQM_IFACE_DISPATCHER,
		RXAQM_IFACE_HINT,     RXAQM_IFACE_HWTSTAMP_SAVED, RXAQM_IFACE_BY_WORK,
		RXAQM_IFACE_BARE,     RXAQM_IFACE_CLOCK_RESETS,	  RXAQM_IFACE_ONE_PAGE,
		RXAQM_IFACE_BY_QUEUE, RXAQM_IFACE_LEAVES,
	};
	uint32_t seen = 0;

	for (uint32_t flag : flags) {
		CHECK_FALSE(seen & flag);
		seen |= flag;
	}
}
