/* SPDX-License-Identifier: GPL-2.0-only */
/* Receive test frames and the NIC's stamps by a packet socket. */
#pragma once

#include <linux/types.h>

#include "base/fields.h"
#include "base/log.h"

struct qualify_received {
	__u32 seq;
	__u32 size; /* of the frame; larger than sent if GRO merged some */
	__u64 hw_ns; /* stamp by the NIC's clock; 0: none */
};

struct qualify_receiver {
	int fd; /* -1: closed */
	RXAQM_LIST(struct qualify_received) seen; /* in order of arrival */
};

#define QUALIFY_RECEIVER_CLOSED { .fd = -1 }

/* Take only plain UDP frames (QUALIFY_UDP4) whose seq is a multiple of @one_in, a power of two; 1:
 * every frame of any kind. -errno with @error.
 */
int qualify_receiver_open(struct qualify_receiver *receiver, const char *ifname,
			  unsigned int one_in, struct rxaqm_error *error);
void qualify_receiver_close(struct qualify_receiver *receiver);

/* Take the frames that wait. */
void qualify_receiver_take(struct qualify_receiver *receiver);

/* Forget the frames taken, and those that wait. */
void qualify_receiver_clear(struct qualify_receiver *receiver);

/* The memory of the frames that wait, as the kernel charges it (SK_MEMINFO_RMEM_ALLOC: the sum of
 * truesize), or -errno.
 */
long qualify_receiver_memory(const struct qualify_receiver *receiver);
