/* SPDX-License-Identifier: GPL-2.0-only */
#include "clock/phc.h"

#include <errno.h>

struct rxaqm_phc_bridge rxaqm_phc_bridge_make(__u64 before_ns, __u64 realtime_ns, __u64 after_ns)
{
	__u64 width_ns = rxaqm_ns_since(after_ns, before_ns);
	struct rxaqm_phc_bridge bridge = {
		.offset_ns = realtime_ns - (before_ns + width_ns / 2),
		.err_ns = width_ns / 2 + 1,
	};

	return bridge;
}

int rxaqm_phc_narrowest(const struct rxaqm_phc_window *window, unsigned int nr,
			struct rxaqm_phc_sample *sample)
{
	__u64 best_ns = ~0ULL;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const struct rxaqm_phc_window *w = &window[i];
		__u64 width_ns = w->after_ns - w->before_ns;

		/* CLOCK_REALTIME was set back in between. */
		if (rxaqm_ns_after(w->before_ns, w->after_ns) || width_ns >= best_ns)
			continue;
		best_ns = width_ns;
		sample->host_ns = w->before_ns + width_ns / 2;
		sample->phc_ns = w->phc_ns;
		sample->err_ns = width_ns / 2 + 1;
	}
	return best_ns == ~0ULL ? -EAGAIN : 0;
}

int rxaqm_phc_to_monotonic(struct rxaqm_phc_sample *sample, const struct rxaqm_phc_bridge *before,
			   const struct rxaqm_phc_bridge *after)
{
	__s64 apart_ns = (__s64)(after->offset_ns - before->offset_ns);
	__u64 size_ns = (__u64)(apart_ns < 0 ? -apart_ns : apart_ns);

	if (size_ns > before->err_ns + after->err_ns)
		return -EAGAIN;
	/* A smaller step would go unnoticed, so both bridges must be inside the error. */
	sample->host_ns -= before->offset_ns + (__u64)(apart_ns / 2);
	sample->err_ns += size_ns / 2 + 1 +
			  (before->err_ns > after->err_ns ? before->err_ns : after->err_ns);
	return 0;
}
