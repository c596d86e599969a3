/* SPDX-License-Identifier: GPL-2.0-only */
#include "keys/keys.h"

#include <ctype.h>
#include <string.h>

#include "base/nearest.h"
#include "base/out.h"
#include "base/parse.h"
#include "keys/types.h"

/* What is to be typed, and the unit in JSON. */
static const struct {
	const char *form, *suffix;
} types[] = {
	[RXAQM_TYPE_BOOL] = { "yes|no", "" },
	[RXAQM_TYPE_CHOICE] = { "", "" },
	[RXAQM_TYPE_FACT] = { "", "" },
	[RXAQM_TYPE_NUMBER] = { "NUMBER", "" },
	[RXAQM_TYPE_OCTAL] = { "OCTAL", "" },
	[RXAQM_TYPE_PERCENT] = { "PERCENT", "_permille" },
	[RXAQM_TYPE_DURATION] = { "DURATION", "_ns" },
	[RXAQM_TYPE_TARGET] = { "DURATION|auto[:DURATION]", "_ns" },
	[RXAQM_TYPE_LEASE] = { "DURATION", "_ns" },
	[RXAQM_TYPE_TEXT] = { "TEXT", "" },
	[RXAQM_TYPE_PORTS] = { "PORT,...|none", "" },
	[RXAQM_TYPE_DSCP] = { "DSCP,...|none", "" },
};

static bool is_of(const struct rxaqm_key *key, const char *section)
{
	return !section || !strcmp(key->section, section);
}

const struct rxaqm_key *rxaqm_key_find(const struct rxaqm_key *keys, const char *section,
				       const char *name)
{
	for (; keys->name; keys++)
		if (is_of(keys, section) && !strcmp(keys->name, name))
			return keys;
	return NULL;
}

/* Is @value a word of the key for 0? */
static bool is_none(const struct rxaqm_key *key, const char *value)
{
	return key->none && *key->none && !strcmp(key->none, value);
}

int rxaqm_key_set(const struct rxaqm_key *key, void *object, const char *value, __u64 now_ns,
		  struct rxaqm_error *error)
{
	__u64 until_ns;
	int err;

	if (is_none(key, value)) {
		memset((char *)object + key->offset, 0, key->size);
		return 0;
	}
	err = rxaqm_type_set(key, object, value, error);
	if (err || key->type != RXAQM_TYPE_LEASE)
		return err;
	until_ns = now_ns + rxaqm_key_load(key, object, 0);
	rxaqm_key_store(key, object, until_ns ? until_ns : 1);
	return 0;
}

void rxaqm_keys_init(const struct rxaqm_key *keys, const char *section, void *object)
{
	for (; keys->name; keys++)
		if (is_of(keys, section) && keys->standard)
			rxaqm_key_set(keys, object, keys->standard, 0, NULL);
}

bool rxaqm_key_is_said(const struct rxaqm_key *key, const void *object)
{
	if (key->type == RXAQM_TYPE_TEXT)
		return *((const char *)object + key->offset);
	if (key->type == RXAQM_TYPE_BOOL)
		return rxaqm_key_load(key, object, 0) <= 1;
	return !key->none || rxaqm_key_load(key, object, 0);
}

const char *rxaqm_key_format(const struct rxaqm_key *key, const void *object, __u64 now_ns,
			     char buf[RXAQM_KEY_LEN])
{
	if (rxaqm_key_is_said(key, object))
		rxaqm_type_format(key, object, rxaqm_key_load(key, object, now_ns), buf);
	else
		snprintf(buf, RXAQM_KEY_LEN, "%s", key->none ? key->none : "");
	return buf;
}

const char *rxaqm_key_json_name(const struct rxaqm_key *key, char buf[RXAQM_KEY_LEN])
{
	const char *from = key->name;
	char *to = buf;

	buf[0] = '\0';
	while (*from && to + sizeof("_permille") + 1 < buf + RXAQM_KEY_LEN) {
		if (isupper((unsigned char)*from) && to != buf)
			*to++ = '_';
		*to++ = (char)tolower((unsigned char)*from++);
	}
	*to = '\0';
	return buf;
}

void rxaqm_key_out(struct rxaqm_out *out, const struct rxaqm_key *key, const char *fmt,
		   const void *object, __u64 now_ns)
{
	char name[RXAQM_KEY_LEN], text[RXAQM_KEY_LEN];

	rxaqm_key_json_name(key, name);
	strcat(name, types[key->type].suffix);
	if (!out->json)
		rxaqm_out_str(out, name, fmt, rxaqm_key_format(key, object, now_ns, text));
	else if (rxaqm_key_is_said(key, object))
		rxaqm_type_out(out, name, key, object, rxaqm_key_load(key, object, now_ns));
	else
		rxaqm_out_null(out, name, NULL);
}

