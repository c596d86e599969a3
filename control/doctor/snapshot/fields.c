/* SPDX-License-Identifier: GPL-2.0-only */
/* The snapshot as a bundle: a row a field; the names of fields are the keys. */
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "doctor/snapshot/layouts.h"

static const struct rxaqm_field doctor_cpu_fields[] = {
	FIELD(doctor_cpu, id, RXAQM_FIELD_U32),
	FIELD(doctor_cpu, user, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, system, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, idle, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, iowait, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, irq, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, softirq, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, steal, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, processed, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, dropped, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, squeezed, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, rps, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, flow_limited, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, backlog, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, net_rx, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, khz, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, base_khz, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, max_khz, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, throttles, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, wake_us, RXAQM_FIELD_U64),
	FIELD(doctor_cpu, sibling, RXAQM_FIELD_U32),
	FIELD(doctor_cpu, numa_node, RXAQM_FIELD_U32),
	{}
};
TYPE(doctor_cpu);

static const struct rxaqm_field doctor_thread_fields[] = {
	TEXT(doctor_thread, comm),
	FIELD(doctor_thread, pid, RXAQM_FIELD_U32),
	FIELD(doctor_thread, cpu, RXAQM_FIELD_S32),
	FIELD(doctor_thread, run_ns, RXAQM_FIELD_U64),
	FIELD(doctor_thread, wait_ns, RXAQM_FIELD_U64),
	{}
};
TYPE(doctor_thread);

static const struct rxaqm_field doctor_queue_fields[] = {
	FIELD(doctor_queue, id, RXAQM_FIELD_U32),
	FIELD(doctor_queue, tx, RXAQM_FIELD_BOOL),
	FIELD(doctor_queue, packets, RXAQM_FIELD_U64),
	FIELD(doctor_queue, bytes, RXAQM_FIELD_U64),
	FIELD(doctor_queue, drops, RXAQM_FIELD_U64),
	FIELD(doctor_queue, alloc_fails, RXAQM_FIELD_U64),
	FIELD(doctor_queue, gso_packets, RXAQM_FIELD_U64),
	FIELD(doctor_queue, gso_wire_packets, RXAQM_FIELD_U64),
	FIELD(doctor_queue, irq_count, RXAQM_FIELD_U64),
	FIELD(doctor_queue, napi, RXAQM_FIELD_U32),
	FIELD(doctor_queue, irq, RXAQM_FIELD_U32),
	FIELD(doctor_queue, cpu, RXAQM_FIELD_S32),
	FIELD(doctor_queue, bql_inflight, RXAQM_FIELD_U64),
	FIELD(doctor_queue, bql_limit, RXAQM_FIELD_U64),
	FIELD(doctor_queue, stall_cnt, RXAQM_FIELD_U64),
	FIELD(doctor_queue, stall_max_ms, RXAQM_FIELD_U64),
	FIELD(doctor_queue, stall_thrs_ms, RXAQM_FIELD_U64),
	FIELD(doctor_queue, backlog, RXAQM_FIELD_U64),
	FIELD(doctor_queue, backlog_bytes, RXAQM_FIELD_U64),
	FIELD(doctor_queue, qdisc_drops, RXAQM_FIELD_U64),
	FIELD(doctor_queue, requeues, RXAQM_FIELD_U64),
	{}
};
TYPE(doctor_queue);

static const struct rxaqm_field doctor_napi_fields[] = {
	FIELD(doctor_napi, id, RXAQM_FIELD_U32),
	FIELD(doctor_napi, irq, RXAQM_FIELD_U32),
	FIELD(doctor_napi, pid, RXAQM_FIELD_U32),
	TEXT(doctor_napi, threaded),
	FIELD(doctor_napi, defer_hard_irqs, RXAQM_FIELD_U64),
	FIELD(doctor_napi, gro_flush_timeout_ns, RXAQM_FIELD_U64),
	FIELD(doctor_napi, irq_suspend_timeout_ns, RXAQM_FIELD_U64),
	{}
};
TYPE(doctor_napi);

static const struct rxaqm_field doctor_page_pool_fields[] = {
	FIELD(doctor_page_pool, id, RXAQM_FIELD_U32),
	FIELD(doctor_page_pool, napi, RXAQM_FIELD_U32),
	FIELD(doctor_page_pool, inflight, RXAQM_FIELD_U64),
	FIELD(doctor_page_pool, recycled, RXAQM_FIELD_U64),
	FIELD(doctor_page_pool, slow, RXAQM_FIELD_U64),
	{}
};
TYPE(doctor_page_pool);

