/* SPDX-License-Identifier: GPL-2.0-only */
/* What rules read of a snapshot. False, NULL or ~0: not known, which is never 0. */
#pragma once

#include "doctor/snapshot/snapshot.h"

bool doctor_map_get(doctor_map map, const char *name, __u64 *ret_value);

/* The whole value of a sysctl; NULL: the kernel does not have it. doctor_sysctl() has numbers. */
const char *doctor_sysctl_words(const struct doctor_snapshot *snap, const char *name);

/* Seconds between the samples. */
double doctor_window_s(const struct doctor_snapshot *snap);

/* How much the counter rose in the window; false, too, if it was reset in between. */
bool doctor_counter(const struct doctor_snapshot *snap, const char *name, __u64 *ret_value);
/* The sum of several with "|" between, each with that of IPv6: "Udp.InErrors" and "Udp6.InErrors".
 * False if none of them is known.
 */
bool doctor_counters(const struct doctor_snapshot *snap, const char *names, __u64 *ret_sum);
/* The next one of names with "|" between; false: there is none. */
bool doctor_next_name(const char **at, char name[64]);

/* CPU @id in the first sample. */
const struct doctor_cpu *doctor_cpu_before(const struct doctor_snapshot *snap, __u32 id);

const struct doctor_iface *doctor_iface_at(const struct doctor_snapshot *snap, __u32 ifindex);
/* Its name; "an interface": it is not known. */
const char *doctor_iface_name(const struct doctor_snapshot *snap, __u32 ifindex);
/* The same interface in the first sample, also if it was renamed since. */
const struct doctor_iface *doctor_iface_before(const struct doctor_snapshot *snap,
					       const struct doctor_iface *iface);
bool doctor_iface_stat(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		       const char *name, __u64 *ret_value);
/* The same; 0, too, if that is not known. */
__u64 doctor_iface_rose(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
			const char *name);
/* Or of a counter of the driver. */
bool doctor_iface_rise(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		       bool ethtool, const char *name, __u64 *ret_value);
#define DOCTOR_LOOPBACK 772 /* ARPHRD_LOOPBACK */
/* Its counters are sums of other interfaces', and it has no queues, rings or cables of its own. */
bool doctor_is_sum(const struct doctor_iface *iface);
/* How much @field of @queue rose; ~0: not known. */
#define doctor_queue_rise(snap, iface, queue, field) \
	doctor_queue_rise_at(snap, iface, queue, offsetof(struct doctor_queue, field))
__u64 doctor_queue_rise_at(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
			   const struct doctor_queue *queue, size_t offset);
/* The difference of two readings that may be ~0. */
__u64 doctor_since(__u64 before, __u64 after);

const struct doctor_owner *doctor_owner_of(const struct doctor_snapshot *snap,
					   const struct doctor_socket *socket);
