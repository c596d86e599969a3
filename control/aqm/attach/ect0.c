/* SPDX-License-Identifier: GPL-2.0-only */
#include "attach/ect0.h"

#include <fcntl.h>
#include <string.h>

#include "nic/nic.h"

/* Like all below /proc/sys/net it is that of the namespace that the caller is in. */
#define PATH "/proc/sys/net/ipv4/tcp_congestion_control"

const char *rxaqm_ect0_congestion_control(char buf[RXAQM_CONGESTION_CONTROL_LEN])
{
	return rxaqm_first_line(AT_FDCWD, PATH, buf, RXAQM_CONGESTION_CONTROL_LEN);
}

bool rxaqm_ect0_changed(const struct rxaqm_iface *iface)
{
	char name[RXAQM_CONGESTION_CONTROL_LEN];
	bool dctcp = !strcmp(rxaqm_ect0_congestion_control(name), "dctcp");

	return dctcp != !!(iface->flags & RXAQM_IFACE_ECT0_DCTCP);
}

bool rxaqm_ect0_look(struct rxaqm_iface *iface)
{
	bool changed = rxaqm_ect0_changed(iface);

	if (changed)
		iface->flags ^= RXAQM_IFACE_ECT0_DCTCP;
	return changed;
}

static bool left_open(const struct rxaqm_state *state, const struct rxaqm_iface *iface)
{
	unsigned int i;

	for (i = 0; i < iface->nr_queues; i++) {
		const struct rxaqm_policy *policy = rxaqm_state_policy(state, iface, i);

		if (policy->mode != RXAQM_MODE_OFF && policy->law == RXAQM_LAW_AUTO &&
		    policy->ecn == RXAQM_ECN_ON && policy->ect0 == RXAQM_ECT0_AUTO)
			return true;
	}
	return false;
}

void rxaqm_ect0_out(struct rxaqm_out *out, const struct rxaqm_state *state,
		    const struct rxaqm_iface *iface, const char *ifname, bool here)
{
	bool dctcp = iface->flags & RXAQM_IFACE_ECT0_DCTCP;
	char name[RXAQM_CONGESTION_CONTROL_LEN];

	if (!left_open(state, iface))
		return;
	rxaqm_out_str(out, "ect0_auto", "  ect0 auto: %s", dctcp ? "dctcp" : "classic");
	if (!here || !*rxaqm_ect0_congestion_control(name)) {
		rxaqm_out_null(out, "tcp_congestion_control", "\n");
		return;
	}
	if (dctcp == !strcmp(name, "dctcp")) {
		rxaqm_out_str(out, "tcp_congestion_control",
			      ", since tcp_congestion_control is %s\n", name);
		return;
	}
	rxaqm_out_str(out, "tcp_congestion_control",
		      ", as it was; tcp_congestion_control is %s now: ", name);
	rxaqm_out_text(out, "\"rxaqm policy set %s ect0=auto\" goes by that\n", ifname);
}
