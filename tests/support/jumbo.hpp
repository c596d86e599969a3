/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames that do not fit one page, over a wire. */
#ifndef RXAQM_TESTS_JUMBO_HPP
#define RXAQM_TESTS_JUMBO_HPP

#include <string>

#include "netns.hpp"

/* Of both ends, as where a network changes to jumbo frames, or back. */
void set_mtu(const Wire &wire, unsigned mtu);

/* Send five frames of 8000 bytes to each address of the receiver, with @tos: "" if all arrive, else
 * how many did.
 */
std::string jumbo_traffic(const Wire &wire, unsigned tos = 0);

#endif /* RXAQM_TESTS_JUMBO_HPP */
