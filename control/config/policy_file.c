/* SPDX-License-Identifier: GPL-2.0-only */
#include "config/policy_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/ini_file.h"
#include "base/parse.h"

/* libinih knows no longer names of sections; a longer list takes several sections. */
#define QUEUES_LEN_MAX 40

struct load {
	struct rxaqm_policy *policies;
	unsigned int nr_queues;
	__u64 now_ns;
	unsigned char *selected; /* queues of the section */
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
			err = rxaqm_setting_set_by(&load->policies[i], RXAQM_SOURCE_OPERATOR, key,
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
	size_t bytes = nr_queues * sizeof(*policies);
	struct load load = { .nr_queues = nr_queues, .now_ns = now_ns };
	int err;

	load.policies = malloc(bytes);
	load.selected = calloc(nr_queues, 1);
	if (!load.policies || !load.selected) {
		err = rxaqm_failed(error, ENOMEM, "%s: out of memory", path);
		goto out;
	}
	memcpy(load.policies, policies, bytes);
	err = rxaqm_ini_read(file, path, &ops, &load, error);
	if (!err && !load.any)
		err = rxaqm_bad(error, "%s: nothing to set: write [interface] and KEY=VALUE lines",
				path);
	if (!err)
		err = check_all(&load, path, error);
	if (!err)
		memcpy(policies, load.policies, bytes);
out:
	free(load.policies);
	free(load.selected);
	return err;
}

int rxaqm_policy_file_read(const char *path, struct rxaqm_policy *policies, unsigned int nr_queues,
			   __u64 now_ns, struct rxaqm_error *error)
{
	FILE *file;
	int err;

	if (!strcmp(path, "-"))
		return rxaqm_policy_file_parse(stdin, "<stdin>", policies, nr_queues, now_ns,
					       error);
	file = fopen(path, "re");
	if (!file)
		return rxaqm_failed(error, errno, "cannot open \"%s\": %s", path, strerror(errno));
	err = rxaqm_policy_file_parse(file, path, policies, nr_queues, now_ns, error);
	fclose(file);
	return err;
}

/* Write a section: the settings of @policy, or only those in which it differs from @base. */
static void write_section(FILE *file, const char *queues, const struct rxaqm_policy *policy,
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

/* Write sections for the queues from @first on that have its policy, which differs from
 * that of queue 0.
 */
static void write_queues(FILE *file, const struct rxaqm_policy *policies, unsigned int nr_queues,
			 unsigned int first, __u64 now_ns)
{
	char list[QUEUES_LEN_MAX + 1] = "", range[24];
	unsigned int i = first, last;

	while (i < nr_queues) {
		for (last = i; last < nr_queues; last++)
			if (!rxaqm_policy_same(&policies[last], &policies[first]))
				break;
		snprintf(range, sizeof(range), last == i + 1 ? "%s%u" : "%s%u-%u",
			 list[0] ? "," : "", i, last - 1);
		if (last > i && strlen(list) + strlen(range) <= QUEUES_LEN_MAX) {
			strcat(list, range);
			i = last;
		} else if (last > i) {
			write_section(file, list, &policies[first], &policies[0], now_ns);
			list[0] = '\0';
		} else {
			i++;
		}
	}
	write_section(file, list, &policies[first], &policies[0], now_ns);
}

static bool seen_before(const struct rxaqm_policy *policies, unsigned int queue)
{
	unsigned int i;

	for (i = 0; i < queue; i++)
		if (rxaqm_policy_same(&policies[i], &policies[queue]))
			return true;
	return false;
}

int rxaqm_policy_file_write(FILE *file, const struct rxaqm_policy *policies, unsigned int nr_queues,
			    __u64 now_ns)
{
	unsigned int i;

	if (!nr_queues)
		return -EINVAL;
	write_section(file, NULL, &policies[0], NULL, now_ns);
	for (i = 1; i < nr_queues; i++)
		if (!seen_before(policies, i))
			write_queues(file, policies, nr_queues, i, now_ns);
	if (fflush(file))
		return -errno;
	return ferror(file) ? -EIO : 0;
}
