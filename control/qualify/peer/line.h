/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines between the two ends: nothing of what the other has said is taken that was not looked at
 * here. And the process that is the peer, or leads to it.
 */
#ifndef RXAQM_QUALIFY_LINE_H
#define RXAQM_QUALIFY_LINE_H

#include "qualify/peer/peer.h"

struct json_object;

/* Of @said, which may be NULL. "" if it is not there, or no text. */
const char *qualify_said_text(struct json_object *said, const char *key);
/* 0 if it is not there. False unless it is an integer from @min to @max. */
bool qualify_said_number(struct json_object *said, const char *key, __u64 min, __u64 max,
			 __u64 *ret_value);
/* False unless it is the MAC address of one station. */
bool qualify_said_mac(struct json_object *said, const char *key, __u8 ret_mac[6]);
void qualify_say_mac(struct json_object *line, const char *key, const __u8 *mac);

/* What is to be sent, and, within the limits, what was said of that; else what is @wrong. */
void qualify_say_send(struct json_object *line, const struct qualify_send *send);
bool qualify_said_send(struct json_object *said, struct qualify_send *send, char wrong[96]);

/* Have @iface served: on @host, by ssh, or, if that is NULL, in @netns. -errno with @error. */
int qualify_peer_spawn(struct qualify_peer *peer, const char *host, const char *netns,
		       const char *iface, struct rxaqm_error *error);

/* End it, however it behaves. */
void qualify_peer_kill(struct qualify_peer *peer);

#endif /* RXAQM_QUALIFY_LINE_H */