const char *rxaqm_words(const char *const *words, const char *sep, const char *last,
			char buf[RXAQM_KEY_TEXT_LEN])
{
	size_t len = 0;

	buf[0] = '\0';
	for (; *words && len < RXAQM_KEY_TEXT_LEN; words++)
		if (strcmp(*words, "unknown"))
			len += (size_t)snprintf(buf + len, RXAQM_KEY_TEXT_LEN - len, "%s%s",
						!len	 ? "" :
						words[1] ? sep :
							   last,
						*words);
	return buf;
}

const char *rxaqm_key_form(const struct rxaqm_key *key, char buf[RXAQM_KEY_TEXT_LEN])
{
	if (key->choices)
		return rxaqm_words(key->choices, "|", "|", buf);
	snprintf(buf, RXAQM_KEY_TEXT_LEN, "%s%s%s", key->form ? key->form : types[key->type].form,
		 key->none && *key->none ? "|" : "", key->none ? key->none : "");
	return buf;
}

/* ", 1us to 4s", or "". */
static const char *range(const struct rxaqm_key *key, char buf[RXAQM_KEY_LEN])
{
	char least[RXAQM_DURATION_LEN], most[RXAQM_DURATION_LEN];

	buf[0] = '\0';
	if (!key->max || key->type == RXAQM_TYPE_TEXT)
		return buf;
	if (key->type == RXAQM_TYPE_NUMBER)
		snprintf(buf, RXAQM_KEY_LEN, ", %llu to %llu", key->min, key->max);
	else if (key->type == RXAQM_TYPE_OCTAL)
		snprintf(buf, RXAQM_KEY_LEN, ", %04llo to %04llo", key->min, key->max);
	else if (key->type == RXAQM_TYPE_PERCENT)
		snprintf(buf, RXAQM_KEY_LEN, ", 0%% to 100%%");
	else
		snprintf(buf, RXAQM_KEY_LEN, ", %s to %s",
			 rxaqm_format_duration_exact(key->min, least),
			 rxaqm_format_duration_exact(key->max, most));
	return buf;
}

const char *rxaqm_key_explain(const struct rxaqm_key *key, char buf[RXAQM_KEY_TEXT_LEN])
{
	const char *standard = key->standard ? key->standard : key->otherwise;
	char limits[RXAQM_KEY_LEN];

	snprintf(buf, RXAQM_KEY_TEXT_LEN, "%s%s%s%s%s", key->help, range(key, limits),
		 standard ? " (default " : "", standard ? standard : "", standard ? ")" : "");
	return buf;
}

void rxaqm_keys_list(FILE *file, const struct rxaqm_key *keys)
{
	char form[RXAQM_KEY_TEXT_LEN], text[RXAQM_KEY_TEXT_LEN];
	const char *section = "";

	for (; keys->name; keys++) {
		if (strcmp(section, keys->section))
			fprintf(file, "\nKeys of [%s]:\n", keys->section);
		section = keys->section;
		fprintf(file, "  %s=%s\n", keys->name, rxaqm_key_form(keys, form));
		rxaqm_out_wrap(file, 4, rxaqm_key_explain(keys, text));
	}
}

unsigned int rxaqm_key_names(const struct rxaqm_key *keys, const char *section, unsigned int nr,
			     const char *names[RXAQM_KEYS_MAX + 1])
{
	for (; keys->name && nr < RXAQM_KEYS_MAX; keys++)
		if (is_of(keys, section))
			names[nr++] = keys->name;
	names[nr] = NULL;
	return nr;
}

int rxaqm_key_unknown(const char *what, const char *name, const char *in_section,
		      const char *const *names, const char *otherwise, struct rxaqm_error *error)
{
	const char *nearest = rxaqm_nearest(name, names);
	/* A name with a capital is no word of the sentence. */
	const char *quote = nearest && isupper((unsigned char)*nearest) ? "" : "\"";

	return rxaqm_bad(error, "unknown %s \"%.60s\"%s%s%s; %s%s%s%s%s", what, name,
			 in_section ? " in [" : "", in_section ? in_section : "",
			 in_section ? "]" : "", nearest ? "did you mean " : otherwise,
			 nearest ? quote : "", nearest ? nearest : "", nearest ? quote : "",
			 nearest ? "?" : "");
}

int rxaqm_key_once(struct rxaqm_keys_seen *seen, const struct rxaqm_key *keys, const char *name,
		   const char *section, unsigned int line, struct rxaqm_error *error)
{
	unsigned int first, nr = 0;

	while (keys[nr].name && strcmp(keys[nr].name, name))
		nr++;
	first = seen->line[nr];
	seen->line[nr] = line;
	if (!first)
		return 0;
	return rxaqm_bad(error, "%s is set twice%s%s%s, first on line %u; delete one", name,
			 section ? " in [" : "", section ? section : "", section ? "]" : "", first);
}

int rxaqm_removed_check(const struct rxaqm_removed *removed, const char *key, const char *value,
			struct rxaqm_error *error)
{
	for (; removed->key; removed++)
		if (!strcmp(removed->key, key) &&
		    (!removed->value || !strcmp(removed->value, value)))
			return rxaqm_bad(error, "%s%s%.40s is gone: %s", key, *value ? "=" : "",
					 value, removed->remedy);
	return 0;
}
