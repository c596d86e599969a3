/* SPDX-License-Identifier: GPL-2.0-only */
/* Automatic enforcement comes and goes, and does not flap. */
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "watched.hpp"

extern "C" {
#include "config/config.h"
}

namespace
{

/* With the caller's part: what is asked for is done. */
struct Enforcer : Teller<rxaqm_autoenforce_do> {
	rxaqm_autoenforce ae = {};
	rxaqm_autoenforce_config config;

	Enforcer()
	{
		rxaqm_config defaults;

		rxaqm_config_init(&defaults);
		config = defaults.autoenforce;
	}

	void step(Did did, __u64 ns = SEC) override
	{
		char text[RXAQM_OVERLOAD_TEXT] = "";

		after(did, ns);
		auto what = rxaqm_autoenforce_update(&ae, &config, &look,
						     rxaqm_mode(q->policy.mode), now_ns, text);

		if (what == RXAQM_AUTOENFORCE_NOTHING)
			return;
		events.push_back({ now_ns, what, text });
		if (what == RXAQM_AUTOENFORCE_ENFORCE)
			q->policy.mode = RXAQM_MODE_ENFORCE;
		if (what == RXAQM_AUTOENFORCE_OBSERVE)
			q->policy.mode = RXAQM_MODE_OBSERVE;
	}

	bool enforces() const
	{
		return q->policy.mode == RXAQM_MODE_ENFORCE;
	}

	void check() const
	{
		check_turns(RXAQM_AUTOENFORCE_ENFORCE,
			    std::max(config.dwell_observe_ns, config.enforce_after_ns),
			    RXAQM_AUTOENFORCE_OBSERVE,
			    std::max(config.dwell_enforce_ns, config.observe_after_ns));
	}
};

} // namespace

TEST_CASE("autoenforce: on when overloaded, off when drained", "[overload]")
{
	Enforcer e;

	e.run(600, FLOWING);
	e.run(29, OVER);
	CHECK(e.events.empty());
	e.run(1, OVER);
	REQUIRE(e.events.size() == 1);
	CHECK(e.events[0].what == RXAQM_AUTOENFORCE_ENFORCE);
	CHECK(e.events[0].text == "stood over target 2ms for 30s, now 84ms");
	/* Kept at its target it still needs it, and so it does when it is over. */
	e.run(7200, CONTROLLED);
	e.run(7200, OVER);
	CHECK(e.events.size() == 1);
	e.run(599, FLOWING);
	CHECK(e.enforces());
	e.run(1, FLOWING);
	REQUIRE(e.events.size() == 2);
	CHECK(e.events[1].what == RXAQM_AUTOENFORCE_OBSERVE);
	CHECK(e.events[1].text == "drained for 10m");
	CHECK_FALSE(e.enforces());
	e.run(7200, IDLE);
	CHECK(e.events.size() == 2);
	e.check();
}

TEST_CASE("autoenforce: what works is not taken away again and again", "[overload]")
{
	Enforcer e;
	__u64 begin_ns = e.now_ns;
	const unsigned day = 24 * 3600;

	/* Drained as soon as it is enforced, overloaded as soon as it is not. */
	for (unsigned i = 0; i < 7 * day; i++)
		e.step(e.enforces() ? FLOWING : OVER);
	e.check();
	/* 10, 20, ... 160 min, and then 320 min each. */
	CHECK(e.events.size() <= 2 * (6 + (e.now_ns - begin_ns) / (320 * 60 * SEC)));
	for (size_t i = 2; i < e.events.size(); i += 2)
		CHECK(e.events[i + 1 < e.events.size() ? i + 1 : i].at_ns - e.events[i].at_ns >=
		      (i + 1 < e.events.size() ?
			       (600 * SEC) << std::min<size_t>(i / 2, RXAQM_OVERLOAD_RELAPSES_MAX) :
			       0));
	/* Overload once a day is no relapse: it is forgotten one by one. */
	for (int i = 0; i < 6; i++) {
		e.run(day, FLOWING);
		e.run(120, OVER);
	}
	CHECK(e.ae.relapses == 0);
}

