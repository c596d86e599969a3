/* SPDX-License-Identifier: GPL-2.0-only */
/* A queue that is looked at, in simulated seconds. */
#ifndef RXAQM_TESTS_WATCHED_HPP
#define RXAQM_TESTS_WATCHED_HPP

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <random>
#include <string>
#include <vector>

extern "C" {
#include "overload/overload.h"
}

inline constexpr __u64 MS = RXAQM_NSEC_PER_MSEC;
inline constexpr __u64 SEC = RXAQM_NSEC_PER_SEC;

/* What a queue did in the time between two looks. */
enum Did {
	IDLE, /* no poll */
	FLOWING, /* each poll drained it */
	OVER, /* stood over target */
	CONTROLLED, /* stood, under target */
	UNJUDGED, /* stood, without a signal */
	WAITING, /* each poll drained it into a socket, whose application is too slow */
};

/* A queue as the data plane leaves it. */
struct Watched {
	std::unique_ptr<rxaqm_queue> q = std::make_unique<rxaqm_queue>();
	struct rxaqm_overload_look look = {};
	__u64 now_ns = ~0ULL - 50 * SEC; /* times may wrap */

	Watched()
	{
		q->policy.mode = RXAQM_MODE_OBSERVE;
		q->target_ns = q->policy.target_ns = 2 * MS;
		q->interval_ns = q->policy.interval_ns = 40 * MS;
		q->drained_ns = now_ns;
	}

	const struct rxaqm_overload_look &after(Did did, __u64 ns = SEC)
	{
		now_ns += ns;
		if (did != IDLE) {
			q->flags |= RXAQM_QUEUE_POLLED;
			q->poll_end_ns = now_ns - 1;
		}
		q->flags &= ~(RXAQM_QUEUE_STANDING | RXAQM_QUEUE_WAITING);
		if (did == WAITING)
			q->flags |= RXAQM_QUEUE_WAITING;
		else if (did != IDLE && did != FLOWING)
			q->flags |= RXAQM_QUEUE_STANDING;
		/* As stand.h says it. */
		if (did == FLOWING || (did == CONTROLLED && q->policy.mode == RXAQM_MODE_OBSERVE))
			q->stood_since_ns = 0;
		else if (did != IDLE && !q->stood_since_ns)
			q->stood_since_ns = now_ns - ns;
		q->stood_sojourn_ns = did == UNJUDGED ? 0 : did == CONTROLLED ? 1900000 : 84 * MS;
		rxaqm_overload_look(q.get(), now_ns, &look);
		return look;
	}
};

/* One that is told by a state machine: what it says, in two kinds that take turns. */
template<typename What> struct Teller : Watched {
	struct Event {
		__u64 at_ns;
		What what;
		std::string text;
	};
	std::vector<Event> events;

	virtual ~Teller() = default;
	virtual void step(Did did, __u64 ns = SEC) = 0;

	void run(unsigned seconds, Did did)
	{
		while (seconds--)
			step(did);
	}

	/* What holds of any input: @first, no sooner than @first_ns after @second, and so on. */
	void check_turns(What first, __u64 first_ns, What second, __u64 second_ns) const
	{
		for (size_t i = 0; i < events.size(); i++) {
			CHECK(events[i].what == (i % 2 ? second : first));
			CHECK(events[i].text != "");
			if (i)
				CHECK(events[i].at_ns - events[i - 1].at_ns >=
				      (i % 2 ? second_ns : first_ns));
		}
	}
};

inline Did any(std::mt19937 &random)
{
	return Did(random() % 6);
}

#endif /* RXAQM_TESTS_WATCHED_HPP */
