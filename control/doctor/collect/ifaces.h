/* SPDX-License-Identifier: GPL-2.0-only */
/* Interfaces: each part of them by its collector. */
#ifndef RXAQM_DOCTOR_COLLECT_IFACES_H
#define RXAQM_DOCTOR_COLLECT_IFACES_H

#include "doctor/collect/collect.h"

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

#endif /* RXAQM_DOCTOR_COLLECT_IFACES_H */
