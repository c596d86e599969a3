/* SPDX-License-Identifier: GPL-2.0-only */
#include "profile/match.h"

#include <stdio.h>
#include <string.h>

#include "profile/profile_keys.h"

#define BLANKS " \t"

enum key {
	KEY_DRIVER,
	KEY_NAPI_POLL,
	KEY_NAPI,
	KEY_CHANNELS,
	KEY_PRIVATE_FLAG,
	NR_KEYS
};

static const char *const channel_names[] = { "unknown", "combined", "separate", NULL };

const char *rxaqm_match_name(const struct rxaqm_match *match)
{
	return rxaqm_match_keys[match->key].name;
}

/* The next word of @list, copied to @word; NULL after the last. */
static const char *next_word(const char *list, char word[RXAQM_SYMBOL_LEN])
{
	size_t len;

	list += strspn(list, BLANKS);
	len = strcspn(list, BLANKS);
	if (!len)
		return NULL;
	snprintf(word, RXAQM_SYMBOL_LEN, "%.*s", (int)len, list);
	return list + len;
}

static bool has_word(const char *list, const char *wanted)
{
	char word[RXAQM_SYMBOL_LEN];

	while ((list = next_word(list, word)))
		if (!strcmp(word, wanted))
			return true;
	return false;
}

static int check_driver(const char *value, struct rxaqm_error *error)
{
	char word[RXAQM_SYMBOL_LEN];
	const char *rest = value;
	unsigned int nr = 0;

	while (rest && (rest = next_word(rest, word))) {
		nr++;
		if (strlen(word) > 31 || has_word(rest, word) ||
		    (strcmp(word, "*") && !rxaqm_profile_is_name(word, "_-.")))
			nr = 0, rest = NULL;
	}
	if (!nr)
		return rxaqm_bad(error,
				 "must be the name of a driver as \"ethtool -i\" shows it, several "
				 "with blanks between, or *");
	if (nr > 1 && has_word(value, "*"))
		return rxaqm_bad(error,
				 "contradicts itself: * is any driver; delete it or the names");
	return 0;
}

static int check_flag(const char *value, struct rxaqm_error *error)
{
	const char *name = value + (*value == '!');

	if (*name && strlen(name) < ETH_GSTRING_LEN && rxaqm_profile_is_name(name, "_-."))
		return 0;
	return rxaqm_bad(error,
			 "must be the name of a flag as \"ethtool --show-priv-flags\" shows it, "
			 "with ! before it for one that is off");
}

#define KEY .section = "Match", RXAQM_FIELD(struct rxaqm_match, value)

const struct rxaqm_key rxaqm_match_keys[NR_KEYS + 1] = {
	[KEY_DRIVER] = { KEY, .name = "Driver", .type = RXAQM_TYPE_TEXT, .form = "NAME ...|*",
			 .check = check_driver,
			 .help = "required: name of the driver (ethtool -i), or several with blanks "
				 "between, each of up to 31 letters, digits, _, -, .; * for any" },
	[KEY_NAPI_POLL] = { KEY, .name = "NapiPoll", .type = RXAQM_TYPE_TEXT, .form = "SYMBOL",
			    .check = rxaqm_profile_check_symbol,
			    .help = "a function that polls a NAPI of the interface: the generation "
				    "of the NIC, or the format of its queues" },
	[KEY_NAPI] = { KEY, .name = "Napi", .type = RXAQM_TYPE_FACT, .choices = rxaqm_napi_names,
		       .help = "Rx and Tx of a queue have one NAPI (joint) or one each (apart); "
			       "told by the driver, or by counting NAPIs" },
	[KEY_CHANNELS] = { KEY, .name = "Channels", .type = RXAQM_TYPE_FACT,
			   .choices = channel_names,
			   .help = "ethtool -l has combined channels (also with extras of one "
				   "direction), or none" },
	[KEY_PRIVATE_FLAG] = { KEY, .name = "PrivateFlag", .type = RXAQM_TYPE_TEXT,
			       .form = "NAME|!NAME", .check = check_flag,
			       .help = "a flag of ethtool --show-priv-flags is on; with ! before "
				       "its name, off; up to 31 characters; may be given several "
				       "times" },
};

