/* SPDX-License-Identifier: GPL-2.0-only */
/* Questions to the kernel by netlink (libmnl), in the network namespace entered. */
#ifndef RXAQM_DOCTOR_NETLINK_H
#define RXAQM_DOCTOR_NETLINK_H

#include <libmnl/libmnl.h>

struct doctor_netlink {
	struct mnl_socket *socket;
	unsigned int seq;
	char buf[32768]; /* of the answer: a kernel's message of a dump is no longer */
};

/* @bus: NETLINK_ROUTE ... 0 or -errno. */
int doctor_netlink_open(struct doctor_netlink *nl, int bus);
void doctor_netlink_close(struct doctor_netlink *nl);

/* Send @request, whose header's flags are set, and call @each for every answer up to the end.
 * 0 or -errno, which may be the kernel's.
 */
int doctor_netlink_ask(struct doctor_netlink *nl, struct nlmsghdr *request, mnl_cb_t each,
		       void *arg);

/* The generic netlink family @name; 0 if the kernel has none. */
__u16 doctor_netlink_family(struct doctor_netlink *nl, const char *name);

#endif /* RXAQM_DOCTOR_NETLINK_H */
