/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm clock: the mapping from NIC time to host time, and how good it is. */
#include <stdio.h>

#include "cmd.h"
#include "view.h"

static void print_mapping(struct rxaqm_out *out, const struct rxaqm_clock_entry *entry)
{
	const struct rxaqm_clock clock = entry->clock[entry->published & 1];
	__u64 now_ns = rxaqm_now_ns();
	bool expired = rxaqm_ns_reached(now_ns, clock.expires_ns);

	rxaqm_out_str(out, "source", "%s", expired ? "kernel (expired)" : "kernel");
	rxaqm_out_bool(out, "valid", NULL, NULL, !expired);
	rxaqm_out_s64(out, "offset_ns", ", host - NIC %lldns",
		      (__s64)(clock.host_ref_ns - clock.hw_ref_ns));
	rxaqm_out_double(out, "drift_ppm", ", drift %.3f ppm",
			 (double)clock.rate_q32 * 1e6 / 4294967296.0);
	rxaqm_out_ns(out, "err_ns", ", error at most %s", rxaqm_clock_err(&clock, now_ns));
	rxaqm_out_double(out, "drift_err_ppm", ", growing by %.1f ppm",
			 (double)clock.drift_err_q32 * 1e6 / 4294967296.0);
	rxaqm_out_ns(out, "age_ns", ", %s old", rxaqm_ns_since(now_ns, clock.host_ref_ns));
	rxaqm_out_u64(out, "points", ", from %llu points", entry->est.nr_points);
	rxaqm_out_ns(out, "window_ns", " %s apart", entry->est.window_ns);
}

static int print_iface(const struct rxaqm_state *state, const struct rxaqm_iface *iface, void *arg)
{
	const struct rxaqm_clock_entry *entry = &state->clock[iface - state->iface];
	char name[RXAQM_IFNAMSIZ];
	struct rxaqm_out *out = arg;
	bool here;

	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "interface", "%s: ", rxaqm_iface_name(iface, name, &here));
	if (entry->published) {
		print_mapping(out, entry);
	} else {
		rxaqm_out_null(out, "source",
			       iface->stamp == RXAQM_STAMP_NONE ?
				       "none: the profile knows of no Rx timestamps" :
				       "none yet: no stamped packet has met an empty queue");
		rxaqm_out_bool(out, "valid", NULL, NULL, false);
	}
	rxaqm_out_u64(out, "resets", entry->resets ? ", begun anew %llu times" : NULL,
		      entry->resets);
	rxaqm_out_text(out, "\n");
	rxaqm_out_end(out);
	return 0;
}

int rxaqm_cmd_clock(int argc, char **argv)
{
	return rxaqm_view_command("clock", "Show how NIC time is converted to host time.", argc,
				  argv, print_iface);
}
