// SPDX-License-Identifier: GPL-2.0-only
/*
 * TCP flows of one class, for the evaluation: one process accepts, another connects.
 *
 *   bulk listen ADDRESS PORT CC send|receive
 *   bulk connect ADDRESS PORT CC send|receive FLOWS [BYTES MS]
 *
 * Who sends does so without end, or with BYTES on each flow every MS. The congestion control is set
 * before the handshake, since DCTCP asks for ECN there. On SIGUSR1 the receiver prints a line: the
 * time of day in seconds, and the bytes each flow has received so far.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "load.h"

#define FLOWS_MAX 4096
#define CHUNK 65536
#define LISTENER UINT32_MAX
#define SIGNAL (UINT32_MAX - 1)
#define TICK (UINT32_MAX - 2)

struct flow {
	int fd;
	unsigned long long received;
	unsigned long left; /* to send in this round */
};

static struct flow flows[FLOWS_MAX];
static unsigned int nr_flows;
static int poller;
static bool sends;
static unsigned long round_bytes; /* 0: without end */
static char chunk[CHUNK];

static void add_flow(int fd)
{
	if (nr_flows == FLOWS_MAX) {
		fprintf(stderr, "more than %d flows\n", FLOWS_MAX);
		exit(1);
	}
	flows[nr_flows].fd = fd;
	flows[nr_flows].left = round_bytes;
	watch(poller, fd, nr_flows++, sends ? EPOLLOUT : EPOLLIN);
}

static int tcp_socket(const char *cc)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		die("socket");
	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, cc, strlen(cc)))
		die(cc);
	return fd;
}

/* One system call for each event: no flow is served for long while others wait. */
static void send_some(struct flow *flow)
{
	ssize_t n = CHUNK;

	if (round_bytes) {
		if (!flow->left) {
			struct epoll_event none = { .data.u32 = flow - flows };

			epoll_ctl(poller, EPOLL_CTL_MOD, flow->fd, &none);
			return;
		}
		if (flow->left < CHUNK)
			n = flow->left;
	}
	n = send(flow->fd, chunk, n, MSG_NOSIGNAL);
	if (n < 0 && errno != EAGAIN)
		die("send");
	if (n > 0 && round_bytes)
		flow->left -= n;
}

/* What arrives is discarded in the kernel, without being copied. */
static void receive_some(struct flow *flow)
{
	ssize_t n = recv(flow->fd, NULL, 1 << 20, MSG_TRUNC);

	if (n < 0 && errno != EAGAIN)
		die("recv");
	if (n == 0)
		exit(0); /* the other end has ended */
	if (n > 0)
		flow->received += n;
}

static void accept_all(int listener)
{
	int fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
		add_flow(fd);
}

static void report(int signals)
{
	struct signalfd_siginfo info;
	struct timespec now;
	unsigned int i;

	if (read(signals, &info, sizeof(info)) != sizeof(info))
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	printf("%lld.%09ld", (long long)now.tv_sec, now.tv_nsec);
	for (i = 0; i < nr_flows; i++)
		printf(" %llu", flows[i].received);
	printf("\n");
	fflush(stdout);
}

/* A round begins for the flows that are done with the one before. */
static void begin_round(int timer)
{
	unsigned long long times;
	unsigned int i;

	if (read(timer, &times, sizeof(times)) != sizeof(times))
		return;
	for (i = 0; i < nr_flows; i++) {
		struct epoll_event event = { .events = EPOLLOUT, .data.u32 = i };

		if (flows[i].left)
			continue;
		flows[i].left = round_bytes;
		epoll_ctl(poller, EPOLL_CTL_MOD, flows[i].fd, &event);
	}
}

static void serve(int listener, int signals, int timer)
{
	struct epoll_event events[64];
	int i, n;

	for (;;) {
		n = epoll_wait(poller, events, 64, -1);
		for (i = 0; i < n; i++) {
			unsigned int nr = events[i].data.u32;

			if (nr == LISTENER)
				accept_all(listener);
			else if (nr == SIGNAL)
				report(signals);
			else if (nr == TICK)
				begin_round(timer);
			else if (sends)
				send_some(&flows[nr]);
			else
				receive_some(&flows[nr]);
		}
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	int listener = -1, signals, timer = -1, one = 1;
	unsigned long i, count;

	if (argc < 6 || !inet_aton(argv[2], &to.sin_addr)) {
		fprintf(stderr,
			"usage: bulk listen|connect ADDRESS PORT CC send|receive [FLOWS [BYTES MS]]\n");
		return 2;
	}
	to.sin_port = htons(atoi(argv[3]));
	sends = !strcmp(argv[5], "send");
	poller = epoll_create1(EPOLL_CLOEXEC);
	signals = signal_fd(SIGUSR1);
	watch(poller, signals, SIGNAL, EPOLLIN);
	if (!strcmp(argv[1], "listen")) {
		listener = tcp_socket(argv[4]);
		setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (bind(listener, (struct sockaddr *)&to, sizeof(to)) ||
		    listen(listener, FLOWS_MAX))
			die("listen");
		watch(poller, listener, LISTENER, EPOLLIN);
	} else {
		count = argc > 6 ? strtoul(argv[6], NULL, 10) : 1;
		if (argc > 8) {
			round_bytes = strtoul(argv[7], NULL, 10);
			timer = timer_fd(1000 * strtoul(argv[8], NULL, 10));
			watch(poller, timer, TICK, EPOLLIN);
		}
		for (i = 0; i < count; i++) {
			int fd = tcp_socket(argv[4]);

			if (connect(fd, (struct sockaddr *)&to, sizeof(to)) && errno != EINPROGRESS)
				die("connect");
			add_flow(fd);
		}
	}
	serve(listener, signals, timer);
}
