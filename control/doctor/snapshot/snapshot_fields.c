/* SPDX-License-Identifier: GPL-2.0-only */
/* The snapshot as a bundle: a row a field; the names of fields are the keys. */
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "doctor/snapshot/fields.h"
#include "doctor/snapshot/snapshot.h"

#define FORMAT "rxaqm-doctor"

#define FIELD(s, f, k) { .name = #f, .kind = (k), .offset = offsetof(struct s, f) }
#define TEXT(s, f)                         \
	{ .name = #f,                      \
	  .kind = DOCTOR_TEXT,             \
	  .offset = offsetof(struct s, f), \
	  .size = sizeof(((struct s *)0)->f) }
#define OF(s, f, k, t) { .name = #f, .kind = (k), .offset = offsetof(struct s, f), .type = &(t) }
#define TYPE(s) static const struct doctor_type s##_type = { s##_fields, sizeof(struct s) }

static const struct doctor_field doctor_cpu_fields[] = { FIELD(doctor_cpu, id, DOCTOR_U32),
							 FIELD(doctor_cpu, user, DOCTOR_U64),
							 FIELD(doctor_cpu, system, DOCTOR_U64),
							 FIELD(doctor_cpu, idle, DOCTOR_U64),
							 FIELD(doctor_cpu, iowait, DOCTOR_U64),
							 FIELD(doctor_cpu, irq, DOCTOR_U64),
							 FIELD(doctor_cpu, softirq, DOCTOR_U64),
							 FIELD(doctor_cpu, steal, DOCTOR_U64),
							 FIELD(doctor_cpu, processed, DOCTOR_U64),
							 FIELD(doctor_cpu, dropped, DOCTOR_U64),
							 FIELD(doctor_cpu, squeezed, DOCTOR_U64),
							 FIELD(doctor_cpu, rps, DOCTOR_U64),
							 FIELD(doctor_cpu, flow_limited,
							       DOCTOR_U64),
							 FIELD(doctor_cpu, backlog, DOCTOR_U64),
							 FIELD(doctor_cpu, net_rx, DOCTOR_U64),
							 FIELD(doctor_cpu, khz, DOCTOR_U64),
							 {} };
TYPE(doctor_cpu);

static const struct doctor_field doctor_thread_fields[] = {
	TEXT(doctor_thread, comm),
	FIELD(doctor_thread, pid, DOCTOR_U32),
	FIELD(doctor_thread, cpu, DOCTOR_S32),
	FIELD(doctor_thread, run_ns, DOCTOR_U64),
	FIELD(doctor_thread, wait_ns, DOCTOR_U64),
	{}
};
TYPE(doctor_thread);

static const struct doctor_field doctor_queue_fields[] = {
	FIELD(doctor_queue, id, DOCTOR_U32),
	FIELD(doctor_queue, tx, DOCTOR_BOOL),
	FIELD(doctor_queue, packets, DOCTOR_U64),
	FIELD(doctor_queue, bytes, DOCTOR_U64),
	FIELD(doctor_queue, drops, DOCTOR_U64),
	FIELD(doctor_queue, alloc_fails, DOCTOR_U64),
	FIELD(doctor_queue, gso_packets, DOCTOR_U64),
	FIELD(doctor_queue, gso_wire_packets, DOCTOR_U64),
	FIELD(doctor_queue, irq_count, DOCTOR_U64),
	FIELD(doctor_queue, napi, DOCTOR_U32),
	FIELD(doctor_queue, irq, DOCTOR_U32),
	FIELD(doctor_queue, cpu, DOCTOR_S32),
	FIELD(doctor_queue, bql_inflight, DOCTOR_U64),
	FIELD(doctor_queue, bql_limit, DOCTOR_U64),
	FIELD(doctor_queue, stall_cnt, DOCTOR_U64),
	FIELD(doctor_queue, stall_max_ms, DOCTOR_U64),
	FIELD(doctor_queue, stall_thrs_ms, DOCTOR_U64),
	FIELD(doctor_queue, backlog, DOCTOR_U64),
	FIELD(doctor_queue, backlog_bytes, DOCTOR_U64),
	FIELD(doctor_queue, qdisc_drops, DOCTOR_U64),
	FIELD(doctor_queue, requeues, DOCTOR_U64),
	{}
};
TYPE(doctor_queue);

