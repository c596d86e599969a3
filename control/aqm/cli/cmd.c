/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cmd.h"

#include "state/locate.h"
#include "command/options.h"
#include "state/machine.h"

int rxaqm_view_open(struct rxaqm_call *call, const char *ifname)
{
	if (rxaqm_state_open(&call->state, false, &call->error) ||
	    rxaqm_machine_check_readable(&call->error))
		return -1;
	if (!ifname || rxaqm_iface_find(&call->state, ifname))
		return 0;
	return rxaqm_iface_missing(&call->state, ifname, &call->error);
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

int rxaqm_view_print(struct rxaqm_call *call, const char *ifname,
		     void (*print)(struct rxaqm_out *out, const struct rxaqm_state *state,
				   const struct rxaqm_iface *iface))
{
	const struct rxaqm_iface *iface;
	struct rxaqm_out out;

	if (rxaqm_view_open(call, ifname))
		return -1;
	rxaqm_out_open(&out, stdout, rxaqm_json);
	rxaqm_out_array(&out, "interfaces");
	rxaqm_view_each(iface, &call->state, ifname)
		print(&out, &call->state, iface);
	rxaqm_out_end(&out);
	return rxaqm_out_close(&out, false) ? RXAQM_EXIT_FAILED : RXAQM_EXIT_OK;
}
