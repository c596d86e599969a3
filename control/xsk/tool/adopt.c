/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include "tool.h"

#include <dirent.h>
#include <linux/if_xdp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"
#include "progress.h"
#include "base/now.h"

/* glibc has these functions since 2.36. The numbers are the same on all architectures. */
#define NR_PIDFD_OPEN 434
#define NR_PIDFD_GETFD 438

#define MAX_ENTRIES 32768
#define PROBE_ENTRIES 64
#define LOOK_NS (500 * RXAQM_NSEC_PER_USEC)
/* A process that has taken nothing for this long hangs: stop publishing. */
#define HANGS_NS (100 * RXAQM_NSEC_PER_MSEC)

struct adopted {
	struct rxaqm_attached at;
	int fd; /* our copy of the socket; -1: none */
	struct ring { /* its Rx ring, which we only read */
		void *memory; /* NULL: not mapped */
		__u64 size;
		const __u32 *producer, *consumer;
		__u32 entries;
	} ring;
	bool inserted; /* into xsk_map */
	struct rxaqm_progress progress;
	__u64 looked_ns; /* time of the last look */
	__u64 taken_ns; /* time of the last look that found packets taken */
	__u64 wait_ns; /* how long the newest of those waited */
	__u32 consumer; /* at the last look */
	struct report *report;
};

static struct adopted adopted[MAX_SOCKETS];
static unsigned int nr_adopted;
static int pidfd = -1; /* the process that owns the sockets */

static bool is_xdp(int fd)
{
	socklen_t size = sizeof(int);
	int domain;

	return !getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) && domain == AF_XDP;
}

/* Without xdp_diag the kernel does not tell what a socket is bound to. But a socket without its own
 * rings for free frames can share those of @fd only on the very same queue.
 */
static bool is_bound_to(int fd, unsigned int ifindex, unsigned int queue)
{
	const struct sockaddr_xdp address = {
		.sxdp_family = AF_XDP,
		.sxdp_flags = XDP_SHARED_UMEM,
		.sxdp_ifindex = ifindex,
		.sxdp_queue_id = queue,
		.sxdp_shared_umem_fd = (__u32)fd,
	};
	const int entries = PROBE_ENTRIES;
	bool bound = false;
	int probe;

	probe = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (probe < 0)
		return false;
	if (!setsockopt(probe, SOL_XDP, XDP_RX_RING, &entries, sizeof(entries)))
		bound = !bind(probe, (const struct sockaddr *)&address, sizeof(address));
	close(probe);
	return bound;
}

/* Is /proc/PID/fd/@name a socket? Other descriptors may not be copied. */
static bool is_socket(int dir, const char *name)
{
	char target[8];

	return readlinkat(dir, name, target, sizeof(target)) == sizeof(target) &&
	       !memcmp(target, "socket:[", sizeof(target));
}

/* Copy the socket that process @pid has bound to @queue of @ifindex. -ENOENT: there is none; or
 * -errno.
 */
static int foreign_socket(int pid, unsigned int ifindex, unsigned int queue)
{
	int found = -ENOENT, fd;
	const struct dirent *entry;
	char path[32];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (found == -ENOENT && (entry = readdir(dir))) {
		if (!is_socket(dirfd(dir), entry->d_name))
			continue;
		fd = (int)syscall(NR_PIDFD_GETFD, pidfd, atoi(entry->d_name), 0);
		if (fd < 0 && errno == EPERM)
			found = -EPERM;
		if (fd < 0)
			continue;
		if (is_xdp(fd) && is_bound_to(fd, ifindex, queue))
			found = fd;
		else
			close(fd);
	}
	closedir(dir);
	return found;
}

static int map_ring(struct ring *ring, int fd)
{
	struct xdp_mmap_offsets off;
	socklen_t size = sizeof(off);
	__u32 entries;

	if (getsockopt(fd, SOL_XDP, XDP_MMAP_OFFSETS, &off, &size))
		return -errno;
	/* The kernel does not tell the length of the ring, but refuses to map more than there is.
	 */
	for (entries = MAX_ENTRIES; entries; entries /= 2) {
		ring->size = off.rx.desc + entries * sizeof(struct xdp_desc);
		ring->memory = mmap(NULL, ring->size, PROT_READ, MAP_SHARED, fd, XDP_PGOFF_RX_RING);
		if (ring->memory != MAP_FAILED)
			break;
	}
	if (!entries) {
		ring->memory = NULL;
		return -errno;
	}
	ring->entries = entries;
	ring->producer = (const __u32 *)((char *)ring->memory + off.rx.producer);
	ring->consumer = (const __u32 *)((char *)ring->memory + off.rx.consumer);
	return 0;
}

