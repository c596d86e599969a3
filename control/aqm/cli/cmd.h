/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The subcommands of rxaqm. Each returns an exit code (log.h), or, negative, that it failed as the
 * error says that it was given.
 */
#pragma once

#include <stdbool.h>

#include "base/out.h"
#include "command/stop.h"
#include "figures/figures.h"

/* What a subcommand works with; main() logs the error and closes the state. */
struct rxaqm_call {
	const char *netns, *color; /* --netns, --color; NULL: not given */
	struct rxaqm_state state;
	struct rxaqm_error error;
};

/* A check cannot be done: tell @why. Returns the exit status of a plugin (report/check.h). */
int rxaqm_check_failed(const char *why);

typedef int rxaqm_cmd(int argc, char **argv, struct rxaqm_call *call);
rxaqm_cmd rxaqm_cmd_attach, rxaqm_cmd_detach, rxaqm_cmd_status, rxaqm_cmd_check, rxaqm_cmd_top;
rxaqm_cmd rxaqm_cmd_hist, rxaqm_cmd_policy, rxaqm_cmd_profile, rxaqm_cmd_clock, rxaqm_cmd_run;
/* Those of other programs: becomes that one, which enters the namespace. */
rxaqm_cmd rxaqm_cmd_program;

/* What status, top, hist and clock have in common: one optional interface, read-only. */

/* Adds an interface to an array, or prints it. */
typedef void rxaqm_view(struct rxaqm_out *out, const struct rxaqm_state *state,
			const struct rxaqm_iface *iface);
/* Print one object an interface, of all or of that called @ifname, as rxaqm_out_begin() says of
 * @what. As a subcommand returns. JSON comes where there is none, too.
 */
int rxaqm_view_print(struct rxaqm_call *call, const char *what, const char *ifname,
		     rxaqm_view *print);

/* Open the state to read. 0, or -1 with the error if there is none, or not of @ifname. */
int rxaqm_view_open(struct rxaqm_call *call, const char *ifname);

/* Go over the interfaces that are attached, or only that called @ifname here. */
#define rxaqm_view_each(iface, state, ifname)                             \
	for ((iface) = rxaqm_view_next((state), (ifname), NULL); (iface); \
	     (iface) = rxaqm_view_next((state), (ifname), (iface)))
/* The one behind @iface (NULL: the first); NULL: there is none. */
const struct rxaqm_iface *rxaqm_view_next(const struct rxaqm_state *state, const char *ifname,
					  const struct rxaqm_iface *iface);

/* What policy set and detach have in common: several interfaces at once. */

/* Is @ifname a pattern such as "eth*"? What is an interface's name is none. */
bool rxaqm_is_pattern(const char *ifname);

/* What the failure to open a state, as @error says, means to who has given a pattern: if there is
 * no state, that nothing matches. Returns -1.
 */
int rxaqm_none_matches(const char *pattern, struct rxaqm_error *error);

/* Change @iface, called @ifname. 0, or negative with the error. */
typedef int rxaqm_change(struct rxaqm_iface *iface, const char *ifname, void *arg,
			 struct rxaqm_error *error);

/* Do @change to each interface that is attached, of this namespace if its name matches @pattern, or
 * (NULL) of any. Those that fail are logged, the others done. Returns 0 or the exit code of the
 * first that failed; -1 with the error if there is none.
 */
int rxaqm_change_each(struct rxaqm_state *state, const char *pattern, rxaqm_change *change,
		      void *arg, struct rxaqm_error *error);
