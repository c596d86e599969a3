/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/peer/said.h"

#include <json-c/json.h>
#include <net/ethernet.h>
#include <stdio.h>
#include <string.h>

const char *qualify_said_text(struct json_object *said, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(said, key, &value) &&
			       json_object_is_type(value, json_type_string) ?
		       json_object_get_string(value) :
		       "";
}

bool qualify_said_number(struct json_object *said, const char *key, __u64 min, __u64 max,
			 __u64 *ret_value)
{
	struct json_object *value;
	int64_t number = 0;

	if (json_object_object_get_ex(said, key, &value)) {
		if (!json_object_is_type(value, json_type_int))
			return false;
		number = json_object_get_int64(value);
	}
	*ret_value = (__u64)number;
	return number >= 0 && *ret_value >= min && *ret_value <= max;
}

bool qualify_said_mac(struct json_object *said, const char *key, __u8 ret_mac[ETH_ALEN])
{
	static const __u8 none[ETH_ALEN];
	const char *words = qualify_said_text(said, key);
	__u8 *m = ret_mac;
	int end = 0;

	/* The lowest bit of the first byte: a group, to which switches send by all ports. */
	return sscanf(words, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &m[0], &m[1], &m[2], &m[3],
		      &m[4], &m[5], &end) == ETH_ALEN &&
	       !words[end] && !(m[0] & 1) && memcmp(m, none, ETH_ALEN);
}
