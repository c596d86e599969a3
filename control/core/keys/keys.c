/* SPDX-License-Identifier: GPL-2.0-only */
#include "keys/keys.h"

#include <ctype.h>
#include <string.h>

#include "base/exempt.h"
#include "base/out.h"
#include "base/parse.h"
#include "ns.h"

/* The form of values that are typed, by type. */
static const char *const forms[] = {
	[RXAQM_TYPE_BOOL] = "yes|no",	      [RXAQM_TYPE_NUMBER] = "NUMBER",
	[RXAQM_TYPE_OCTAL] = "OCTAL",	      [RXAQM_TYPE_PERCENT] = "PERCENT",
	[RXAQM_TYPE_DURATION] = "DURATION",   [RXAQM_TYPE_TARGET] = "DURATION|auto[:DURATION]",
	[RXAQM_TYPE_LEASE] = "DURATION",      [RXAQM_TYPE_TEXT] = "TEXT",
	[RXAQM_TYPE_PORTS] = "PORT,...|none", [RXAQM_TYPE_DSCP] = "DSCP,...|none",
};

bool rxaqm_key_is_of(const struct rxaqm_key *key, const char *section)
{
	return !section || !strcmp(key->section, section);
}

const struct rxaqm_key *rxaqm_key_find(const struct rxaqm_key *keys, const char *section,
				       const char *name)
{
	for (; keys->name; keys++)
		if (rxaqm_key_is_of(keys, section) && !strcmp(keys->name, name))
			return keys;
	return NULL;
}

const char *rxaqm_key_json_name(const struct rxaqm_key *key, char buf[RXAQM_KEY_LEN])
{
	const char *from;
	char *to = buf;

	buf[0] = '\0'; /* cppcheck 2.17 does not see that buf ends here in any case */
	for (from = key->name; *from; from++) {
		if (isupper((unsigned char)*from) && to != buf)
			*to++ = '_';
		*to++ = (char)tolower((unsigned char)*from);
	}
	*to = '\0';
	return buf;
}

/* The field as a number; for a lease, what is left of it at @now_ns. */
static __u64 load(const struct rxaqm_key *key, const void *object, __u64 now_ns)
{
	size_t size = key->size < sizeof(__u64) ? key->size : sizeof(__u64);
	__u64 number = 0;

	memcpy(&number, (const char *)object + key->offset, size);
	number >>= RXAQM_KEY_SHIFT(size);
	return key->type == RXAQM_TYPE_LEASE ? rxaqm_ns_since(number, now_ns) : number;
}

bool rxaqm_key_is_said(const struct rxaqm_key *key, const void *object)
{
	if (key->type == RXAQM_TYPE_TEXT)
		return *((const char *)object + key->offset);
	if (key->type == RXAQM_TYPE_BOOL)
		return load(key, object, 0) <= 1;
	return !key->none || load(key, object, 0);
}

static const char *choice_name(const struct rxaqm_key *key, __u64 number)
{
	__u64 i;

	for (i = 0; i < number && key->choices[i]; i++)
		;
	return key->choices[i] ? key->choices[i] : "?";
}

const char *rxaqm_key_format(const struct rxaqm_key *key, const void *object, __u64 now_ns,
			     char buf[RXAQM_KEY_LEN])
{
	const struct rxaqm_policy *policy = object;
	__u64 number = load(key, object, now_ns);

	if (!rxaqm_key_is_said(key, object)) {
		snprintf(buf, RXAQM_KEY_LEN, "%s", key->none ? key->none : "");
		return buf;
	}
	switch (key->type) {
	case RXAQM_TYPE_BOOL:
		strcpy(buf, number ? "yes" : "no");
		break;
	case RXAQM_TYPE_CHOICE:
	case RXAQM_TYPE_FACT:
		snprintf(buf, RXAQM_KEY_LEN, "%s", choice_name(key, number));
		break;
	case RXAQM_TYPE_NUMBER:
		snprintf(buf, RXAQM_KEY_LEN, "%llu", number);
		break;
	case RXAQM_TYPE_OCTAL:
		snprintf(buf, RXAQM_KEY_LEN, "%04llo", number);
		break;
	case RXAQM_TYPE_PERCENT:
		snprintf(buf, RXAQM_KEY_LEN, number % 10 ? "%llu.%llu%%" : "%llu%%", number / 10,
			 number % 10);
		break;
	case RXAQM_TYPE_TARGET:
		strcpy(buf, policy->target_auto ? "auto:" : "");
		rxaqm_format_duration_exact(number, buf + strlen(buf));
		break;
	case RXAQM_TYPE_LEASE: /* whole ms, rounded up to the shortest lease */
		number += RXAQM_NSEC_PER_MSEC - 1;
		number -= number % RXAQM_NSEC_PER_MSEC;
		if (number)
			rxaqm_format_duration_exact(number, buf);
		else
			strcpy(buf, "expired");
		break;
	case RXAQM_TYPE_DURATION:
		rxaqm_format_duration_exact(number, buf);
		break;
	case RXAQM_TYPE_TEXT:
		snprintf(buf, RXAQM_KEY_LEN, "%s", (const char *)object + key->offset);
		break;
	case RXAQM_TYPE_PORTS:
		rxaqm_exempt_format_ports(policy, buf, RXAQM_KEY_LEN);
		break;
	case RXAQM_TYPE_DSCP:
		rxaqm_exempt_format_dscp(policy, buf, RXAQM_KEY_LEN);
		break;
	}
	return buf;
}

