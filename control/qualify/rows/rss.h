/* SPDX-License-Identifier: GPL-2.0-only */
/* Q13: beside plain datagrams. */
#ifndef RXAQM_QUALIFY_RSS_H
#define RXAQM_QUALIFY_RSS_H

#include "qualify/rows/traffic.h"

/* How flows of other kinds of packets are spread over @queues, at @pps: spread_vlan,
 * spread_fragment, spread_tunnel, and by what packets in tunnels are: hash_vxlan, hash_gre,
 * hash_ipip. -errno with @error.
 */
int qualify_put_rss_kinds(struct qualify_run *run, struct qualify_row *row, unsigned int queues,
			  __u32 pps, struct rxaqm_error *error);

/* Another key while packets come: rekey_lost, rekey_reordered, rekey_moved. -errno with @error. */
int qualify_put_rekey(struct qualify_run *run, struct qualify_row *row, __u32 pps,
		      struct rxaqm_error *error);

#endif /* RXAQM_QUALIFY_RSS_H */
