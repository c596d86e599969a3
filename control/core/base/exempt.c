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

static int add_port(struct rxaqm_policy *policy, const char *item)
{
	unsigned int i;
	__u64 port;
	int err = rxaqm_parse_u64(item, 1, 65535, &port);

	if (err)
		return err;
	for (i = 0; i < policy->nr_exempt_ports; i++)
		if (policy->exempt_port[i] == port)
			return 0;
	if (i == RXAQM_MAX_EXEMPT_PORTS)
		return -E2BIG;
	policy->exempt_port[policy->nr_exempt_ports++] = (__u16)port;
	return 0;
}

int rxaqm_exempt_parse_ports(const char *s, struct rxaqm_policy *policy)
{
	const char *rest = strcmp(s, "none") ? s : NULL;
	struct rxaqm_policy list = {};
	char item[RXAQM_ITEM_LEN];
	int err = 0;

	while (rest && !err) {
		rest = rxaqm_parse_item(rest, item);
		err = add_port(&list, item);
	}
	if (err)
		return err;
	memcpy(policy->exempt_port, list.exempt_port, sizeof(list.exempt_port));
	policy->nr_exempt_ports = list.nr_exempt_ports;
	return 0;
}

static int parse_dscp(const char *s, __u64 min, __u64 max, __u64 *ret_value)
{
	size_t i;

	for (i = 0; i < NR_DSCP_NAMES; i++) {
		if (!strcmp(s, dscp_names[i].name)) {
			*ret_value = dscp_names[i].dscp;
			return 0;
		}
	}
	return rxaqm_parse_u64(s, min, max, ret_value);
}

int rxaqm_exempt_parse_dscp(const char *s, struct rxaqm_policy *policy)
{
	unsigned char set[NR_DSCP] = {};
	unsigned int i;
	int err = strcmp(s, "none") ? rxaqm_parse_set(s, parse_dscp, NR_DSCP, set) : 0;

	if (err)
		return err;
	policy->exempt_dscp = 0;
	for (i = 0; i < NR_DSCP; i++)
		policy->exempt_dscp |= (__u64)set[i] << i;
	return 0;
}

/* Append an item to the list in @buf, which is "none" at first. */
static void append(char *buf, size_t size, const char *item)
{
	size_t len = strcmp(buf, "none") ? strlen(buf) : 0;

	snprintf(buf + len, size - len, "%s%s", len ? "," : "", item);
}

void rxaqm_exempt_format_ports(const struct rxaqm_policy *policy, char *buf, size_t size)
{
	char item[16];
	unsigned int i;

	snprintf(buf, size, "none");
	for (i = 0; i < policy->nr_exempt_ports && i < RXAQM_MAX_EXEMPT_PORTS; i++) {
		snprintf(item, sizeof(item), "%u", policy->exempt_port[i]);
		append(buf, size, item);
	}
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

	snprintf(buf, size, "none");
	for (first = 0; first < NR_DSCP; first = last + 1) {
		last = first;
		if (!(policy->exempt_dscp >> first & 1))
			continue;
		while (last + 1 < NR_DSCP && policy->exempt_dscp >> (last + 1) & 1)
			last++;
		format_dscp_run(first, last, item, sizeof(item));
		append(buf, size, item);
	}
}

const char *rxaqm_exempt_words(const struct rxaqm_policy *policy, char buf[RXAQM_EXEMPT_WORDS])
{
	char list[RXAQM_EXEMPT_WORDS / 3];
	size_t len;

	len = (size_t)snprintf(buf, RXAQM_EXEMPT_WORDS, "ICMP, IGMP, OSPF, VRRP, PTP, all but IP");
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
