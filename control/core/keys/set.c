/* SPDX-License-Identifier: GPL-2.0-only */
/* Parse values of each type, and set defaults. */
#include <stdlib.h>
#include <string.h>

#include "base/exempt.h"
#include "base/parse.h"
#include "keys/keys.h"
#include "ns.h"

static int must_be(const struct rxaqm_key *key, const char *value, const char *what,
		   struct rxaqm_error *error)
{
	return rxaqm_bad(error, "%s=%.60s: must be %s", key->name, value,
			 key->must ? key->must : what);
}

/* The index of @value in the choices, without "unknown". */
static int parse_choice(const struct rxaqm_key *key, const char *value, __u64 *ret_choice,
			struct rxaqm_error *error)
{
	const char *const *choices = key->choices;
	const char *nearest = rxaqm_nearest(value, choices);
	char list[RXAQM_KEY_TEXT_LEN];

	for (*ret_choice = 0; choices[*ret_choice]; ++*ret_choice)
		if (!strcmp(choices[*ret_choice], value) && strcmp(value, "unknown"))
			return 0;
	if (key->type == RXAQM_TYPE_FACT)
		return must_be(key, value, rxaqm_words(choices, ", ", " or ", list), error);
	return rxaqm_bad(error, "%s=%.60s: must be one of %s%s%s%s", key->name, value,
			 rxaqm_words(choices, "|", "|", list), nearest ? "; did you mean \"" : "",
			 nearest ? nearest : "", nearest ? "\"?" : "");
}

static int parse_octal(const struct rxaqm_key *key, const char *value, __u64 *ret_mode,
		       struct rxaqm_error *error)
{
	*ret_mode = strtoul(value, NULL, 8);
	if (!*value || strlen(value) > 4 || strspn(value, "01234567") != strlen(value))
		return must_be(key, value, "an octal number such as 0640", error);
	/* All bits of the minimum, and only bits of the maximum. */
	if (~*ret_mode & key->min || *ret_mode & ~key->max)
		return rxaqm_bad(error,
				 "%s=%.60s: out of range; the owner must read it, nobody may "
				 "execute it and not everybody write it: %04llo to %04llo",
				 key->name, value, key->min, key->max);
	return 0;
}

static int parse_duration(const struct rxaqm_key *key, const char *value, __u64 *ret_ns,
			  struct rxaqm_error *error)
{
	char form[RXAQM_KEY_TEXT_LEN];
	bool off = key->none && *key->none, zero = *value && !value[strspn(value, "0")];
	int err = zero && key->min ? -ERANGE : rxaqm_parse_duration(value, ret_ns);
	__u64 number;

	if (!err && *ret_ns >= key->min && *ret_ns <= key->max)
		return 0;
	if (key->must)
		return must_be(key, value, NULL, error);
	if (err == -EINVAL && key->unit && value[0] && !value[strspn(value, "0123456789.")]) {
		if (rxaqm_parse_u64(value, 1, 1000, &number))
			number = 5;
		return rxaqm_bad(error,
				 "%s=%.60s: a unit is required, as in %s=%llu%s (ns, us, ms, s or "
				 "m)",
				 key->name, value, key->name, number, key->unit);
	}
	if (err == -EINVAL)
		return rxaqm_bad(error, "%s=%.60s: not a %s; write 500us, 1.5ms or 2s", key->name,
				 value, rxaqm_key_form(key, form));
	return rxaqm_bad(error, "%s=%.60s: out of range; %s to %s is possible%s%s%s%s", key->name,
			 value, rxaqm_duration_exact(key->min), rxaqm_duration_exact(key->max),
			 off ? ", or " : "", off ? key->name : "", off ? "=" : "",
			 off ? key->none : "");
}

/* "auto" alone means the default. */
static int set_target(const struct rxaqm_key *key, struct rxaqm_policy *policy, const char *value,
		      struct rxaqm_error *error)
{
	const char *number = strcmp(value, "auto") ? value : key->standard;
	bool derived = !strncmp(number, "auto:", 5);
	__u64 target_ns;
	int err = parse_duration(key, derived ? number + 5 : number, &target_ns, error);

	if (err)
		return err;
	policy->target_ns = target_ns;
	policy->target_auto = derived;
	return 0;
}

