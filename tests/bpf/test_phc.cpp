// SPDX-License-Identifier: GPL-2.0-only
/* The NIC's clock by two sources: which of them a stamp is converted by. */
#include <catch2/catch_test_macros.hpp>

#include "plane.hpp"
#include "sample.h"

namespace
{

constexpr uint64_t OFFSET = 37 * SEC + 1234567; /* NIC clock ahead of the host's */
constexpr uint64_t KERNEL_OFF = 200 * MS; /* the kernel's estimate is wrong by this */

rxaqm_clock mapping(uint64_t offset_ns, uint64_t err_ns)
{
	rxaqm_clock clock = {};

	clock.host_ref_ns = now_ns();
	clock.hw_ref_ns = clock.host_ref_ns + offset_ns;
	clock.err_ns = err_ns;
	clock.expires_ns = clock.host_ref_ns + 60 * SEC;
	return clock;
}

/* The estimate says that packets waited KERNEL_OFF longer than they did. */
void publish_kernel(Plane &plane)
{
	plane.clock().clock[1] = mapping(OFFSET + KERNEL_OFF, 500);
	plane.clock().published = 1;
}

void publish_phc(Plane &plane, uint64_t offset_ns = OFFSET)
{
	rxaqm_clock_phc &phc = plane.phc();

	phc.last++;
	phc.clock[phc.last & 1] = mapping(offset_ns, 700);
	phc.published = phc.last;
}

/* A packet that has waited @ns, in a poll of its own. Returns the sojourn sampled, 0: none. */
uint64_t sojourn_of(Plane &plane, int64_t ns)
{
	uint64_t before_ns = plane.queue().sample_ns;

	plane.run(data_packet());
	plane.stamp(now_ns() + OFFSET - uint64_t(ns));
	/* Poll ends do not tell here when the queue was empty. */
	plane.queue().flags &= ~RXAQM_QUEUE_DRAIN_KNOWN;
	plane.end_poll(64);
	/* Nor is the estimate to learn from these packets. */
	plane.queue().flags &= ~(RXAQM_QUEUE_STANDING | RXAQM_QUEUE_DRAIN_KNOWN |
				 RXAQM_QUEUE_DRAINED_BEFORE);
	return plane.queue().sample_ns == before_ns ? 0 : plane.queue().sample_sojourn_ns;
}

bool by_phc(uint64_t sojourn_ns)
{
	return sojourn_ns >= 5 * MS && sojourn_ns < 5 * MS + KERNEL_OFF / 2;
}

bool by_kernel(uint64_t sojourn_ns)
{
	return sojourn_ns >= 5 * MS + KERNEL_OFF && sojourn_ns < 5 * MS + 3 * KERNEL_OFF / 2;
}

} /* namespace */

TEST_CASE("phc: goes before the kernel's estimate while there is one", "[phc]")
{
	Plane plane;

	CHECK(sojourn_of(plane, 5 * MS) == 0);
	publish_kernel(plane);
	CHECK(by_kernel(sojourn_of(plane, 5 * MS)));
	CHECK(plane.queue().sample_err_ns == 500);
	publish_phc(plane);
	CHECK(by_phc(sojourn_of(plane, 5 * MS)));
	CHECK(plane.queue().sample_err_ns == 700);
	/* Either buffer. */
	publish_phc(plane);
	CHECK(by_phc(sojourn_of(plane, 5 * MS)));
	/* The daemon withdraws it. */
	plane.phc().published = 0;
	CHECK(by_kernel(sojourn_of(plane, 5 * MS)));
	/* And it needs no estimate. */
	plane.clock().published = 0;
	CHECK(sojourn_of(plane, 5 * MS) == 0);
	CHECK(plane.queue().flags & RXAQM_QUEUE_NO_CLOCK);
	publish_phc(plane);
	CHECK(by_phc(sojourn_of(plane, 5 * MS)));
}

TEST_CASE("phc: one that has expired is no mapping", "[phc]")
{
	Plane plane;
	rxaqm_clock_phc &phc = plane.phc();

	publish_kernel(plane);
	publish_phc(plane);
	phc.clock[phc.published & 1].expires_ns = now_ns() - 1;
	CHECK(by_kernel(sojourn_of(plane, 5 * MS)));
	/* The other buffer does not matter. */
	phc.clock[~phc.published & 1] = mapping(OFFSET, 700);
	CHECK(by_kernel(sojourn_of(plane, 5 * MS)));
	plane.clock().published = 0;
	CHECK(sojourn_of(plane, 5 * MS) == 0);
}

TEST_CASE("phc: half a mapping is never used: the buffer in use is not the one written", "[phc]")
{
	Plane plane;
	rxaqm_clock_phc &phc = plane.phc();

	publish_phc(plane);
	for (int i = 0; i < 8; i++) {
		/* The daemon was stopped amid writing the next one. */
		phc.clock[(phc.last + 1) & 1] = mapping(OFFSET - 9 * SEC, 1);
		phc.clock[(phc.last + 1) & 1].rate_q32 = 123456789;
		CHECK(by_phc(sojourn_of(plane, 5 * MS)));
		publish_phc(plane);
	}
}

