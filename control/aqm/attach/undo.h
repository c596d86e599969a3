/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every change to the machine is noted in the interface's registry entry before it is made, so that
 * undoing reads the entry and never has to guess. All of it under the lock.
 */
#pragma once

#include "state/state.h"

/* The entry's fields must be seen in this order by whoever finds it after a crash. */
void rxaqm_entry_set_state(struct rxaqm_iface *iface, enum rxaqm_iface_state state);

/* Undo all that the entry says was done to the interface, which is where its program is in this
 * namespace, or where it was at attach. Timestamps and clocks that cannot be put back are told in
 * @error, and hold nothing up. -errno if the program cannot be taken off, of which
 * rxaqm_not_undone() makes an @error.
 */
int rxaqm_undo(const struct rxaqm_state *state, struct rxaqm_iface *iface,
	       struct rxaqm_error *error);
int rxaqm_not_undone(const struct rxaqm_iface *iface, int err, struct rxaqm_error *error);

/* Take a program off of which there is no entry. -errno, with @error if words help; also fills in
 * @error if its driver has reset the clock.
 */
int rxaqm_undo_unknown(unsigned int ifindex, __u32 prog_id, struct rxaqm_error *error);

/* Undo what interrupted commands left and drop entries whose interface is gone. What could not be
 * put back is told in @error.
 */
void rxaqm_undo_interrupted(struct rxaqm_state *state, struct rxaqm_error *error);

/* The same in all namespaces, where slots have run out. */
void rxaqm_undo_everywhere(struct rxaqm_state *state, struct rxaqm_error *error);
