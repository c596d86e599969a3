// SPDX-License-Identifier: GPL-2.0-only
/* Whether packets end on this host. "lo" stands for a NIC, since it has no kind either. */
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "netns.hpp"

extern "C" {
#include "nic/way_out.h"
}

namespace
{

class Place : public Netns
{
    public:
	/* "": packets of @ifname end here; else why they do not. */
	std::string why(const std::string &ifname = "lo") const
	{
		std::string words;

		enter([&] {
			char text[RXAQM_WAY_OUT_LEN];

			if (const char *reason = rxaqm_way_out(ifname.c_str(), text))
				words = reason;
		});
		return words;
	}
	void forward(const char *what, bool on) const
	{
		shell("echo " + std::to_string(on) + " > /proc/sys/net/" + what);
	}
	bool says(const std::string &words) const
	{
		CAPTURE(why(), words);
		return why().find(words) != std::string::npos;
	}
};

} /* namespace */

TEST_CASE("way out: containers are this host, other wires are not", "[way_out]")
{
	Place place;

	CHECK(place.why() == "");
	for (const char *what : { "ipv4/ip_forward", "ipv6/conf/all/forwarding" }) {
		CAPTURE(what);
		place.ip("link add c0 up type veth peer name c1");
		place.forward(what, true);
		CHECK(place.why() == "");
		place.ip("tuntap add wire mode tap");
		CHECK(place.why() == ""); /* it is down */
		place.ip("link set wire up");
		CHECK(place.says("this host forwards, so packets may leave it by \"wire\""));
		place.forward(what, false);
		CHECK(place.why() == "");
		place.ip("link del wire");
		place.ip("link del c0");
	}
}

TEST_CASE("way out: bridges of containers, and bridges with a wire", "[way_out]")
{
	Place place;

	place.ip("link add br0 up type bridge");
	place.ip("link add c0 up master br0 type veth peer name c1");
	CHECK(place.why() == "");
	place.ip("tuntap add wire mode tap");
	place.ip("link set wire up");
	CHECK(place.why() == "");
	place.ip("link set wire master br0");
	CHECK(place.says("this host bridges, so packets may leave it by \"wire\""));
	place.ip("link set wire down");
	CHECK(place.why() == "");
	place.ip("link del wire");
	place.ip("link add link c1 name tap7 up type macvtap");
	CHECK(place.says("this host has a macvtap, so packets may leave it by \"tap7\""));
}

TEST_CASE("way out: what is virtual, or not there", "[way_out]")
{
	Place place;

	place.ip("link add c0 up type veth peer name c1");
	CHECK(place.why("c0").find("virtual") != std::string::npos);
	CHECK(place.why("none").find("does not say") != std::string::npos);
}
