/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Collectors: each fills its part of a snapshot with what the running kernel gives, and notes
 * what it does not (doctor_cannot_see). None judges, none changes a setting of the host.
 */
#pragma once

#include <stdio.h>

#include "doctor/snapshot/snapshot.h"

struct doctor_request {
	const char *interface; /* NULL: all that are up */
	__u64 window_ns; /* between the samples */
	volatile int *stop; /* non-zero: end the window early; may be NULL */
};

/* Take both samples, and wait in between. -ENODEV with @error: no such interface. */
int doctor_collect(struct doctor_snapshot *snap, const struct doctor_request *request,
		   struct rxaqm_error *error);

/* Replace addresses by "addr1" ..., the names of the host and of processes by "masked", and paths
 * of cgroups by "/masked1" ....
 */
void doctor_mask(struct doctor_snapshot *snap);

/* A mount of sysfs of our own, to be read; the caller's /sys where that cannot be had. */
int doctor_sysfs_open(struct doctor_snapshot *snap);

/* What never changes in the window: the kernel, sysctls, what looks at each packet. */
void doctor_collect_host(struct doctor_snapshot *snap);
/* /proc/net/{snmp,netstat,snmp6,sockstat,sockstat6}, memory.events of cgroups. */
void doctor_collect_counters(struct doctor_snapshot *snap, struct doctor_sample *sample);
/* /proc/stat, /proc/softirqs, /proc/net/softnet_stat; how fast CPUs run, whom they share with. */
void doctor_collect_cpus(struct doctor_snapshot *snap, struct doctor_sample *sample);
/* Who takes CPU time, the kernel threads that receive, and the network namespaces that programs run
 * in. @first, of the first look, is compared and freed by the second one, which fills @snap.
 */
struct doctor_programs;
struct doctor_programs *doctor_programs_first(struct doctor_snapshot *snap);
void doctor_programs_second(struct doctor_snapshot *snap, struct doctor_programs *first);
/* Those threads within the window, for how long they wait at once; and at its end. */
void doctor_look_at_threads(struct doctor_snapshot *snap);
void doctor_threads_again(struct doctor_snapshot *snap);

/* Links, by RTM_GETLINK: names, counters. 0 or -errno. */
int doctor_collect_links(struct doctor_snapshot *snap, struct doctor_sample *sample,
			 const char *interface);
/* /sys/class/net/IF/queues: BQL, and RPS; its device: PCIe, the node of its memory. */
void doctor_collect_queues(struct doctor_iface *iface, int sysfs_fd);
void doctor_collect_device(struct doctor_iface *iface, int sysfs_fd);
/* ethtool -i -S; and -g -l -x -k, the link. @was: the same in the first sample; NULL: it is new. */
void doctor_collect_ethtool(struct doctor_iface *iface, const struct doctor_iface *was);
void doctor_collect_settings(struct doctor_iface *iface);
/* Qdiscs of all @sample's interfaces, per Tx queue; and a look more at their backlogs. */
void doctor_collect_qdiscs(struct doctor_snapshot *snap, struct doctor_sample *sample);
void doctor_look_at_qdiscs(struct doctor_snapshot *snap);
/* Queues, NAPIs and their counters, by the netlink family netdev. */
void doctor_collect_netdev(struct doctor_snapshot *snap, struct doctor_sample *sample);
/* /proc/interrupts: who is interrupted for a queue. */
void doctor_collect_irqs(struct doctor_sample *sample);

struct doctor_iface *doctor_iface_of(struct doctor_sample *sample, __u32 ifindex);
/* The queue, added if it is not there yet; NULL: no memory, or a number that no queue has. */
struct doctor_queue *doctor_queue_of(struct doctor_iface *iface, bool tx, __u32 id);

/* What rxaqm counts where it is attached; the second one fills snap->attached, and frees. */
struct doctor_attached_before;
struct doctor_attached_before *doctor_attached_first(void);
void doctor_attached_second(struct doctor_snapshot *snap, struct doctor_attached_before *before);

/* The whole of @path below @dir_fd (AT_FDCWD: absolute); to be freed, NULL with errno. */
char *doctor_read(int dir_fd, const char *path);
/* Have @parse look at it, for @to; a note of @what, unless that is NULL, if it cannot be read. */
void doctor_parse(struct doctor_snapshot *snap, const char *path, const char *what,
		  void (*parse)(void *to, char *text), void *to);
/* A number in a file; @otherwise if there is none. */
__u64 doctor_read_u64(int dir_fd, __u64 otherwise, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The first line of a file, without its end; false if there is none. */
bool doctor_read_line(int dir_fd, char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* How long the thread @tid ran, how long it waited to, and how often it did. */
struct doctor_schedstat {
	__u64 run_ns, wait_ns, waits;
};
bool doctor_read_schedstat(__u32 tid, struct doctor_schedstat *times);
void doctor_map_set(doctor_map *map, const char *name, __u64 value);
void doctor_map_set_words(doctor_map *map, const char *name, const char *words);
