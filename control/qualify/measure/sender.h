/* SPDX-License-Identifier: GPL-2.0-only */
/* Send test frames from a local interface by a packet socket that bypasses the qdisc. */
#pragma once

#include "base/log.h"
#include "qualify/measure/frame.h"

struct qualify_sender {
	int fd; /* -1: closed */
	int watch_fd; /* stop sending when this hangs up; -1: none */
	bool loses; /* a veth loses frames if the other end is full; it does not refuse */
	__u8 mac[ETH_ALEN];
};

#define QUALIFY_SENDER_CLOSED { .fd = -1 }

/* What to send: frames with seq first, first + 1 ..., which use the flows in turn. */
struct qualify_send {
	enum qualify_kind kind;
	__u32 size, count, first, flows;
	__u32 pps; /* 0: as fast as possible */
	__u32 burst; /* frames back to back, every burst / pps; at least 1 */
	__u32 max_ms; /* end after this time, even if frames are left */
	__u8 to[ETH_ALEN];
};

struct qualify_sent {
	__u64 count; /* frames that the device took, or lost */
	__u64 took_ns; /* from the first frame to the last */
};

/* -errno with @error. */
int qualify_sender_open(struct qualify_sender *sender, const char *ifname,
			struct rxaqm_error *error);
void qualify_sender_close(struct qualify_sender *sender);

/* Return when all frames are handed over, the time is up, *@stop is set, or watch_fd hangs up;
 * -errno with @error if the socket fails.
 */
int qualify_sender_send(struct qualify_sender *sender, const struct qualify_send *send,
			const volatile int *stop, struct qualify_sent *sent,
			struct rxaqm_error *error);

/* Bytes that the device still holds (SIOCOUTQ), or -errno. */
int qualify_sender_pending(const struct qualify_sender *sender);
