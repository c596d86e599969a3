/* SPDX-License-Identifier: GPL-2.0-only */
/* One profile: its keys, and how a file is read. */
#include "profile.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ini_file.h"
#include "nearest.h"
#include "parse.h"
#include "poll.h"

static const char *const design_names[] = {
	"unknown", "shared", "split", "writeback", "none", NULL
};
static const char *const coverage_names[] = { "unknown", "none", "ptp", "all", NULL };
static const char *const path_names[] = { "unknown", "gro", "frags", "list", "backlog", NULL };
static const char *const stamp_names[] = { "none", "hwtstamp", "tstamp", NULL };
static const char *const boolean_names[] = { "no", "yes", NULL };

enum fact_type {
	FACT_CHOICE, /* int or enum */
	FACT_NUMBER, /* unsigned int */
	FACT_TEXT, /* char[] */
	FACT_SYMBOL, /* char[] of a C identifier */
	FACT_RELEASE, /* char[], such as 6.3 */
	FACT_DRIVER, /* char[], or "*" */
};

static const struct fact {
	const char *section;
	const char *key;
	enum fact_type type;
	size_t offset, size; /* in struct rxaqm_profile */
	const char *const *choices; /* "unknown" is for what is not said */
	unsigned int max; /* of a number; the least is 1 */
} facts[] = {
#define FACT(field) \
	offsetof(struct rxaqm_profile, field), sizeof(((struct rxaqm_profile *)0)->field)
	{ "Match", "Driver", FACT_DRIVER, FACT(driver), NULL, 0 },
	{ "Nic", "CompletionDesign", FACT_CHOICE, FACT(design), design_names, 0 },
	{ "Nic", "CompletionDesignChange", FACT_TEXT, FACT(design_change), NULL, 0 },
	{ "Nic", "NapiPoll", FACT_SYMBOL, FACT(napi_poll), NULL, 0 },
	{ "Nic", "WorkCountsTx", FACT_CHOICE, FACT(work_counts_tx), boolean_names, 0 },
	{ "Nic", "ReceivePath", FACT_CHOICE, FACT(path_native), path_names, 0 },
	{ "Nic", "ReceivePathGeneric", FACT_CHOICE, FACT(path_generic), path_names, 0 },
	{ "Nic", "TimestampField", FACT_CHOICE, FACT(stamp), stamp_names, 0 },
	{ "Nic", "TimestampCoverage", FACT_CHOICE, FACT(coverage), coverage_names, 0 },
	{ "Nic", "HintSince", FACT_RELEASE, FACT(hint_since), NULL, 0 },
	{ "Nic", "RxRing", FACT_NUMBER, FACT(ring_entries), NULL, 1U << 20 },
	{ "Nic", "PollPackets", FACT_NUMBER, FACT(poll_packets), NULL, RXAQM_POLL_PACKETS_MAX },
#undef FACT
};
#define NR_FACTS (sizeof(facts) / sizeof(facts[0]))

struct load {
	struct rxaqm_profile *profile;
	struct rxaqm_policy policy; /* the settings so far */
	unsigned int seen; /* bit n: facts[n] */
};

/* Names "a, b or c" of what @choices offers. */
static const char *list_choices(const char *const *choices, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (; *choices; choices++) {
		if (!strcmp(*choices, "unknown"))
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%s",
					!len	   ? "" :
					choices[1] ? ", " :
						     " or ",
					*choices);
		if (len >= size)
			break;
	}
	return buf;
}

static int set_choice(const struct fact *fact, const char *value, void *field,
		      struct rxaqm_error *error)
{
	char list[128];
	int i;

	for (i = 0; fact->choices[i]; i++) {
		if (!strcmp(fact->choices[i], value) && strcmp(value, "unknown")) {
			memcpy(field, &i, sizeof(i));
			return 0;
		}
	}
	return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL, "%s=%.40s: must be %s", fact->key,
			       value, list_choices(fact->choices, list, sizeof(list)));
}

static int set_number(const struct fact *fact, const char *value, void *field,
		      struct rxaqm_error *error)
{
	unsigned int number;
	__u64 parsed;

	if (rxaqm_parse_u64(value, 1, fact->max, &parsed))
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "%s=%.40s: must be a number from 1 to %u", fact->key, value,
				       fact->max);
	number = (unsigned int)parsed;
	memcpy(field, &number, sizeof(number));
	return 0;
}

/* Is @value a name as C and the kernel have them? */
static bool is_name(const char *value, const char *more)
{
	if (!*value)
		return false;
	for (; *value; value++)
		if (!isalnum((unsigned char)*value) && !strchr(more, *value))
			return false;
	return true;
}

/* A kernel release such as 6.3. */
static bool is_release(const char *value)
{
	char *dot = strchr(value, '.');
	char major[8];
	__u64 number;

	if (!dot || dot == value || dot - value >= (long)sizeof(major))
		return false;
	snprintf(major, sizeof(major), "%.*s", (int)(dot - value), value);
	return !rxaqm_parse_u64(major, 2, 99, &number) &&
	       !rxaqm_parse_u64(dot + 1, 0, 999, &number);
}

static int set_text(const struct fact *fact, const char *value, char *field,
		    struct rxaqm_error *error)
{
	static const char *const forms[] = {
		[FACT_TEXT] = "text",
		[FACT_SYMBOL] = "the name of a kernel function",
		[FACT_RELEASE] = "a kernel release such as 6.3",
		[FACT_DRIVER] = "the name of a driver as \"ethtool -i\" shows it, or *",
	};
	bool good = *value;

