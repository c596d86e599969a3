/* SPDX-License-Identifier: GPL-2.0-only */
/* The snapshot as a bundle: a row a field; the names of fields are the keys. */
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fields_rows.h"
#include "doctor/snapshot/snapshot.h"

static const struct rxaqm_field doctor_cpu_fields[] = {
	FIELDS(doctor_cpu, id, user, system, idle, iowait, irq, softirq, steal),
	FIELDS(doctor_cpu, processed, dropped, squeezed, rps, flow_limited, backlog, net_rx, khz),
	FIELDS(doctor_cpu, base_khz, max_khz, throttles, wake_us, sibling, numa_node),
	{}
};
TYPE(doctor_cpu);

static const struct rxaqm_field doctor_thread_fields[] = {
	FIELDS(doctor_thread, comm, pid, cpu, run_ns, wait_ns), {}
};
TYPE(doctor_thread);

static const struct rxaqm_field doctor_queue_fields[] = {
	FIELDS(doctor_queue, id, tx, packets, bytes, drops, alloc_fails, gso_packets),
	FIELDS(doctor_queue, gso_wire_packets, irq_count, napi, irq, cpu, bql_inflight, bql_limit),
	FIELDS(doctor_queue, stall_cnt, stall_max_ms, stall_thrs_ms, backlog, backlog_bytes),
	FIELDS(doctor_queue, qdisc_drops, requeues),
	{}
};
TYPE(doctor_queue);

static const struct rxaqm_field doctor_napi_fields[] = {
	FIELDS(doctor_napi, id, irq, pid, threaded, defer_hard_irqs, gro_flush_timeout_ns),
	FIELD(doctor_napi, irq_suspend_timeout_ns),
	{}
};
TYPE(doctor_napi);

static const struct rxaqm_field doctor_page_pool_fields[] = {
	FIELDS(doctor_page_pool, id, napi, inflight, recycled, slow), {}
};
TYPE(doctor_page_pool);

static const struct rxaqm_field doctor_iface_fields[] = {
	FIELDS(doctor_iface, name, driver, ifindex, mtu, tx_queue_len, link_type, speed_mbit),
	FIELDS(doctor_iface, numa_node, rx_queues, tx_queues, rps_queues, rx_ring, rx_ring_max),
	FIELDS(doctor_iface, rx_max_queues, rss_queues, rss_share_max_permille, channels, rx_usecs),
	FIELDS(doctor_iface, gro, gro_known, xdp_generic, xdp, threaded, up, qdisc),
	MAP(doctor_iface, stats, RXAQM_FIELD_NUMBERS),
	MAP(doctor_iface, ethtool, RXAQM_FIELD_NUMBERS),
	LIST(doctor_iface, queues, doctor_queue_type),
	LIST(doctor_iface, napis, doctor_napi_type),
	LIST(doctor_iface, page_pools, doctor_page_pool_type),
	{}
};
TYPE(doctor_iface);

static const struct rxaqm_field doctor_owner_fields[] = {
	FIELDS(doctor_owner, pid, comm, state, cpu, run_ns, wait_ns, seen_before), {}
};
TYPE(doctor_owner);

static const struct rxaqm_field doctor_sample_fields[] = {
	FIELD(doctor_sample, at_ns),
	MAP(doctor_sample, counters, RXAQM_FIELD_NUMBERS),
	LIST(doctor_sample, cpus, doctor_cpu_type),
	LIST(doctor_sample, threads, doctor_thread_type),
	{ .name = "ifaces",
	  .kind = RXAQM_FIELD_ARRAY,
	  .offset = offsetof(struct doctor_sample, ifaces),
	  .size = DOCTOR_MAX_IFACES,
	  .type = &doctor_iface_type },
	{}
};
TYPE(doctor_sample);

static const struct rxaqm_field doctor_standing_fields[] = {
	FIELDS(doctor_standing, ifindex, queue, looks, backlogged, backlog_max), {}
};
TYPE(doctor_standing);

static const struct rxaqm_field doctor_past_fields[] = {
	FIELDS(doctor_past, rx_bytes_per_s, busiest_permille, standing), {}
};
TYPE(doctor_past);

static const struct rxaqm_field doctor_attached_fields[] = {
	FIELDS(doctor_attached, ifindex, queue, signal, completion, mode, busy_polls),
	FIELDS(doctor_attached, drained_polls, packets, acks, over_target, over_target_acks),
	FIELDS(doctor_attached, marked, dropped, sojourn_p50_ns, target_ns, clock_bad),
	{}
};
TYPE(doctor_attached);

static const struct rxaqm_field doctor_blind_fields[] = { FIELDS(doctor_blind, what, why), {} };
TYPE(doctor_blind);