TEST_CASE("autoenforce: adverse input never makes it flap", "[overload]")
{
	for (unsigned seed = 1; seed <= 30; seed++) {
		std::mt19937 random(seed);
		Enforcer e;

		if (seed % 3 == 0) {
			/* Dwelling is what counts. */
			e.config.enforce_after_ns = 2 * SEC;
			e.config.observe_after_ns = 3 * SEC;
		}
		for (int i = 0; i < 2000; i++) {
			Did did = any(random);

			for (unsigned n = random() % 200; n; n--)
				e.step(random() % 20 ? did : any(random),
				       random() % 30 ? SEC : random() % (600 * SEC));
		}
		CAPTURE(seed);
		CHECK_FALSE(e.ae.overruled);
		e.check();
	}
}

TEST_CASE("autoenforce: what the operator sets stays", "[overload]")
{
	Enforcer e;

	/* Enforced by the operator: not taken back. */
	e.q->policy.mode = RXAQM_MODE_ENFORCE;
	e.run(60, OVER);
	e.run(7200, FLOWING);
	CHECK(e.events.empty());
	CHECK(e.enforces());
	/* Off: nothing is measured, nothing done. */
	e.q->policy.mode = RXAQM_MODE_OFF;
	e.run(600, OVER);
	CHECK(e.events.empty());
	/* Observe: time counts from now. */
	e.q->policy.mode = RXAQM_MODE_OBSERVE;
	e.run(29, OVER);
	CHECK(e.events.empty());
	e.run(1, OVER);
	CHECK(e.events.size() == 1);
	CHECK(e.enforces());
	/* Taken back by the operator: hands off, told once. */
	e.q->policy.mode = RXAQM_MODE_OBSERVE;
	e.run(7200, OVER);
	REQUIRE(e.events.size() == 2);
	CHECK(e.events[1].what == RXAQM_AUTOENFORCE_OVERRULED);
	CHECK(e.events[1].text.find("someone else") != std::string::npos);
	e.q->policy.mode = RXAQM_MODE_ENFORCE;
	e.run(7200, FLOWING);
	CHECK(e.events.size() == 2);
	CHECK(e.enforces());
}

TEST_CASE("autoenforce: what an earlier daemon enforced is given up when it has drained",
	  "[overload]")
{
	Enforcer e;

	e.q->policy.mode = RXAQM_MODE_ENFORCE;
	rxaqm_autoenforce_adopt(&e.ae, e.now_ns);
	SECTION("overloaded still")
	{
		e.run(7200, CONTROLLED);
		e.run(600, OVER);
		CHECK(e.events.empty());
	}
	SECTION("drained")
	{
		/* The first look has nothing to compare with, and none to add to. */
		e.run(600, FLOWING);
		CHECK(e.enforces());
		e.run(2, FLOWING);
		REQUIRE(e.events.size() == 1);
		CHECK(e.events[0].what == RXAQM_AUTOENFORCE_OBSERVE);
		/* Enforced again soon, it is for longer. */
		e.run(62, OVER);
		CHECK(e.enforces());
		e.run(1100, FLOWING);
		CHECK(e.enforces());
	}
	SECTION("dwelling begins with the taking over")
	{
		e.config.observe_after_ns = SEC;
		e.run(299, FLOWING);
		CHECK(e.enforces());
		e.run(2, FLOWING);
		CHECK_FALSE(e.enforces());
	}
	SECTION("the operator is obeyed")
	{
		e.q->policy.mode = RXAQM_MODE_OBSERVE;
		e.run(600, OVER);
		REQUIRE(e.events.size() == 1);
		CHECK(e.events[0].what == RXAQM_AUTOENFORCE_OVERRULED);
		CHECK_FALSE(e.enforces());
	}
}
