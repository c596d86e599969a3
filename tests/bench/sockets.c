/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sockets N: N TCP sockets in this network namespace, both ends of N / 2 connections of the
 * loopback, by as many processes as the limit of descriptors asks for. Says "ready" when they are
 * there, and ends with its input. Exit status 77: the limit of descriptors is too low.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_PROCESSES 64
#define FIRST_PORT 700
#define SPARE 32

static int make(unsigned int connections, unsigned short port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(listener, 128))
		return -1;
	while (connections--) {
		int client = socket(AF_INET, SOCK_STREAM, 0);

		if (client < 0 || connect(client, (struct sockaddr *)&address, sizeof(address)) ||
		    accept(listener, NULL, NULL) < 0)
			return -1;
	}
	return 0;
}

/* Make @connections, say so by a byte into @ready_fd, and stay until @end_fd ends. */
static void child(unsigned int connections, unsigned short port, int ready_fd, int end_fd)
{
	char ready = 'x', end;

	if (make(connections, port))
		ready = '-';
	if (write(ready_fd, &ready, 1) != 1 || read(end_fd, &end, 1) < 0)
		_exit(1);
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned int left = argc == 2 ? (unsigned int)atoi(argv[1]) / 2 : 0, each, nr;
	int ready[2], end[2], failed = 0;
	struct rlimit limit;

	if (!left || getrlimit(RLIMIT_NOFILE, &limit) || pipe(ready) || pipe(end))
		return 2;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	each = limit.rlim_max > SPARE + 2 ? (unsigned int)(limit.rlim_max - SPARE) / 2 : 1;
	if (left / each >= MAX_PROCESSES)
		return 77;
	for (nr = 0; left; nr++) {
		unsigned int mine = left < each ? left : each;

		if (!fork()) {
			close(end[1]);
			child(mine, (unsigned short)(FIRST_PORT + nr), ready[1], end[0]);
		}
		left -= mine;
	}
	for (left = nr; left; left--) {
		char byte;

		failed |= read(ready[0], &byte, 1) != 1 || byte != 'x';
	}
	puts(failed ? "failed" : "ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	close(end[1]);
	while (wait(NULL) > 0)
		;
	return failed;
}
