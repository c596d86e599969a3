/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The subcommands of rxaqm. Each returns an exit code (log.h), or a negative number if it failed as
 * the error in its struct rxaqm_call says.
 */
#pragma once

#include <stdbool.h>

#include "base/out.h"
#include "command/program.h"
#include "figures/figures.h"

/* The context of a subcommand; main() logs the error and closes the state. */
struct rxaqm_call {
	struct rxaqm_state state;
	struct rxaqm_error error;
};

/* A check cannot be done: print @why. Returns the exit status of a plugin (report/check.h). */
int rxaqm_check_failed(const char *why);

typedef int rxaqm_cmd(int argc, char **argv, struct rxaqm_call *call);
rxaqm_cmd rxaqm_cmd_attach, rxaqm_cmd_detach, rxaqm_cmd_status, rxaqm_cmd_check, rxaqm_cmd_top;
rxaqm_cmd rxaqm_cmd_hist, rxaqm_cmd_policy, rxaqm_cmd_profile, rxaqm_cmd_run;
/* Subcommands that are programs of their own: becomes that program, with @argv. */
rxaqm_cmd rxaqm_cmd_program;

/* Open the state, or fail. If there is none, but a program of rxaqm's is on an interface, @error
 * says that (-EBUSY).
 */
int rxaqm_cmd_open(struct rxaqm_state *state, bool writable, struct rxaqm_error *error);

/* Common to status, top and hist: one optional interface, read-only. */

/* Adds an interface to an array, or prints it. */
typedef void rxaqm_view(struct rxaqm_out *out, const struct rxaqm_state *state,
			const struct rxaqm_iface *iface);
/* Print one object per interface, for all or for the one called @ifname, in the document @what of
 * rxaqm_out_begin(). Returns like a subcommand. JSON is printed even if there is no interface.
 */
int rxaqm_view_print(struct rxaqm_call *call, const char *what, const char *ifname,
		     rxaqm_view *print);

/* Open the state to read. 0, or -1 with the error if there is none, or if it lacks @ifname. */
int rxaqm_view_open(struct rxaqm_call *call, const char *ifname);

/* For each interface that is attached, or only the one called @ifname here. */
#define rxaqm_view_each(iface, state, ifname)                             \
	for ((iface) = rxaqm_view_next((state), (ifname), NULL); (iface); \
	     (iface) = rxaqm_view_next((state), (ifname), (iface)))
/* The one after @iface (NULL: the first); NULL: there is none. */
const struct rxaqm_iface *rxaqm_view_next(const struct rxaqm_state *state, const char *ifname,
					  const struct rxaqm_iface *iface);

/* Change the settings @words of all queues of @ifname, as policy set does. @state is open, and
 * locked.
 */
int rxaqm_cmd_set(struct rxaqm_state *state, const char *ifname, char **words,
		  struct rxaqm_error *error);

/* Common to policy set and detach: several interfaces at once. */

/* Is @ifname a pattern such as "eth*"? The name of an existing interface is not. */
bool rxaqm_is_pattern(const char *ifname);

/* Change @iface, called @ifname. 0, or negative with the error. */
typedef int rxaqm_change(struct rxaqm_iface *iface, const char *ifname, void *arg,
			 struct rxaqm_error *error);

/* Apply @change to each interface that is attached: those of this namespace whose names match
 * @pattern, or (NULL) all. If one fails, that is logged, and the others are done. Returns 0, or the
 * exit code of the first failure; -1 with the error if there is none.
 */
int rxaqm_change_each(struct rxaqm_state *state, const char *pattern, rxaqm_change *change,
		      void *arg, struct rxaqm_error *error);
