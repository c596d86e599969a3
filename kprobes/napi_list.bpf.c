// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * napi_list: the NAPI instances of a device of the caller's network namespace, and the functions
 * that poll them. A driver may have several such functions, and the one in use shows the generation
 * of the NIC or the format of its queues. No interface of the kernel reports it.
 *
 * Never attached: run once, by BPF_PROG_RUN, in the context of the command that asks. Needs no
 * kprobes, touches no packet, and only reads.
 */
#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Size of net.dev_index_head: NETDEV_HASHENTRIES, include/net/net_namespace.h (6.12.117). */
#define HASH_ENTRIES 256
#define MAX_CHAIN 256
#define MAX_NAPIS 512
#define MAX_POLLS 4

/* The fields read of the kernel's types; CO-RE ignores what follows the three underscores. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct list_head___napi {
	struct list_head___napi *next;
};

struct napi_struct___list {
	void *poll;
	int irq; /* from 6.8 on */
	struct list_head___napi dev_list;
};

struct netdev_rx_queue___napi {
	struct napi_struct___list *napi; /* from 6.8 on */
};

struct netdev_queue___napi {
	struct napi_struct___list *napi; /* from 6.8 on */
};

struct hlist_node___napi {
	struct hlist_node___napi *next;
};

struct net_device___napi {
	int ifindex;
	struct hlist_node___napi index_hlist;
	struct list_head___napi napi_list;
	struct netdev_rx_queue___napi *_rx;
	struct netdev_queue___napi *_tx;
};

struct net___napi {
	struct hlist_node___napi **dev_index_head; /* each a struct hlist_head: one pointer */
};

struct nsproxy___napi {
	struct net___napi *net_ns;
};

struct task_struct___napi {
	struct nsproxy___napi *nsproxy;
};

#pragma clang attribute pop

/* Input: the device. */
int ifindex = 0;
/* Output. rx_* and tx_* are of queue 0 only: the address of its NAPI, 0 if the driver does not say.
 */
bool found = false;
__u32 nr_napis = 0, nr_polls = 0;
__u64 poll[MAX_POLLS] = {};
__u64 rx_napi = 0, tx_napi = 0;
__s32 rx_irq = 0, tx_irq = 0; /* positive if known */

static struct net_device___napi *find_device(void)
{
	struct task_struct___napi *task = (void *)bpf_get_current_task();
	struct hlist_node___napi **head, *node = NULL;
	int i;

	head = BPF_CORE_READ(task, nsproxy, net_ns, dev_index_head);
	bpf_probe_read_kernel(&node, sizeof(node), head + (ifindex & (HASH_ENTRIES - 1)));
	for (i = 0; i < MAX_CHAIN && node; i++) {
		struct net_device___napi *dev =
			(void *)((char *)node -
				 bpf_core_field_offset(struct net_device___napi, index_hlist));

		if (BPF_CORE_READ(dev, ifindex) == ifindex)
			return dev;
		node = BPF_CORE_READ(node, next);
	}
	return NULL;
}

static void add_poll(__u64 function)
{
	__u32 i;

	for (i = 0; i < MAX_POLLS; i++) {
		if (i == nr_polls) {
			poll[i] = function;
			nr_polls = i + 1;
			return;
		}
		if (poll[i] == function)
			return;
	}
}

static void list_napis(struct net_device___napi *dev)
{
	struct list_head___napi *node, *head;
	int i;

	head = (void *)((char *)dev + bpf_core_field_offset(struct net_device___napi, napi_list));
	node = BPF_CORE_READ(head, next);
	for (i = 0; i < MAX_NAPIS && node && node != head; i++) {
		struct napi_struct___list *napi =
			(void *)((char *)node -
				 bpf_core_field_offset(struct napi_struct___list, dev_list));

		add_poll((__u64)BPF_CORE_READ(napi, poll));
		nr_napis++;
		node = BPF_CORE_READ(node, next);
	}
}

/* The netdev netlink family gives the same ("queue-get", "napi-get"). */
static void pair_queues(struct net_device___napi *dev)
{
	struct netdev_rx_queue___napi *rx;
	struct netdev_queue___napi *tx;
	struct napi_struct___list *napi;

	if (!bpf_core_field_exists(struct netdev_rx_queue___napi, napi) ||
	    !bpf_core_field_exists(struct netdev_queue___napi, napi) ||
	    !bpf_core_field_exists(struct napi_struct___list, irq))
		return;
	rx = BPF_CORE_READ(dev, _rx);
	napi = BPF_CORE_READ(rx, napi);
	rx_napi = (__u64)napi;
	if (napi)
		rx_irq = BPF_CORE_READ(napi, irq);
	tx = BPF_CORE_READ(dev, _tx);
	napi = BPF_CORE_READ(tx, napi);
	tx_napi = (__u64)napi;
	if (napi)
		tx_irq = BPF_CORE_READ(napi, irq);
}

SEC("raw_tp")
int napi_list(void *ctx)
{
	struct net_device___napi *dev = find_device();

	(void)ctx;
	if (!dev)
		return 0;
	found = true;
	list_napis(dev);
	pair_queues(dev);
	return 0;
}