/* Refuse the flag @value if the profile has a condition on it already. */
static int check_repeated(const struct rxaqm_profile *profile, const char *value,
			  struct rxaqm_error *error)
{
	unsigned int i;

	for (i = 0; i < profile->nr_matches; i++) {
		const struct rxaqm_match *match = &profile->match[i];

		if (match->key == KEY_PRIVATE_FLAG &&
		    !strcmp(match->value + (match->value[0] == '!'), value + (*value == '!')))
			return rxaqm_bad(error,
					 "PrivateFlag=%s: %s PrivateFlag=%s on line %u; delete one",
					 value,
					 strcmp(match->value, value) ? "contradicts" : "repeats",
					 match->value, match->line);
	}
	return 0;
}

int rxaqm_match_add(struct rxaqm_profile *profile, const char *key, const char *value,
		    unsigned int line, struct rxaqm_error *error)
{
	const struct rxaqm_key *row = rxaqm_key_find(rxaqm_match_keys, NULL, key);
	struct rxaqm_match *match = &profile->match[profile->nr_matches];
	unsigned int i, nr = (unsigned int)(row - rxaqm_match_keys);
	struct rxaqm_keys_seen seen = {};
	int err;

	if (!row)
		return rxaqm_profile_unknown_key(rxaqm_match_keys, "Match", key, error);
	for (i = 0; i < profile->nr_matches; i++)
		seen.line[profile->match[i].key] = profile->match[i].line;
	err = nr == KEY_PRIVATE_FLAG ?
		      check_repeated(profile, value, error) :
		      rxaqm_key_once(&seen, rxaqm_match_keys, key, NULL, line, error);
	if (err)
		return err;
	if (profile->nr_matches == RXAQM_PROFILE_MATCHES_MAX)
		return rxaqm_bad(error, "%s=%.40s: more than %d conditions", key, value,
				 RXAQM_PROFILE_MATCHES_MAX);
	err = rxaqm_key_set(row, match, value, 0, error);
	if (err)
		return err;
	match->key = nr;
	match->line = line;
	/* Values are compared as words. */
	snprintf(match->value, sizeof(match->value), "%s", value);
	profile->nr_matches++;
	if (nr == KEY_DRIVER)
		strcpy(profile->driver, value);
	return 0;
}

bool rxaqm_match_polls(const struct rxaqm_nic_facts *facts, const char *symbol,
		       char list[RXAQM_MATCH_WHY_LEN])
{
	bool found = false;
	unsigned int i;

	for (i = 0; i < facts->nr_polls; i++) {
		size_t len = strlen(list);

		snprintf(list + len, RXAQM_MATCH_WHY_LEN - len, "%s%s", i ? ", " : "",
			 facts->napi_poll[i]);
		found |= !strcmp(facts->napi_poll[i], symbol);
	}
	return found;
}

static bool flag_holds(const char *value, const struct rxaqm_nic_facts *facts,
		       char why[RXAQM_MATCH_WHY_LEN])
{
	bool wanted = value[0] != '!';
	const char *name = value + !wanted;
	unsigned int i;

	for (i = 0; i < facts->nr_flags; i++) {
		if (strcmp(facts->flag[i].name, name))
			continue;
		snprintf(why, RXAQM_MATCH_WHY_LEN, "ethtool --show-priv-flags: %s is %s", name,
			 facts->flag[i].on ? "on" : "off");
		return facts->flag[i].on == wanted;
	}
	snprintf(why, RXAQM_MATCH_WHY_LEN, "unknown: ethtool --show-priv-flags has no %s", name);
	return false;
}

static bool driver_fits(const char *value, const struct rxaqm_nic_facts *facts)
{
	return !strcmp(value, "*") || has_word(value, facts->driver);
}