static const struct doctor_field doctor_napi_fields[] = {
	FIELD(doctor_napi, id, DOCTOR_U32),
	FIELD(doctor_napi, irq, DOCTOR_U32),
	FIELD(doctor_napi, pid, DOCTOR_U32),
	TEXT(doctor_napi, threaded),
	FIELD(doctor_napi, defer_hard_irqs, DOCTOR_U64),
	FIELD(doctor_napi, gro_flush_timeout_ns, DOCTOR_U64),
	FIELD(doctor_napi, irq_suspend_timeout_ns, DOCTOR_U64),
	{}
};
TYPE(doctor_napi);

static const struct doctor_field doctor_iface_fields[] = {
	TEXT(doctor_iface, name),
	TEXT(doctor_iface, driver),
	FIELD(doctor_iface, ifindex, DOCTOR_U32),
	FIELD(doctor_iface, mtu, DOCTOR_U32),
	FIELD(doctor_iface, tx_queue_len, DOCTOR_U32),
	FIELD(doctor_iface, link_type, DOCTOR_U32),
	FIELD(doctor_iface, speed_mbit, DOCTOR_S64),
	FIELD(doctor_iface, numa_node, DOCTOR_U32),
	FIELD(doctor_iface, rx_queues, DOCTOR_U32),
	FIELD(doctor_iface, tx_queues, DOCTOR_U32),
	FIELD(doctor_iface, rps_queues, DOCTOR_U32),
	FIELD(doctor_iface, rx_ring, DOCTOR_U32),
	FIELD(doctor_iface, rx_ring_max, DOCTOR_U32),
	FIELD(doctor_iface, rx_max_queues, DOCTOR_U32),
	FIELD(doctor_iface, rss_queues, DOCTOR_U32),
	FIELD(doctor_iface, rss_share_max_permille, DOCTOR_U32),
	FIELD(doctor_iface, channels, DOCTOR_U32),
	FIELD(doctor_iface, rx_usecs, DOCTOR_U32),
	FIELD(doctor_iface, gro, DOCTOR_BOOL),
	FIELD(doctor_iface, gro_known, DOCTOR_BOOL),
	FIELD(doctor_iface, xdp_generic, DOCTOR_BOOL),
	FIELD(doctor_iface, xdp, DOCTOR_BOOL),
	FIELD(doctor_iface, threaded, DOCTOR_BOOL),
	FIELD(doctor_iface, up, DOCTOR_BOOL),
	TEXT(doctor_iface, qdisc),
	FIELD(doctor_iface, stats, DOCTOR_NUMBERS),
	FIELD(doctor_iface, ethtool, DOCTOR_NUMBERS),
	OF(doctor_iface, queues, DOCTOR_ARRAY, doctor_queue_type),
	OF(doctor_iface, napis, DOCTOR_ARRAY, doctor_napi_type),
	{}
};
TYPE(doctor_iface);

