/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * rxaqm-xsk: a consumer to start from. It takes packets, spends some time on each, and discards
 * them; in consume_queue() yours would do more. One thread serves all queues in turn.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tool.h"
#include "base/now.h"
#include "base/parse.h"
#include "command/options.h"
#include "command/program.h"

#define BATCH 64
/* A published value is valid for 10 ms: look again before that. */
#define ROUND_NS (2 * RXAQM_NSEC_PER_MSEC)

struct args {
	const char *ifname, *queues;
	struct rxaqm_xsk_options socket;
	__u64 cost_ns; /* spent on each packet */
	__u64 seconds; /* 0: until a signal comes */
	pid_t adopt; /* adopt the sockets of this process; 0: open our own */
	bool busy; /* do not sleep when there are no packets */
};

static const char *const copy_words[] = {
	[RXAQM_XSK_COPY_AUTO] = "auto",
	[RXAQM_XSK_COPY_ALWAYS] = "always",
	[RXAQM_XSK_COPY_NEVER] = "never",
	NULL,
};

static const struct rxaqm_option options[] = {
	{ "queue", 'q', "QUEUES", "Queues, as in 0 or 0-3,6 (default 0)", RXAQM_WORD(queues) },
	{ "cost", 'c', "DURATION", "Spend so long on each packet, as in 20us (default nothing)",
	  RXAQM_DURATION(cost_ns, 0, RXAQM_NSEC_PER_SEC) },
	{ "busy", 'b', NULL, "Never sleep: look for packets again and again", RXAQM_FLAG(busy) },
	{ "seconds", 's', "SECONDS", "End after so long (default: at Ctrl-C)",
	  RXAQM_NUMBER(seconds, 1, 1000000) },
	{ "ring", 0, "ENTRIES", "Of the Rx ring, a power of two (default 2048)",
	  RXAQM_NUMBER(socket.ring_entries, 1, 32768) },
	{ "copy", 0, "MODE", "auto: zero-copy where the driver has it (default); always; never",
	  RXAQM_CHOICE(socket.copy, copy_words) },
	{ "adopt", 0, "PID",
	  "Send the packets to the AF_XDP sockets of process PID instead, and publish how long they "
	  "wait there",
	  RXAQM_NUMBER(adopt, 1, 4194304) },
	{ 0 },
};

static const struct rxaqm_command command = {
	.name = "rxaqm-xsk",
	.args = "IFACE",
	.help = "Takes the packets of queues that rxaqm is attached to through AF_XDP sockets, "
		"counts them, and prints each second how long they waited in the queue of the NIC "
		"and in the socket's Rx ring.",
	.options = options,
	.max_words = 1,
	.program = true,
};

static unsigned char wanted[MAX_SOCKETS]; /* wanted[i]: queue i is */
/* The queues that are served, by our own or by adopted sockets. */
static unsigned int nr_queues;
static struct report reports[MAX_SOCKETS];
static struct rxaqm_xsk *xsks[MAX_SOCKETS];
static struct pollfd fds[MAX_SOCKETS];

static void spend(__u64 ns)
{
	__u64 until_ns = rxaqm_now_ns() + ns;

	while (rxaqm_now_ns() < until_ns)
		;
}

/* Take the waiting packets of one queue. Return how many, or -errno. */
static int consume_queue(struct rxaqm_xsk *xsk, struct report *report, __u64 cost_ns)
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

/* 0 or -errno. */
static int consume_all(const struct args *args)
{
	unsigned int i;
	int nr, sum = 0;

	for (i = 0; i < nr_queues; i++) {
		nr = consume_queue(xsks[i], &reports[i], args->cost_ns);
		if (nr < 0)
			return nr;
		sum += nr;
	}
	if (!sum && !args->busy)
		poll(fds, nr_queues, 100);
	return 0;
}

