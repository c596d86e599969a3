/* SPDX-License-Identifier: GPL-2.0-only */
/* Q9: how many packets a ring holds, and how fast it is drained. */
#include <linux/if_xdp.h>
#include <math.h>
#include <poll.h>
#include <string.h>

#include "base/now.h"
#include "qualify/measure/socket.h"
#include "qualify/rows/backlog.h"
#include "qualify/rows/gap.h"
#include "qualify/rows/traffic.h"

#define ROUNDS 3

struct taken {
	struct qualify_samples depth, pps;
	bool all; /* in some round nothing was lost: the ring may hold more */
};

static int drain(struct qualify_run *run, __u32 size, bool drop, struct taken *taken)
{
	struct qualify_backlog backlog;
	int err = 0, i;

	for (i = 0; !err && i < ROUNDS; i++) {
		struct qualify_send send = QUALIFY_SEND(.count = qualify_overflowing(run),
							.size = size);

		err = qualify_backlog(run, &send, drop, &backlog);
		if (err)
			break;
		/* Plus the frame that held the CPU. */
		qualify_samples_add(&taken->depth, (double)backlog.held + 1);
		taken->all |= backlog.held == backlog.sent;
		if (!isnan(backlog.drain_pps))
			qualify_samples_add(&taken->pps, backlog.drain_pps);
	}
	return err;
}

static void put_depth(const struct qualify_run *run, struct qualify_row *row, struct taken *taken)
{
	double most;

	qualify_samples_sort(&taken->depth);
	most = qualify_samples_quantile(&taken->depth, 1);
	qualify_put_number(row, taken->all ? "depth_at_least" : "depth", "packets", most,
			   taken->depth.nr, 1,
			   "frames that came without a gap after XDP had held the CPU, the most of %d "
			   "rounds%s",
			   ROUNDS, taken->all ? "; all that were sent came" : "");
	if (taken->all)
		qualify_not_overrun(row, most);
	qualify_put_entries(run, row);
}

/* Draining to an AF_XDP socket. */
#define QUIET_MS 150
#define WAIT_MS 10
#define FIRST_MS 1000

struct consumed {
	__u64 nr, last_ns;
};

/* Take frames until no more come. */
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

/* Drain one full ring, and add the rate to @pps if there is one. */
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
	orders->drop = 1; /* the stack gets nothing */
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

static int drain_to_socket(struct qualify_run *run, struct qualify_socket *sock, __u32 count,
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

static int put_drain_xsk(struct qualify_run *run, struct qualify_row *row, __u32 count)
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
		err = drain_to_socket(run, &sock, count, &pps);
	qualify_socket_close(&sock);
	figure = qualify_figure_add(row, "drain_xsk", "pps",
				    "a full ring of frames of %u bytes, from when the CPU was let go "
				    "until an AF_XDP socket (copy mode, waited for by poll()) had "
				    "taken the last; XDP (%s)",
				    QUALIFY_FRAME_MIN, run->probe.native ? "native" : "generic");
	qualify_figure_samples(figure, &pps, NAN);
	if (failed)
		qualify_figure_detail(figure, "unknown", "no AF_XDP socket on queue %u: %s",
				      run->rx_queue, strerror(-failed));
	else if (!pps.nr)
		qualify_figure_detail(figure, "unknown", "no frame came to the AF_XDP socket");
	qualify_samples_free(&pps);
	return err;
}

int qualify_row_ring(struct qualify_run *run, struct qualify_row *row)
{
	static const struct {
		const char *name;
		bool mtu, drop;
	} ways[] = { { "drain_drop", false, true },
		     { "drain_pass", false, false },
		     { "drain_drop_mtu", true, true } };
	__u32 mtu_size = run->record->mtu + ETH_HLEN;
	struct taken taken[3] = {};
	int err = 0;
	size_t i;

	for (i = 0; !err && i < 3; i++)
		err = drain(run, ways[i].mtu ? mtu_size : 0, ways[i].drop, &taken[i]);
	if (!err)
		put_depth(run, row, &taken[0]);
	for (i = 0; !err && i < 3; i++)
		qualify_figure_samples(
			qualify_figure_add(row, ways[i].name, "pps",
					   "a full ring of frames of %u bytes, by when XDP (%s) saw "
					   "each; XDP_%s",
					   ways[i].mtu ? mtu_size : QUALIFY_FRAME_MIN,
					   run->probe.native ? "native" : "generic",
					   ways[i].drop ? "DROP" :
							  "PASS, then dropped at tc ingress"),
			&taken[i].pps, NAN);
	for (i = 0; i < 3; i++) {
		qualify_samples_free(&taken[i].depth);
		qualify_samples_free(&taken[i].pps);
	}
	if (!err)
		err = put_drain_xsk(run, row, qualify_overflowing(run));
	return err ?: qualify_put_gaps(run, row);
}