bool rxaqm_match_holds(const struct rxaqm_match *match, struct rxaqm_nic_facts *facts,
		       char why[RXAQM_MATCH_WHY_LEN])
{
	const char *value = match->value, *unknown = "";

	switch ((enum key)match->key) {
	case KEY_DRIVER:
		snprintf(why, RXAQM_MATCH_WHY_LEN, "ethtool -i: %s",
			 facts->driver[0] ? facts->driver : "no driver");
		return driver_fits(value, facts);
	case KEY_NAPI_POLL:
		rxaqm_nic_facts_napi(facts);
		unknown = facts->napi_unknown ?: "no NAPI";
		if (!facts->nr_polls)
			break;
		snprintf(why, RXAQM_MATCH_WHY_LEN, "its NAPIs are polled by ");
		return rxaqm_match_polls(facts, value, why);
	case KEY_NAPI:
		rxaqm_nic_facts_napi(facts);
		unknown = facts->napi_unknown ?:
				  "the driver does not say which NAPI serves which queue";
		if (!facts->napi)
			break;
		snprintf(why, RXAQM_MATCH_WHY_LEN, "NAPIs for Rx and Tx: %s",
			 rxaqm_napi_names[facts->napi]);
		return !strcmp(rxaqm_napi_names[facts->napi], value);
	case KEY_CHANNELS:
		unknown = "ethtool -l cannot tell";
		if (!facts->channels_known)
			break;
		snprintf(why, RXAQM_MATCH_WHY_LEN, "ethtool -l: rx %u, tx %u, combined %u",
			 facts->nr_rx, facts->nr_tx, facts->nr_combined);
		return !strcmp(channel_names[facts->nr_combined ? 1 : facts->nr_rx ? 2 : 0], value);
	case KEY_PRIVATE_FLAG:
		return flag_holds(value, facts, why);
	case NR_KEYS:
		break;
	}
	snprintf(why, RXAQM_MATCH_WHY_LEN, "unknown: %s", unknown);
	return false;
}

const struct rxaqm_match *rxaqm_match_failing(const struct rxaqm_profile *profile,
					      struct rxaqm_nic_facts *facts,
					      char why[RXAQM_MATCH_WHY_LEN])
{
	unsigned int i;

	for (i = 0; i < profile->nr_matches; i++)
		if (!rxaqm_match_holds(&profile->match[i], facts, why))
			return &profile->match[i];
	return NULL;
}

struct rxaqm_fit rxaqm_match_fit(const struct rxaqm_profile *profile, struct rxaqm_nic_facts *facts)
{
	char why[RXAQM_MATCH_WHY_LEN];

	return (struct rxaqm_fit){
		/* The driver first: expensive conditions are checked only for profiles that might
		 * fit.
		 */
		.fits = driver_fits(profile->driver, facts) &&
			!rxaqm_match_failing(profile, facts, why),
		.named = strcmp(profile->driver, "*"),
		.conditions = profile->nr_matches,
	};
}

bool rxaqm_match_beside(const struct rxaqm_profile *a, const struct rxaqm_profile *b)
{
	const char *end_a = strrchr(a->path, '/'), *end_b = strrchr(b->path, '/');
	size_t len_a = end_a ? (size_t)(end_a - a->path) : 0;
	size_t len_b = end_b ? (size_t)(end_b - b->path) : 0;

	return len_a == len_b && !strncmp(a->path, b->path, len_a);
}

bool rxaqm_match_same(const struct rxaqm_profile *a, const struct rxaqm_profile *b)
{
	unsigned int i, j;

	for (i = 0; i < a->nr_matches; i++) {
		for (j = 0; j < b->nr_matches; j++)
			if (a->match[i].key == b->match[j].key &&
			    !strcmp(a->match[i].value, b->match[j].value))
				break;
		if (j == b->nr_matches)
			return false;
	}
	/* No profile has a condition twice. */
	return a->nr_matches == b->nr_matches;
}
