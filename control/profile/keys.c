/* SPDX-License-Identifier: GPL-2.0-only */
#include "profile/keys.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/parse.h"
#include "poll.h"

static const char *const design_names[] = {
	"unknown", "shared", "split", "writeback", "none", NULL
};
static const char *const coverage_names[] = { "unknown", "none", "ptp", "some", "all", NULL };
static const char *const path_names[] = { "unknown", "gro",	"frags", "list",
					  "backlog", "receive", NULL };
static const char *const stamp_names[] = { "none", "hwtstamp", "tstamp", NULL };
static const char *const boolean_names[] = { "no", "yes", NULL };
static const char *const napi_names[] = { "unknown", "joint", "apart", NULL };
enum fact_type {
	FACT_CHOICE, /* int or enum */
	FACT_RULE, /* enum rxaqm_target_rule */
	FACT_NUMBER, /* unsigned int */
	FACT_DURATION, /* __u64, ns */
	FACT_TEXT, /* char[] */
	FACT_SYMBOL, /* char[] of a C identifier */
	FACT_RELEASE, /* char[], such as 6.3 */
	FACT_NOTE, /* one more of note[] */
};

static const struct fact {
	const char *key;
	enum fact_type type;
	size_t offset, size; /* in struct rxaqm_profile */
	const char *const *choices; /* "unknown" is for what is not said */
	unsigned int max; /* of a number; the least is 1 */
} facts[] = {
#define FACT(field) \
	offsetof(struct rxaqm_profile, field), sizeof(((struct rxaqm_profile *)0)->field)
	{ "CompletionDesign", FACT_CHOICE, FACT(design), design_names, 0 },
	{ "CompletionDesignChange", FACT_TEXT, FACT(design_change), NULL, 0 },
	{ "Napi", FACT_CHOICE, FACT(napi), napi_names, 0 },
	{ "NapiPoll", FACT_SYMBOL, FACT(napi_poll), NULL, 0 },
	{ "WorkCountsTx", FACT_CHOICE, FACT(work_counts_tx), boolean_names, 0 },
	{ "PollPackets", FACT_NUMBER, FACT(poll_packets), NULL, RXAQM_POLL_PACKETS_MAX },
	{ "ReceivePath", FACT_CHOICE, FACT(path_native), path_names, 0 },
	{ "ReceivePathGeneric", FACT_CHOICE, FACT(path_generic), path_names, 0 },
	{ "TimestampField", FACT_CHOICE, FACT(stamp), stamp_names, 0 },
	{ "TimestampCoverage", FACT_CHOICE, FACT(coverage), coverage_names, 0 },
	{ "HintSince", FACT_RELEASE, FACT(hint_since), NULL, 0 },
	{ "RxRing", FACT_NUMBER, FACT(ring_entries), NULL, 1U << 20 },
	{ "RxRingDefault", FACT_NUMBER, FACT(ring_default), NULL, 1U << 20 },
	{ "RxRingMax", FACT_NUMBER, FACT(ring_max), NULL, 1U << 20 },
	{ "Moderation", FACT_DURATION, FACT(moderation_ns), NULL, 0 },
	{ "TargetRule", FACT_RULE, FACT(target_rule), NULL, 0 },
	{ "Note", FACT_NOTE, 0, 0, NULL, 0 },
	{ "Warning", FACT_NOTE, 0, 0, NULL, 0 },
#undef FACT
};
#define NR_FACTS (sizeof(facts) / sizeof(facts[0]))

const char *rxaqm_profile_choices(const char *const *choices, char *buf, size_t size)
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

int rxaqm_profile_choose(const char *key, const char *value, const char *const *choices,
			 struct rxaqm_error *error)
{
	char list[128];
	int i;

	for (i = 0; choices[i]; i++)
		if (!strcmp(choices[i], value) && strcmp(value, "unknown"))
			return i;
	return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL, "%s=%.40s: must be %s", key, value,
			       rxaqm_profile_choices(choices, list, sizeof(list)));
}

static int set_choice(const struct fact *fact, const char *value, void *field,
		      struct rxaqm_error *error)
{
	int choice = rxaqm_profile_choose(fact->key, value, fact->choices, error);

