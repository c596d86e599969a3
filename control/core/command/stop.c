/* SPDX-License-Identifier: GPL-2.0-only */
#include "command/stop.h"

#include <signal.h>
#include <stddef.h>

volatile int rxaqm_stop;

static void on_signal(int signal)
{
	(void)signal;
	rxaqm_stop = 1;
}

void rxaqm_stop_at(int signal)
{
	const struct sigaction action = { .sa_handler = on_signal };

	sigaction(signal, &action, NULL);
}
