/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * From the NIC's clock to the host's (CLOCK_MONOTONIC), and how far to trust it.
 *
 *   host_ns = host_ref_ns + d + (d * rate_q32 >> 32),   d = hw_ns - hw_ref_ns
 *
 * which is the usual (d * mult >> shift) with mult = 2^32 + rate_q32 and shift = 32,
 * written so that d may span 500 s without overflow. The offset between the clocks
 * may be decades (TAI, REALTIME, free-running): only differences are formed.
 *
 * The error bound grows with age: err_ns + age * drift_err_q32.
 */
#ifndef RXAQM_CLOCK_H
#define RXAQM_CLOCK_H

#include "ns.h"

struct rxaqm_clock {
	__u64 host_ref_ns; /* CLOCK_MONOTONIC */
	__u64 hw_ref_ns; /* NIC clock at host_ref_ns */
	__s64 rate_q32; /* host ns gained per NIC ns, Q32; 200 ppm = 858,993 */
	__u64 err_ns; /* error bound at host_ref_ns */
	__u64 drift_err_q32; /* growth of the bound per ns of age */
	__u64 expires_ns; /* CLOCK_MONOTONIC; of no use from then on */
};
RXAQM_ASSERT_SIZE(struct rxaqm_clock, 48);

/* Farthest from the reference that a conversion stays exact. */
#define RXAQM_CLOCK_SPAN_NS (500 * RXAQM_NSEC_PER_SEC)

/* NIC time @hw_ns as CLOCK_MONOTONIC. */
rxaqm_always_inline __u64 rxaqm_clock_to_host(const struct rxaqm_clock *clock, __u64 hw_ns)
{
	__s64 d = (__s64)(hw_ns - clock->hw_ref_ns);

	return clock->host_ref_ns + d + rxaqm_scale_q32(d, clock->rate_q32);
}

/* Error bound of a conversion at @now_ns. */
rxaqm_always_inline __u64 rxaqm_clock_err(const struct rxaqm_clock *clock, __u64 now_ns)
{
	__u64 age_ns = rxaqm_ns_since(now_ns, clock->host_ref_ns);

	return clock->err_ns + (__u64)rxaqm_scale_q32((__s64)age_ns, clock->drift_err_q32);
}

/* How much later @a says that the NIC's clock of now was than @b does, at @now_ns. Returns in
 * @ret_excess_ns what of it both errors do not explain.
 */
rxaqm_always_inline __s64 rxaqm_clock_differ(const struct rxaqm_clock *a,
					     const struct rxaqm_clock *b, __u64 now_ns,
					     __u64 *ret_excess_ns)
{
	__u64 hw_ns = a->hw_ref_ns + (now_ns - a->host_ref_ns);
	__s64 differ_ns = (__s64)(rxaqm_clock_to_host(a, hw_ns) - rxaqm_clock_to_host(b, hw_ns));
	__u64 allowed_ns = rxaqm_clock_err(a, now_ns) + rxaqm_clock_err(b, now_ns);
	__u64 size_ns = differ_ns < 0 ? 0 - (__u64)differ_ns : (__u64)differ_ns;

	*ret_excess_ns = size_ns > allowed_ns ? size_ns - allowed_ns : 0;
	return differ_ns;
}

#endif /* RXAQM_CLOCK_H */
