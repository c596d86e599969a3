/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * rxaqm-xsk: a consumer to start from. It takes packets, spends some time on each, and throws
 * them away; take() is where yours would do more. One thread serves all queues in turn.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "adopt.h"
#include "args.h"
#include "base/log.h"
#include "base/now.h"
#include "nic/netns.h"
#include "report.h"
#include "attach/state.h"

#define BATCH 64
/* What was published counts for 10 ms: look again before that. */
#define ROUND_NS (2 * RXAQM_NSEC_PER_MSEC)

struct consumer {
	unsigned int nr;
	struct rxaqm_xsk *xsk[MAX_SOCKETS];
	struct pollfd fds[MAX_SOCKETS];
	struct report reports[MAX_SOCKETS];
};

static volatile sig_atomic_t ended;

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

static void spend(__u64 ns)
{
	__u64 until_ns = rxaqm_now_ns() + ns;

	while (rxaqm_now_ns() < until_ns)
		;
}

/* Take what is there of one queue. Returns how many packets, or -errno. */
static int take(struct rxaqm_xsk *xsk, struct report *report, __u64 cost_ns)
{
	struct rxaqm_xsk_packet packets[BATCH];
	unsigned int max = BATCH;
	__u64 now_ns;
	int i, nr;

	if (cost_ns * BATCH > ROUND_NS)
		max = cost_ns < ROUND_NS ? (unsigned int)(ROUND_NS / cost_ns) : 1;
	nr = rxaqm_xsk_receive(xsk, packets, max);
	if (nr <= 0)
		return nr;
	now_ns = rxaqm_now_ns();
	for (i = 0; i < nr; i++) {
		report_packet(report, &packets[i], now_ns);
		if (cost_ns)
			spend(cost_ns);
	}
	rxaqm_xsk_release(xsk, packets, (unsigned int)nr);
	return nr;
}

static int take_all(struct consumer *c, const struct args *args)
{
	unsigned int i;
	int nr, sum = 0;

	for (i = 0; i < c->nr; i++) {
		nr = take(c->xsk[i], &c->reports[i], args->cost_ns);
		if (nr < 0)
			return nr;
		sum += nr;
	}
	return sum;
}

static void print(struct consumer *c, __u64 interval_ns, bool json)
{
	struct rxaqm_xsk_stats stats = { .size = sizeof(stats) };
	unsigned int i;

	for (i = 0; i < c->nr; i++) {
		if (rxaqm_xsk_get_stats(c->xsk[i], &stats))
			continue;
		c->reports[i].ring_full = stats.ring_full;
		c->reports[i].wait_ns = stats.wait_ns;
	}
	report_print(c->reports, c->nr, interval_ns, json);
}

/* Until a signal, or the time is up. Returns 0 or -errno. */
static int serve(struct consumer *c, const struct args *args)
{
	__u64 now_ns = rxaqm_now_ns(), printed_ns = now_ns;
	__u64 end_ns = args->seconds ? now_ns + args->seconds * RXAQM_NSEC_PER_SEC : ~0ULL;
	int nr;

	while (!ended && now_ns < end_ns) {
		nr = take_all(c, args);
		if (nr < 0)
			return nr;
		if (!nr && !args->busy)
			poll(c->fds, c->nr, 100);
		now_ns = rxaqm_now_ns();
		if (now_ns - printed_ns >= RXAQM_NSEC_PER_SEC || now_ns >= end_ns) {
			print(c, now_ns - printed_ns, args->json);
			printed_ns = now_ns;
		}
	}
	return 0;
}

static int open_all(struct consumer *c, const struct args *args)
{
	unsigned int queue;
	int err;

	for (queue = 0; queue < MAX_SOCKETS; queue++) {
		if (!args->queues[queue])
			continue;
		err = rxaqm_xsk_open(&c->xsk[c->nr], args->ifname, queue, &args->socket);
		if (err) {
			fprintf(stderr, "rxaqm-xsk: cannot open queue %u of \"%s\": %s\n", queue,
				args->ifname, rxaqm_xsk_strerror(err));
			return err;
		}
		c->fds[c->nr] = (struct pollfd){ rxaqm_xsk_fd(c->xsk[c->nr]), POLLIN, 0 };
		c->reports[c->nr].queue = queue;
		c->nr++;
	}
	return 0;
}

static int consume(const struct args *args)
{
	static struct consumer c;
	unsigned int i;
	int err;

	err = open_all(&c, args);
	if (!err) {
		err = serve(&c, args);
		if (err)
			fprintf(stderr, "rxaqm-xsk: \"%s\": %s\n", args->ifname,
				rxaqm_xsk_strerror(err));
	}
	for (i = 0; i < c.nr; i++)
		rxaqm_xsk_close(c.xsk[i]);
	return err;
}

static int exit_code(int err)
{
	switch (err) {
	case 0:
		return RXAQM_EXIT_OK;
	case -ENOENT:
	case -ESTALE:
		return RXAQM_EXIT_NOT_ATTACHED;
	case -EOPNOTSUPP:
		return RXAQM_EXIT_UNSUPPORTED;
	default:
		return RXAQM_EXIT_FAILED;
	}
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = end };
	struct rxaqm_error error = {};
	struct args args;

	args_parse(&args, argc, argv);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (args.netns && rxaqm_netns_enter(args.netns, &error)) {
		fprintf(stderr, "rxaqm-xsk: %s\n", error.text);
		return error.exit_code;
	}
	return exit_code(args.adopt ? adopt(&args, &ended) : consume(&args));
}