	if (fact->type == FACT_SYMBOL)
		good = is_name(value, "_.");
	else if (fact->type == FACT_RELEASE)
		good = is_release(value);
	else if (fact->type == FACT_DRIVER)
		good = is_name(value, "_-.") || !strcmp(value, "*");
	if (!good)
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL, "%s=%.40s: must be %s",
				       fact->key, value, forms[fact->type]);
	if (strlen(value) >= fact->size)
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "%s=%.40s...: longer than %zu characters", fact->key, value,
				       fact->size - 1);
	memcpy(field, value, strlen(value) + 1);
	return 0;
}

static int unknown_fact(const char *section, const char *key, struct rxaqm_error *error)
{
	const char *names[NR_FACTS + 1] = { NULL };
	char list[256];
	size_t i, nr = 0;
	const char *nearest;

	for (i = 0; i < NR_FACTS; i++)
		if (!strcmp(facts[i].section, section))
			names[nr++] = facts[i].key;
	nearest = rxaqm_nearest(key, names);
	if (nearest)
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "unknown key \"%s\" in [%s]; did you mean %s?", key, section,
				       nearest);
	return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
			       "unknown key \"%s\" in [%s]; it must be %s", key, section,
			       list_choices(names, list, sizeof(list)));
}

static int load_fact(struct load *load, const char *section, const char *key, const char *value,
		     struct rxaqm_error *error)
{
	char *field;
	size_t i;

	for (i = 0; i < NR_FACTS; i++)
		if (!strcmp(facts[i].section, section) && !strcmp(facts[i].key, key))
			break;
	if (i == NR_FACTS)
		return unknown_fact(section, key, error);
	if (load->seen & (1U << i))
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "%s is set twice; delete one", key);
	load->seen |= 1U << i;
	field = (char *)load->profile + facts[i].offset;
	if (facts[i].type == FACT_CHOICE)
		return set_choice(&facts[i], value, field, error);
	if (facts[i].type == FACT_NUMBER)
		return set_number(&facts[i], value, field, error);
	return set_text(&facts[i], value, field, error);
}

static int load_setting(struct load *load, const char *key, const char *value, unsigned int line,
			struct rxaqm_error *error)
{
	struct rxaqm_profile *profile = load->profile;
	unsigned int i, nr = profile->nr_settings;
	int err;

	if (!strcmp(key, "mode") || !strcmp(key, "lease"))
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "%s is not for profiles to set; use \"rxaqm policy set\"",
				       key);
	for (i = 0; i < nr; i++)
		if (!strcmp(profile->setting[i].key, key))
			return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
					       "%s is set twice, first on line %u; delete one", key,
					       profile->setting[i].line);
	err = rxaqm_setting_set(&load->policy, key, value, 0, error);
	if (err)
		return err;
	if (nr == RXAQM_PROFILE_SETTINGS_MAX || strlen(value) >= RXAQM_SETTING_LEN)
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL, "%s=%.40s...: too long",
				       key, value);
	snprintf(profile->setting[nr].key, sizeof(profile->setting[nr].key), "%s", key);
	snprintf(profile->setting[nr].value, sizeof(profile->setting[nr].value), "%s", value);
	profile->setting[nr].line = line;
	profile->nr_settings++;
	return 0;
}

static int load_section(void *arg, const char *section, struct rxaqm_error *error)
{
	(void)arg;
	if (!strcmp(section, "Match") || !strcmp(section, "Nic") || !strcmp(section, "Policy"))
		return 0;
	return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
			       "unknown section [%s]; it must be [Match], [Nic] or [Policy]",
			       section);
}

static int load_key(void *arg, const char *section, const char *key, const char *value,
		    unsigned int line, struct rxaqm_error *error)
{
	if (!strcmp(section, "Policy"))
		return load_setting(arg, key, value, line, error);
	return load_fact(arg, section, key, value, error);
}

int rxaqm_profile_parse(FILE *file, const char *path, struct rxaqm_profile *profile,
			struct rxaqm_error *error)
{
	const struct rxaqm_ini_ops ops = { .section = load_section, .key = load_key };
	struct load load = { .profile = profile };
	struct rxaqm_error reason;
	int err;

	memset(profile, 0, sizeof(*profile));
	profile->work_counts_tx = -1;
	rxaqm_policy_init(&load.policy);
	err = rxaqm_ini_read(file, path, &ops, &load, error);
	if (err)
		return err;
	if (!profile->driver[0])
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "%s: no Driver= in a section [Match]; add it", path);
	err = rxaqm_policy_check(&load.policy, &reason);
	if (err)
		return rxaqm_error_set(error, reason.exit_code, -err, "%s: [Policy]: %s", path,
				       reason.text);
	return 0;
}

int rxaqm_profile_policy(const struct rxaqm_profile *profile, struct rxaqm_policy *policy,
			 struct rxaqm_error *error)
{
	unsigned int i;
	int err;

	rxaqm_policy_init(policy);
	for (i = 0; i < profile->nr_settings; i++) {
		err = rxaqm_setting_set(policy, profile->setting[i].key, profile->setting[i].value,
					0, error);
		if (err)
			return err;
	}
	return rxaqm_policy_check(policy, error);
}

const char *rxaqm_design_name(enum rxaqm_design design)
{
	return design_names[design];
}

const char *rxaqm_coverage_name(enum rxaqm_coverage coverage)
{
	return coverage_names[coverage];
}

const char *rxaqm_path_name(enum rxaqm_receive_path path)
{
	return path_names[path];
}

const char *rxaqm_stamp_name(enum rxaqm_stamp stamp)
{
	return stamp_names[stamp];
}