static const struct doctor_field doctor_socket_fields[] = {
	TEXT(doctor_socket, proto),
	TEXT(doctor_socket, state),
	TEXT(doctor_socket, local),
	TEXT(doctor_socket, remote),
	FIELD(doctor_socket, ifindex, DOCTOR_U32),
	FIELD(doctor_socket, rx_queue, DOCTOR_U32),
	FIELD(doctor_socket, cpu, DOCTOR_S32),
	FIELD(doctor_socket, rcvbuf_locked, DOCTOR_BOOL),
	FIELD(doctor_socket, locked_known, DOCTOR_BOOL),
	FIELD(doctor_socket, seen_before, DOCTOR_BOOL),
	FIELD(doctor_socket, rmem_alloc, DOCTOR_U32),
	FIELD(doctor_socket, rcvbuf, DOCTOR_U32),
	FIELD(doctor_socket, wmem_queued, DOCTOR_U32),
	FIELD(doctor_socket, sndbuf, DOCTOR_U32),
	FIELD(doctor_socket, recv_queue, DOCTOR_U32),
	FIELD(doctor_socket, send_queue, DOCTOR_U32),
	FIELD(doctor_socket, not_sent, DOCTOR_U32),
	FIELD(doctor_socket, was_rmem_alloc, DOCTOR_U32),
	FIELD(doctor_socket, was_recv_queue, DOCTOR_U32),
	FIELD(doctor_socket, drops, DOCTOR_U64),
	FIELD(doctor_socket, received, DOCTOR_U64),
	FIELD(doctor_socket, acked, DOCTOR_U64),
	FIELD(doctor_socket, read, DOCTOR_U64),
	FIELD(doctor_socket, segs_in, DOCTOR_U64),
	FIELD(doctor_socket, data_segs_in, DOCTOR_U64),
	FIELD(doctor_socket, segs_out, DOCTOR_U64),
	FIELD(doctor_socket, retrans, DOCTOR_U64),
	FIELD(doctor_socket, ooo_segs, DOCTOR_U64),
	FIELD(doctor_socket, busy_ms, DOCTOR_U32),
	FIELD(doctor_socket, rwnd_limited_ms, DOCTOR_U32),
	FIELD(doctor_socket, sndbuf_limited_ms, DOCTOR_U32),
	FIELD(doctor_socket, scaling_ratio, DOCTOR_U32),
	FIELD(doctor_socket, rcv_wnd, DOCTOR_U32),
	FIELD(doctor_socket, rcv_ssthresh, DOCTOR_U32),
	FIELD(doctor_socket, window_clamp, DOCTOR_U32),
	FIELD(doctor_socket, rcv_rtt_us, DOCTOR_U32),
	FIELD(doctor_socket, srtt_us, DOCTOR_U32),
	FIELD(doctor_socket, min_rtt_us, DOCTOR_U32),
	FIELD(doctor_socket, rcv_space, DOCTOR_U32),
	FIELD(doctor_socket, cwnd, DOCTOR_U32),
	FIELD(doctor_socket, packets_out, DOCTOR_U32),
	FIELD(doctor_socket, mss, DOCTOR_U32),
	FIELD(doctor_socket, rcv_mss, DOCTOR_U32),
	FIELD(doctor_socket, advmss, DOCTOR_U32),
	FIELD(doctor_socket, pacing_bytes_per_s, DOCTOR_U64),
	FIELD(doctor_socket, reord_seen, DOCTOR_U32),
	FIELD(doctor_socket, dsack_dups, DOCTOR_U32),
	FIELD(doctor_socket, cwnd_limited, DOCTOR_BOOL),
	FIELD(doctor_socket, app_limited, DOCTOR_BOOL),
	FIELD(doctor_socket, ca_min_tso, DOCTOR_BOOL),
	TEXT(doctor_socket, ca),
	FIELD(doctor_socket, inode, DOCTOR_U64),
	FIELD(doctor_socket, owner, DOCTOR_U32),
	{}
};
TYPE(doctor_socket);

static const struct doctor_field doctor_group_fields[] = {
	FIELD(doctor_group, ifindex, DOCTOR_U32),
	FIELD(doctor_group, rx_queue, DOCTOR_U32),
	TEXT(doctor_group, proto),
	FIELD(doctor_group, sockets, DOCTOR_U32),
	FIELD(doctor_group, active, DOCTOR_U32),
	FIELD(doctor_group, received, DOCTOR_U64),
	FIELD(doctor_group, acked, DOCTOR_U64),
	FIELD(doctor_group, slow_paced, DOCTOR_U32),
	FIELD(doctor_group, young, DOCTOR_U32),
	FIELD(doctor_group, young_no_bonus, DOCTOR_U32),
	FIELD(doctor_group, ect, DOCTOR_U32),
	FIELD(doctor_group, not_ect, DOCTOR_U32),
	FIELD(doctor_group, cwnd_limited, DOCTOR_U32),
	FIELD(doctor_group, pacing_median, DOCTOR_U64),
	FIELD(doctor_group, srtt_median_us, DOCTOR_U64),
	FIELD(doctor_group, min_rtt_median_us, DOCTOR_U64),
	FIELD(doctor_group, cwnd_median, DOCTOR_U64),
	{}
};
TYPE(doctor_group);

