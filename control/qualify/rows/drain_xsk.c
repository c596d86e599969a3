/* SPDX-License-Identifier: GPL-2.0-only */
/* Q9: how fast a ring is drained to an AF_XDP socket. */
#include <linux/if_xdp.h>
#include <math.h>
#include <poll.h>
#include <string.h>

#include "base/now.h"
#include "qualify/measure/socket.h"
#include "qualify/rows/traffic.h"

#define ROUNDS 3
#define QUIET_MS 150
#define WAIT_MS 10
#define FIRST_MS 1000

struct consumed {
	__u64 nr, last_ns;
};

/* Until nothing more comes. */
static void consume(struct qualify_run *run, struct qualify_socket *sock, struct consumed *consumed)
{
	__u64 now_ns = rxaqm_now_ns(), quiet_ns = FIRST_MS * RXAQM_NSEC_PER_MSEC;
	struct pollfd wait = { .fd = xsk_socket__fd(sock->xsk), .events = POLLIN };
	__u32 nr;

	*consumed = (struct consumed){ .last_ns = now_ns };
	while (!*run->stop && rxaqm_ns_since(now_ns, consumed->last_ns) < quiet_ns) {
		nr = qualify_socket_take(sock);
		now_ns = rxaqm_now_ns();
		if (!nr) {
			poll(&wait, 1, WAIT_MS);
			continue;
		}
		consumed->nr += nr;
		consumed->last_ns = now_ns;
		quiet_ns = QUIET_MS * RXAQM_NSEC_PER_MSEC;
	}
}

/* One full ring. Adds its rate to @pps, if there is one. */
static int drain_once(struct qualify_run *run, struct qualify_socket *sock, __u32 count,
		      struct qualify_samples *pps)
{
	struct qualify_send send = QUALIFY_SEND(.count = count);
	struct qualify_orders *orders = run->probe.orders;
	struct qualify_backlog backlog;
	struct consumed consumed = {};
	__u64 free_ns;
	bool held;
	int err;

	qualify_probe_clear(&run->probe);
	qualify_socket_take(sock);
	orders->drop = 1; /* nothing goes to the stack */
	orders->to_socket = 1;
	err = qualify_hold(run, &send);
	free_ns = rxaqm_now_ns();
	held = qualify_let_go(run);
	if (err)
		return err;
	consume(run, sock, &consumed);
	err = qualify_held(run, &send, held, &backlog);
	if (!err && consumed.nr > 1)
		qualify_samples_add(pps, (double)consumed.nr * 1e9 /
						 (double)rxaqm_ns_since(consumed.last_ns, free_ns));
	return err;
}

static int drain(struct qualify_run *run, struct qualify_socket *sock, __u32 count,
		 struct qualify_samples *pps)
{
	int err = 0, done = 0, tries;

	for (tries = 0; done < ROUNDS && tries < ROUNDS * QUALIFY_BACKLOG_TRIES && !*run->stop;
	     tries++) {
		err = drain_once(run, sock, count, pps);
		if (err && err != -ETIMEDOUT)
			return err;
		done += !err;
	}
	return done ? 0 : err;
}

int qualify_put_drain_xsk(struct qualify_run *run, struct qualify_row *row, __u32 count)
{
	struct qualify_samples pps = {};
	struct qualify_figure *figure;
	struct qualify_socket sock;
	int failed, err = 0;

	failed = qualify_socket_open(&sock, run->ifname, run->rx_queue, count, XDP_COPY);
	if (!failed)
		failed = qualify_probe_to_socket(&run->probe, run->rx_queue,
						 xsk_socket__fd(sock.xsk));
	if (!failed)
		err = drain(run, &sock, count, &pps);
	qualify_socket_close(&sock);
	figure = qualify_figure_add(row, "drain_xsk", "pps",
				    "a full ring of frames of %u bytes, from when the CPU was let go "
				    "until an AF_XDP socket (copy mode, waited for by poll()) had "
				    "taken the last; XDP (%s)",
				    QUALIFY_FRAME_MIN, run->probe.native ? "native" : "generic");
	qualify_figure_samples(figure, &pps, NAN);
	if (failed)
		qualify_figure_words(figure, "unknown: no AF_XDP socket on queue %u: %s",
				     run->rx_queue, strerror(-failed));
	else if (!pps.nr)
		qualify_figure_words(figure, "unknown: no frame came to the AF_XDP socket");
	qualify_samples_free(&pps);
	return err;
}
