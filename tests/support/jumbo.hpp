/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames on a wire that do not fit into one page. */
#ifndef RXAQM_TESTS_JUMBO_HPP
#define RXAQM_TESTS_JUMBO_HPP

#include <string>

#include "netns.hpp"

/* Set the MTU of both ends, as in a network that changes to jumbo frames, or back. */
void set_mtu(const Wire &wire, unsigned mtu);

/* Send five frames of 8000 bytes with @tos to each address of the receiver. "": all arrived, else
 * how many did.
 */
std::string jumbo_traffic(const Wire &wire, unsigned tos = 0);

#endif /* RXAQM_TESTS_JUMBO_HPP */
