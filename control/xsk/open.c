/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Open and close the socket of a queue. */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_xdp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

#define DEFAULT_RING 2048
#define DEFAULT_FRAME 4096
#define MAX_RING 32768
/* A packet begins at 256 bytes plus this. Then the metadata before it is in one cache line with its
 * first headers, so that reading both fetches one line from another CPU instead of two.
 */
#define FRAME_HEADROOM sizeof(struct rxaqm_meta)

/* The caller may have been built with an older, shorter struct. */
static int read_options(struct rxaqm_xsk_options *options, const struct rxaqm_xsk_options *from)
{
	memset(options, 0, sizeof(*options));
	if (from) {
		if (from->size < sizeof(from->size) || from->size > sizeof(*options))
			return -EINVAL;
		memcpy(options, from, from->size);
	}
	if (!options->ring_entries)
		options->ring_entries = DEFAULT_RING;
	if (!options->frame_size)
		options->frame_size = DEFAULT_FRAME;
	if (options->ring_entries & (options->ring_entries - 1) || options->ring_entries > MAX_RING)
		return -EINVAL;
	if (options->frame_size != 2048 && options->frame_size != 4096)
		return -EINVAL;
	return options->copy <= RXAQM_XSK_COPY_NEVER ? 0 : -EINVAL;
}

/* Enough frames for a full Rx ring plus a full driver ring, or as many in the caller's hands: with
 * a slow caller the Rx ring fills up before the frames run out.
 */
static __u32 nr_frames(const struct rxaqm_xsk *xsk, const struct rxaqm_xsk_options *options)
{
	__u32 elsewhere = options->ring_entries, frames = 1;

	if (xsk->at.iface->ring_entries > elsewhere && xsk->at.iface->ring_entries <= MAX_RING)
		elsewhere = xsk->at.iface->ring_entries;
	while (frames < options->ring_entries + elsewhere)
		frames *= 2;
	return frames;
}

