/* SPDX-License-Identifier: GPL-2.0-only */
/* A NIC whose clock is known, and packets stamped by it. */
#ifndef RXAQM_TESTS_STAMPED_HPP
#define RXAQM_TESTS_STAMPED_HPP

#include "plane.hpp"

inline constexpr uint64_t OFFSET = 37 * SEC + 1234567; /* NIC clock ahead of the host's */

/* The NIC's clock is known to be OFFSET ahead. */
inline void publish_clock(Plane &plane)
{
	rxaqm_clock &clock = plane.clock().clock[1];

	clock = {};
	clock.host_ref_ns = now_ns();
	clock.hw_ref_ns = clock.host_ref_ns + OFFSET;
	clock.expires_ns = clock.host_ref_ns + 400 * SEC;
	plane.clock().published = 1;
}

/* Stamp of a packet that has waited @ns. */
inline uint64_t waited(uint64_t ns)
{
	return now_ns() + OFFSET - ns;
}

/* Packets in the histogram from @from_ns to @to_ns. */
inline uint64_t counted(const rxaqm_queue &q, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t sum = 0;

	for (uint32_t i = rxaqm_hist_bucket(from_ns); i <= rxaqm_hist_bucket(to_ns); i++)
		sum += q.hist[i];
	return sum;
}

#endif /* RXAQM_TESTS_STAMPED_HPP */
