/* SPDX-License-Identifier: GPL-2.0-only */
/* Receives test frames by a packet socket, with the NIC's stamps. */
#pragma once

#include <linux/types.h>

#include "base/fields.h"
#include "base/log.h"

struct qualify_received {
	__u32 seq;
	__u32 size; /* of the frame, more than was sent if GRO merged some */
	__u64 hw_ns; /* stamp of the NIC, in its clock; 0: none */
};

struct qualify_receiver {
	int fd; /* -1: closed */
	RXAQM_LIST(struct qualify_received) seen; /* in order of arrival */
};

#define QUALIFY_RECEIVER_CLOSED { .fd = -1 }

/* Of plain UDP frames (QUALIFY_UDP4) only each whose seq is a multiple of @one_in, a power of two;
 * 1: every frame of any kind. -errno with @error.
 */
int qualify_receiver_open(struct qualify_receiver *receiver, const char *ifname,
			  unsigned int one_in, struct rxaqm_error *error);
void qualify_receiver_close(struct qualify_receiver *receiver);

/* Take what is there. */
void qualify_receiver_take(struct qualify_receiver *receiver);

/* Forget what was taken, and what waits. */
void qualify_receiver_clear(struct qualify_receiver *receiver);

/* Memory that what waits takes, of the kernel's count (SK_MEMINFO_RMEM_ALLOC): the sum of truesize.
 * -errno.
 */
long qualify_receiver_memory(const struct qualify_receiver *receiver);
