/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include "attached.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attach/dispatcher.h"
#include "meta.h"

static int open_pin(const char *name)
{
	const char *dir = secure_getenv("RXAQM_BPFFS");
	char path[256];
	int fd;

	if (snprintf(path, sizeof(path), "%s/rxaqm/%s", dir && *dir ? dir : "/sys/fs/bpf", name) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = bpf_obj_get(path);
	return fd < 0 ? -errno : fd;
}

static int map_pin(const char *name, size_t bytes, int prot, void **ret_data)
{
	int fd = open_pin(name);
	void *data;
	int err = 0;

	if (fd < 0)
		return fd;
	data = mmap(NULL, bytes, prot, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED)
		err = -errno;
	else
		*ret_data = data;
	close(fd);
	return err;
}

/* -ENOENT if rxaqm is attached nowhere, -EPROTO if it is of another version. */
static int check_version(void)
{
	struct rxaqm_meta_info *meta;
	__u32 version;
	int err;

	err = map_pin("meta_map", sizeof(*meta), PROT_READ, (void **)&meta);
	if (err)
		return err;
	version = __atomic_load_n(&meta->abi_version, __ATOMIC_ACQUIRE);
	munmap(meta, sizeof(*meta));
	if (!version)
		return -ENOENT; /* an attach that was interrupted */
	return version == RXAQM_ABI_VERSION ? 0 : -EPROTO;
}

/* Does libxdp's dispatcher on the interface run the program? */
static bool dispatcher_runs(__u32 dispatcher_id, __u32 prog_id)
{
	__u32 link_id = 0, id;

	while (dispatcher_id && rxaqm_dispatcher_next(dispatcher_id, &link_id, &id))
		if (id == prog_id)
			return true;
	return false;
}

/* Interfaces are known by the id of the program, since name, index and namespace may change. */
static const struct rxaqm_iface *find_iface(const struct rxaqm_iface *ifaces, unsigned int ifindex)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, on);
	int i;

	if (bpf_xdp_query((int)ifindex, 0, &on))
		return NULL;
	for (i = 0; i < RXAQM_MAX_IFACES; i++) {
		const struct rxaqm_iface *iface = &ifaces[i];

		if (RXAQM_READ_ONCE(iface->state) != RXAQM_IFACE_ATTACHED || !iface->prog_id)
			continue;
		if (iface->prog_id == on.prog_id || iface->prog_id == on.drv_prog_id ||
		    iface->prog_id == on.skb_prog_id)
			return iface;
		if ((iface->flags & RXAQM_IFACE_DISPATCHER) &&
		    (dispatcher_runs(on.drv_prog_id, iface->prog_id) ||
		     dispatcher_runs(on.skb_prog_id, iface->prog_id)))
			return iface;
	}
	return NULL;
}

static int find_queue(struct rxaqm_attached *at, unsigned int queue)
{
	const struct rxaqm_iface *iface = find_iface(at->ifaces, at->ifindex);

	if (!iface)
		return -ENOENT;
	if (iface->flags & RXAQM_IFACE_BY_CPU)
		return -EADDRNOTAVAIL;
	if (queue >= iface->nr_queues || iface->queue_base >= RXAQM_MAX_QUEUES - queue)
		return -ERANGE;
	at->iface = iface;
	at->queue = queue;
	at->index = iface->queue_base + queue;
	at->prog_id = iface->prog_id;
	at->attached_ns = iface->attached_ns;
	return 0;
}

int rxaqm_attached_open(struct rxaqm_attached *at, const char *ifname, unsigned int queue)
{
	int err;

	*at = (struct rxaqm_attached)RXAQM_ATTACHED_NONE;
	at->ifindex = if_nametoindex(ifname);
	if (!at->ifindex)
		return -ENODEV;
	err = check_version();
	if (err)
		return err;
	err = map_pin("iface_map", RXAQM_MAX_IFACES * sizeof(*at->ifaces), PROT_READ,
		      (void **)&at->ifaces);
	if (err)
		goto out;
	err = find_queue(at, queue);
	if (err)
		goto out;
	err = map_pin("wait_map", RXAQM_MAX_QUEUES * sizeof(*at->waits), PROT_READ | PROT_WRITE,
		      (void **)&at->waits);
	if (err)
		goto out;
	at->xsk_map = open_pin("xsk_map");
	err = at->xsk_map < 0 ? at->xsk_map : 0;
out:
	if (err)
		rxaqm_attached_close(at);
	return err;
}

void rxaqm_attached_close(struct rxaqm_attached *at)
{
	if (at->ifaces)
		munmap((void *)at->ifaces, RXAQM_MAX_IFACES * sizeof(*at->ifaces));
	if (at->waits)
		munmap(at->waits, RXAQM_MAX_QUEUES * sizeof(*at->waits));
	if (at->xsk_map >= 0)
		close(at->xsk_map);
	*at = (struct rxaqm_attached)RXAQM_ATTACHED_NONE;
}

bool rxaqm_attached_still(const struct rxaqm_attached *at)
{
	const struct rxaqm_iface *iface = at->iface;

	return RXAQM_READ_ONCE(iface->state) == RXAQM_IFACE_ATTACHED &&
	       RXAQM_READ_ONCE(iface->prog_id) == at->prog_id &&
	       RXAQM_READ_ONCE(iface->attached_ns) == at->attached_ns;
}

int rxaqm_attached_insert(const struct rxaqm_attached *at, int fd)
{
	return bpf_map_update_elem(at->xsk_map, &at->index, &fd, BPF_ANY) ? -errno : 0;
}

/* Fields of the entry are written whole, one by one: see struct rxaqm_wait. */
#define WRITE_ONCE(var, value) __atomic_store_n(&(var), value, __ATOMIC_RELAXED)

void rxaqm_attached_publish(const struct rxaqm_attached *at, __u64 now_ns, __u64 wait_ns)
{
	struct rxaqm_wait *wait = &at->waits[at->index];

	WRITE_ONCE(wait->wait_ns, wait_ns);
	__atomic_store_n(&wait->updated_ns, now_ns, __ATOMIC_RELEASE);
}

void rxaqm_attached_describe(const struct rxaqm_attached *at, __u32 ring_entries, __u32 pid)
{
	struct rxaqm_wait *wait = &at->waits[at->index];

	WRITE_ONCE(wait->ring_entries, ring_entries);
	WRITE_ONCE(wait->pid, pid);
}

void rxaqm_attached_ring_full(const struct rxaqm_attached *at, __u64 packets)
{
	WRITE_ONCE(at->waits[at->index].ring_full, packets);
}

void rxaqm_attached_leave(const struct rxaqm_attached *at)
{
	/* Not what belongs to another interface by now. */
	if (!rxaqm_attached_still(at))
		return;
	bpf_map_delete_elem(at->xsk_map, &at->index);
	rxaqm_attached_publish(at, 0, 0);
	rxaqm_attached_ring_full(at, 0);
	rxaqm_attached_describe(at, 0, 0);
}