static const struct doctor_field doctor_owner_fields[] = { FIELD(doctor_owner, pid, DOCTOR_U32),
							   TEXT(doctor_owner, comm),
							   TEXT(doctor_owner, state),
							   FIELD(doctor_owner, cpu, DOCTOR_S32),
							   FIELD(doctor_owner, run_ns, DOCTOR_U64),
							   FIELD(doctor_owner, wait_ns, DOCTOR_U64),
							   FIELD(doctor_owner, seen_before,
								 DOCTOR_BOOL),
							   {} };
TYPE(doctor_owner);

static const struct doctor_field doctor_ports_fields[] = { TEXT(doctor_ports, proto),
							   TEXT(doctor_ports, local),
							   TEXT(doctor_ports, remote),
							   FIELD(doctor_ports, used, DOCTOR_U32),
							   {} };
TYPE(doctor_ports);

static const struct doctor_field doctor_sockets_fields[] = {
	TEXT(doctor_sockets, source),
	FIELD(doctor_sockets, nr_tcp, DOCTOR_U64),
	FIELD(doctor_sockets, nr_udp, DOCTOR_U64),
	FIELD(doctor_sockets, took_us, DOCTOR_U64),
	FIELD(doctor_sockets, has_scaling_ratio, DOCTOR_BOOL),
	FIELD(doctor_sockets, rmem_total, DOCTOR_U64),
	FIELD(doctor_sockets, locked, DOCTOR_U64),
	FIELD(doctor_sockets, rb_at_max, DOCTOR_U64),
	FIELD(doctor_sockets, zero_window, DOCTOR_U64),
	FIELD(doctor_sockets, rmem_over, DOCTOR_U64),
	OF(doctor_sockets, notable, DOCTOR_ARRAY, doctor_socket_type),
	OF(doctor_sockets, groups, DOCTOR_ARRAY, doctor_group_type),
	OF(doctor_sockets, ports, DOCTOR_ARRAY, doctor_ports_type),
	{}
};
TYPE(doctor_sockets);

static const struct doctor_field doctor_sample_fields[] = {
	FIELD(doctor_sample, at_ns, DOCTOR_U64),
	FIELD(doctor_sample, counters, DOCTOR_NUMBERS),
	OF(doctor_sample, cpus, DOCTOR_ARRAY, doctor_cpu_type),
	OF(doctor_sample, threads, DOCTOR_ARRAY, doctor_thread_type),
	OF(doctor_sample, ifaces, DOCTOR_ARRAY, doctor_iface_type),
	{}
};
TYPE(doctor_sample);

static const struct doctor_field doctor_standing_fields[] = {
	FIELD(doctor_standing, ifindex, DOCTOR_U32),
	FIELD(doctor_standing, queue, DOCTOR_U32),
	FIELD(doctor_standing, looks, DOCTOR_U32),
	FIELD(doctor_standing, backlogged, DOCTOR_U32),
	FIELD(doctor_standing, backlog_max, DOCTOR_U64),
	{}
};
TYPE(doctor_standing);

static const struct doctor_field doctor_past_fields[] = {
	FIELD(doctor_past, rx_bytes_per_s, DOCTOR_U64),
	FIELD(doctor_past, busiest_permille, DOCTOR_U32),
	FIELD(doctor_past, standing, DOCTOR_BOOL),
	{}
};
TYPE(doctor_past);

static const struct doctor_field doctor_attached_fields[] = {
	FIELD(doctor_attached, ifindex, DOCTOR_U32),
	FIELD(doctor_attached, queue, DOCTOR_U32),
	TEXT(doctor_attached, signal),
	TEXT(doctor_attached, completion),
	TEXT(doctor_attached, mode),
	FIELD(doctor_attached, busy_polls, DOCTOR_U64),
	FIELD(doctor_attached, drained_polls, DOCTOR_U64),
	FIELD(doctor_attached, packets, DOCTOR_U64),
	FIELD(doctor_attached, acks, DOCTOR_U64),
	FIELD(doctor_attached, over_target, DOCTOR_U64),
	FIELD(doctor_attached, over_target_acks, DOCTOR_U64),
	FIELD(doctor_attached, marked, DOCTOR_U64),
	FIELD(doctor_attached, dropped, DOCTOR_U64),
	FIELD(doctor_attached, sojourn_p50_ns, DOCTOR_U64),
	FIELD(doctor_attached, target_ns, DOCTOR_U64),
	FIELD(doctor_attached, clock_bad, DOCTOR_BOOL),
	{}
};
TYPE(doctor_attached);