TEST_CASE("phc: if stamps contradict it, the estimate is next, and is kept", "[phc]")
{
	Plane plane;

	publish_kernel(plane);
	/* The NIC does not stamp with this clock. */
	publish_phc(plane, OFFSET - SEC);
	for (int i = 0; i < RXAQM_STEP_STAMPS; i++) {
		CHECK(plane.clock().phc_refusals == 0);
		CHECK(sojourn_of(plane, 5 * MS) == 0);
	}
	CHECK(plane.queue().distrust_reason == RXAQM_DISTRUST_NEGATIVE);
	CHECK(plane.clock().phc_refusals == 1);
	CHECK(plane.clock().published == 1);
	CHECK(plane.clock().resets == 0);
	CHECK(by_kernel(sojourn_of(plane, 5 * MS)));
	/* Newer mappings of the same clock are no better. */
	publish_phc(plane, OFFSET - SEC);
	CHECK(by_kernel(sojourn_of(plane, 5 * MS)));
	/* It gets another chance. */
	plane.clock().phc_refused_until_ns = now_ns() - 1;
	publish_phc(plane);
	CHECK(by_phc(sojourn_of(plane, 5 * MS)));
}

TEST_CASE("phc: a step that packets see first", "[phc]")
{
	Plane plane;

	publish_phc(plane, OFFSET - SEC);
	publish_kernel(plane);
	plane.clock().clock[1] = mapping(OFFSET - SEC, 500);
	/* Both are given up, one after the other. */
	for (int i = 0; i < 2 * RXAQM_STEP_STAMPS; i++)
		CHECK(sojourn_of(plane, 5 * MS) == 0);
	CHECK(plane.clock().phc_refusals == 1);
	CHECK(plane.clock().resets == 1);
	/* The daemon has seen it, too. */
	plane.phc().resets++;
	publish_phc(plane);
	CHECK(by_phc(sojourn_of(plane, 5 * MS)));
	CHECK(plane.clock().phc_refused_until_ns == 0);
	/* Stamps count again a second after the last that could not be true. */
	CHECK(plane.queue().distrust_until_ns > now_ns());
	CHECK(plane.queue().distrust_until_ns <= now_ns() + RXAQM_DISTRUST_NS);
}

TEST_CASE("phc: a step that the daemon sees first begins the estimate anew", "[phc]")
{
	Plane plane;

	publish_kernel(plane);
	plane.clock().est.nr_points = 3;
	plane.clock().est.window_ns = SEC;
	plane.clock().est.rate_q32 = 4711;
	plane.queue().window.nr = 5;
	plane.phc().resets = 1;
	publish_phc(plane);
	CHECK(by_phc(sojourn_of(plane, 5 * MS)));
	CHECK(plane.clock().resets == 1);
	CHECK(plane.clock().published == 0);
	CHECK(plane.clock().est.nr_points == 0);
	CHECK(plane.clock().est.rate_q32 == 4711);
	CHECK(plane.queue().distrust_reason == RXAQM_DISTRUST_NONE);
	/* Once. */
	CHECK(by_phc(sojourn_of(plane, 5 * MS)));
	CHECK(plane.clock().resets == 1);
}

TEST_CASE("phc: the estimate goes on learning meanwhile", "[phc]")
{
	Plane plane;
	uint64_t end_ns = now_ns() + 2 * SEC;

	publish_phc(plane);
	while (now_ns() < end_ns && plane.clock().est.nr_points < 2) {
		plane.run(data_packet());
		plane.stamp(now_ns() + OFFSET - 20 * US);
		plane.end_poll(1);
	}
	REQUIRE(plane.clock().est.nr_points >= 2);
	const rxaqm_clock clock = plane.clock().clock[plane.clock().published & 1];
	__u64 excess_ns;
	int64_t differ_ns = rxaqm_clock_differ(&clock, &plane.phc().clock[1], now_ns(), &excess_ns);

	CHECK(differ_ns < int64_t(MS));
	CHECK(differ_ns > -int64_t(MS));
	CHECK(plane.clock().phc_refusals == 0);
}

TEST_CASE("phc: stamps are checked by it as by the estimate", "[phc]")
{
	Plane plane;

	publish_phc(plane);
	CHECK(sojourn_of(plane, -int64_t(SEC)) == 0);
	CHECK(plane.queue().distrust_reason == RXAQM_DISTRUST_NEGATIVE);
	CHECK(sojourn_of(plane, 11 * SEC) == 0);
	CHECK(plane.queue().distrust_reason == RXAQM_DISTRUST_ABSURD);
	CHECK(plane.stat(RXAQM_STAT_STAMP_NEGATIVE) == 1);
	CHECK(plane.stat(RXAQM_STAT_STAMP_ABSURD) == 1);
}
