/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every change to the machine is noted in the interface's registry entry before it is made, so that
 * undoing reads the entry and never has to guess. All of it under the lock.
 */
#pragma once

#include "state/state.h"

/* Whoever finds the entry after a crash must see its fields change in this order. */
void rxaqm_entry_set_state(struct rxaqm_iface *iface, enum rxaqm_iface_state state);

/* Undo all changes to the interface that the entry notes. The interface is where its program is in
 * this namespace, or where it was at attach. Timestamps and clocks that cannot be put back are
 * reported in @error, and the rest goes on. -errno if the program cannot be taken off, or the
 * kernel not be asked whether it is there: then the entry stays. rxaqm_not_undone() makes an @error
 * of that.
 */
int rxaqm_undo_attach(const struct rxaqm_state *state, struct rxaqm_iface *iface,
		      struct rxaqm_error *error);
int rxaqm_not_undone(const struct rxaqm_iface *iface, int err, struct rxaqm_error *error);

/* Take off a program that has no entry. -errno, with @error if words help; also fills in @error if
 * its driver has reset the clock.
 */
int rxaqm_undo_unknown(unsigned int ifindex, __u32 prog_id, struct rxaqm_error *error);

/* Undo what interrupted commands left, and drop entries whose interface is gone. @error says what
 * could not be put back.
 */
void rxaqm_undo_interrupted(struct rxaqm_state *state, struct rxaqm_error *error);

/* The same in all namespaces, for when there are no free slots. */
void rxaqm_undo_everywhere(struct rxaqm_state *state, struct rxaqm_error *error);
