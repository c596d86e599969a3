/* SPDX-License-Identifier: GPL-2.0-only */
#include "config/policy_file.h"

#include <string.h>

#include "base/ini_file.h"
#include "base/parse.h"

/* Longest list of queues, with the comma before it: libinih has no longer names of sections, so a
 * longer list takes several.
 */
#define QUEUES_LEN_MAX 41

struct load {
	struct rxaqm_policy *policies;
	unsigned int nr_queues;
	__u64 now_ns;
	unsigned char selected[RXAQM_MAX_QUEUES]; /* queues of the section */
	struct rxaqm_keys_seen seen; /* in the section */
	bool any;
};

static int load_section(void *arg, const char *section, struct rxaqm_error *error)
{
	struct load *load = arg;
	const char *queues;
	int err;

	load->seen = (struct rxaqm_keys_seen){};
	memset(load->selected, 0, load->nr_queues);
	if (!strcmp(section, "interface")) {
		memset(load->selected, 1, load->nr_queues);
		return 0;
	}
	if (strncmp(section, "queue ", 6))
		return rxaqm_bad(error, "unknown section [%s]; write [interface] or [queue 0-3,6]",
				 section);
	queues = section + 6;
	err = rxaqm_parse_queues(queues, load->nr_queues, load->selected);
	if (err == -ERANGE)
		return rxaqm_bad(error, "[%s]: the queues there are go from 0 to %u", section,
				 load->nr_queues - 1);
	if (err)
		return rxaqm_bad(error, "[%s]: not a list of queues such as 0-3,6", section);
	return 0;
}

static int load_key(void *arg, const char *section, const char *key, const char *value,
		    unsigned int line, struct rxaqm_error *error)
{
	struct load *load = arg;
	unsigned int i;
	int err = 0;

	load->any = true;
	if (strcmp(key, "preset"))
		err = rxaqm_key_once(&load->seen, rxaqm_settings, key, section, line, error);
	for (i = 0; i < load->nr_queues && !err; i++)
		if (load->selected[i])
			err = rxaqm_setting_set(&load->policies[i], RXAQM_SOURCE_OPERATOR, key,
						value, load->now_ns, error);
	return err;
}

static int check_all(const struct load *load, const char *path, struct rxaqm_error *error)
{
	struct rxaqm_error reason;
	unsigned int i;
	int err;

	for (i = 0; i < load->nr_queues; i++) {
		err = rxaqm_policy_check(&load->policies[i], &reason);
		if (err)
			return rxaqm_error_set(error, reason.exit_code, -err, "%s: queue %u: %s",
					       path, i, reason.text);
	}
	return 0;
}

int rxaqm_policy_file_parse(FILE *file, const char *path, struct rxaqm_policy *policies,
			    unsigned int nr_queues, __u64 now_ns, struct rxaqm_error *error)
{
	const struct rxaqm_ini_ops ops = { .section = load_section, .key = load_key };
	struct load load = { .policies = policies, .nr_queues = nr_queues, .now_ns = now_ns };
	int err = rxaqm_ini_read(file, path, &ops, &load, error);

	if (!err && !load.any)
		err = rxaqm_bad(error, "%s: nothing to set: write [interface] and KEY=VALUE lines",
				path);
	return err ? err : check_all(&load, path, error);
}

/* Write a section: the settings of @policy, or only those in which it differs from @base. */
static void print_section(FILE *file, const char *queues, const struct rxaqm_policy *policy,
			  const struct rxaqm_policy *base, __u64 now_ns)
{
	char value[RXAQM_KEY_LEN], base_value[RXAQM_KEY_LEN];
	const struct rxaqm_key *setting;

	if (queues)
		fprintf(file, "\n[queue %s]\n", queues);
	else
		fputs("[interface]\n", file);
	for (setting = rxaqm_settings; setting->name; setting++) {
		rxaqm_key_format(setting, policy, now_ns, value);
		if (!base || strcmp(value, rxaqm_key_format(setting, base, now_ns, base_value)))
			fprintf(file, "%s=%s\n", setting->name, value);
	}
}

/* The first queue from @from on whose policy is (@same) or is not that of @like; nr_queues if there
 * is none.
 */
static unsigned int next(const struct rxaqm_policies *all, unsigned int from, unsigned int like,
			 bool same)
{
	while (from < all->nr_queues &&
	       rxaqm_policy_same(&all->policy[from], &all->policy[like]) != same)
		from++;
	return from;
}

/* Write sections for the queues from @first on with @first's policy, which differs from that of
 * queue 0.
 */
static void print_queues(FILE *file, const struct rxaqm_policies *all, unsigned int first)
{
	char list[QUEUES_LEN_MAX + 1] = "", range[24];
	unsigned int i, end;

	for (i = first; i < all->nr_queues; i = next(all, end, first, true)) {
		end = next(all, i, first, false);
		snprintf(range, sizeof(range), end == i + 1 ? ",%u" : ",%u-%u", i, end - 1);
		if (strlen(list) + strlen(range) > QUEUES_LEN_MAX) {
			print_section(file, list + 1, &all->policy[first], &all->policy[0],
				      all->now_ns);
			list[0] = '\0';
		}
		strcat(list, range);
	}
	print_section(file, list + 1, &all->policy[first], &all->policy[0], all->now_ns);
}

void rxaqm_policy_file_print(FILE *file, const void *policies)
{
	const struct rxaqm_policies *all = policies;
	unsigned int i;

	for (i = 0; i < all->nr_queues; i++)
		rxaqm_lease_begin(&all->policy[i], all->now_ns);
	print_section(file, NULL, &all->policy[0], NULL, all->now_ns);
	for (i = 1; i < all->nr_queues; i++)
		if (next(all, 0, i, true) == i)
			print_queues(file, all, i);
}
