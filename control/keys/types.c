/* SPDX-License-Identifier: GPL-2.0-only */
#include "keys/types.h"

#include <stdlib.h>
#include <string.h>

#include "base/exempt.h"
#include "base/nearest.h"
#include "base/out.h"
#include "base/parse.h"
#include "ns.h"

/* Where the bytes of a shorter number stand in a __u64. */
#define SHIFT(size) (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 64 - 8 * (size) : 0)

__u64 rxaqm_key_load(const struct rxaqm_key *key, const void *object, __u64 now_ns)
{
	size_t size = key->size < sizeof(__u64) ? key->size : sizeof(__u64);
	__u64 number = 0;

	memcpy(&number, (const char *)object + key->offset, size);
	number >>= SHIFT(size);
	return key->type == RXAQM_TYPE_LEASE ? rxaqm_ns_since(number, now_ns) : number;
}

void rxaqm_key_store(const struct rxaqm_key *key, void *object, __u64 number)
{
	size_t size = key->size < sizeof(__u64) ? key->size : sizeof(__u64);

	number <<= SHIFT(size);
	memcpy((char *)object + key->offset, &number, size);
}

static int must_be(const struct rxaqm_key *key, const char *value, const char *what,
		   struct rxaqm_error *error)
{
	return rxaqm_bad(error, "%s=%.60s: must be %s", key->name, value,
			 key->must ? key->must : what);
}

/* The index of @value in the choices, "unknown" excepted. */
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
	/* All bits of the least, and none but those of the most. */
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
	char form[RXAQM_KEY_TEXT_LEN], least[RXAQM_DURATION_LEN], most[RXAQM_DURATION_LEN];
	int err = rxaqm_parse_duration(value, ret_ns);
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
	return rxaqm_bad(error, "%s=%.60s: out of range; %s to %s is possible", key->name, value,
			 rxaqm_format_duration_exact(key->min, least),
			 rxaqm_format_duration_exact(key->max, most));
}

/* "auto" alone is the default. */
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

int rxaqm_type_set(const struct rxaqm_key *key, void *object, const char *value,
		   struct rxaqm_error *error)
{
	__u64 number;
	int err;

	switch (key->type) {
	case RXAQM_TYPE_TARGET:
		return set_target(key, object, value, error);
	case RXAQM_TYPE_TEXT:
		return set_text(key, (char *)object + key->offset, value, error);
	case RXAQM_TYPE_PORTS:
	case RXAQM_TYPE_DSCP:
		return set_exempt(key, object, value, error);
	default:
		err = parse_number(key, value, &number, error);
		if (!err)
			rxaqm_key_store(key, object, number);
		return err;
	}
}

static const char *choice_name(const struct rxaqm_key *key, __u64 number)
{
	__u64 i;

	for (i = 0; i < number && key->choices[i]; i++)
		;
	return key->choices[i] ? key->choices[i] : "?";
}

void rxaqm_type_format(const struct rxaqm_key *key, const void *object, __u64 number,
		       char buf[RXAQM_KEY_LEN])
{
	const struct rxaqm_policy *policy = object;

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
	case RXAQM_TYPE_LEASE: /* whole ms, rounded up to the least lease there is */
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

void rxaqm_type_out(struct rxaqm_out *out, const char *name, const struct rxaqm_key *key,
		    const void *object, __u64 number)
{
	const struct rxaqm_policy *policy = object;
	char text[RXAQM_KEY_LEN];

	switch (key->type) {
	case RXAQM_TYPE_BOOL:
		rxaqm_out_bool(out, name, NULL, NULL, number);
		break;
	case RXAQM_TYPE_PORTS:
	case RXAQM_TYPE_DSCP:
		out_exempt(out, name, key, policy);
		break;
	case RXAQM_TYPE_CHOICE:
	case RXAQM_TYPE_FACT:
	case RXAQM_TYPE_OCTAL:
	case RXAQM_TYPE_TEXT:
		rxaqm_type_format(key, object, number, text);
		rxaqm_out_str(out, name, NULL, text);
		break;
	default:
		rxaqm_out_u64(out, name, NULL, number);
		if (key->type == RXAQM_TYPE_TARGET)
			rxaqm_out_bool(out, "target_auto", NULL, NULL, policy->target_auto);
	}
}
