/* SPDX-License-Identifier: GPL-2.0-only */
/* What the other end has said: nothing of it is taken that was not looked at here. */
#ifndef RXAQM_QUALIFY_SAID_H
#define RXAQM_QUALIFY_SAID_H

#include <linux/types.h>
#include <stdbool.h>

struct json_object;

/* Of @said, which may be NULL. "" if it is not there, or no text. */
const char *qualify_said_text(struct json_object *said, const char *key);
/* 0 if it is not there. False unless it is an integer from @min to @max. */
bool qualify_said_number(struct json_object *said, const char *key, __u64 min, __u64 max,
			 __u64 *ret_value);
/* False unless it is the MAC address of one station. */
bool qualify_said_mac(struct json_object *said, const char *key, __u8 ret_mac[6]);

#endif /* RXAQM_QUALIFY_SAID_H */
