/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests to the kernel by netlink, in the network namespace entered. */
#pragma once

#include <linux/netlink.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

union rxaqm_netlink_request {
	struct nlmsghdr nl;
	char room[128];
};

/* Begin a request. Returns its header of @header bytes, all zero. */
void *rxaqm_netlink_begin(union rxaqm_netlink_request *request, __u16 type, __u16 flags,
			  size_t header);

/* Add an attribute; a request has room for all that are used. */
void rxaqm_netlink_put(union rxaqm_netlink_request *request, __u16 type, const void *value,
		       size_t bytes);
void rxaqm_netlink_put_u32(union rxaqm_netlink_request *request, __u16 type, __u32 value);

/* Called with each message of an answer. Returns 0, or -errno to end it. */
typedef int (*rxaqm_netlink_fn)(const struct nlmsghdr *message, void *arg);

/* Send @request and call @each with the messages of the answer, each of which must come within a
 * second. 0 or -errno: the kernel's, -EBADMSG for data that is not netlink, -EAGAIN for a dump that
 * a change has torn.
 */
int rxaqm_netlink_ask(int protocol, union rxaqm_netlink_request *request, rxaqm_netlink_fn each,
		      void *arg);

/* The same for @bytes that were received. 1: that was the end; 0: more will come; or -errno. Sets
 * *@torn if a change has torn the dump.
 */
int rxaqm_netlink_parse(const void *data, size_t bytes, rxaqm_netlink_fn each, void *arg,
			bool *torn);

/* The attribute @type after the first @header bytes of @message, or in @nest; NULL if there is none
 * of at least @least bytes.
 */
const struct nlattr *rxaqm_netlink_attr(const struct nlmsghdr *message, size_t header,
					unsigned int type, size_t least);
const struct nlattr *rxaqm_netlink_nested(const struct nlattr *nest, unsigned int type,
					  size_t least);

/* The content of an attribute. A number's size must be known, for example by @least above. */
static inline const void *rxaqm_attr_data(const struct nlattr *attr)
{
	return (const char *)attr + NLA_HDRLEN;
}

static inline size_t rxaqm_attr_len(const struct nlattr *attr)
{
	return attr->nla_len - (size_t)NLA_HDRLEN;
}

static inline const void *rxaqm_attr_end(const struct nlattr *attr)
{
	return (const char *)attr + attr->nla_len;
}

static inline unsigned int rxaqm_attr_type(const struct nlattr *attr)
{
	return attr->nla_type & (unsigned int)NLA_TYPE_MASK;
}

static inline __u32 rxaqm_attr_u32(const struct nlattr *attr)
{
	__u32 value;

	memcpy(&value, rxaqm_attr_data(attr), sizeof(value));
	return value;
}

/* NULL: the text does not end in the attribute. */
static inline const char *rxaqm_attr_text(const struct nlattr *attr)
{
	const char *text = (const char *)rxaqm_attr_data(attr);

	return memchr(text, '\0', rxaqm_attr_len(attr)) ? text : NULL;
}

/* Is there a whole attribute from @at to @end? */
static inline bool rxaqm_attr_ok(const struct nlattr *at, const void *end)
{
	ptrdiff_t left = (const char *)end - (const char *)at;

	return left >= NLA_HDRLEN && at->nla_len >= NLA_HDRLEN && at->nla_len <= left;
}

static inline const void *rxaqm_attr_next(const struct nlattr *attr)
{
	return (const char *)attr + NLA_ALIGN(attr->nla_len);
}

/* The same for messages. */
static inline bool rxaqm_message_ok(const struct nlmsghdr *at, const void *end)
{
	ptrdiff_t left = (const char *)end - (const char *)at;

	return left >= NLMSG_HDRLEN && at->nlmsg_len >= NLMSG_HDRLEN &&
	       at->nlmsg_len <= (size_t)left;
}

static inline const void *rxaqm_message_next(const struct nlmsghdr *message)
{
	return (const char *)message + NLMSG_ALIGN(message->nlmsg_len);
}

static inline const void *rxaqm_message_end(const struct nlmsghdr *message)
{
	return (const char *)message + message->nlmsg_len;
}

/* For each attribute after the first @header bytes of @message. */
#define rxaqm_each_attr(attr, message, header)                                                 \
	for ((attr) = (const void *)((const char *)NLMSG_DATA(message) + NLMSG_ALIGN(header)); \
	     rxaqm_attr_ok(attr, rxaqm_message_end(message)); (attr) = rxaqm_attr_next(attr))

/* Id of the generic netlink family @name; @ret_group: that of its multicast group @group, unless
 * NULL. -ENOENT if the kernel has none.
 */
int rxaqm_netlink_family(const char *name, const char *group, __u32 *ret_group);