static const struct rxaqm_field doctor_iface_fields[] = {
	TEXT(doctor_iface, name),
	TEXT(doctor_iface, driver),
	FIELD(doctor_iface, ifindex, RXAQM_FIELD_U32),
	FIELD(doctor_iface, mtu, RXAQM_FIELD_U32),
	FIELD(doctor_iface, tx_queue_len, RXAQM_FIELD_U32),
	FIELD(doctor_iface, link_type, RXAQM_FIELD_U32),
	FIELD(doctor_iface, speed_mbit, RXAQM_FIELD_S64),
	FIELD(doctor_iface, numa_node, RXAQM_FIELD_U32),
	FIELD(doctor_iface, rx_queues, RXAQM_FIELD_U32),
	FIELD(doctor_iface, tx_queues, RXAQM_FIELD_U32),
	FIELD(doctor_iface, rps_queues, RXAQM_FIELD_U32),
	FIELD(doctor_iface, rx_ring, RXAQM_FIELD_U32),
	FIELD(doctor_iface, rx_ring_max, RXAQM_FIELD_U32),
	FIELD(doctor_iface, rx_max_queues, RXAQM_FIELD_U32),
	FIELD(doctor_iface, rss_queues, RXAQM_FIELD_U32),
	FIELD(doctor_iface, rss_share_max_permille, RXAQM_FIELD_U32),
	FIELD(doctor_iface, channels, RXAQM_FIELD_U32),
	FIELD(doctor_iface, rx_usecs, RXAQM_FIELD_U32),
	FIELD(doctor_iface, gro, RXAQM_FIELD_BOOL),
	FIELD(doctor_iface, gro_known, RXAQM_FIELD_BOOL),
	FIELD(doctor_iface, xdp_generic, RXAQM_FIELD_BOOL),
	FIELD(doctor_iface, xdp, RXAQM_FIELD_BOOL),
	FIELD(doctor_iface, threaded, RXAQM_FIELD_BOOL),
	FIELD(doctor_iface, up, RXAQM_FIELD_BOOL),
	TEXT(doctor_iface, qdisc),
	FIELD(doctor_iface, stats, RXAQM_FIELD_NUMBERS),
	FIELD(doctor_iface, ethtool, RXAQM_FIELD_NUMBERS),
	OF(doctor_iface, queues, RXAQM_FIELD_ARRAY, doctor_queue_type),
	OF(doctor_iface, napis, RXAQM_FIELD_ARRAY, doctor_napi_type),
	OF(doctor_iface, page_pools, RXAQM_FIELD_ARRAY, doctor_page_pool_type),
	{}
};
TYPE(doctor_iface);

static const struct rxaqm_field doctor_owner_fields[] = {
	FIELD(doctor_owner, pid, RXAQM_FIELD_U32),
	TEXT(doctor_owner, comm),
	TEXT(doctor_owner, state),
	FIELD(doctor_owner, cpu, RXAQM_FIELD_S32),
	FIELD(doctor_owner, run_ns, RXAQM_FIELD_U64),
	FIELD(doctor_owner, wait_ns, RXAQM_FIELD_U64),
	FIELD(doctor_owner, seen_before, RXAQM_FIELD_BOOL),
	{}
};
TYPE(doctor_owner);

static const struct rxaqm_field doctor_sample_fields[] = {
	FIELD(doctor_sample, at_ns, RXAQM_FIELD_U64),
	FIELD(doctor_sample, counters, RXAQM_FIELD_NUMBERS),
	OF(doctor_sample, cpus, RXAQM_FIELD_ARRAY, doctor_cpu_type),
	OF(doctor_sample, threads, RXAQM_FIELD_ARRAY, doctor_thread_type),
	{ .name = "ifaces",
	  .kind = RXAQM_FIELD_ARRAY,
	  .offset = offsetof(struct doctor_sample, ifaces),
	  .size = DOCTOR_MAX_IFACES,
	  .type = &doctor_iface_type },
	{}
};
TYPE(doctor_sample);

static const struct rxaqm_field doctor_standing_fields[] = {
	FIELD(doctor_standing, ifindex, RXAQM_FIELD_U32),
	FIELD(doctor_standing, queue, RXAQM_FIELD_U32),
	FIELD(doctor_standing, looks, RXAQM_FIELD_U32),
	FIELD(doctor_standing, backlogged, RXAQM_FIELD_U32),
	FIELD(doctor_standing, backlog_max, RXAQM_FIELD_U64),
	{}
};
TYPE(doctor_standing);

static const struct rxaqm_field doctor_past_fields[] = {
	FIELD(doctor_past, rx_bytes_per_s, RXAQM_FIELD_U64),
	FIELD(doctor_past, busiest_permille, RXAQM_FIELD_U32),
	FIELD(doctor_past, standing, RXAQM_FIELD_BOOL),
	{}
};
TYPE(doctor_past);