static const struct doctor_field doctor_blind_fields[] = { TEXT(doctor_blind, what),
							   TEXT(doctor_blind, why),
							   {} };
TYPE(doctor_blind);

static const struct doctor_field doctor_snapshot_fields[] = {
	TEXT(doctor_snapshot, kernel),
	TEXT(doctor_snapshot, hostname),
	FIELD(doctor_snapshot, ticks_per_s, DOCTOR_U32),
	FIELD(doctor_snapshot, page_size, DOCTOR_U32),
	TEXT(doctor_snapshot, interface),
	FIELD(doctor_snapshot, sysctl, DOCTOR_WORDS),
	OF(doctor_snapshot, before, DOCTOR_STRUCT, doctor_sample_type),
	OF(doctor_snapshot, after, DOCTOR_STRUCT, doctor_sample_type),
	OF(doctor_snapshot, sockets, DOCTOR_STRUCT, doctor_sockets_type),
	OF(doctor_snapshot, owners, DOCTOR_ARRAY, doctor_owner_type),
	OF(doctor_snapshot, standing, DOCTOR_ARRAY, doctor_standing_type),
	OF(doctor_snapshot, past, DOCTOR_ARRAY, doctor_past_type),
	OF(doctor_snapshot, attached, DOCTOR_ARRAY, doctor_attached_type),
	OF(doctor_snapshot, cannot_see, DOCTOR_ARRAY, doctor_blind_type),
	FIELD(doctor_snapshot, taps, DOCTOR_NUMBERS),
	FIELD(doctor_snapshot, deep, DOCTOR_NUMBERS),
	{}
};
TYPE(doctor_snapshot);

struct json_object *doctor_snapshot_to_json(const struct doctor_snapshot *snap)
{
	struct json_object *bundle = doctor_fields_encode(&doctor_snapshot_type, snap);
	struct json_object *format = json_object_new_string(FORMAT);
	struct json_object *version = json_object_new_int(RXAQM_BUNDLE_VERSION);

	if (bundle && format && version && !json_object_object_add(bundle, "format", format)) {
		format = NULL;
		if (!json_object_object_add(bundle, "version", version))
			return bundle;
	}
	json_object_put(version);
	json_object_put(format);
	json_object_put(bundle);
	return NULL;
}

static int check_header(struct json_object *bundle, struct rxaqm_error *error)
{
	struct json_object *format, *version;

	if (!json_object_object_get_ex(bundle, "format", &format) ||
	    strcmp(json_object_get_string(format) ?: "", FORMAT) ||
	    !json_object_object_get_ex(bundle, "version", &version))
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "not a bundle of \"rxaqm doctor --record\"");
	if (json_object_get_int(version) != RXAQM_BUNDLE_VERSION)
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "a bundle of version %d; this rxaqm reads version %d",
				       json_object_get_int(version), RXAQM_BUNDLE_VERSION);
	return 0;
}

int doctor_snapshot_from_json(struct doctor_snapshot *snap, struct json_object *bundle,
			      struct rxaqm_error *error)
{
	int err = check_header(bundle, error);

	if (!err)
		err = doctor_fields_decode(&doctor_snapshot_type, snap, bundle, "bundle", error);
	if (!err && (snap->before.at_ns == ~0ULL || snap->after.at_ns == ~0ULL ||
		     snap->after.at_ns <= snap->before.at_ns))
		err = rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				      "bundle.after.at_ns: must be later than before.at_ns");
	return err;
}

void doctor_snapshot_free(struct doctor_snapshot *snap)
{
	doctor_fields_free(&doctor_snapshot_type, snap);
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
	blind = doctor_list_add(&snap->cannot_see);
	if (!blind)
		return;
	snprintf(blind->what, sizeof(blind->what), "%s", what);
	va_start(args, fmt);
	vsnprintf(blind->why, sizeof(blind->why), fmt, args);
	va_end(args);
}
