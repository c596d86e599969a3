/* SPDX-License-Identifier: GPL-2.0-only */
/* Protocol counters from /proc/net. */
#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/collect/collect.h"
#include "doctor/snapshot/loss_counters.h"

/* Pairs of lines, "Prefix: NAME ..." and "Prefix: VALUE ..." (net/ipv4/proc.c). */
static void parse_pairs(void *map, char *text)
{
	char *names, *values, *next = text;

	while ((names = strsep(&next, "\n")) && (values = strsep(&next, "\n"))) {
		char *prefix = strsep(&names, ":"), *name, *value, key[96];

		strsep(&values, ":");
		while (names && values && (name = strsep(&names, " "))) {
			value = strsep(&values, " ");
			/* Tcp.MaxConn is -1. */
			if (!*name || !value || !isdigit((unsigned char)*value))
				continue;
			snprintf(key, sizeof(key), "%s.%s", prefix, name);
			doctor_map_set(map, key, strtoull(value, NULL, 10));
		}
	}
}

/* "Ip6InReceives   17": the prefix ends with the 6. */
static void parse_snmp6(void *map, char *text)
{
	char name[64], key[80];
	unsigned long long value;
	int used;

	while (sscanf(text, "%63s %llu%n", name, &value, &used) == 2) {
		const char *six = strchr(name, '6');

		text += used;
		if (!six || strchr(six + 1, '6'))
			continue;
		snprintf(key, sizeof(key), "%.*s.%s", (int)(six + 1 - name), name, six + 1);
		doctor_map_set(map, key, value);
	}
}

/* "TCP: inuse 5 orphan 0 ...": sockstat.TCP.inuse. */
static void parse_sockstat(void *map, char *text)
{
	char *line, *prefix, *name, *value, key[96];

	while ((line = strsep(&text, "\n"))) {
		prefix = strsep(&line, ":");
		if (!line)
			continue;
		strsep(&line, " ");
		while ((name = strsep(&line, " ")) && (value = strsep(&line, " "))) {
			if (!isdigit((unsigned char)*value))
				continue;
			snprintf(key, sizeof(key), "sockstat.%s.%s", prefix, name);
			doctor_map_set(map, key, strtoull(value, NULL, 10));
		}
	}
}

/* A line of names, and below it a line of hexadecimal numbers for each CPU. The first number
 * repeats the total.
 */
static void collect_table(doctor_map *map, const char *table)
{
	char path[64], key[96], *text, *next, *header, *line, *name, *at;
	const struct doctor_loss *loss;
	__u64 value, sum;
	size_t len;

	snprintf(path, sizeof(path), "/proc/net/stat/%s", table);
	text = next = doctor_read(AT_FDCWD, path);
	header = text ? strsep(&next, "\n") : NULL;
	while (header && (line = strsep(&next, "\n")) && *line) {
		for (at = line, name = header; *name; name += len, name += strspn(name, " ")) {
			len = strcspn(name, " ");
			value = strtoull(at, &at, 16);
			snprintf(key, sizeof(key), "%s.%.*s", table, (int)len, name);
			loss = doctor_loss_of(DOCTOR_IN_COUNTERS, key, "");
			/* The other columns have names that say loss, but count none. */
			if (loss && loss->name)
				doctor_map_set(map, key,
					       value + (doctor_map_get(*map, key, &sum) ? sum : 0));
		}
	}
	free(text);
}

/* Tables that may be full: connections and neighbours. */
static void collect_tables(doctor_map *map)
{
	__u64 value;

	collect_table(map, "nf_conntrack");
	collect_table(map, "arp_cache");
	collect_table(map, "ndisc_cache");
	value = doctor_read_u64(AT_FDCWD, ~0ULL, "/proc/sys/net/netfilter/nf_conntrack_count");
	if (value != ~0ULL)
		doctor_map_set(map, "nf_conntrack.count", value);
	value = doctor_read_u64(AT_FDCWD, ~0ULL, "/proc/sys/net/netfilter/nf_conntrack_max");
	if (value != ~0ULL)
		doctor_map_set(map, "nf_conntrack.max", value);
}

void doctor_collect_counters(struct doctor_snapshot *snap, struct doctor_sample *sample)
{
	doctor_map *map = &sample->counters;

	doctor_parse(snap, "/proc/net/snmp", "protocol counters", parse_pairs, map);
	doctor_parse(snap, "/proc/net/netstat", "TCP counters", parse_pairs, map);
	doctor_parse(snap, "/proc/net/sockstat", "socket memory", parse_sockstat, map);
	/* Without IPv6 the file is missing; nothing is lost by that. */
	doctor_parse(snap, "/proc/net/snmp6", NULL, parse_snmp6, map);
	collect_tables(map);
}
