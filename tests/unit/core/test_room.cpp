// SPDX-License-Identifier: GPL-2.0-only
/* Room in the registry: is there some, and would there be if these gave way? */
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
	bool room(unsigned nr_queues, std::vector<unsigned> but = {}) const
	{
		__u64 slots = 0;

		for (unsigned slot : but)
			slots |= 1ULL << slot;
		return rxaqm_state_room(&state, nr_queues, slots);
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

TEST_CASE("room: 64 interfaces are all, however few queues they have", "[room]")
{
	Registry r;

	for (unsigned i = 0; i < RXAQM_MAX_IFACES; i++) {
		CHECK(r.room(1));
		r.take(i, i, 1);
	}
	CHECK_FALSE(r.room(1));
	CHECK(r.room(1, { 0 }));
	CHECK(r.room(1, { RXAQM_MAX_IFACES - 1 }));
	/* One that is being attached, or detached, has its slot, too. */
	r.ifaces[7].state = RXAQM_IFACE_ATTACHING;
	CHECK_FALSE(r.room(1));
	r.ifaces[7].state = RXAQM_IFACE_FREE;
	CHECK(r.room(1));
}

TEST_CASE("room: queues are in one piece, also of several that give way", "[room]")
{
	Registry r;

	r.take(0, 0, 1000);
	r.take(1, 1000, 1000);
	r.take(2, 2000, 1000);
	r.take(3, 3000, 1000);
	CHECK(r.room(96));
	CHECK_FALSE(r.room(97));
	CHECK(r.room(1096, { 3 }));
	CHECK_FALSE(r.room(1097, { 3 }));
	/* No neighbours. */
	CHECK_FALSE(r.room(1097, { 1, 3 }));
	CHECK(r.room(2096, { 2, 3 }));
	CHECK(r.room(RXAQM_MAX_QUEUES, { 0, 1, 2, 3 }));
}
