// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests and connections beside a load, for the evaluation.
 *
 *   probe serve PORT                              echoes UDP, accepts TCP, closes as the other does
 *   probe ask ADDRESS PORT REQUEST_US CONNECT_US  until SIGTERM
 *
 * A request is 200 bytes of UDP without ECN, sent on time whether or not the last was answered. At
 * the end there is a line for each, "request SECONDS RTT_NS", and for each connection "connect
 * SECONDS NS": when it began, in the time of day, and how long the answer or the handshake took;
 * -1 if it did not come.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load.h"

#define REQUEST_BYTES 200
#define EVENTS_MAX 200000
#define CONNECTION (1u << 31)

enum source {
	SOURCE_SIGNAL,
	SOURCE_UDP,
	SOURCE_REQUEST,
	SOURCE_CONNECT
};

struct event {
	unsigned long long began_ns; /* time of day */
	long long took_ns; /* -1: no answer yet */
	int fd;
};

static struct event requests[EVENTS_MAX], connections[EVENTS_MAX];
static unsigned int nr_requests, nr_connections;
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

static void serve(unsigned short port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	int udp = bound_socket(SOCK_DGRAM, &to), tcp = bound_socket(SOCK_STREAM, &to), fd;
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
			if (fd >= 0)
				watch(poller, fd, fd, EPOLLIN);
		} else {
			close(fd);
		}
	}
}

static void request(int udp)
{
	unsigned int buf[REQUEST_BYTES / sizeof(unsigned int)] = { nr_requests };

	if (nr_requests == EVENTS_MAX)
		return;
	requests[nr_requests++] = (struct event){ .began_ns = clock_ns(CLOCK_REALTIME),
						  .took_ns = -1 };
	send(udp, buf, sizeof(buf), 0);
}

static void answers(int udp)
{
	unsigned int nr;

	while (recv(udp, &nr, sizeof(nr), 0) == sizeof(nr)) {
		if (nr < nr_requests && requests[nr].took_ns < 0)
			requests[nr].took_ns = clock_ns(CLOCK_REALTIME) - requests[nr].began_ns;
	}
}

static void begin_connection(const struct sockaddr_in *to)
{
	struct event *c = &connections[nr_connections];

	if (nr_connections == EVENTS_MAX)
		return;
	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (c->fd < 0)
		die("socket");
	c->began_ns = clock_ns(CLOCK_REALTIME);
	c->took_ns = -1;
	if (connect(c->fd, (const struct sockaddr *)to, sizeof(*to)) && errno != EINPROGRESS)
		die("connect");
	watch(poller, c->fd, CONNECTION | nr_connections++, EPOLLOUT);
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

static void print(const char *what, const struct event *events, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		printf("%s %llu.%09llu %lld\n", what, events[i].began_ns / 1000000000,
		       events[i].began_ns % 1000000000, events[i].took_ns);
}

static int ask(const struct sockaddr_in *to, unsigned long request_us, unsigned long connect_us)
{
	int udp = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), signals;
	int request_timer = timer_fd(request_us), connect_timer = timer_fd(connect_us);
	unsigned long long times;
	struct epoll_event event;

	signals = signal_fd(SIGTERM);
	if (udp < 0 || connect(udp, (const struct sockaddr *)to, sizeof(*to)))
		die("connect");
	watch(poller, signals, SOURCE_SIGNAL, EPOLLIN);
	watch(poller, udp, SOURCE_UDP, EPOLLIN);
	watch(poller, request_timer, SOURCE_REQUEST, EPOLLIN);
	watch(poller, connect_timer, SOURCE_CONNECT, EPOLLIN);
	for (;;) {
		if (epoll_wait(poller, &event, 1, -1) < 1)
			continue;
		if (event.data.u32 & CONNECTION) {
			end_connection(&connections[event.data.u32 & ~CONNECTION]);
		} else if (event.data.u32 == SOURCE_UDP) {
			answers(udp);
		} else if (event.data.u32 == SOURCE_REQUEST) {
			if (read(request_timer, &times, sizeof(times)) == sizeof(times))
				request(udp);
		} else if (event.data.u32 == SOURCE_CONNECT) {
			if (read(connect_timer, &times, sizeof(times)) == sizeof(times))
				begin_connection(to);
		} else {
			break;
		}
	}
	print("request", requests, nr_requests);
	print("connect", connections, nr_connections);
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET };

	poller = epoll_create1(EPOLL_CLOEXEC);
	if (argc == 3 && !strcmp(argv[1], "serve"))
		serve(atoi(argv[2]));
	if (argc != 6 || strcmp(argv[1], "ask") || !inet_aton(argv[2], &to.sin_addr)) {
		fprintf(stderr,
			"usage: probe serve PORT | probe ask ADDRESS PORT REQUEST_US CONNECT_US\n");
		return 2;
	}
	to.sin_port = htons(atoi(argv[3]));
	return ask(&to, strtoul(argv[4], NULL, 10), strtoul(argv[5], NULL, 10));
}
