/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes of netlink messages. */
#ifndef RXAQM_NLATTR_H
#define RXAQM_NLATTR_H

#include <linux/netlink.h>
#include <stddef.h>

/* The attribute @type in @bytes from @first on; NULL if there is none of at least @least bytes. */
const struct nlattr *rxaqm_nlattr_find(const struct nlattr *first, size_t bytes, unsigned int type,
				       size_t least);

static inline const void *rxaqm_nlattr_payload(const struct nlattr *attr)
{
	return (const char *)attr + NLA_HDRLEN;
}

/* The same of the attributes that are the payload of @nest. */
static inline const struct nlattr *rxaqm_nlattr_nested(const struct nlattr *nest, unsigned int type,
						       size_t least)
{
	return rxaqm_nlattr_find(rxaqm_nlattr_payload(nest), nest->nla_len - NLA_HDRLEN, type,
				 least);
}

#endif /* RXAQM_NLATTR_H */
