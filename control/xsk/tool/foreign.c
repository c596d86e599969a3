/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include "foreign.h"

#include <dirent.h>
#include <errno.h>
#include <linux/if_xdp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_ENTRIES 32768
#define PROBE_ENTRIES 64

static bool is_xdp(int fd)
{
	socklen_t size = sizeof(int);
	int domain;

	return !getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) && domain == AF_XDP;
}

/* The kernel does not say what a socket is bound to, unless it has xdp_diag. But a socket without
 * rings of its own for free frames can share those of @fd on the very same queue only.
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

/* Does /proc/PID/fd/@name lead to a socket at all? Not all others may be copied. */
static bool is_socket(int dir, const char *name)
{
	char target[8];

	return readlinkat(dir, name, target, sizeof(target)) == sizeof(target) &&
	       !memcmp(target, "socket:[", sizeof(target));
}

int foreign_socket(int pidfd, int pid, unsigned int ifindex, unsigned int queue)
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
		fd = pidfd_getfd(pidfd, atoi(entry->d_name), 0);
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

int foreign_ring_map(struct foreign_ring *ring, int fd)
{
	struct xdp_mmap_offsets off;
	socklen_t size = sizeof(off);
	__u32 entries;

	if (getsockopt(fd, SOL_XDP, XDP_MMAP_OFFSETS, &off, &size))
		return -errno;
	/* Nor does the kernel say how long the ring is; but not more than that can be mapped. */
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

void foreign_ring_unmap(struct foreign_ring *ring)
{
	if (ring->memory)
		munmap(ring->memory, ring->size);
	ring->memory = NULL;
}
