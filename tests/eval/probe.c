// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests and connections beside a load, for the evaluation.
 *
 *   probe serve PORT                   echoes UDP and TCP, closes as the other does
 *   probe ask ADDRESS PORT FROM        until SIGTERM
 *
 * Four kinds, each sent on time whether or not the last was answered:
 *   request   200 a second of one client, 200 bytes of UDP without ECN each
 *   slow      10 a second of each of ten clients, who have the ten addresses from FROM on
 *   typing    4 bytes, 5 a second on each of ten TCP connections
 *   connect   50 TCP connections a second
 * At the end there is a line for each, "KIND SECONDS NS": when it began, in the time of day, and
 * how long the answer or the handshake took; -1 if it did not come.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load.h"

#define REQUEST_BYTES 200
#define EVENTS_MAX 100000
#define CLIENTS 10
#define CONNECTION (1u << 31)

enum kind {
	REQUEST,
	SLOW,
	TYPING,
	CONNECT,
	KINDS
};

/* What wakes who asks: the timer of a kind, a socket of a client. */
enum source {
	SOURCE_SIGNAL = KINDS,
	SOURCE_REQUEST,
	SOURCE_SLOW,
	SOURCE_TYPING = SOURCE_SLOW + CLIENTS
};

struct event {
	unsigned long long began_ns; /* time of day */
	long long took_ns; /* -1: no answer yet */
	int fd;
};

static const char *const names[KINDS] = { "request", "slow", "typing", "connect" };
/* Microseconds between two, of all clients. */
static const unsigned long every_us[KINDS] = { 5000, 10000, 20000, 20000 };

static struct event events[KINDS][EVENTS_MAX];
static unsigned int nr_events[KINDS];
static int poller;

static int bound_socket(int type, const struct sockaddr_in *to)
{
	int fd = socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, (const struct sockaddr *)to, sizeof(*to)))
		die("bind");
	return fd;
}

static void echo(int udp)
{
	struct sockaddr_in from;
	socklen_t size = sizeof(from);
	char buf[REQUEST_BYTES];
	ssize_t n;

	while ((n = recvfrom(udp, buf, sizeof(buf), 0, (struct sockaddr *)&from, &size)) >= 0)
		sendto(udp, buf, n, 0, (struct sockaddr *)&from, size);
}

static void echo_typed(int fd)
{
	char buf[4096];
	ssize_t n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);

	if (n > 0)
		send(fd, buf, n, MSG_NOSIGNAL | MSG_DONTWAIT);
	else if (n == 0 || errno != EAGAIN)
		close(fd);
}

static void serve(unsigned short port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	int udp = bound_socket(SOCK_DGRAM, &to), tcp = bound_socket(SOCK_STREAM, &to), fd, one = 1;
	struct epoll_event event;

	if (listen(tcp, 4096))
		die("listen");
	watch(poller, udp, udp, EPOLLIN);
	watch(poller, tcp, tcp, EPOLLIN);
	for (;;) {
		if (epoll_wait(poller, &event, 1, -1) < 1)
			continue;
		fd = event.data.u32;
		if (fd == udp) {
			echo(udp);
		} else if (fd == tcp) {
			fd = accept4(tcp, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
			if (fd < 0)
				continue;
			setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
			watch(poller, fd, fd, EPOLLIN);
		} else {
			echo_typed(fd);
		}
	}
}

/* The next event of a kind; none once there are too many. */
static struct event *begin(enum kind kind)
{
	struct event *e = &events[kind][nr_events[kind]];

	if (nr_events[kind] == EVENTS_MAX)
		return NULL;
	nr_events[kind]++;
	*e = (struct event){ .began_ns = clock_ns(CLOCK_REALTIME), .took_ns = -1 };
	return e;
}

/* @bytes to @fd, the first four its number. */
static void ask_once(enum kind kind, int fd, size_t bytes)
{
	unsigned int buf[REQUEST_BYTES / sizeof(unsigned int)] = { nr_events[kind] };

	if (begin(kind))
		send(fd, buf, bytes, MSG_NOSIGNAL);
}

static void answered(enum kind kind, unsigned int nr)
{
	if (nr < nr_events[kind] && events[kind][nr].took_ns < 0)
		events[kind][nr].took_ns = clock_ns(CLOCK_REALTIME) - events[kind][nr].began_ns;
}

static void udp_answers(enum kind kind, int udp)
{
	unsigned int nr;

	while (recv(udp, &nr, sizeof(nr), 0) == sizeof(nr))
		answered(kind, nr);
}

static void tcp_answers(int tcp)
{
	unsigned int buf[256];
	ssize_t i, n;

	while ((n = recv(tcp, buf, sizeof(buf), 0)) > 0) {
		for (i = 0; i < n / (ssize_t)sizeof(*buf); i++)
			answered(TYPING, buf[i]);
	}
}

static void begin_connection(const struct sockaddr_in *to)
{
	unsigned int nr = nr_events[CONNECT];
	struct event *c = begin(CONNECT);

	if (!c)
		return;
	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (c->fd < 0)
		die("socket");
	if (connect(c->fd, (const struct sockaddr *)to, sizeof(*to)) && errno != EINPROGRESS)
		die("connect");
	watch(poller, c->fd, CONNECTION | nr, EPOLLOUT);
}

static void end_connection(struct event *c)
{
	int error = 0;
	socklen_t size = sizeof(error);

	getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size);
	if (!error)
		c->took_ns = clock_ns(CLOCK_REALTIME) - c->began_ns;
	close(c->fd);
}