static void out_exempt(struct rxaqm_out *out, const char *name, const struct rxaqm_key *key,
		       const struct rxaqm_policy *policy)
{
	unsigned int i;

	rxaqm_out_array(out, name);
	for (i = 0; key->type == RXAQM_TYPE_PORTS && i < policy->nr_exempt_ports; i++)
		rxaqm_out_u64(out, NULL, NULL, policy->exempt_port[i]);
	for (i = 0; key->type == RXAQM_TYPE_DSCP && i < 64; i++)
		if (policy->exempt_dscp >> i & 1)
			rxaqm_out_u64(out, NULL, NULL, i);
	rxaqm_out_end(out);
}

void rxaqm_key_out(struct rxaqm_out *out, const struct rxaqm_key *key, const char *fmt,
		   const void *object, __u64 now_ns)
{
	/* The unit in JSON keys. */
	static const char *const suffixes[] = {
		[RXAQM_TYPE_PERCENT] = "_permille", [RXAQM_TYPE_DURATION] = "_ns",
		[RXAQM_TYPE_TARGET] = "_ns",	    [RXAQM_TYPE_LEASE] = "_ns",
		[RXAQM_TYPE_DSCP] = NULL,
	};
	const struct rxaqm_policy *policy = object;
	char name[RXAQM_KEY_LEN], text[RXAQM_KEY_LEN];

	rxaqm_key_json_name(key, name);
	strcat(name, suffixes[key->type] ?: "");
	rxaqm_key_format(key, object, now_ns, text);
	if (!out->json) {
		rxaqm_out_str(out, name, fmt, text);
		return;
	}
	if (!rxaqm_key_is_said(key, object)) {
		rxaqm_out_null(out, name, NULL);
		return;
	}
	switch (key->type) {
	case RXAQM_TYPE_BOOL:
		rxaqm_out_bool(out, name, NULL, NULL, load(key, object, 0));
		break;
	case RXAQM_TYPE_PORTS:
	case RXAQM_TYPE_DSCP:
		out_exempt(out, name, key, policy);
		break;
	case RXAQM_TYPE_CHOICE:
	case RXAQM_TYPE_FACT:
	case RXAQM_TYPE_OCTAL:
	case RXAQM_TYPE_TEXT:
		rxaqm_out_str(out, name, NULL, text);
		break;
	default:
		rxaqm_out_u64(out, name, NULL, load(key, object, now_ns));
		if (key->type == RXAQM_TYPE_TARGET)
			rxaqm_out_bool(out, "target_auto", NULL, NULL, policy->target_auto);
	}
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
	snprintf(buf, RXAQM_KEY_TEXT_LEN, "%s%s%s", key->form ? key->form : forms[key->type],
		 key->none && *key->none ? "|" : "", key->none ? key->none : "");
	return buf;
}

/* ", 1us to 4s", or "". */
static const char *range(const struct rxaqm_key *key, char buf[RXAQM_KEY_LEN])
{
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
		snprintf(buf, RXAQM_KEY_LEN, ", %s to %s", rxaqm_duration_exact(key->min),
			 rxaqm_duration_exact(key->max));
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
		rxaqm_wrap(file, 4, rxaqm_key_explain(keys, text), NULL);
	}
}

unsigned int rxaqm_key_names(const struct rxaqm_key *keys, const char *section, unsigned int nr,
			     const char *names[RXAQM_KEYS_MAX + 1])
{
	for (; keys->name && nr < RXAQM_KEYS_MAX; keys++)
		if (rxaqm_key_is_of(keys, section))
			names[nr++] = keys->name;
	names[nr] = NULL;
	return nr;
}

/* Keys of earlier versions, and what does their work now. */
static const struct {
	const char *name, *instead;
} gone[] = {
	{ "auto_enforce", "say mode=enforce: the law acts only on queues that stand" },
	{ "enforce_after", "it belonged to auto_enforce; delete it" },
	{ "observe_after", "it belonged to auto_enforce; delete it" },
	{ "dwell_enforce", "it belonged to auto_enforce; delete it" },
	{ "dwell_observe", "it belonged to auto_enforce; delete it" },
	{ "ect0", "nothing asks what a mark means to a sender; delete it" },
	{ "WorkCountsTx", "nothing reads it; delete it" },
	{ "ReceivePath", "nothing reads it; delete it" },
	{ "RxRingDefault", "ethtool -g says it; delete it" },
	{ "RxRingMax", "ethtool -g says it; delete it" },
	{ "TimestampCoverage", "ethtool -T and \"rxaqm status\" say it; delete it" },
	{ "CompletionDesignChange", "say it in a Note=" },
	{ "polls_busy", "it is called polls_left" },
	{ "nect", "it is called not_ect" },
	{ "listen", "the daemon does not listen; delete it, and run \"systemctl enable --now "
		    "rxaqm-exporter.socket\", which serves /run/rxaqm/metrics.prom at "
		    "127.0.0.1:9752; for another address set ListenStream= there (\"systemctl "
		    "edit\")" },
};

int rxaqm_key_unknown(const char *what, const char *name, const char *in_section,
		      const char *const *names, const char *otherwise, struct rxaqm_error *error)
{
	const char *nearest = rxaqm_nearest(name, names);
	/* A capital marks a name, which needs no quotes in the sentence. */
	const char *quote = nearest && isupper((unsigned char)*nearest) ? "" : "\"";
	unsigned int i;

	for (i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
		if (!strcmp(gone[i].name, name))
			return rxaqm_bad(error, "%s is gone: %s", name, gone[i].instead);
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