static int print(const struct args *args, __u64 interval_ns)
{
	struct rxaqm_xsk_stats stats = { .size = sizeof(stats) };
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr_queues && !err; i++) {
		if (args->adopt) {
			err = adopt_check(i);
		} else if (!rxaqm_xsk_get_stats(xsks[i], &stats)) {
			reports[i].ring_full = stats.ring_full;
			reports[i].wait_ns = stats.wait_ns;
		}
	}
	if (!err)
		report_print(reports, nr_queues, interval_ns, rxaqm_json);
	return err;
}

/* Serve until a signal, the time limit, an error of output, or the end of the process whose sockets
 * are adopted. 0, or -errno with @error.
 */
static int serve(const struct args *args, struct rxaqm_error *error)
{
	__u64 now_ns = rxaqm_now_ns(), printed_ns = now_ns;
	__u64 end_ns = args->seconds ? now_ns + args->seconds * RXAQM_NSEC_PER_SEC : ~0ULL;
	int err = 0;

	while (!err && !rxaqm_stop && !ferror(stdout) && now_ns < end_ns) {
		err = args->adopt ? adopt_look() : consume_all(args);
		now_ns = rxaqm_now_ns();
		if (!err && (now_ns - printed_ns >= RXAQM_NSEC_PER_SEC || now_ns >= end_ns)) {
			err = print(args, now_ns - printed_ns);
			printed_ns = now_ns;
		}
	}
	if (err >= 0)
		return 0;
	return rxaqm_failed(error, -err, "\"%s\": %s", args->ifname, rxaqm_xsk_strerror(err));
}

static int open_queue(const struct args *args, unsigned int queue, struct rxaqm_error *error)
{
	unsigned int i = nr_queues;
	int err;

	reports[i].queue = queue;
	if (args->adopt) {
		err = adopt_begin(args->adopt, args->ifname, queue, &reports[i], error);
	} else {
		err = rxaqm_xsk_open(&xsks[i], args->ifname, queue, &args->socket);
		if (err)
			rxaqm_failed(error, -err, "cannot open queue %u of \"%s\": %s", queue,
				     args->ifname, rxaqm_xsk_strerror(err));
		else
			fds[i] = (struct pollfd){ rxaqm_xsk_fd(xsks[i]), POLLIN, 0 };
	}
	nr_queues += !err;
	return err;
}

static int run(const struct args *args, struct rxaqm_error *error)
{
	unsigned int queue, i;
	int err = 0;

	for (queue = 0; queue < MAX_SOCKETS && !err; queue++)
		if (wanted[queue])
			err = open_queue(args, queue, error);
	if (!err)
		err = serve(args, error);
	adopt_end();
	for (i = 0; i < nr_queues; i++)
		rxaqm_xsk_close(xsks[i]);
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

/* Lost output is an error, however the program ends, as for --help. */
static void check_output(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return;
	fputs("rxaqm-xsk: cannot write to standard output\n", stderr);
	_exit(RXAQM_EXIT_FAILED);
}

static void read_args(struct args *args, int argc, char **argv)
{
	args->ifname = *rxaqm_options_read(&command, argc, argv, args);
	if (!args->ifname)
		rxaqm_usage_error("the interface is missing");
	if (rxaqm_parse_queues(args->queues, MAX_SOCKETS, wanted))
		rxaqm_usage_error("--queue=%s: must be a list of queues below %d, such as 0-3,6",
				  args->queues, MAX_SOCKETS);
	if (args->socket.ring_entries & (args->socket.ring_entries - 1))
		rxaqm_usage_error("--ring=%u: must be a power of two", args->socket.ring_entries);
}

int main(int argc, char **argv)
{
	struct args args = { .queues = "0", .socket = RXAQM_XSK_OPTIONS };
	struct rxaqm_error error = {};
	int err;

	atexit(check_output);
	read_args(&args, argc, argv);
	rxaqm_stop_at(SIGINT);
	rxaqm_stop_at(SIGTERM);
	err = run(&args, &error);
	if (err)
		fprintf(stderr, "rxaqm-xsk: %s\n", error.text);
	return exit_code(err);
}
