/* SPDX-License-Identifier: GPL-2.0-only */
/* What the evaluation's loads share. An error ends them: half a load would be a wrong figure. */
#ifndef RXAQM_EVAL_LOAD_H
#define RXAQM_EVAL_LOAD_H

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>

static inline void die(const char *what)
{
	perror(what);
	exit(1);
}

static inline unsigned long long clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* Have @poller tell of @events of @fd as @what. */
static inline void watch(int poller, int fd, unsigned int what, unsigned int events)
{
	struct epoll_event event = { .events = events, .data.u32 = what };

	if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) && errno != EEXIST)
		die("epoll_ctl");
}

/* @signal comes by the descriptor that is returned. */
static inline int signal_fd(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* A timer that fires every @us. */
static inline int timer_fd(unsigned long us)
{
	struct timespec every = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };
	struct itimerspec spec = { .it_interval = every, .it_value = every };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	if (fd < 0 || timerfd_settime(fd, 0, &spec, NULL))
		die("timerfd");
	return fd;
}

#endif /* RXAQM_EVAL_LOAD_H */