static int make_frames(struct rxaqm_xsk *xsk, const struct rxaqm_xsk_options *options)
{
	__u32 frames = nr_frames(xsk, options), first, i;
	const struct xsk_umem_config config = {
		.fill_size = frames,
		.comp_size = 64, /* must not be 0 */
		.frame_size = options->frame_size,
		.frame_headroom = FRAME_HEADROOM,
	};
	void *memory;
	int err;

	xsk->frames_size = (size_t)frames * options->frame_size;
	memory = mmap(NULL, xsk->frames_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (memory == MAP_FAILED)
		return -errno;
	xsk->frames = memory;
	err = xsk_umem__create(&xsk->umem, memory, xsk->frames_size, &xsk->fill, &xsk->completion,
			       &config);
	if (err)
		return err == -EAFNOSUPPORT ? -EOPNOTSUPP : err; /* a kernel without AF_XDP */
	if (fcntl(xsk_umem__fd(xsk->umem), F_SETFD, FD_CLOEXEC))
		return -errno;
	if (xsk_ring_prod__reserve(&xsk->fill, frames, &first) != frames)
		return -ENOMEM;
	for (i = 0; i < frames; i++)
		*xsk_ring_prod__fill_addr(&xsk->fill, first + i) = (__u64)i * options->frame_size;
	xsk_ring_prod__submit(&xsk->fill, frames);
	return 0;
}

/* The kernel frees a queue some time after its last socket was closed: on a busy host up to about a
 * second. A consumer that is killed and started again has to wait for that.
 */
static int bind_socket(struct rxaqm_xsk *xsk, const char *ifname, unsigned int queue,
		       const struct xsk_socket_config *config)
{
	const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
	int tries, err;

	for (tries = 0; tries < 200; tries++) {
		if (tries)
			nanosleep(&pause, NULL);
		err = xsk_socket__create(&xsk->socket, ifname, queue, xsk->umem, &xsk->rx, NULL,
					 config);
		if (err != -EBUSY)
			break;
	}
	return err;
}

static int make_socket(struct rxaqm_xsk *xsk, const char *ifname, unsigned int queue,
		       const struct rxaqm_xsk_options *options)
{
	struct xsk_socket_config config = {
		.rx_size = options->ring_entries,
		/* rxaqm's program stays on the interface. */
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = XDP_USE_NEED_WAKEUP,
	};
	int err;

	/* In generic mode a program sees only copies. */
	if (options->copy == RXAQM_XSK_COPY_ALWAYS || (xsk->at.iface->flags & RXAQM_IFACE_GENERIC))
		config.bind_flags |= XDP_COPY;
	if (options->copy == RXAQM_XSK_COPY_NEVER) {
		if (config.bind_flags & XDP_COPY)
			return -EOPNOTSUPP;
		config.bind_flags |= XDP_ZEROCOPY;
	}
	err = bind_socket(xsk, ifname, queue, &config);
	/* rxaqm has entries for queues that the interface may get later. */
	return err == -EINVAL ? -ERANGE : err;
}

static void free_all(struct rxaqm_xsk *xsk)
{
	xsk_socket__delete(xsk->socket);
	xsk_umem__delete(xsk->umem);
	if (xsk->frames)
		munmap(xsk->frames, xsk->frames_size);
	rxaqm_attached_close(&xsk->at);
	free(xsk);
}

RXAQM_XSK_EXPORT int rxaqm_xsk_open(struct rxaqm_xsk **ret_xsk, const char *ifname,
				    unsigned int queue, const struct rxaqm_xsk_options *from)
{
	struct rxaqm_xsk_options options;
	struct rxaqm_xsk *xsk;
	int err;

	err = read_options(&options, from);
	if (err)
		return err;
	xsk = calloc(1, sizeof(*xsk));
	if (!xsk)
		return -ENOMEM;
	err = rxaqm_attached_open(&xsk->at, ifname, queue);
	if (!err)
		err = make_frames(xsk, &options);
	if (!err)
		err = make_socket(xsk, ifname, queue, &options);
	if (!err)
		err = rxaqm_attached_insert(&xsk->at, rxaqm_xsk_fd(xsk), xsk->rx.size, getpid());
	if (err) {
		free_all(xsk);
		return err;
	}
	rxaqm_attached_publish(&xsk->at, rxaqm_now_ns(), 0);
	*ret_xsk = xsk;
	return 0;
}

RXAQM_XSK_EXPORT void rxaqm_xsk_close(struct rxaqm_xsk *xsk)
{
	if (!xsk)
		return;
	rxaqm_attached_leave(&xsk->at);
	free_all(xsk);
}

RXAQM_XSK_EXPORT int rxaqm_xsk_fd(const struct rxaqm_xsk *xsk)
{
	return xsk_socket__fd(xsk->socket);
}

RXAQM_XSK_EXPORT const char *rxaqm_xsk_strerror(int err)
{
	static const struct {
		int err;
		const char *text;
	} texts[] = {
		{ -ENODEV,
		  "there is no such interface in this network namespace; see \"ip link\"" },
		{ -ENOENT,
		  "rxaqm is not attached to it; run \"rxaqm attach IFACE\" (and not inside "
		  "\"ip netns exec\", which hides the BPF file system)" },
		{ -EPROTO, "this library and the rxaqm that attached are of different versions; "
			   "detach, then attach with the one installed with the library" },
		{ -ERANGE, "rxaqm or the interface has no such queue; \"rxaqm status IFACE\" lists "
			   "them" },
		{ -EADDRNOTAVAIL,
		  "its queues are CPUs' backlogs, which have no socket; attach with "
		  "\"--key queue\", without RPS" },
		{ -EBUSY, "the queue has another consumer; \"rxaqm status IFACE\" tells its pid" },
		{ -EOPNOTSUPP, "kernel or driver has no AF_XDP as asked for; try copy mode" },
		{ -EPERM, "no permission; run as root" },
		{ -EACCES, "no permission; run as root" },
		{ -ESTALE, "rxaqm was detached from the interface; attach, and open it again" },
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (err == texts[i].err)
			return texts[i].text;
	return strerror(-err);
}
