/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Collectors. Each fills its part of a snapshot from the running kernel, and notes with
 * doctor_cannot_see() what it cannot read. None judges; none changes a setting of the host.
 */
#pragma once

#include <stdio.h>

#include "doctor/snapshot/snapshot.h"

struct doctor_request {
	const char *interface; /* NULL: all interfaces that are up */
	__u64 window_ns; /* between the samples */
	volatile int *stop; /* non-zero: end the window early; may be NULL */
};

/* Take two samples and wait between them. Return 0, or -errno with @error; -ENODEV: no such
 * interface.
 */
int doctor_collect(struct doctor_snapshot *snap, const struct doctor_request *request,
		   struct rxaqm_error *error);

/* Replace addresses by "addr1" ..., and the names of the host and of processes by "masked". */
void doctor_mask(struct doctor_snapshot *snap);

/* Open a sysfs mount of our own for reading, or the caller's /sys if that fails. */
int doctor_sysfs_open(struct doctor_snapshot *snap);

/* What does not change within a window: the kernel, sysctls. */
void doctor_collect_host(struct doctor_snapshot *snap);
/* /proc/net/{snmp,netstat,snmp6,sockstat,sockstat6}. */
void doctor_collect_counters(struct doctor_snapshot *snap, struct doctor_sample *sample);
/* /proc/stat, /proc/softirqs, /proc/net/softnet_stat. */
void doctor_collect_cpus(struct doctor_snapshot *snap, struct doctor_sample *sample);
/* Programs that use CPU time, kernel threads that receive, and the network namespaces that programs
 * run in. The first call keeps what it saw in @first; the second one compares, fills @snap and
 * frees @first.
 */
struct doctor_programs;
struct doctor_programs *doctor_programs_first(struct doctor_snapshot *snap);
void doctor_programs_second(struct doctor_snapshot *snap, struct doctor_programs *first);
/* The receiving kernel threads: during the window their longest wait, and at its end their times.
 */
void doctor_look_at_threads(struct doctor_snapshot *snap);
void doctor_threads_again(struct doctor_snapshot *snap);

/* Read names and counters of links by RTM_GETLINK. Return 0 or -errno. */
int doctor_collect_links(struct doctor_snapshot *snap, struct doctor_sample *sample,
			 const char *interface);
/* From /sys/class/net/IF: BQL and RPS of its queues, PCIe width and manager of its device. */
void doctor_collect_queues(struct doctor_iface *iface, int sysfs_fd);
void doctor_collect_device(struct doctor_iface *iface, int sysfs_fd);
/* ethtool -i -S; and -c -g -l -x -k and the link. @was: the interface in the first sample, or NULL.
 */
void doctor_collect_ethtool(struct doctor_iface *iface, const struct doctor_iface *was);
void doctor_collect_settings(struct doctor_iface *iface);
/* The qdiscs of all interfaces in @sample by Tx queue; NULL: another look at their backlogs. */
void doctor_collect_qdiscs(struct doctor_snapshot *snap, struct doctor_sample *sample);
/* Queues, NAPIs and their counters, by the netlink family netdev. */
void doctor_collect_netdev(struct doctor_snapshot *snap, struct doctor_sample *sample);
/* /proc/interrupts: which CPU serves the interrupt of a queue. */
void doctor_collect_irqs(struct doctor_sample *sample);

struct doctor_iface *doctor_iface_of(struct doctor_sample *sample, __u32 ifindex);
/* The queue, added if it is not there yet; NULL: no memory, or @id is too large. */
struct doctor_queue *doctor_queue_of(struct doctor_iface *iface, bool tx, __u32 id);

/* What rxaqm counts where it is attached. The second call fills snap->attached and frees its
 * argument.
 */
struct doctor_attached_before;
struct doctor_attached_before *doctor_attached_first(void);
void doctor_attached_second(struct doctor_snapshot *snap, struct doctor_attached_before *before);

/* Read all of @path, relative to @dir_fd. The caller frees it; NULL with errno. */
char *doctor_read(int dir_fd, const char *path);
/* Read @path and call @parse(@to, text). If that fails, note that @what cannot be seen, unless it
 * is NULL.
 */
void doctor_parse(struct doctor_snapshot *snap, const char *path, const char *what,
		  void (*parse)(void *to, char *text), void *to);
/* Read one number from a file; @otherwise if there is none. */
__u64 doctor_read_u64(int dir_fd, __u64 otherwise, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Read the first line of a file without its newline; false if there is none. */
bool doctor_read_line(int dir_fd, char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* How long the thread @tid ran, how long it waited for a CPU, and how often it waited. */
struct doctor_schedstat {
	__u64 run_ns, wait_ns, waits;
};
bool doctor_read_schedstat(__u32 tid, struct doctor_schedstat *times);
void doctor_map_set(doctor_map *map, const char *name, __u64 value);
void doctor_map_set_words(doctor_map *map, const char *name, const char *words);
