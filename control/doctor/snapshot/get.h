/* SPDX-License-Identifier: GPL-2.0-only */
/* How checks read a snapshot. False, NULL or ~0 mean "not known"; of what cannot be 0, 0 does, too.
 */
#pragma once

#include "doctor/snapshot/snapshot.h"

/* For a field that cannot be 0: is it known? */
#define doctor_known(value) ((value) && (__typeof__(value))~(value))
/* For a count: 0 if it is not known. */
#define doctor_or_0(value) (doctor_known(value) ? (value) : 0)

bool doctor_map_get(doctor_map map, const char *name, __u64 *ret_value);

/* The whole value of a sysctl; NULL: the kernel does not have it. doctor_sysctl() returns numbers.
 */
const char *doctor_sysctl_words(const struct doctor_snapshot *snap, const char *name);

/* Seconds between the samples. */
double doctor_window_s(const struct doctor_snapshot *snap);

/* How much the counter rose in the window; false if it is not there or was reset. */
bool doctor_counter(const struct doctor_snapshot *snap, const char *name, __u64 *ret_value);
/* The sum of the counters in @names ("|" between), each with its IPv6 twin: "Udp.InErrors" and
 * "Udp6.InErrors". False if none is known.
 */
bool doctor_counters(const struct doctor_snapshot *snap, const char *names, __u64 *ret_sum);
/* Copy the next of the names at *@at ("|" between); false: none is left. */
bool doctor_next_name(const char **at, char name[64]);

/* Is @word one of @words (a blank between)? A word that begins another one must stand before it. */
bool doctor_is_one_of(const char *word, const char *words);

/* CPU @id in the first sample. */
const struct doctor_cpu *doctor_cpu_before(const struct doctor_snapshot *snap, __u32 id);

const struct doctor_iface *doctor_iface_at(const struct doctor_snapshot *snap, __u32 ifindex);
/* The name of the interface, or "an interface" if it is not known. */
const char *doctor_iface_name(const struct doctor_snapshot *snap, __u32 ifindex);
/* The same interface in the first sample, also if it was renamed in between. */
const struct doctor_iface *doctor_iface_before(const struct doctor_snapshot *snap,
					       const struct doctor_iface *iface);
bool doctor_iface_stat(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		       const char *name, __u64 *ret_value);
/* The rise of a counter in iface->stats; 0 also if it is not known. */
__u64 doctor_iface_rose(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
			const char *name);
/* The same of all interfaces; @sums: with those that only sum up others, as loopback. */
__u64 doctor_all_rose(const struct doctor_snapshot *snap, const char *name, bool sums);
/* The rise of a counter in iface->stats, or in iface->ethtool. */
bool doctor_iface_rise(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		       bool ethtool, const char *name, __u64 *ret_value);
#define DOCTOR_LOOPBACK 772 /* ARPHRD_LOOPBACK */
/* True if it only sums up other interfaces: it has no queues, rings or cables of its own. */
bool doctor_is_sum(const struct doctor_iface *iface);
/* How much @field of @queue rose; ~0: not known. */
#define doctor_queue_rise(snap, iface, queue, field) \
	doctor_queue_rise_at(snap, iface, queue, offsetof(struct doctor_queue, field))
__u64 doctor_queue_rise_at(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
			   const struct doctor_queue *queue, size_t offset);
/* The difference of two readings; ~0 if one of them is ~0. */
__u64 doctor_since(__u64 before, __u64 after);

const struct doctor_owner *doctor_owner_of(const struct doctor_snapshot *snap,
					   const struct doctor_socket *socket);
