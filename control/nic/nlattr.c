/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/nlattr.h"

const struct nlattr *rxaqm_nlattr_find(const struct nlattr *first, size_t bytes, unsigned int type,
				       size_t least)
{
	const char *at = (const char *)first, *end = at + bytes;

	while ((size_t)(end - at) >= NLA_HDRLEN) {
		const struct nlattr *attr = (const struct nlattr *)at;

		if (attr->nla_len < NLA_HDRLEN || attr->nla_len > end - at)
			return NULL;
		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return attr->nla_len >= NLA_HDRLEN + least ? attr : NULL;
		if (NLA_ALIGN(attr->nla_len) > end - at)
			return NULL;
		at += NLA_ALIGN(attr->nla_len);
	}
	return NULL;
}
