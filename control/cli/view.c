/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/view.h"

#include "attach/locate.h"
#include "cli/options.h"
#include "attach/machine.h"

int rxaqm_view_open(struct rxaqm_state *state, const char *ifname)
{
	struct rxaqm_error error = {};

	if (!rxaqm_state_open(state, false, &error) && !rxaqm_machine_check_readable(&error)) {
		if (!ifname || rxaqm_iface_find(state, ifname))
			return RXAQM_EXIT_OK;
		rxaqm_iface_missing(state, ifname, &error);
	}
	return rxaqm_log_failure(&error);
}

const struct rxaqm_iface *rxaqm_view_next(const struct rxaqm_state *state, const char *ifname,
					  const struct rxaqm_iface *iface)
{
	const struct rxaqm_iface *only = ifname ? rxaqm_iface_find(state, ifname) : NULL;

	do
		iface = rxaqm_iface_next(state, iface);
	while (iface && ifname && iface != only);
	return iface;
}

int rxaqm_view_print(const char *ifname,
		     void (*print)(struct rxaqm_out *out, const struct rxaqm_state *state,
				   const struct rxaqm_iface *iface))
{
	const struct rxaqm_iface *iface;
	struct rxaqm_state state = RXAQM_STATE_NONE;
	struct rxaqm_out out;
	int exit_code;

	exit_code = rxaqm_view_open(&state, ifname);
	if (exit_code == RXAQM_EXIT_OK) {
		rxaqm_out_open(&out, stdout, rxaqm_globals.json);
		rxaqm_out_array(&out, "interfaces");
		rxaqm_view_each(iface, &state, ifname)
			print(&out, &state, iface);
		rxaqm_out_end(&out);
		if (rxaqm_out_close(&out, false))
			exit_code = RXAQM_EXIT_FAILED;
	}
	rxaqm_state_close(&state);
	return exit_code;
}
