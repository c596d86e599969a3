/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contract of nicclock_map: the simulated clock of a NIC.
 *
 *   hw = hw_ref + d + (d * drift_q32 >> 32),   d = now - host_ref
 *
 * Array of one. rigctl writes it under its lock, so that a reader sees all of a
 * change or nothing; the program at tc egress reads it and counts. All zero: the
 * host's own CLOCK_MONOTONIC.
 */
#ifndef RIG_NICCLOCK_H
#define RIG_NICCLOCK_H

#include <linux/bpf.h>
#include <linux/types.h>

struct rig_nicclock {
	struct bpf_spin_lock lock;
	__u32 off; /* 1: packets are not stamped */
	__u64 host_ref_ns; /* CLOCK_MONOTONIC */
	__u64 hw_ref_ns;
	__s64 drift_q32; /* NIC ns gained per host ns, Q32; below 2^31 */
};

/* @a_ns * @q32 >> 32 without overflow, for |@q32| < 2^31. */
static inline __s64 rig_scale_q32(__s64 a_ns, __s64 q32)
{
	return (a_ns >> 32) * q32 + (((a_ns & 0xffffffffLL) * q32) >> 32);
}

/* The NIC's clock when CLOCK_MONOTONIC is @host_ns. */
static inline __u64 rig_nicclock_hw(const struct rig_nicclock *clock, __u64 host_ns)
{
	__s64 d_ns = (__s64)(host_ns - clock->host_ref_ns);

	return clock->hw_ref_ns + d_ns + rig_scale_q32(d_ns, clock->drift_q32);
}

/* CLOCK_MONOTONIC when the NIC's clock was @hw_ns: exact to d * drift^3. */
static inline __u64 rig_nicclock_host(const struct rig_nicclock *clock, __u64 hw_ns)
{
	__s64 d_hw_ns = (__s64)(hw_ns - clock->hw_ref_ns);
	__s64 gain_ns = rig_scale_q32(d_hw_ns, clock->drift_q32);

	gain_ns = rig_scale_q32(d_hw_ns - gain_ns, clock->drift_q32);
	return clock->host_ref_ns + d_hw_ns - gain_ns;
}

#endif /* RIG_NICCLOCK_H */
