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

/* -ENAMETOOLONG with @error if RXAQM_BPFFS is too long a path. Call this before anything else here.
 */
int rxaqm_state_check_path(struct rxaqm_error *error);

/* Directory of the pins: RXAQM_BPFFS (default /sys/fs/bpf) plus "/rxaqm". */
const char *rxaqm_state_dir(void);

/* @name below that directory, until the next call. */
const char *rxaqm_state_path(const char *name);

/* Fail with the remedy unless the bpffs is there. */
int rxaqm_state_check_bpffs(struct rxaqm_error *error);

/* Fail with the remedy if others than root can change what is pinned. 0 also if nothing is there.
 */
int rxaqm_state_check_dir(struct rxaqm_error *error);

/* Take the lock that every command holds while it changes something; waits up to 10 s. While the
 * lock is held, the directory of the pins is there, and safe. Without a BPF file system there is no
 * lock; returns 0 then.
 */
int rxaqm_state_lock(struct rxaqm_state *state, struct rxaqm_error *error);
/* The same without waiting: -EBUSY if another has it. */
int rxaqm_state_trylock(struct rxaqm_state *state);
/* Release the lock, if it is held, and remove the directory if nothing is pinned. */
void rxaqm_state_unlock(struct rxaqm_state *state);

/* The state of @iface, and whether a command is changing it now. If no command does, and the state
 * is neither FREE nor ATTACHED, a command died while it changed it.
 */
enum rxaqm_iface_state rxaqm_iface_state_now(const struct rxaqm_iface *iface, bool *ret_at_work);

/* Read the kernel's info of the map that is pinned as @name. -errno if it cannot be read. */
struct bpf_map_info;
int rxaqm_state_map_info(const char *name, struct bpf_map_info *info);

/* Map the pins, again if they were mapped before. With @error: -ENOENT if nothing is pinned, or was
 * never completed; -EPROTO if it is of another ABI version; -EIO if pins are missing or an entry is
 * not valid (then iface is mapped, unless its pin is missing).
 */
int rxaqm_state_open(struct rxaqm_state *state, bool writable, struct rxaqm_error *error);

/* Mark the state complete, once its maps are made and polls are traced, and open it. */
int rxaqm_state_complete(struct rxaqm_state *state, struct rxaqm_error *error);

/* Safe on a state that was never opened; close() unlocks it, too. */
void rxaqm_state_unmap(struct rxaqm_state *state);
void rxaqm_state_close(struct rxaqm_state *state);

/* Are the numbers of an entry within bounds, and do its names end? Others can write to the maps. */
bool rxaqm_iface_valid(const struct rxaqm_iface *iface);
/* Make those that are not valid DETACHING, without queues. Needs the lock. */
void rxaqm_state_repair(struct rxaqm_state *state);

/* The next valid entry in use after @last, or the first, if @last is NULL. NULL: there is none, or
 * no state.
 */
struct rxaqm_iface *rxaqm_iface_next(const struct rxaqm_state *state,
				     const struct rxaqm_iface *last);

/* The policy of queue @queue (0-based) of @iface in the bank in use. */
const struct rxaqm_policy *rxaqm_state_policy(const struct rxaqm_state *state,
					      const struct rxaqm_iface *iface, unsigned int queue);

/* Copy the policies of @iface's queues into the bank that is not in use, to be changed there. The
 * second function puts them in force all at once (policy.h). Both need the lock.
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

/* What the consumer of the queue's socket has published. Others write it: copy it before use. */
static inline const struct rxaqm_wait *rxaqm_state_wait(const struct rxaqm_state *state,
							const struct rxaqm_iface *iface,
							unsigned int queue)
{
	return &state->wait[iface->queue_base + queue];
}

/* Remove the sockets of @iface's queues from xsk_map, and what their consumers have published. */
void rxaqm_state_clear_sockets(const struct rxaqm_state *state, const struct rxaqm_iface *iface);

/* Is there a free entry, and a free run of @nr_queues queues? */
bool rxaqm_state_room(const struct rxaqm_state *state, unsigned int nr_queues);

/* Take a free entry, and a free run of @nr_queues queues for it. NULL with @error: there is no
 * room.
 */
struct rxaqm_iface *rxaqm_state_alloc(struct rxaqm_state *state, unsigned int nr_queues,
				      struct rxaqm_error *error);