static const struct rxaqm_field doctor_socket_fields[] = {
	FIELDS(doctor_socket, proto, state, local, remote, ifindex, rx_queue, cpu, rcvbuf_locked),
	FIELDS(doctor_socket, locked_known, seen_before, rmem_alloc, rcvbuf, wmem_queued, sndbuf),
	FIELDS(doctor_socket, recv_queue, send_queue, not_sent, was_rmem_alloc, was_recv_queue),
	FIELDS(doctor_socket, was_packets_out, drops, received, acked, read, segs_in, data_segs_in),
	FIELDS(doctor_socket, segs_out, retrans, ooo_segs, busy_ms, rwnd_limited_ms),
	FIELDS(doctor_socket, sndbuf_limited_ms, scaling_ratio, rcv_wnd, rcv_ssthresh),
	FIELDS(doctor_socket, window_clamp, rcv_rtt_us, srtt_us, min_rtt_us, rcv_space, cwnd),
	FIELDS(doctor_socket, packets_out, mss, rcv_mss, advmss, pacing_bytes_per_s, reord_seen),
	FIELDS(doctor_socket, dsack_dups, cwnd_limited, app_limited, ca_min_tso, ca, inode, owner),
	{}
};
TYPE(doctor_socket);

static const struct rxaqm_field doctor_group_fields[] = {
	FIELDS(doctor_group, ifindex, rx_queue, proto, sockets, active, received, acked),
	FIELDS(doctor_group, slow_paced, young, young_no_bonus, ect, not_ect, cwnd_limited),
	FIELDS(doctor_group, pacing_median, srtt_median_us, min_rtt_median_us, cwnd_median),
	{}
};
TYPE(doctor_group);

static const struct rxaqm_field doctor_ports_fields[] = {
	FIELDS(doctor_ports, proto, local, remote, used), {}
};
TYPE(doctor_ports);

static const struct rxaqm_field doctor_sockets_fields[] = {
	FIELDS(doctor_sockets, source, nr_tcp, nr_udp, took_us, has_scaling_ratio, rmem_total),
	FIELDS(doctor_sockets, locked, rb_at_max, zero_window, rmem_over),
	LIST(doctor_sockets, notable, doctor_socket_type),
	LIST(doctor_sockets, groups, doctor_group_type),
	LIST(doctor_sockets, ports, doctor_ports_type),
	{}
};
TYPE(doctor_sockets);

/* What --deep measured. */
static const struct rxaqm_field doctor_deep_napi_fields[] = {
	FIELDS(doctor_deep_napi, ifindex, id, cpu, polls, busy, packets, poll_ns, longest_poll_ns),
	FIELDS(doctor_deep_napi, wait_ns, longest_wait_ns),
	{}
};
TYPE(doctor_deep_napi);

static const struct rxaqm_field doctor_deep_prog_fields[] = {
	FIELDS(doctor_deep_prog, id, name, type, runs, run_ns), {}
};
TYPE(doctor_deep_prog);

static const struct rxaqm_field doctor_deep_frames_fields[] = {
	FIELDS(doctor_deep_frames, ifindex, queue, frames, bytes, segments, median), {}
};
TYPE(doctor_deep_frames);

static const struct rxaqm_field doctor_deep_fragments_fields[] = {
	FIELDS(doctor_deep_fragments, ifindex, queue, packets, fragments), {}
};
TYPE(doctor_deep_fragments);

static const struct rxaqm_field doctor_deep_stalls_fields[] = {
	FIELDS(doctor_deep_stalls, ifindex, queue, stalls, longest_ms), {}
};
TYPE(doctor_deep_stalls);

static const struct rxaqm_field doctor_snapshot_fields[] = {
	FIELDS(doctor_snapshot, kernel, hostname, ticks_per_s, page_size, memory_bytes, interface),
	MAP(doctor_snapshot, sysctl, RXAQM_FIELD_WORDS),
	STRUCT(doctor_snapshot, before, doctor_sample_type),
	STRUCT(doctor_snapshot, after, doctor_sample_type),
	STRUCT(doctor_snapshot, sockets, doctor_sockets_type),
	LIST(doctor_snapshot, owners, doctor_owner_type),
	LIST(doctor_snapshot, standing, doctor_standing_type),
	LIST(doctor_snapshot, past, doctor_past_type),
	LIST(doctor_snapshot, attached, doctor_attached_type),
	LIST(doctor_snapshot, cannot_see, doctor_blind_type),
	MAP(doctor_snapshot, taps, RXAQM_FIELD_NUMBERS),
	MAP(doctor_snapshot, deep, RXAQM_FIELD_NUMBERS),
	LIST(doctor_snapshot, deep_napis, doctor_deep_napi_type),
	LIST(doctor_snapshot, deep_progs, doctor_deep_prog_type),
	LIST(doctor_snapshot, deep_frames, doctor_deep_frames_type),
	LIST(doctor_snapshot, deep_fragments, doctor_deep_fragments_type),
	LIST(doctor_snapshot, deep_stalls, doctor_deep_stalls_type),
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

	rxaqm_list_each(blind, &snap->cannot_see) {
		if (!strcmp(blind->what, what))
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