static int set_text(const struct rxaqm_key *key, char *field, const char *value,
		    struct rxaqm_error *error)
{
	size_t most = key->max ? key->max : key->size - 1;
	struct rxaqm_error reason = {};

	if (!*value && !key->check)
		return must_be(key, value, "text", error);
	if (key->check && key->check(value, &reason))
		return rxaqm_bad(error, "%s=%.60s: %s", key->name, value, reason.text);
	if (strlen(value) > most)
		return rxaqm_bad(error, "%s=%.60s...: longer than %zu characters", key->name, value,
				 most);
	strcpy(field, value);
	return 0;
}

static int set_exempt(const struct rxaqm_key *key, struct rxaqm_policy *policy, const char *value,
		      struct rxaqm_error *error)
{
	bool ports = key->type == RXAQM_TYPE_PORTS;
	int err = ports ? rxaqm_exempt_parse_ports(value, policy) :
			  rxaqm_exempt_parse_dscp(value, policy);

	if (!err)
		return 0;
	if (err == -E2BIG)
		return rxaqm_bad(error,
				 "%s=%.60s: more than %d ports; use exempt_dscp for traffic of "
				 "many",
				 key->name, value, RXAQM_MAX_EXEMPT_PORTS);
	return must_be(key, value,
		       ports ? "a list of ports 1 to 65535, such as 22,443, or none" :
			       "a list of DSCPs, such as cs6,46,8-10, or none",
		       error);
}

static int parse_number(const struct rxaqm_key *key, const char *value, __u64 *ret_number,
			struct rxaqm_error *error)
{
	__u32 permille;

	switch (key->type) {
	case RXAQM_TYPE_BOOL:
		*ret_number = !strcmp(value, "yes");
		return *ret_number || !strcmp(value, "no") ?
			       0 :
			       must_be(key, value, "yes or no", error);
	case RXAQM_TYPE_CHOICE:
	case RXAQM_TYPE_FACT:
		return parse_choice(key, value, ret_number, error);
	case RXAQM_TYPE_NUMBER:
		if (!rxaqm_parse_u64(value, key->min, key->max, ret_number))
			return 0;
		return rxaqm_bad(error, "%s=%.60s: must be a number from %llu to %llu", key->name,
				 value, key->min, key->max);
	case RXAQM_TYPE_OCTAL:
		return parse_octal(key, value, ret_number, error);
	case RXAQM_TYPE_PERCENT:
		if (rxaqm_parse_percent(value, &permille))
			return must_be(key, value,
				       "a percentage from 0% to 100%, such as 50% or 12.5%", error);
		*ret_number = permille;
		return 0;
	default:
		*ret_number = 0;
		if (key->type == RXAQM_TYPE_LEASE && !strcmp(value, "expired"))
			return 0;
		return parse_duration(key, value, ret_number, error);
	}
}

/* Set the field to @number, in as many bytes as it holds. */
static void store(const struct rxaqm_key *key, void *object, __u64 number)
{
	size_t size = key->size < sizeof(__u64) ? key->size : sizeof(__u64);

	number <<= RXAQM_KEY_SHIFT(size);
	memcpy((char *)object + key->offset, &number, size);
}

int rxaqm_key_set(const struct rxaqm_key *key, void *object, const char *value, __u64 now_ns,
		  struct rxaqm_error *error)
{
	void *field = (char *)object + key->offset;
	__u64 number = 0;
	int err;

	if (key->none && *key->none && !strcmp(key->none, value)) {
		memset(field, 0, key->size);
		return 0;
	}
	switch (key->type) {
	case RXAQM_TYPE_TARGET:
		return set_target(key, object, value, error);
	case RXAQM_TYPE_TEXT:
		return set_text(key, field, value, error);
	case RXAQM_TYPE_PORTS:
	case RXAQM_TYPE_DSCP:
		return set_exempt(key, object, value, error);
	default:
		err = parse_number(key, value, &number, error);
		if (key->type == RXAQM_TYPE_LEASE)
			number = now_ns + number ?: 1;
		if (!err)
			store(key, object, number);
		return err;
	}
}

void rxaqm_keys_init(const struct rxaqm_key *keys, const char *section, void *object)
{
	for (; keys->name; keys++)
		if (rxaqm_key_is_of(keys, section) && keys->standard)
			rxaqm_key_set(keys, object, keys->standard, 0, NULL);
}
