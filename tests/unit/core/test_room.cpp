// SPDX-License-Identifier: GPL-2.0-only
/* Room in the registry: is there some? */
#include <catch2/catch_test_macros.hpp>

#include <vector>

extern "C" {
#include "state/state.h"
}

namespace
{

struct Registry {
	rxaqm_meta_info meta = {};
	std::vector<rxaqm_iface> ifaces{ RXAQM_MAX_IFACES };
	rxaqm_state state = {};

	Registry()
	{
		state.meta = &meta;
		state.iface = ifaces.data();
	}
	void take(unsigned slot, unsigned base, unsigned nr_queues)
	{
		ifaces[slot].state = RXAQM_IFACE_ATTACHED;
		ifaces[slot].queue_base = base;
		ifaces[slot].nr_queues = nr_queues;
	}
	bool room(unsigned nr_queues) const
	{
		return rxaqm_state_room(&state, nr_queues);
	}
};

} // namespace

TEST_CASE("room: an empty registry has all there is, and no more", "[room]")
{
	Registry r;

	CHECK(r.room(1));
	CHECK(r.room(RXAQM_MAX_QUEUES));
	CHECK_FALSE(r.room(RXAQM_MAX_QUEUES + 1));
}

TEST_CASE("room: 256 interfaces are all, however few queues they have", "[room]")
{
	Registry r;

	for (unsigned i = 0; i < RXAQM_MAX_IFACES; i++) {
		CHECK(r.room(1));
		r.take(i, i, 1);
	}
	CHECK_FALSE(r.room(1));
	/* One that is being attached, or detached, has its slot, too. */
	r.ifaces[7].state = RXAQM_IFACE_ATTACHING;
	CHECK_FALSE(r.room(1));
	r.ifaces[7].state = RXAQM_IFACE_FREE;
	CHECK(r.room(1));
}

TEST_CASE("room: queues are in one piece", "[room]")
{
	Registry r;

	r.take(0, 0, 1000);
	r.take(1, 1000, 1000);
	r.take(2, 2000, 1000);
	r.take(3, 3000, 1000);
	CHECK(r.room(96));
	CHECK_FALSE(r.room(97));
	r.ifaces[1].state = RXAQM_IFACE_FREE;
	CHECK(r.room(1000));
	CHECK_FALSE(r.room(1001));
}