int adopt_begin(pid_t pid, const char *ifname, unsigned int queue, struct report *report,
		struct rxaqm_error *error)
{
	struct adopted *a = &adopted[nr_adopted];
	int err;

	if (pidfd < 0)
		pidfd = (int)syscall(NR_PIDFD_OPEN, pid, 0);
	if (pidfd < 0)
		return rxaqm_failed(error, EINVAL, "there is no process %d: %s", pid,
				    strerror(errno));
	nr_adopted++;
	a->report = report;
	a->fd = -1;
	err = rxaqm_attached_open(&a->at, ifname, queue);
	if (err)
		return rxaqm_failed(error, -err, "cannot open queue %u of \"%s\": %s", queue,
				    ifname, rxaqm_xsk_strerror(err));
	a->fd = foreign_socket(pid, a->at.ifindex, queue);
	if (a->fd == -ENOENT)
		return rxaqm_failed(error, EINVAL,
				    "process %d has no AF_XDP socket on queue %u of \"%s\"; start it "
				    "first",
				    pid, queue, ifname);
	if (a->fd < 0)
		return rxaqm_failed(error, -a->fd,
				    "cannot copy the sockets of process %d: %s; run as root", pid,
				    strerror(-a->fd));
	err = map_ring(&a->ring, a->fd);
	if (err)
		return rxaqm_failed(error, -err,
				    "cannot map the Rx ring of process %d on queue %u: %s", pid,
				    queue, strerror(-err));
	err = rxaqm_attached_insert(&a->at, a->fd, a->ring.entries, pid);
	if (err)
		return rxaqm_failed(error, -err, "cannot use queue %u of \"%s\": %s", queue, ifname,
				    rxaqm_xsk_strerror(err));
	a->inserted = true;
	a->consumer = __atomic_load_n(a->ring.consumer, __ATOMIC_ACQUIRE);
	return 0;
}

/* Packets taken since the last look were still in the ring then: publish how long they had waited
 * at that time, which is a lower bound.
 */
static void look(struct adopted *a, __u64 now_ns)
{
	__u32 consumer = __atomic_load_n(a->ring.consumer, __ATOMIC_ACQUIRE);
	__u32 producer = __atomic_load_n(a->ring.producer, __ATOMIC_ACQUIRE);
	__u32 taken = consumer - a->consumer;

	rxaqm_progress_look(&a->progress, now_ns, producer);
	if (taken)
		a->wait_ns = rxaqm_progress_wait_ns(&a->progress, a->looked_ns, consumer);
	if (consumer == producer)
		a->wait_ns = 0;
	if (taken || consumer == producer)
		a->taken_ns = now_ns;
	if (now_ns - a->taken_ns < HANGS_NS)
		rxaqm_attached_publish(&a->at, now_ns, a->wait_ns);
	a->report->packets += taken;
	a->report->wait[rxaqm_hist_bucket(a->wait_ns)] += taken;
	a->report->wait_ns = a->wait_ns;
	a->consumer = consumer;
	a->looked_ns = now_ns;
}

int adopt_look(void)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	struct pollfd process = { pidfd, POLLIN, 0 };
	unsigned int i;

	if (ppoll(&process, 1, &pause, NULL) > 0)
		return 1;
	for (i = 0; i < nr_adopted; i++)
		look(&adopted[i], rxaqm_now_ns());
	return 0;
}

int adopt_check(unsigned int i)
{
	struct adopted *a = &adopted[i];
	struct xdp_statistics stats = {};
	socklen_t size = sizeof(stats);

	if (!rxaqm_attached_still(&a->at))
		return -ESTALE;
	if (getsockopt(a->fd, SOL_XDP, XDP_STATISTICS, &stats, &size))
		return 0;
	/* DPDK has as many frames as ring entries: it runs out of frames before the ring is full.
	 */
	a->report->ring_full = stats.rx_ring_full + stats.rx_dropped;
	rxaqm_attached_ring_full(&a->at, a->report->ring_full);
	return 0;
}

void adopt_end(void)
{
	unsigned int i;

	for (i = 0; i < nr_adopted; i++) {
		struct adopted *a = &adopted[i];

		if (a->inserted)
			rxaqm_attached_leave(&a->at);
		if (a->ring.memory)
			munmap(a->ring.memory, a->ring.size);
		if (a->fd >= 0)
			close(a->fd);
		rxaqm_attached_close(&a->at);
	}
	if (pidfd >= 0)
		close(pidfd);
}
