/* SPDX-License-Identifier: GPL-2.0-only */
/* Convert a snapshot to a bundle and back. Each field is a row; its name is the key. */
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fields_rows.h"
#include "doctor/snapshot/snapshot.h"

LAYOUT(doctor_cpu, FIELDS(doctor_cpu, id, user, system, idle, iowait, irq, softirq, steal),
       FIELDS(doctor_cpu, processed, dropped, net_rx, net_tx, timer, block, tasklet, sched),
       FIELD(doctor_cpu, rcu));

#define SOFTIRQ(name, field) { name, offsetof(struct doctor_cpu, field) }
const struct doctor_softirq doctor_softirqs[] = {
	SOFTIRQ("NET_RX", net_rx), SOFTIRQ("TIMER", timer),
	SOFTIRQ("BLOCK", block),   SOFTIRQ("TASKLET", tasklet),
	SOFTIRQ("SCHED", sched),   SOFTIRQ("RCU", rcu),
	SOFTIRQ("NET_TX", net_tx), {}
};

LAYOUT(doctor_thread, FIELDS(doctor_thread, comm, pid, cpu, run_ns, wait_ns, longest_wait_ns));

LAYOUT(doctor_queue,
       FIELDS(doctor_queue, id, tx, packets, bytes, drops, alloc_fails, irq_count, napi),
       FIELDS(doctor_queue, irq, cpu, bql_inflight, bql_limit, backlog_bytes, qdisc_drops, hangs));

LAYOUT(doctor_napi, FIELDS(doctor_napi, id, irq, pid, threaded));

LAYOUT(doctor_iface,
       FIELDS(doctor_iface, name, driver, ifindex, link_type, speed_mbit, rx_queues, rps_queues),
       FIELDS(doctor_iface, rx_ring, rx_ring_max, rx_max_queues, rss_share_max_permille, channels,
	      rx_channels, speed_max_mbit, duplex),
       FIELDS(doctor_iface, pcie_width, pcie_max_width, gro, gro_known, is_virtual),
       FIELDS(doctor_iface, qdisc, mtu, managed_by, rx_usecs),
       MAP(doctor_iface, stats, RXAQM_FIELD_NUMBERS),
       MAP(doctor_iface, ethtool, RXAQM_FIELD_NUMBERS),
       LIST(doctor_iface, queues, doctor_queue_type), LIST(doctor_iface, napis, doctor_napi_type));

LAYOUT(doctor_owner, FIELDS(doctor_owner, pid, comm, state, cpu, run_ns, wait_ns, throttled_us),
       FIELDS(doctor_owner, nice, busiest_run_ns));

LAYOUT(doctor_hog, FIELDS(doctor_hog, pid, comm, cpu, run_ns));

LAYOUT(doctor_netns, FIELDS(doctor_netns, pid, comm, programs));

LAYOUT(doctor_sample, FIELD(doctor_sample, at_ns),
       MAP(doctor_sample, counters, RXAQM_FIELD_NUMBERS),
       LIST(doctor_sample, cpus, doctor_cpu_type), LIST(doctor_sample, threads, doctor_thread_type),
       { .name = "ifaces",
	 .kind = RXAQM_FIELD_ARRAY,
	 .offset = offsetof(struct doctor_sample, ifaces),
	 .size = DOCTOR_MAX_IFACES,
	 .type = &doctor_iface_type });

LAYOUT(doctor_standing, FIELDS(doctor_standing, ifindex, queue, looks, backlogged, backlog_max));

LAYOUT(doctor_past, FIELDS(doctor_past, rx_bytes_per_s, busiest_permille, standing));

LAYOUT(doctor_attached,
       FIELDS(doctor_attached, ifindex, queue, completion, mode, busy_polls, drained_polls,
	      over_target, over_target_acks),
       FIELDS(doctor_attached, dropped, sojourn_p50_ns));

LAYOUT(doctor_blind, FIELDS(doctor_blind, what, why, essential));

LAYOUT(doctor_socket,
       FIELDS(doctor_socket, proto, state, local, remote, ifindex, rx_queue, cpu, rcvbuf_locked),
       FIELDS(doctor_socket, seen_before, rmem_alloc, rcvbuf, sndbuf, recv_queue, send_queue,
	      not_sent, was_rmem_alloc),
       FIELDS(doctor_socket, was_recv_queue, was_packets_out, drops, received, acked, read,
	      data_segs_in, segs_out),
       FIELDS(doctor_socket, retrans, rwnd_limited_ms, sndbuf_limited_ms, scaling_ratio, rcv_wnd,
	      rcv_rtt_us),
       FIELDS(doctor_socket, srtt_us, min_rtt_us, cwnd, packets_out, mss, rcv_mss, advmss,
	      cwnd_limited),
       FIELDS(doctor_socket, app_limited, ca, inode, owner));

