/* SPDX-License-Identifier: GPL-2.0-only */
/* All counters that the kernel and the driver have of an interface, and what changed in them. */
#ifndef RXAQM_QUALIFY_COUNTERS_H
#define RXAQM_QUALIFY_COUNTERS_H

#include <linux/types.h>

#include "base/fields.h"

struct qualify_counter {
	char name[64]; /* "rtnl rx_packets", "ethtool rx_missed" */
	__u64 value;
};

struct qualify_counters {
	RXAQM_LIST(struct qualify_counter) list;
};

/* Read all of @ifname; what there is. Free it in any case. */
void qualify_counters_read(const char *ifname, struct qualify_counters *counters);
void qualify_counters_free(struct qualify_counters *counters);

/* By how much each that is in both has risen since @before, in place. */
void qualify_counters_since(struct qualify_counters *counters,
			    const struct qualify_counters *before);

/* ~0: there is none of this name. */
__u64 qualify_counter(const struct qualify_counters *counters, const char *name);

#endif /* RXAQM_QUALIFY_COUNTERS_H */
