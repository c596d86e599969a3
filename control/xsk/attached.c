/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include "internal.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "state/dispatcher.h"
#include "meta.h"

#define PATH_LEN 256

/* The path that @name is pinned at; "", which does not exist, if it is too long. */
static const char *pin_path(const char *name, char buf[PATH_LEN])
{
	const char *dir = secure_getenv("RXAQM_BPFFS");

	if (snprintf(buf, PATH_LEN, "%s/rxaqm/%s", dir && *dir ? dir : "/sys/fs/bpf", name) >=
	    PATH_LEN)
		*buf = '\0';
	return buf;
}

static int map_pin(const char *name, size_t bytes, bool writable, void **ret_data)
{
	char path[PATH_LEN];

	return rxaqm_bpf_map_pin(pin_path(name, path), bytes, writable, ret_data);
}

/* -ENOENT: rxaqm is attached nowhere; -EPROTO: it has another version. */
static int check_version(void)
{
	struct rxaqm_meta_info *meta;
	__u32 version;
	int err;

	err = map_pin("meta_map", sizeof(*meta), false, (void **)&meta);
	if (err)
		return err;
	version = __atomic_load_n(&meta->abi_version, __ATOMIC_ACQUIRE);
	munmap(meta, sizeof(*meta));
	if (!version)
		return -ENOENT; /* an attach that was interrupted */
	return version == RXAQM_ABI_VERSION ? 0 : -EPROTO;
}

/* Find the interface by its program's id: name, index and namespace may have changed. */
static int find_iface(const struct rxaqm_iface *ifaces, unsigned int ifindex,
		      const struct rxaqm_iface **ret_iface)
{
	struct rxaqm_xdp_progs progs;
	int i, err = rxaqm_xdp_read(ifindex, &progs);

	for (i = 0; i < RXAQM_MAX_IFACES; i++) {
		*ret_iface = &ifaces[i];
		if (RXAQM_READ_ONCE(ifaces[i].state) == RXAQM_IFACE_ATTACHED &&
		    rxaqm_xdp_has(&progs, ifaces[i].prog_id))
			return 0;
	}
	return err ? err : -ENOENT;
}

static int find_queue(struct rxaqm_attached *at, unsigned int queue)
{
	const struct rxaqm_iface *iface;
	int err = find_iface(at->ifaces, at->ifindex, &iface);

	if (err)
		return err;
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
	char path[PATH_LEN];
	int err;

	*at = (struct rxaqm_attached)RXAQM_ATTACHED_NONE;
	at->ifindex = if_nametoindex(ifname);
	if (!at->ifindex)
		return -errno;
	err = check_version();
	if (err)
		return err;
	err = map_pin("iface_map", RXAQM_MAX_IFACES * sizeof(*at->ifaces), false,
		      (void **)&at->ifaces);
	if (!err)
		err = find_queue(at, queue);
	if (!err)
		err = map_pin("wait_map", RXAQM_MAX_QUEUES * sizeof(*at->waits), true,
			      (void **)&at->waits);
	if (!err)
		err = at->xsk_map = bpf_obj_get(pin_path("xsk_map", path));
	if (err < 0)
		rxaqm_attached_close(at);
	return err < 0 ? err : 0;
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

/* Each field of the entry is written at once: see struct rxaqm_wait. */
#define WRITE_ONCE(var, value) __atomic_store_n(&(var), value, __ATOMIC_RELAXED)

static void describe(const struct rxaqm_attached *at, __u32 ring_entries, __u32 pid)
{
	struct rxaqm_wait *wait = &at->waits[at->index];

	WRITE_ONCE(wait->ring_full, 0);
	WRITE_ONCE(wait->ring_entries, ring_entries);
	WRITE_ONCE(wait->pid, pid);
}

int rxaqm_attached_insert(const struct rxaqm_attached *at, int fd, __u32 ring_entries, pid_t pid)
{
	if (bpf_map_update_elem(at->xsk_map, &at->index, &fd, BPF_ANY))
		return -errno;
	describe(at, ring_entries, (__u32)pid);
	return 0;
}

void rxaqm_attached_publish(const struct rxaqm_attached *at, __u64 now_ns, __u64 wait_ns)
{
	struct rxaqm_wait *wait = &at->waits[at->index];

	WRITE_ONCE(wait->wait_ns, wait_ns);
	__atomic_store_n(&wait->updated_ns, now_ns, __ATOMIC_RELEASE);
}

void rxaqm_attached_ring_full(const struct rxaqm_attached *at, __u64 packets)
{
	WRITE_ONCE(at->waits[at->index].ring_full, packets);
}

void rxaqm_attached_leave(const struct rxaqm_attached *at)
{
	/* The entry may belong to another interface now. */
	if (!rxaqm_attached_still(at))
		return;
	bpf_map_delete_elem(at->xsk_map, &at->index);
	rxaqm_attached_publish(at, 0, 0);
	describe(at, 0, 0);
}
