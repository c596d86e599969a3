/* SPDX-License-Identifier: GPL-2.0-only */
/* Overload is told once when it begins and once when it is over. */
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "text.hpp"
#include "watched.hpp"

extern "C" {
#include "config/config.h"
#include "figures/figures.h"
}

namespace
{

struct Alarm : Teller<rxaqm_overload_event> {
	rxaqm_overload overload = {};
	rxaqm_overload_config config;

	Alarm()
	{
		rxaqm_config defaults;

		rxaqm_config_init(&defaults);
		config = defaults.overload;
	}

	void step(Did did, __u64 ns = SEC) override
	{
		char text[RXAQM_OVERLOAD_TEXT] = "";
		after(did, ns);
		auto event = rxaqm_overload_update(&overload, &config, &look, now_ns, text);

		if (event != RXAQM_OVERLOAD_NOTHING)
			events.push_back({ now_ns, event, text });
	}

	void check() const
	{
		check_turns(RXAQM_OVERLOAD_BEGAN, config.raise_ns, RXAQM_OVERLOAD_ENDED,
			    config.clear_ns);
	}
};

} // namespace

TEST_CASE("overload: what a look says", "[overload]")
{
	Watched w;

	CHECK(w.after(OVER).over);
	CHECK(w.after(OVER).stands);
	CHECK(w.look.over);
	CHECK_FALSE(w.look.enforced);
	CHECK(w.look.sojourn_ns == 84 * MS);
	CHECK(w.look.target_ns == 2 * MS);
	CHECK(w.look.stood_ns == 2 * SEC);
	CHECK_FALSE(w.after(CONTROLLED).stands);
	w.q->policy.mode = RXAQM_MODE_ENFORCE;
	CHECK(w.after(OVER).over);
	CHECK(w.look.enforced);
	/* Held at its target it stands, as it should. */
	CHECK(w.after(CONTROLLED).stands);
	CHECK_FALSE(w.look.over);
	w.q->policy.mode = RXAQM_MODE_OBSERVE;
	/* It stands, but how long packets wait is not known. */
	CHECK(w.after(UNJUDGED).stands);
	CHECK_FALSE(w.look.over);
	CHECK_FALSE(w.after(FLOWING).stands);
	CHECK(w.look.stood_ns == 0);
	/* mode=off is no overload. */
	w.q->policy.mode = RXAQM_MODE_OFF;
	CHECK_FALSE(w.after(OVER).over);
}

TEST_CASE("overload: an application that is too slow for its socket", "[overload]")
{
	Watched w;

	w.after(FLOWING);
	CHECK(w.after(WAITING).over);
	CHECK(w.look.waiting);
	CHECK(w.look.sojourn_ns == 84 * MS);
	CHECK(w.look.stood_ns == SEC);
	CHECK(w.after(WAITING, 5 * SEC).stood_ns == 6 * SEC);
	/* Who stands as well does so in the NIC: that is what is told. */
	w.q->flags |= RXAQM_QUEUE_STANDING;
	rxaqm_overload_look(w.q.get(), w.now_ns, &w.look);
	CHECK(w.look.over);
	CHECK_FALSE(w.look.waiting);
	CHECK_FALSE(w.after(FLOWING).over);
	CHECK_FALSE(w.look.waiting);

	Alarm alarm;
	alarm.run(15, WAITING);
	alarm.run(100, FLOWING);
	REQUIRE(alarm.events.size() == 2);
	CHECK(has(alarm.events[0].text, "the application behind its socket had it over target"));
}

TEST_CASE("overload: is told once, and once that it is over", "[overload]")
{
	Alarm a;

	a.run(600, FLOWING);
	CHECK(a.events.empty());
	a.run(10, OVER);
	REQUIRE(a.events.size() == 1);
	CHECK(a.events[0].text == "stood over target 2ms for 10s, now 84ms");
	a.run(3590, OVER);
	CHECK(a.events.size() == 1);
	a.run(59, FLOWING);
	CHECK(a.events.size() == 1);
	a.run(600, FLOWING);
	REQUIRE(a.events.size() == 2);
	CHECK(a.events[1].text.find("no longer over target, after ") == 0);
	CHECK(a.events[1].text.find("of up to 84ms") != std::string::npos);
	a.q->policy.mode = RXAQM_MODE_ENFORCE;
	a.run(10, OVER);
	REQUIRE(a.events.size() == 3);
	CHECK(a.events[2].text.find("although it is enforced") != std::string::npos);
	/* A queue that is kept at its target is not overloaded. */
	a.run(60, CONTROLLED);
	CHECK(a.events.size() == 4);
	a.check();
}

