/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/exempt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

#define NR_DSCP 64

/* IANA's registry "Differentiated Services Field Codepoints"; cs0 to cs7 are 8 * n. */
static const struct {
	const char *name;
	unsigned char dscp;
} dscp_names[] = {
	{ "le", 1 },	{ "af11", 10 }, { "af12", 12 }, { "af13", 14 }, { "af21", 18 },
	{ "af22", 20 }, { "af23", 22 }, { "af31", 26 }, { "af32", 28 }, { "af33", 30 },
	{ "af41", 34 }, { "af42", 36 }, { "af43", 38 }, { "va", 44 },	{ "ef", 46 },
	{ "cs0", 0 },	{ "cs1", 8 },	{ "cs2", 16 },	{ "cs3", 24 },	{ "cs4", 32 },
	{ "cs5", 40 },	{ "cs6", 48 },	{ "cs7", 56 },
};
#define NR_DSCP_NAMES (sizeof(dscp_names) / sizeof(dscp_names[0]))

/* Have @take look at each item of the list at @s, until it returns an error. */
static int each_item(const char *s, int (*take)(char *item, void *arg), void *arg)
{
	char item[16];
	int err = 0;

	for (bool more = strcmp(s, "none"); more && !err;) {
		size_t len = strcspn(s, ",");

		/* One too long for anything known becomes empty, which nothing accepts. */
		snprintf(item, sizeof(item), "%.*s", len < sizeof(item) ? (int)len : 0, s);
		err = take(item, arg);
		more = s[len];
		s += len + 1;
	}
	return err;
}

static int take_port(char *item, void *arg)
{
	struct rxaqm_policy *policy = arg;
	unsigned int i;
	__u64 port;
	int err = rxaqm_parse_u64(item, 1, 65535, &port);

	for (i = 0; i < policy->nr_exempt_ports && !err; i++)
		if (policy->exempt_port[i] == port)
			return 0;
	if (!err && policy->nr_exempt_ports == RXAQM_MAX_EXEMPT_PORTS)
		return -E2BIG;
	if (!err)
		policy->exempt_port[policy->nr_exempt_ports++] = (__u16)port;
	return err;
}

int rxaqm_exempt_parse_ports(const char *s, struct rxaqm_policy *policy)
{
	struct rxaqm_policy list = {};
	int err = each_item(s, take_port, &list);

	if (err)
		return err;
	memcpy(policy->exempt_port, list.exempt_port, sizeof(list.exempt_port));
	policy->nr_exempt_ports = list.nr_exempt_ports;
	return 0;
}

static int parse_dscp(const char *s, __u64 *ret_value)
{
	size_t i;

	for (i = 0; i < NR_DSCP_NAMES; i++) {
		if (!strcmp(s, dscp_names[i].name)) {
			*ret_value = dscp_names[i].dscp;
			return 0;
		}
	}
	return rxaqm_parse_u64(s, 0, NR_DSCP - 1, ret_value);
}

static int take_dscp(char *item, void *arg)
{
	char *dash = strchr(item, '-');
	__u64 *set = arg, first, last;
	int err;

	if (dash)
		*dash = '\0';
	err = parse_dscp(item, &first);
	last = err ? 0 : first;
	if (!err && dash)
		err = parse_dscp(dash + 1, &last);
	if (err)
		return err;
	if (last < first)
		return -EINVAL;
	for (; first <= last; first++)
		*set |= 1ULL << first;
	return 0;
}

int rxaqm_exempt_parse_dscp(const char *s, struct rxaqm_policy *policy)
{
	__u64 set = 0;
	int err = each_item(s, take_dscp, &set);

	if (!err)
		policy->exempt_dscp = set;
	return err;
}

/* Append an item to the list in @buf. */
static void append(char *buf, size_t size, const char *item)
{
	size_t len = strlen(buf);

	snprintf(buf + len, size - len, "%s%s", len ? "," : "", item);
}

void rxaqm_exempt_format_ports(const struct rxaqm_policy *policy, char *buf, size_t size)
{
	char item[16];
	unsigned int i;

	buf[0] = '\0';
	for (i = 0; i < policy->nr_exempt_ports && i < RXAQM_MAX_EXEMPT_PORTS; i++) {
		snprintf(item, sizeof(item), "%u", policy->exempt_port[i]);
		append(buf, size, item);
	}
	if (!buf[0])
		snprintf(buf, size, "none");
}

static void format_dscp_run(unsigned int first, unsigned int last, char *item, size_t size)
{
	size_t i;

	snprintf(item, size, "%u-%u", first, last);
	if (first != last)
		return;
	snprintf(item, size, "%u", first);
	for (i = 0; i < NR_DSCP_NAMES; i++)
		if (dscp_names[i].dscp == first)
			snprintf(item, size, "%s", dscp_names[i].name);
}

void rxaqm_exempt_format_dscp(const struct rxaqm_policy *policy, char *buf, size_t size)
{
	unsigned int first, last;
	char item[32];

	buf[0] = '\0';
	for (first = 0; first < NR_DSCP; first = last + 1) {
		last = first;
		if (!(policy->exempt_dscp >> first & 1))
			continue;
		while (last + 1 < NR_DSCP && policy->exempt_dscp >> (last + 1) & 1)
			last++;
		format_dscp_run(first, last, item, sizeof(item));
		append(buf, size, item);
	}
	if (!buf[0])
		snprintf(buf, size, "none");
}

const char *rxaqm_exempt_words(const struct rxaqm_policy *policy, char buf[RXAQM_EXEMPT_WORDS])
{
	char list[RXAQM_EXEMPT_WORDS / 3];
	size_t len;

	len = (size_t)snprintf(buf, RXAQM_EXEMPT_WORDS,
			       "ICMP, IGMP, OSPF, VRRP, PTP, DSCP cs6 and cs7, all but IP");
	if (policy->nr_exempt_ports) {
		rxaqm_exempt_format_ports(policy, list, sizeof(list));
		len += (size_t)snprintf(buf + len, RXAQM_EXEMPT_WORDS - len, ", exempt_ports=%s",
					list);
	}
	if (policy->exempt_dscp) {
		rxaqm_exempt_format_dscp(policy, list, sizeof(list));
		snprintf(buf + len, RXAQM_EXEMPT_WORDS - len, ", exempt_dscp=%s", list);
	}
	return buf;
}
