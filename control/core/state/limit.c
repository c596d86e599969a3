/* SPDX-License-Identifier: GPL-2.0-only */
#include "state/limit.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

/* libbpf tries five times if the verifier says EAGAIN. */
#define AGAIN_USEC 100000

static volatile sig_atomic_t is_over;

static void on_signal(int signal_nr)
{
	(void)signal_nr;
	is_over = 1;
}

static long seconds(void)
{
	const char *text = getenv("RXAQM_LOCK_SECONDS");
	long value = text ? strtol(text, NULL, 10) : 0;

	return value > 0 ? value : RXAQM_LIMIT_SECONDS;
}

void rxaqm_limit_begin(void)
{
	const struct itimerval timer = { { 0, AGAIN_USEC }, { seconds(), 0 } };
	/* Other system calls go on: what is begun is undone in peace. */
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	is_over = 0;
	if (!sigaction(SIGALRM, &action, NULL))
		setitimer(ITIMER_REAL, &timer, NULL);
}

void rxaqm_limit_end(void)
{
	const struct itimerval none = {};

	setitimer(ITIMER_REAL, &none, NULL);
}

int rxaqm_limit_check(struct rxaqm_error *error)
{
	if (!is_over)
		return 0;
	rxaqm_limit_end();
	return rxaqm_failed(error, ETIME,
			    "given up after %ld s, in which all other commands had to wait: the kernel "
			    "took so long to verify the programs; RXAQM_LOCK_SECONDS=%ld in the "
			    "environment allows more",
			    seconds(), 10 * seconds());
}
