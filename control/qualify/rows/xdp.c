/* SPDX-License-Identifier: GPL-2.0-only */
/* Q14: what XDP is said to do here, and what it really does. */
#include <linux/if_xdp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xdp/xsk.h>

#include "base/now.h"
#include "nic/netdev.h"
#include "qualify/rows/gap.h"
#include "qualify/rows/traffic.h"

static void put_features(struct qualify_row *row, __u64 features)
{
	static const char *const names[] = { "basic",	   "redirect", "ndo-xmit",   "xsk-zerocopy",
					     "hw-offload", "rx-sg",    "ndo-xmit-sg" };
	char words[QUALIFY_WORDS_LEN];

	qualify_put_words(row, "advertised", "netdev dev-get, xdp-features", "%s",
			  features == ~0ULL ?
				  "unknown" :
				  qualify_words_of(features, names,
						   sizeof(names) / sizeof(names[0]), words));
}

#define FRAME_SIZE 2048U
#define FRAMES 4096U
#define BIND_TRIES 30

struct socket {
	struct xsk_umem *umem;
	struct xsk_socket *xsk;
	struct xsk_ring_prod fill;
	struct xsk_ring_cons rx, completion;
	void *memory; /* MAP_FAILED: none */
};

static int make_frames(struct socket *sock)
{
	const struct xsk_umem_config config = { .fill_size = FRAMES,
						.comp_size = 64, /* must not be 0 */
						.frame_size = FRAME_SIZE };
	__u32 first, i;
	int err;

	if (sock->memory == MAP_FAILED)
		return -ENOMEM;
	err = xsk_umem__create(&sock->umem, sock->memory, FRAMES * FRAME_SIZE, &sock->fill,
			       &sock->completion, &config);
	if (err)
		return err;
	if (xsk_ring_prod__reserve(&sock->fill, FRAMES, &first) != FRAMES)
		return -ENOMEM;
	for (i = 0; i < FRAMES; i++)
		*xsk_ring_prod__fill_addr(&sock->fill, first + i) = (__u64)i * FRAME_SIZE;
	xsk_ring_prod__submit(&sock->fill, FRAMES);
	return 0;
}

static int open_socket(struct socket *sock, const struct qualify_run *run, __u16 flags)
{
	const struct xsk_socket_config config = {
		.rx_size = FRAMES / 2,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = flags,
	};
	int err = make_frames(sock), tries;

	/* The kernel frees a queue some time after its last socket is closed. */
	for (tries = 0; !err && tries < BIND_TRIES; tries++) {
		err = xsk_socket__create(&sock->xsk, run->ifname, run->rx_queue, sock->umem,
					 &sock->rx, NULL, &config);
		if (err != -EBUSY)
			return err;
		err = 0;
		rxaqm_sleep_until(rxaqm_now_ns() + 10 * RXAQM_NSEC_PER_MSEC);
	}
	return err ?: -EBUSY;
}

/* Bind a socket with @flags: XDP_ZEROCOPY makes drivers reset their rings, XDP_COPY does not. 1:
 * zero copy is in effect; 0: it is not; -errno.
 */
static int bind_socket(const struct qualify_run *run, __u16 flags)
{
	struct socket sock = { .memory = mmap(NULL, FRAMES * FRAME_SIZE, PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) };
	struct xdp_options options = {};
	socklen_t size = sizeof(options);
	int err = open_socket(&sock, run, flags);

	if (!err && getsockopt(xsk_socket__fd(sock.xsk), SOL_XDP, XDP_OPTIONS, &options, &size))
		err = -errno;
	xsk_socket__delete(sock.xsk);
	xsk_umem__delete(sock.umem);
	if (sock.memory != MAP_FAILED)
		munmap(sock.memory, FRAMES * FRAME_SIZE);
	return err ?: !!(options.flags & XDP_OPTIONS_ZEROCOPY);
}

/* True: zero copy works. */
static bool put_sockets(struct qualify_run *run, struct qualify_row *row)
{
	int zero = bind_socket(run, XDP_ZEROCOPY),
	    copy = zero == 1 ? 0 : bind_socket(run, XDP_COPY);

	qualify_figure_detail(
		qualify_figure_add(row, "zero_copy", "",
				   "a socket bound to the queue in use with XDP_ZEROCOPY, then XDP_COPY; "
				   "getsockopt(XDP_OPTIONS)"),
		zero == 1 ? "zero-copy" :
		copy >= 0 ? "copy" :
			    "none",
		"%s", zero == 1 ? "" : strerror(zero < 0 ? -zero : EOPNOTSUPP));
	return zero == 1;
}

static bool put_native(struct qualify_run *run, struct qualify_row *row)
{
	int fd = qualify_probe_xdp_try(&run->probe, true);

	qualify_figure_detail(qualify_figure_add(row, "native", "",
						 "a program attached in this mode, at MTU %u",
						 run->record->mtu),
			      fd >= 0 ? "yes" : "no", "%s", fd >= 0 ? "" : strerror(-fd));
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int xdp_on(struct qualify_run *run, void *arg)
{
	(void)arg;
	return qualify_xdp_on(run);
}

static int put_gap(struct qualify_run *run, struct qualify_row *row)
{
	struct qualify_gap gap;
	int err = qualify_gap(run, 900, xdp_on, NULL, &gap);

	qualify_probe_xdp_off(&run->probe);
	if (!err)
		qualify_put_number(row, "gap_attach", "ns", gap.gap_ns, 1, gap.error_ns,
				   "longest pause of 2000 frames a second, %llu lost", gap.lost);
	return err;
}

/* With XDP_DROP in the current mode: do dropped frames stay away from the stack? */
static int put_drop(struct qualify_run *run, struct qualify_row *row, bool *ret_works)
{
	struct qualify_send send = QUALIFY_SEND(.count = 200, .pps = 5000);
	const volatile struct qualify_progress *progress = run->probe.progress;
	struct qualify_sent sent;
	int err = qualify_xdp_on(run);

	if (err)
		return err;
	qualify_probe_clear(&run->probe);
	run->probe.orders->drop = 1;
	err = qualify_traffic(run, &send, NULL, &sent);
	*ret_works = !err && progress->xdp && !progress->stack;
	qualify_put_said(row, "drop", *ret_works ? "yes" : "no",
			 "%llu of %llu frames seen by XDP, %llu behind it", progress->xdp,
			 sent.count, progress->stack);
	qualify_probe_xdp_off(&run->probe);
	return err;
}

int qualify_row_xdp(struct qualify_run *run, struct qualify_row *row)
{
	__u64 features = ~0ULL; /* the kernel does not tell (before 6.3) */
	bool native, zero_copy, drop = false;
	unsigned int missing = 0;
	int err;

	rxaqm_netdev_xdp_features(run->probe.ifindex, &features);
	put_features(row, features);
	native = put_native(run, row);
	err = put_drop(run, row, &drop) ?: put_gap(run, row);
	zero_copy = put_sockets(run, row);
	if (err)
		return err;
	if (features != ~0ULL) {
		missing += features & RXAQM_ND_XDP_ACT_BASIC && (!native || !drop);
		missing += features & RXAQM_ND_XDP_ACT_XSK_ZEROCOPY && !zero_copy;
	} else {
		missing = !drop;
	}
	qualify_put_number(row, "missing", "count", missing, 2, 0,
			   "basic actions and AF_XDP zero copy that are advertised and do not work");
	return 0;
}
