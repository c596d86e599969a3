/* SPDX-License-Identifier: GPL-2.0-only */
/* Sends test frames from an interface here, by a packet socket past the qdisc; counted, paced. */
#pragma once

#include "base/log.h"
#include "qualify/measure/frame.h"

struct qualify_sender {
	int fd; /* -1: closed */
	int watch_fd; /* sending ends when this hangs up; -1: none */
	bool loses; /* a veth: what finds the other end's ring full is lost, not refused */
	__u8 mac[ETH_ALEN];
};

#define QUALIFY_SENDER_CLOSED { .fd = -1 }

/* What to send. Frames have seq first, first + 1 ... and go through the flows in turn. */
struct qualify_send {
	enum qualify_kind kind;
	__u32 size, count, first, flows, first_flow;
	__u32 pps; /* 0: as fast as it goes */
	__u32 burst; /* frames that go back to back, each burst / pps; 1 at least */
	__u32 max_ms; /* ends after this, however many are left */
	__u8 to[ETH_ALEN];
};

struct qualify_sent {
	__u64 count; /* that the device took, or lost */
	__u64 took_ns; /* from the first to the last */
};

/* -errno with @error. */
int qualify_sender_open(struct qualify_sender *sender, const char *ifname,
			struct rxaqm_error *error);
void qualify_sender_close(struct qualify_sender *sender);

/* Returns when all are handed over, the time is up, *@stop, or what is watched hangs up; -errno
 * with @error if the socket fails.
 */
int qualify_sender_send(struct qualify_sender *sender, const struct qualify_send *send,
			const volatile int *stop, struct qualify_sent *sent,
			struct rxaqm_error *error);

/* Bytes that the device has not given back yet (SIOCOUTQ); -errno. */
int qualify_sender_pending(const struct qualify_sender *sender);