TEST_CASE("overload: shorter spells are none, and a dip does not start it anew", "[overload]")
{
	Alarm bursts, dips, thirds;

	for (int i = 0; i < 1000; i++) {
		bursts.run(9, OVER);
		bursts.run(3, FLOWING);
		thirds.run(2, OVER);
		thirds.run(1, FLOWING);
	}
	CHECK(bursts.events.empty());
	CHECK(thirds.events.empty());
	dips.run(8, OVER); /* of the first look it is not known how long it was so */
	dips.run(1, FLOWING);
	dips.run(6, OVER);
	CHECK(dips.events.empty());
	dips.run(1, OVER);
	CHECK(dips.events.size() == 1);
	/* And so when it ends. */
	dips.run(59, FLOWING);
	dips.run(1, OVER);
	dips.run(4, FLOWING);
	CHECK(dips.events.size() == 1);
	dips.run(1, FLOWING);
	CHECK(dips.events.size() == 2);
	dips.check();
}

TEST_CASE("overload: the most adverse input is told no more often than configured", "[overload]")
{
	Alarm worst;
	__u64 begin_ns = worst.now_ns;

	/* Always what leads to the next event. */
	for (int i = 0; i < 100000; i++)
		worst.step(worst.overload.raised ? FLOWING : OVER);
	worst.check();
	CHECK(worst.events.size() <= 2 * ((worst.now_ns - begin_ns) / (70 * SEC) + 1));
	for (unsigned seed = 1; seed <= 30; seed++) {
		std::mt19937 random(seed);
		Alarm a;

		for (int i = 0; i < 2000; i++) {
			Did did = any(random);

			for (unsigned n = random() % 100; n; n--)
				a.step(random() % 20 ? did : any(random),
				       random() % 30 ? SEC : random() % (600 * SEC));
		}
		CAPTURE(seed);
		a.check();
	}
}

TEST_CASE("overload: nobody looked for an hour: that is no hour of overload", "[overload]")
{
	Alarm a;

	a.step(OVER);
	a.step(OVER, 3600 * SEC);
	CHECK(a.events.empty());
	a.step(OVER, 3600 * SEC); /* 5 s each */
	CHECK(a.events.size() == 1);
}

TEST_CASE("overload: exempt packets that hold the queue are named", "[overload]")
{
	Alarm alarm;

	alarm.q->policy.law = RXAQM_LAW_CODEL;
	alarm.q->policy.nr_exempt_ports = 1;
	alarm.q->policy.exempt_port[0] = 22;
	alarm.q->policy.exempt_dscp = 1ULL << 46;
	alarm.q->law.seen[RXAQM_CLASS_EXEMPT] = 900;
	alarm.q->law.seen[RXAQM_CLASS_ECT] = 100;
	alarm.run(15, OVER);
	REQUIRE(alarm.events.size() == 1);
	CHECK(has(alarm.events[0].text,
		  "exempt traffic holds it (90 % of its packets), and law=codel cannot help; exempt "
		  "are ICMP, "));
	CHECK(has(alarm.events[0].text, ", exempt_ports=22, exempt_dscp=ef"));
}

TEST_CASE("overload: exempt packets hold a queue only if the law cannot help", "[overload]")
{
	Watched w;
	auto percent = [&] { return rxaqm_overload_exempt_percent(w.q.get(), w.now_ns); };

	w.after(OVER);
	CHECK(percent() == 0); /* nothing of any class */
	w.q->law.seen[RXAQM_CLASS_EXEMPT] = 500;
	w.q->law.seen[RXAQM_CLASS_OTHER] = 500;
	CHECK(percent() == 0); /* half of it may be dropped */
	w.q->law.seen[RXAQM_CLASS_EXEMPT] = 501;
	CHECK(percent() == 0); /* law=auto drops of it */
	w.q->policy.law = RXAQM_LAW_CODEL;
	CHECK(percent() == 50);
	w.after(CONTROLLED);
	CHECK(percent() == 0);
	/* What is enforced varies about its target. */
	w.q->policy.mode = RXAQM_MODE_ENFORCE;
	w.after(OVER);
	CHECK(percent() == 50);
	w.q->stood_sojourn_ns = __u32(2 * w.q->target_ns);
	CHECK(percent() == 0);
	w.q->stood_sojourn_ns++;
	CHECK(percent() == 50);
	w.after(FLOWING);
	CHECK(percent() == 0);
	w.after(OVER);
	CHECK(w.after(OVER).exempt_percent == 50);
	CHECK(std::string(w.look.exempt) == "ICMP, IGMP, OSPF, VRRP, PTP, all but IP");
	CHECK(w.after(FLOWING).exempt_percent == 0);
	CHECK(std::string(w.look.exempt) == "");
}