LAYOUT(doctor_group,
       FIELDS(doctor_group, ifindex, rx_queue, proto, sockets, active, received, acked, slow_paced),
       FIELDS(doctor_group, pacing_median, srtt_median_us, cwnd_median));

LAYOUT(doctor_sockets, FIELDS(doctor_sockets, source, nr_tcp, nr_udp, locked),
       FIELDS(doctor_sockets, rb_at_max, zero_window, rmem_over),
       LIST(doctor_sockets, notable, doctor_socket_type),
       LIST(doctor_sockets, groups, doctor_group_type));

/* What --deep measured. */
LAYOUT(doctor_deep_napi,
       FIELDS(doctor_deep_napi, ifindex, id, cpu, polls, busy, packets, poll_ns, longest_poll_ns),
       FIELDS(doctor_deep_napi, wait_ns, longest_wait_ns));

LAYOUT(doctor_deep_prog, FIELDS(doctor_deep_prog, id, name, type, runs, run_ns));

LAYOUT(doctor_deep_late, FIELDS(doctor_deep_late, cpu, waits, longest_ns, p99_ns, held_by));

LAYOUT(doctor_deep_drop, FIELDS(doctor_deep_drop, reason, place, drops));

LAYOUT(doctor_snapshot,
       FIELDS(doctor_snapshot, kernel, hostname, rxaqm, ticks_per_s, page_size, memory_bytes,
	      interface, time_s),
       MAP(doctor_snapshot, sysctl, RXAQM_FIELD_WORDS),
       STRUCT(doctor_snapshot, before, doctor_sample_type),
       STRUCT(doctor_snapshot, after, doctor_sample_type),
       STRUCT(doctor_snapshot, sockets, doctor_sockets_type),
       LIST(doctor_snapshot, owners, doctor_owner_type),
       LIST(doctor_snapshot, hogs, doctor_hog_type),
       LIST(doctor_snapshot, namespaces, doctor_netns_type),
       LIST(doctor_snapshot, standing, doctor_standing_type),
       LIST(doctor_snapshot, past, doctor_past_type),
       LIST(doctor_snapshot, attached, doctor_attached_type),
       LIST(doctor_snapshot, cannot_see, doctor_blind_type),
       MAP(doctor_snapshot, deep, RXAQM_FIELD_NUMBERS),
       LIST(doctor_snapshot, deep_napis, doctor_deep_napi_type),
       LIST(doctor_snapshot, deep_progs, doctor_deep_prog_type),
       LIST(doctor_snapshot, deep_late, doctor_deep_late_type),
       LIST(doctor_snapshot, deep_drops, doctor_deep_drop_type));

static int check(const void *at, struct rxaqm_error *error)
{
	const struct doctor_snapshot *snap = at;

	if (snap->before.at_ns == ~0ULL || snap->after.at_ns == ~0ULL ||
	    snap->after.at_ns <= snap->before.at_ns)
		return rxaqm_bad(error, "bundle.after.at_ns: must be later than before.at_ns");
	return 0;
}

const struct rxaqm_record_kind doctor_bundle_kind = {
	.format = { "rxaqm-doctor", "bundle of \"rxaqm doctor --record\"", RXAQM_BUNDLE_VERSION },
	.type = &doctor_snapshot_type,
	.root = "bundle",
	.mode = 0600,
	.check = check,
};

int doctor_bundle_pass(struct doctor_snapshot *from, struct doctor_snapshot *to,
		       struct rxaqm_error *error)
{
	struct json_object *bundle = rxaqm_fields_encode(&doctor_snapshot_type, from);
	int err = bundle ? rxaqm_record_decode(&doctor_bundle_kind, to, bundle, error) :
			   rxaqm_failed(error, ENOMEM, "no memory for a bundle");

	json_object_put(bundle);
	doctor_snapshot_free(from);
	return err;
}

void doctor_cannot_see(struct doctor_snapshot *snap, const char *what, const char *fmt, ...)
{
	struct doctor_blind *blind;
	va_list args;

	if (rxaqm_list_find(blind, &snap->cannot_see, !strcmp(blind->what, what)))
		return;
	blind = rxaqm_list_add(&snap->cannot_see);
	if (!blind)
		return;
	snprintf(blind->what, sizeof(blind->what), "%s", what);
	va_start(args, fmt);
	vsnprintf(blind->why, sizeof(blind->why), fmt, args);
	va_end(args);
}