static const struct rxaqm_field doctor_attached_fields[] = {
	FIELD(doctor_attached, ifindex, RXAQM_FIELD_U32),
	FIELD(doctor_attached, queue, RXAQM_FIELD_U32),
	TEXT(doctor_attached, signal),
	TEXT(doctor_attached, completion),
	TEXT(doctor_attached, mode),
	FIELD(doctor_attached, busy_polls, RXAQM_FIELD_U64),
	FIELD(doctor_attached, drained_polls, RXAQM_FIELD_U64),
	FIELD(doctor_attached, packets, RXAQM_FIELD_U64),
	FIELD(doctor_attached, acks, RXAQM_FIELD_U64),
	FIELD(doctor_attached, over_target, RXAQM_FIELD_U64),
	FIELD(doctor_attached, over_target_acks, RXAQM_FIELD_U64),
	FIELD(doctor_attached, marked, RXAQM_FIELD_U64),
	FIELD(doctor_attached, dropped, RXAQM_FIELD_U64),
	FIELD(doctor_attached, sojourn_p50_ns, RXAQM_FIELD_U64),
	FIELD(doctor_attached, target_ns, RXAQM_FIELD_U64),
	FIELD(doctor_attached, clock_bad, RXAQM_FIELD_BOOL),
	{}
};
TYPE(doctor_attached);

static const struct rxaqm_field doctor_blind_fields[] = { TEXT(doctor_blind, what),
							  TEXT(doctor_blind, why),
							  {} };
TYPE(doctor_blind);

static const struct rxaqm_field doctor_snapshot_fields[] = {
	TEXT(doctor_snapshot, kernel),
	TEXT(doctor_snapshot, hostname),
	FIELD(doctor_snapshot, ticks_per_s, RXAQM_FIELD_U32),
	FIELD(doctor_snapshot, page_size, RXAQM_FIELD_U32),
	FIELD(doctor_snapshot, memory_bytes, RXAQM_FIELD_U64),
	TEXT(doctor_snapshot, interface),
	FIELD(doctor_snapshot, sysctl, RXAQM_FIELD_WORDS),
	OF(doctor_snapshot, before, RXAQM_FIELD_STRUCT, doctor_sample_type),
	OF(doctor_snapshot, after, RXAQM_FIELD_STRUCT, doctor_sample_type),
	OF(doctor_snapshot, sockets, RXAQM_FIELD_STRUCT, doctor_sockets_type),
	OF(doctor_snapshot, owners, RXAQM_FIELD_ARRAY, doctor_owner_type),
	OF(doctor_snapshot, standing, RXAQM_FIELD_ARRAY, doctor_standing_type),
	OF(doctor_snapshot, past, RXAQM_FIELD_ARRAY, doctor_past_type),
	OF(doctor_snapshot, attached, RXAQM_FIELD_ARRAY, doctor_attached_type),
	OF(doctor_snapshot, cannot_see, RXAQM_FIELD_ARRAY, doctor_blind_type),
	FIELD(doctor_snapshot, taps, RXAQM_FIELD_NUMBERS),
	FIELD(doctor_snapshot, deep, RXAQM_FIELD_NUMBERS),
	OF(doctor_snapshot, deep_napis, RXAQM_FIELD_ARRAY, doctor_deep_napi_type),
	OF(doctor_snapshot, deep_progs, RXAQM_FIELD_ARRAY, doctor_deep_prog_type),
	OF(doctor_snapshot, deep_frames, RXAQM_FIELD_ARRAY, doctor_deep_frames_type),
	OF(doctor_snapshot, deep_fragments, RXAQM_FIELD_ARRAY, doctor_deep_fragments_type),
	OF(doctor_snapshot, deep_stalls, RXAQM_FIELD_ARRAY, doctor_deep_stalls_type),
	{}
};
TYPE(doctor_snapshot);

struct json_object *doctor_snapshot_to_json(const struct doctor_snapshot *snap)
{
	return rxaqm_fields_encode(&doctor_snapshot_type, snap);
}

int doctor_snapshot_from_json(struct doctor_snapshot *snap, struct json_object *bundle,
			      struct rxaqm_error *error)
{
	int err = rxaqm_fields_decode(&doctor_snapshot_type, snap, bundle, "bundle", error);

	if (!err && (snap->before.at_ns == ~0ULL || snap->after.at_ns == ~0ULL ||
		     snap->after.at_ns <= snap->before.at_ns))
		err = rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				      "bundle.after.at_ns: must be later than before.at_ns");
	return err;
}

void doctor_snapshot_free(struct doctor_snapshot *snap)
{
	rxaqm_fields_free(&doctor_snapshot_type, snap);
	memset(snap, 0, sizeof(*snap));
}

void doctor_cannot_see(struct doctor_snapshot *snap, const char *what, const char *fmt, ...)
{
	struct doctor_blind *blind;
	va_list args;
	size_t i;

	for (i = 0; i < snap->cannot_see.nr; i++) {
		if (!strcmp(snap->cannot_see.at[i].what, what))
			return;
	}
	blind = rxaqm_list_add(&snap->cannot_see);
	if (!blind)
		return;
	snprintf(blind->what, sizeof(blind->what), "%s", what);
	va_start(args, fmt);
	vsnprintf(blind->why, sizeof(blind->why), fmt, args);
	va_end(args);
}
