/* SPDX-License-Identifier: GPL-2.0-only */
/* The counters of the protocols, as files of /proc/net and of cgroups have them. */
#include <ctype.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/collect/collect.h"

#define MAX_CGROUPS 4096

/* Pairs of lines, "Prefix: NAME ..." and "Prefix: VALUE ..." (net/ipv4/proc.c). */
static void parse_pairs(doctor_map *map, char *text)
{
	char *names, *values, *next = text;

	while ((names = strsep(&next, "\n")) && (values = strsep(&next, "\n"))) {
		char *prefix = strsep(&names, ":"), *name, *value, key[96];

		strsep(&values, ":");
		while (names && values && (name = strsep(&names, " "))) {
			value = strsep(&values, " ");
			if (!*name || !value)
				continue;
			/* Tcp.MaxConn is -1. */
			if (!isdigit((unsigned char)*value))
				continue;
			snprintf(key, sizeof(key), "%s.%s", prefix, name);
			doctor_map_set(map, key, strtoull(value, NULL, 10));
		}
	}
}

/* "Ip6InReceives   17": the prefix ends with the 6. */
static void parse_snmp6(doctor_map *map, const char *text)
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
static void parse_sockstat(doctor_map *map, char *text)
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

/* A line of names, and below it one of hexadecimal numbers a CPU, of which the first is of all. */
static void collect_table(doctor_map *map, const char *table, const char *const *wanted)
{
	char path[64], key[96], *text, *next, *header, *line, *name, *at;
	__u64 value, sum;
	size_t i;

	snprintf(path, sizeof(path), "/proc/net/stat/%s", table);
	text = next = doctor_read(AT_FDCWD, path);
	header = text ? strsep(&next, "\n") : NULL;
	for (i = 0; header && wanted[i]; i++) {
		sum = 0;
		for (line = next; line && *line;
		     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
			at = line;
			for (name = header; *name; name += strspn(name, " ")) {
				size_t len = strcspn(name, " ");

				value = strtoull(at, &at, 16);
				if (strlen(wanted[i]) == len && !strncmp(name, wanted[i], len))
					sum += value;
				name += len;
			}
		}
		snprintf(key, sizeof(key), "%s.%s", table, wanted[i]);
		doctor_map_set(map, key, sum);
	}
	free(text);
}

/* Tables that may be full: of connections, of neighbours. */
static void collect_tables(doctor_map *map)
{
	static const char *const conntrack[] = { "insert_failed", "drop", "early_drop", NULL };
	static const char *const neighbours[] = { "unresolved_discards", "table_fulls", NULL };
	__u64 value;

	collect_table(map, "nf_conntrack", conntrack);
	collect_table(map, "arp_cache", neighbours);
	collect_table(map, "ndisc_cache", neighbours);
	value = doctor_read_u64(AT_FDCWD, ~0ULL, "/proc/sys/net/netfilter/nf_conntrack_count");
	if (value != ~0ULL)
		doctor_map_set(map, "nf_conntrack.count", value);
	value = doctor_read_u64(AT_FDCWD, ~0ULL, "/proc/sys/net/netfilter/nf_conntrack_max");
	if (value != ~0ULL)
		doctor_map_set(map, "nf_conntrack.max", value);
}

/* memory.events of cgroups: sock_throttled is in 7.x. Only those that have throttled are noted,
 * with 0 for the root to say that the kernel counts.
 */
static void collect_cgroups(struct doctor_snapshot *snap, doctor_map *map)
{
	char *roots[] = { "/sys/fs/cgroup", NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOSTAT | FTS_NOCHDIR, NULL);
	bool counted = false;
	unsigned int looked = 0;
	FTSENT *entry;

	while (tree && looked < MAX_CGROUPS && (entry = fts_read(tree))) {
		char *text, *at;

		if (strcmp(entry->fts_name, "memory.events"))
			continue;
		looked++;
		text = doctor_read(AT_FDCWD, entry->fts_path);
		at = text ? strstr(text, "sock_throttled ") : NULL;
		if (at) {
			unsigned long long times = strtoull(at + 15, NULL, 10);
			char key[512];

			snprintf(key, sizeof(key), "cgroup.sock_throttled:%.*s",
				 (int)(strlen(entry->fts_path) - strlen("/sys/fs/cgroup") -
				       strlen("/memory.events")),
				 entry->fts_path + strlen("/sys/fs/cgroup"));
			if (times)
				doctor_map_set(map, key, times);
			counted = true;
		}
		free(text);
	}
	if (tree)
		fts_close(tree);
	if (counted)
		doctor_map_set(map, "cgroup.sock_throttled:", 0);
	else
		doctor_cannot_see(snap, "socket memory of cgroups",
				  "no memory.events has sock_throttled (Linux 7.x has it)");
}

void doctor_collect_counters(struct doctor_snapshot *snap, struct doctor_sample *sample)
{
	static const struct {
		const char *path, *what;
		void (*parse)(doctor_map *map, char *text);
	} files[] = {
		{ "/proc/net/snmp", "protocol counters", parse_pairs },
		{ "/proc/net/netstat", "TCP counters", parse_pairs },
		{ "/proc/net/sockstat", "socket memory", parse_sockstat },
	};
	char *text;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		text = doctor_read_or_note(snap, files[i].path, files[i].what);
		if (text)
			files[i].parse(&sample->counters, text);
		free(text);
	}
	/* Without IPv6 there is none, and nothing to see. */
	text = doctor_read(AT_FDCWD, "/proc/net/snmp6");
	if (text)
		parse_snmp6(&sample->counters, text);
	free(text);
	collect_cgroups(snap, &sample->counters);
	collect_tables(&sample->counters);
}