	if (choice < 0)
		return choice;
	memcpy(field, &choice, sizeof(choice));
	return 0;
}

static int set_rule(const struct fact *fact, const char *value, void *field,
		    struct rxaqm_error *error)
{
	const char *names[RXAQM_RULE_OWN_CPU + 2] = { NULL };
	struct fact choice = *fact;
	int rule;

	for (rule = 0; rule <= RXAQM_RULE_OWN_CPU; rule++)
		names[rule] = rxaqm_target_rule_name((enum rxaqm_target_rule)rule);
	choice.choices = names;
	return set_choice(&choice, value, field, error);
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

static int set_duration(const struct fact *fact, const char *value, void *field,
			struct rxaqm_error *error)
{
	__u64 ns;

	if (rxaqm_parse_duration(value, &ns) || !ns || ns > RXAQM_NSEC_PER_SEC)
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "%s=%.40s: must be a time of up to 1s, with a unit (ns, us, "
				       "ms), such as 50us",
				       fact->key, value);
	memcpy(field, &ns, sizeof(ns));
	return 0;
}

bool rxaqm_profile_is_name(const char *value, const char *more)
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
		[FACT_NOTE] = "text",
		[FACT_SYMBOL] = "the name of a kernel function",
		[FACT_RELEASE] = "a kernel release such as 6.3",
	};
	bool good = *value;

	if (fact->type == FACT_SYMBOL)
		good = rxaqm_profile_is_name(value, "_.");
	else if (fact->type == FACT_RELEASE)
		good = is_release(value);
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

static int add_note(struct rxaqm_profile *profile, const struct fact *fact, const char *value,
		    struct rxaqm_error *error)
{
	unsigned int nr = profile->nr_notes;
	struct fact sized = *fact;
	int err;

	if (nr == RXAQM_PROFILE_NOTES_MAX)
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "%s=%.40s: more than %d notes and warnings; join some",
				       fact->key, value, RXAQM_PROFILE_NOTES_MAX);
	sized.size = sizeof(profile->note[nr].text);
	err = set_text(&sized, value, profile->note[nr].text, error);
	if (err)
		return err;
	profile->note[nr].warning = !strcmp(fact->key, "Warning");
	profile->nr_notes++;
	return 0;
}

int rxaqm_profile_unknown_key(const char *section, const char *key, const char *const *keys,
			      struct rxaqm_error *error)
{
	const char *nearest = rxaqm_nearest(key, keys);
	char list[320];

	if (nearest)
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "unknown key \"%.80s\" in [%s]; did you mean %s?", key,
				       section, nearest);
	return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
			       "unknown key \"%.80s\" in [%s]; it must be %s", key, section,
			       rxaqm_profile_choices(keys, list, sizeof(list)));
}

int rxaqm_profile_set_fact(struct rxaqm_profile *profile, const char *key, const char *value,
			   unsigned int *seen, struct rxaqm_error *error)
{
	const char *names[NR_FACTS + 1] = { NULL };
	const struct fact *fact;
	char *field;
	size_t i;

	for (i = 0; i < NR_FACTS && strcmp(facts[i].key, key); i++)
		names[i] = facts[i].key;
	if (i == NR_FACTS)
		return rxaqm_profile_unknown_key("Nic", key, names, error);
	fact = &facts[i];
	if (fact->type == FACT_NOTE)
		return add_note(profile, fact, value, error);
	if (*seen & (1U << i))
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL,
				       "%s is set twice; delete one", key);
	*seen |= 1U << i;
	field = (char *)profile + fact->offset;
	if (fact->type == FACT_CHOICE)
		return set_choice(fact, value, field, error);
	if (fact->type == FACT_RULE)
		return set_rule(fact, value, field, error);
	if (fact->type == FACT_NUMBER)
		return set_number(fact, value, field, error);
	if (fact->type == FACT_DURATION)
		return set_duration(fact, value, field, error);
	return set_text(fact, value, field, error);
}

const char *rxaqm_design_name(enum rxaqm_design design)
{
	return design_names[design];
}

const char *rxaqm_napi_name(enum rxaqm_napi napi)
{
	return napi_names[napi];
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