/* From address @from, any if it is 0. The connections are made before the load begins. */
static int client_socket(int type, const struct sockaddr_in *to, unsigned int from)
{
	struct sockaddr_in own = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(from) };
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0), one = 1;

	if (fd < 0 || bind(fd, (struct sockaddr *)&own, sizeof(own)))
		die("bind");
	if (connect(fd, (const struct sockaddr *)to, sizeof(*to)))
		die("connect");
	if (type == SOCK_STREAM)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static void print(void)
{
	unsigned int kind, i;

	for (kind = 0; kind < KINDS; kind++) {
		for (i = 0; i < nr_events[kind]; i++)
			printf("%s %llu.%09llu %lld\n", names[kind],
			       events[kind][i].began_ns / 1000000000,
			       events[kind][i].began_ns % 1000000000, events[kind][i].took_ns);
	}
}

static int watched(int fd, unsigned int what)
{
	fcntl(fd, F_SETFL, O_NONBLOCK);
	watch(poller, fd, what, EPOLLIN);
	return fd;
}

static int ask(const struct sockaddr_in *to, unsigned int from)
{
	int udp, slow[CLIENTS], typing[CLIENTS], timers[KINDS], i;
	unsigned long long times;
	struct epoll_event event;
	unsigned int what;

	watch(poller, signal_fd(SIGTERM), SOURCE_SIGNAL, EPOLLIN);
	udp = watched(client_socket(SOCK_DGRAM, to, 0), SOURCE_REQUEST);
	for (i = 0; i < CLIENTS; i++) {
		slow[i] = watched(client_socket(SOCK_DGRAM, to, from + i), SOURCE_SLOW + i);
		typing[i] = watched(client_socket(SOCK_STREAM, to, 0), SOURCE_TYPING + i);
	}
	for (i = 0; i < KINDS; i++)
		timers[i] = watched(timer_fd(every_us[i]), i);
	for (;;) {
		if (epoll_wait(poller, &event, 1, -1) < 1)
			continue;
		what = event.data.u32;
		if (what & CONNECTION)
			end_connection(&events[CONNECT][what & ~CONNECTION]);
		else if (what == SOURCE_SIGNAL)
			break;
		else if (what == SOURCE_REQUEST)
			udp_answers(REQUEST, udp);
		else if (what >= SOURCE_TYPING)
			tcp_answers(typing[what - SOURCE_TYPING]);
		else if (what >= SOURCE_SLOW)
			udp_answers(SLOW, slow[what - SOURCE_SLOW]);
		else if (read(timers[what], &times, sizeof(times)) != sizeof(times))
			continue;
		else if (what == REQUEST)
			ask_once(REQUEST, udp, REQUEST_BYTES);
		else if (what == SLOW)
			ask_once(SLOW, slow[nr_events[SLOW] % CLIENTS], REQUEST_BYTES);
		else if (what == TYPING)
			ask_once(TYPING, typing[nr_events[TYPING] % CLIENTS], sizeof(unsigned int));
		else
			begin_connection(to);
	}
	print();
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct in_addr from;

	poller = epoll_create1(EPOLL_CLOEXEC);
	if (argc == 3 && !strcmp(argv[1], "serve"))
		serve(atoi(argv[2]));
	if (argc != 5 || strcmp(argv[1], "ask") || !inet_aton(argv[2], &to.sin_addr) ||
	    !inet_aton(argv[4], &from)) {
		fprintf(stderr, "usage: probe serve PORT | probe ask ADDRESS PORT FROM\n");
		return 2;
	}
	to.sin_port = htons(atoi(argv[3]));
	return ask(&to, ntohl(from.s_addr));
}
