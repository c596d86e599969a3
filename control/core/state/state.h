/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pinned state under the bpffs, mapped into memory. The maps are the API between
 * kernel and commands: no daemon is needed, and the data plane survives all of them.
 */
#pragma once

#include "clock_map.h"
#include "flow_name.h"
#include "iface.h"
#include "base/log.h"
#include "meta.h"
#include "queue.h"
#include "xsk.h"

struct rxaqm_state {
	int lock_fd; /* -1: not locked */
	struct rxaqm_meta_info *meta; /* NULL: there is no state */
	struct rxaqm_iface *iface; /* [RXAQM_MAX_IFACES] */
	struct rxaqm_policy *policy; /* [2 * RXAQM_MAX_QUEUES] */
	struct rxaqm_queue *queue; /* [RXAQM_MAX_QUEUES] */
	struct rxaqm_clock_entry *clock; /* [RXAQM_MAX_IFACES] */
	struct rxaqm_clock_phc *clock_phc; /* [RXAQM_MAX_IFACES] */
	struct rxaqm_wait *wait; /* [RXAQM_MAX_QUEUES] */
	struct rxaqm_flow_name *name; /* [RXAQM_FLOW_NAMES] */
};

#define RXAQM_STATE_NONE { .lock_fd = -1 }

/* -ENAMETOOLONG with @error if RXAQM_BPFFS is too long a path. To be asked before all else here. */
int rxaqm_state_check_path(struct rxaqm_error *error);

/* Directory of the pins: RXAQM_BPFFS (default /sys/fs/bpf) plus "/rxaqm". */
const char *rxaqm_state_dir(void);

/* @name below that directory, until the next call. */
const char *rxaqm_state_path(const char *name);

/* Fail with the remedy unless the bpffs is there. */
int rxaqm_state_check_bpffs(struct rxaqm_error *error);

/* Fail with the remedy if others than root can change what is pinned. 0 also if there is nothing.
 */
int rxaqm_state_check_dir(struct rxaqm_error *error);

/* Take the lock that all commands that change something hold; waits up to 10 s. The directory of
 * the pins is there, and safe, as long as it is held; without a BPF file system there is no lock,
 * and 0 is returned all the same.
 */
int rxaqm_state_lock(struct rxaqm_state *state, struct rxaqm_error *error);
/* The same without waiting: -EBUSY if another has it. */
int rxaqm_state_trylock(struct rxaqm_state *state);
/* Give it back, if it is held, and remove the directory if nothing is pinned. */
void rxaqm_state_unlock(struct rxaqm_state *state);

/* The state of @iface, and whether a command is at work at it. One that is neither FREE nor
 * ATTACHED while none is, was left by a command that died.
 */
enum rxaqm_iface_state rxaqm_state_of(const struct rxaqm_iface *iface, bool *ret_at_work);

/* What the kernel says of a map that is pinned as @name; -errno if none is, or it may not be read.
 */
struct bpf_map_info;
int rxaqm_state_map_info(const char *name, struct bpf_map_info *info);

/* Map what is pinned; again, if it was mapped before. -ENOENT with @error if nothing is, or it was
 * never completed; another ABI version is refused; -EIO if pins are missing, with iface mapped if
 * its is not.
 */
int rxaqm_state_open(struct rxaqm_state *state, bool writable, struct rxaqm_error *error);

/* The maps have been made and polls are watched: from now on the state counts. It is opened. */
int rxaqm_state_complete(struct rxaqm_state *state, struct rxaqm_error *error);

/* Safe on a state that was never opened; close() unlocks it, too. */
void rxaqm_state_unmap(struct rxaqm_state *state);
void rxaqm_state_close(struct rxaqm_state *state);

/* The entry in use that comes after @last; NULL: the first. NULL if there is none, or no state. */
struct rxaqm_iface *rxaqm_iface_next(const struct rxaqm_state *state,
				     const struct rxaqm_iface *last);

/* The policy of queue @queue (0-based) of @iface in the bank in use. */
const struct rxaqm_policy *rxaqm_state_policy(const struct rxaqm_state *state,
					      const struct rxaqm_iface *iface, unsigned int queue);

/* The policies of @iface's queues in the bank that is not in use, the same as in the other; to be
 * changed, and put in force all at once (policy.h). Needs the lock, as what follows does.
 */
struct rxaqm_policy *rxaqm_state_draft(struct rxaqm_state *state, const struct rxaqm_iface *iface);
void rxaqm_state_use_draft(struct rxaqm_iface *iface);

/* State of @iface's queue. */
static inline const struct rxaqm_queue *rxaqm_state_queue(const struct rxaqm_state *state,
							  const struct rxaqm_iface *iface,
							  unsigned int queue)
{
	return &state->queue[iface->queue_base + queue];
}

/* What the consumer of the queue's socket says. Others write it: to be copied before it is used. */
static inline const struct rxaqm_wait *rxaqm_state_wait(const struct rxaqm_state *state,
							const struct rxaqm_iface *iface,
							unsigned int queue)
{
	return &state->wait[iface->queue_base + queue];
}

/* Take the sockets of @iface's queues out of xsk_map, and what their consumers have said away. */
void rxaqm_state_clear_sockets(const struct rxaqm_state *state, const struct rxaqm_iface *iface);

/* Is there an entry, and a run of @nr_queues queues for it, if the slots @but, a bit each, were
 * free? Needs no lock.
 */
bool rxaqm_state_room(const struct rxaqm_state *state, unsigned int nr_queues, __u64 but);

/* An entry, and a run of @nr_queues queues for it, that are free; NULL with @error if none are. */
struct rxaqm_iface *rxaqm_state_alloc(struct rxaqm_state *state, unsigned int nr_queues,
				      struct rxaqm_error *error);
