/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/measure/socket.h"

#include <errno.h>
#include <linux/if_xdp.h>
#include <sys/mman.h>

#include "base/now.h"
#include "qualify/measure/frame.h"

#define FRAME_SIZE 2048U
#define ENTRIES_MIN 2048U
#define ENTRIES_MAX 32768U
#define BATCH 64U
#define BIND_TRIES 30

static int make_frames(struct qualify_socket *sock, __u32 frames)
{
	const struct xsk_umem_config config = { .fill_size = frames,
						.comp_size = 64, /* must not be 0 */
						.frame_size = FRAME_SIZE };
	__u32 first, i;
	int err;

	sock->size = (size_t)frames * FRAME_SIZE;
	sock->memory = mmap(NULL, sock->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	if (sock->memory == MAP_FAILED)
		return -errno;
	err = xsk_umem__create(&sock->umem, sock->memory, sock->size, &sock->fill,
			       &sock->completion, &config);
	if (err)
		return err;
	if (xsk_ring_prod__reserve(&sock->fill, frames, &first) != frames)
		return -ENOMEM;
	for (i = 0; i < frames; i++)
		*xsk_ring_prod__fill_addr(&sock->fill, first + i) = (__u64)i * FRAME_SIZE;
	xsk_ring_prod__submit(&sock->fill, frames);
	return 0;
}

int qualify_socket_open(struct qualify_socket *sock, const char *ifname, unsigned int queue,
			__u32 entries, __u16 flags)
{
	struct xsk_socket_config config = { .libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
					    .bind_flags = flags };
	int err, tries;

	*sock = (struct qualify_socket){ .memory = MAP_FAILED };
	for (config.rx_size = ENTRIES_MIN;
	     config.rx_size < entries && config.rx_size < ENTRIES_MAX;)
		config.rx_size *= 2;
	err = make_frames(sock, 2 * config.rx_size);
	if (err)
		return err;
	/* The kernel frees a queue some time after its last socket is closed. */
	for (tries = 0; tries < BIND_TRIES; tries++) {
		err = xsk_socket__create(&sock->xsk, ifname, queue, sock->umem, &sock->rx, NULL,
					 &config);
		if (err != -EBUSY)
			break;
		rxaqm_sleep_until(rxaqm_now_ns() + 10 * RXAQM_NSEC_PER_MSEC);
	}
	return err;
}

void qualify_socket_close(struct qualify_socket *sock)
{
	xsk_socket__delete(sock->xsk);
	xsk_umem__delete(sock->umem);
	if (sock->memory != MAP_FAILED)
		munmap(sock->memory, sock->size);
	*sock = (struct qualify_socket){ .memory = MAP_FAILED };
}

/* Take up to a batch of frames, and count those with a mark. */
static __u32 take_batch(struct qualify_socket *sock, __u32 *ret_marked)
{
	__u32 first, to, i, nr = xsk_ring_cons__peek(&sock->rx, BATCH, &first);
	struct qualify_mark mark;

	if (!nr || xsk_ring_prod__reserve(&sock->fill, nr, &to) != nr)
		return 0;
	for (i = 0; i < nr; i++) {
		const struct xdp_desc *desc = xsk_ring_cons__rx_desc(&sock->rx, first + i);

		*ret_marked += qualify_frame_mark(xsk_umem__get_data(sock->memory, desc->addr),
						  desc->len, &mark);
		*xsk_ring_prod__fill_addr(&sock->fill, to + i) = desc->addr / FRAME_SIZE *
								 FRAME_SIZE;
	}
	xsk_ring_prod__submit(&sock->fill, nr);
	xsk_ring_cons__release(&sock->rx, nr);
	return nr;
}

__u32 qualify_socket_take(struct qualify_socket *sock)
{
	__u32 marked = 0;

	while (take_batch(sock, &marked) == BATCH)
		;
	return marked;
}
