/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The command line of rxaqm-xsk. */
#ifndef RXAQM_XSK_ARGS_H
#define RXAQM_XSK_ARGS_H

#include <sys/types.h>

#include "rxaqm-xsk.h"

#define MAX_SOCKETS 64

struct args {
	const char *ifname;
	const char *netns; /* NULL: this one */
	unsigned char queues[MAX_SOCKETS]; /* queues[i]: queue i is wanted */
	struct rxaqm_xsk_options socket;
	__u64 cost_ns; /* spent on each packet */
	__u64 seconds; /* 0: until a signal */
	pid_t adopt; /* the process whose sockets are published for; 0: ours */
	bool busy; /* do not sleep when there are no packets */
	bool json;
};

/* Exits on --help, --version and usage errors. */
void args_parse(struct args *args, int argc, char **argv);

#endif /* RXAQM_XSK_ARGS_H */
