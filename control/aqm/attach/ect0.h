/* SPDX-License-Identifier: GPL-2.0-only */
/* What ECT(0) means where the policy does not say (ect0=auto): DCTCP if that is what the host's own
 * TCP does in the interface's network namespace, else classic.
 */
#ifndef RXAQM_ECT0_H
#define RXAQM_ECT0_H

#include <stdbool.h>

#include "iface.h"
#include "base/out.h"
#include "state/state.h"

#define RXAQM_CONGESTION_CONTROL_LEN 16 /* TCP_CA_NAME_MAX */

/* net.ipv4.tcp_congestion_control of the namespace entered; "" if it cannot be read. */
const char *rxaqm_ect0_congestion_control(char buf[RXAQM_CONGESTION_CONTROL_LEN]);

/* Note it in the entry of @iface, which is in the namespace entered; under the lock. Returns true
 * if that is news. XDP takes it over with the next policies.
 */
bool rxaqm_ect0_look(struct rxaqm_iface *iface);

/* Is it news? */
bool rxaqm_ect0_changed(const struct rxaqm_iface *iface);

/* What is in effect, and why: for those policies of @iface that leave it open, if any do. */
void rxaqm_ect0_out(struct rxaqm_out *out, const struct rxaqm_state *state,
		    const struct rxaqm_iface *iface, const char *ifname, bool here);

#endif /* RXAQM_ECT0_H */
