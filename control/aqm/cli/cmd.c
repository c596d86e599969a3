/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cmd.h"

#include <fnmatch.h>
#include <net/if.h>
#include <string.h>

#include "state/locate.h"
#include "command/options.h"
#include "state/machine.h"
#include "state/xdp_slot.h"

int rxaqm_cmd_open(struct rxaqm_state *state, bool writable, struct rxaqm_error *error)
{
	int err = rxaqm_state_open(state, writable, error);

	return err == -ENOENT ? rxaqm_xdp_check_strays(error) ?: err : err;
}

int rxaqm_view_open(struct rxaqm_call *call, const char *ifname)
{
	if (rxaqm_cmd_open(&call->state, false, &call->error) ||
	    rxaqm_machine_check_readable(&call->error))
		return -1;
	/* A killed attach may leave a state without an interface. */
	if (!ifname && !rxaqm_iface_next(&call->state, NULL))
		return rxaqm_error_set(&call->error, RXAQM_EXIT_NOT_ATTACHED, ENOENT,
				       "not attached to any interface; see \"rxaqm attach "
				       "--help\"");
	if (!ifname || rxaqm_iface_find(&call->state, ifname, &call->error))
		return 0;
	return -call->error.err;
}

const struct rxaqm_iface *rxaqm_view_next(const struct rxaqm_state *state, const char *ifname,
					  const struct rxaqm_iface *iface)
{
	if (!ifname)
		return rxaqm_iface_next(state, iface);
	return iface ? NULL : rxaqm_iface_find(state, ifname, NULL);
}

int rxaqm_view_print(struct rxaqm_call *call, const char *what, const char *ifname,
		     rxaqm_view *print)
{
	const struct rxaqm_iface *iface;
	struct rxaqm_out out;
	int err = rxaqm_view_open(call, ifname);

	if (err && (call->error.exit_code != RXAQM_EXIT_NOT_ATTACHED || !rxaqm_json))
		return err;
	rxaqm_out_begin(&out, what, rxaqm_json);
	rxaqm_out_array(&out, "interfaces");
	if (!err)
		rxaqm_view_each(iface, &call->state, ifname)
			print(&out, &call->state, iface);
	rxaqm_out_end(&out);
	return rxaqm_out_close(&out, false) ? RXAQM_EXIT_FAILED : err;
}

bool rxaqm_is_pattern(const char *ifname)
{
	return strpbrk(ifname, "*?[") && !if_nametoindex(ifname);
}

static bool is_meant(const struct rxaqm_iface *iface, const char *pattern, const char *ifname)
{
	int place;

	if (!pattern)
		return iface->state == RXAQM_IFACE_ATTACHED;
	place = rxaqm_iface_place(iface, NULL);
	/* If the kernel cannot be asked, let the change fail. */
	return (place < 0 || place == RXAQM_PLACE_HERE || place == RXAQM_PLACE_BARE) &&
	       !fnmatch(pattern, ifname, 0);
}

int rxaqm_change_each(struct rxaqm_state *state, const char *pattern, rxaqm_change *change,
		      void *arg, struct rxaqm_error *error)
{
	struct rxaqm_iface *iface = NULL;
	char ifname[RXAQM_IFNAMSIZ];
	int exit_code = 0;
	bool any = false;

	while ((iface = rxaqm_iface_next(state, iface))) {
		if (!is_meant(iface, pattern, rxaqm_iface_name(iface, ifname, NULL)))
			continue;
		any = true;
		error->text[0] = '\0';
		if (change(iface, ifname, arg, error) && !exit_code)
			exit_code = error->exit_code;
		if (error->text[0])
			rxaqm_log_error("%s: %s", ifname, error->text);
	}
	error->text[0] = '\0';
	if (any)
		return exit_code;
	if (!pattern)
		return rxaqm_error_set(error, RXAQM_EXIT_NOT_ATTACHED, ENOENT,
				       "no interface is attached");
	return rxaqm_error_set(error, RXAQM_EXIT_NOT_ATTACHED, ENOENT,
			       "no interface that rxaqm is attached to here matches \"%s\"; see "
			       "\"rxaqm status\"",
			       pattern);
}
