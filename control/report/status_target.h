/* SPDX-License-Identifier: GPL-2.0-only */
/* What status and metrics say of targets: floor, ceiling, what is derived, and why (target.h). */
#ifndef RXAQM_STATUS_TARGET_H
#define RXAQM_STATUS_TARGET_H

#include "iface.h"
#include "base/out.h"
#include "tune/target_why.h"

/* What the entry of @iface says that is true of all of its queues. */
void rxaqm_status_target_facts(const struct rxaqm_iface *iface, struct rxaqm_target_facts *facts);

/* What @q has measured makes of @facts. */
void rxaqm_status_target_derive(const struct rxaqm_target_facts *facts, const struct rxaqm_queue *q,
				struct rxaqm_target *target);

/* The fields of one queue, behind its sojourn; nothing in text while no round was measured. */
void rxaqm_status_target_out(struct rxaqm_out *out, const struct rxaqm_target_facts *facts,
			     const struct rxaqm_queue *q, const struct rxaqm_policy *policy);

/* The target and the interval in use; the policy's while no packet came under it. */
__u64 rxaqm_status_target_ns(const struct rxaqm_queue *q, const struct rxaqm_policy *policy);
__u64 rxaqm_status_interval_ns(const struct rxaqm_queue *q, const struct rxaqm_policy *policy);

/* A line of advice about the length of the queues, if there is any; by what @q has measured. */
void rxaqm_status_advice_out(struct rxaqm_out *out, const struct rxaqm_target_facts *facts,
			     const struct rxaqm_queue *q);

#endif /* RXAQM_STATUS_TARGET_H */
