// SPDX-License-Identifier: GPL-2.0-only
/* Remedies that are printed only in a guest, or only for a NIC with rings. */
#include <catch2/catch_test_macros.hpp>

#include "guest.hpp"
#include "remedies.hpp"

namespace
{

const bool registered = (register_remedies(Situation::GUEST), true);

} // namespace

TEST_CASE("remedy: a ring that is too short, and one that has grown", "[igb]")
{
	in_guest();
	const std::vector<std::string> names = devices("igb");
	Place place(names[0], names[1]);

	place.must("ethtool -G $IF rx 128 && rxaqm attach $IF");
	try_remedy({ Situation::GUEST, "a ring that is too short", nullptr, "rxaqm status $IF",
		     "leaves the law no room", "ethtool -G", Helps::DONE },
		   place);
	/* Afterwards it says which one it uses. */
	try_remedy({ Situation::GUEST, "a ring that has grown", nullptr, "rxaqm status $IF",
		     "but rxaqm uses what was there at attach", "rxaqm ", Helps::DONE },
		   place);
	CHECK(place.shell("rxaqm status $IF").out.find("leaves the law no room") ==
	      std::string::npos);
}
