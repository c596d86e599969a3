/* SPDX-License-Identifier: GPL-2.0-only */
/* Questions to the kernel by netlink, in the network namespace entered; on libmnl. */
#pragma once

#include <libmnl/libmnl.h>
#include <linux/types.h>
#include <stdbool.h>

union rxaqm_netlink_request {
	struct nlmsghdr nl;
	char room[128];
};

/* Begin a request: @header bytes, all zero, follow, and are returned; then mnl_attr_put_*(). */
void *rxaqm_netlink_begin(union rxaqm_netlink_request *request, __u16 type, __u16 flags,
			  size_t header);

/* Gets each message of an answer; 0, or -errno to end it. */
typedef int (*rxaqm_netlink_fn)(const struct nlmsghdr *message, void *arg);

/* Send @request and call @each with what is answered within a second each. 0; or -errno: what the
 * kernel says, -EBADMSG for what is no netlink, -EAGAIN for a dump that a change has torn.
 */
int rxaqm_netlink_ask(int protocol, union rxaqm_netlink_request *request, rxaqm_netlink_fn each,
		      void *arg);

/* The same of @bytes that were received. 1: that was the end; 0: more is to come; or -errno. Sets
 * *@torn if it is.
 */
int rxaqm_netlink_parse(const void *data, size_t bytes, rxaqm_netlink_fn each, void *arg,
			bool *torn);

/* The attribute @type behind the @header bytes that @message begins with, or in @nest; NULL if
 * there is none of at least @least bytes.
 */
const struct nlattr *rxaqm_netlink_attr(const struct nlmsghdr *message, size_t header,
					unsigned int type, size_t least);
const struct nlattr *rxaqm_netlink_nested(const struct nlattr *nest, unsigned int type,
					  size_t least);

/* Id of the generic netlink family @name, and, unless @group is NULL, of its multicast group.
 * -ENOENT if the kernel has none.
 */
int rxaqm_netlink_family(const char *name, const char *group, __u32 *ret_group);
