/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/peer/peer.h"

#include <json-c/json.h>
#include <net/ethernet.h>
#include <stddef.h>
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

	/* The lowest bit of the first byte marks a group, which switches send to all ports. */
	return sscanf(words, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &m[0], &m[1], &m[2], &m[3],
		      &m[4], &m[5], &end) == ETH_ALEN &&
	       !words[end] && !(m[0] & 1) && memcmp(m, none, ETH_ALEN);
}

void qualify_say_mac(struct json_object *line, const char *key, const __u8 *mac)
{
	char words[18];

	snprintf(words, sizeof(words), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		 mac[3], mac[4], mac[5]);
	json_object_object_add(line, key, json_object_new_string(words));
}

/* The numbers of a request to send, and their ranges. */
static const struct {
	const char *key;
	size_t at;
	__u32 min, max;
} numbers[] = {
#define NUMBER(field, least, most) { #field, offsetof(struct qualify_send, field), least, most }
	NUMBER(size, 0, ~0U),
	NUMBER(count, 0, ~0U),
	NUMBER(first, 0, ~0U),
	NUMBER(flows, 0, ~0U),
	NUMBER(pps, 0, QUALIFY_SEND_MAX_PPS),
	NUMBER(burst, 0, ~0U),
	NUMBER(max_ms, 1, QUALIFY_SEND_MAX_MS),
#undef NUMBER
};
#define NR_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

void qualify_say_send(struct json_object *line, const struct qualify_send *send)
{
	size_t i;

	qualify_say_mac(line, "to", send->to);
	json_object_object_add(line, "kind", json_object_new_string(qualify_kinds[send->kind]));
	for (i = 0; i < NR_NUMBERS; i++) {
		__u32 value;

		memcpy(&value, (const char *)send + numbers[i].at, sizeof(value));
		if (value)
			json_object_object_add(line, numbers[i].key, json_object_new_int64(value));
	}
}

bool qualify_said_send(struct json_object *said, struct qualify_send *send, char wrong[96])
{
	const char *kind = qualify_said_text(said, "kind");
	__u64 value;
	__u32 number;
	size_t i;

	for (i = 0; i < NR_NUMBERS; i++) {
		snprintf(wrong, 96, "\"%s\" must be %u to %u", numbers[i].key, numbers[i].min,
			 numbers[i].max);
		if (!qualify_said_number(said, numbers[i].key, numbers[i].min, numbers[i].max,
					 &value))
			return false;
		number = (__u32)value;
		memcpy((char *)send + numbers[i].at, &number, sizeof(number));
	}
	for (i = 0; qualify_kinds[i] && strcmp(qualify_kinds[i], kind); i++)
		;
	send->kind = (enum qualify_kind)i;
	snprintf(wrong, 96, "%s",
		 qualify_kinds[i] ?
			 "\"to\" must be the MAC address of one station, not of a group" :
			 "no such kind of frames");
	/* Frames to a group would reach the whole LAN. */
	return qualify_kinds[i] && qualify_said_mac(said, "to", send->to);
}
