// SPDX-License-Identifier: GPL-2.0-only
/* What a clock has lost over a reset, and giving it back. */
#include <catch2/catch_test_macros.hpp>

#include <cerrno>
#include <string>

#include "phc_device.hpp"

extern "C" {
#include "clock/phc_keep.h"
}

namespace
{

const __u64 US = RXAQM_NSEC_PER_USEC, MS = RXAQM_NSEC_PER_MSEC, SEC = RXAQM_NSEC_PER_SEC;
const __s64 TAI = 37 * __s64(SEC);

/* A clock that is @offset_ns ahead of the host and gains @ppm, read at @host_ns, @off_ns wrong. */
rxaqm_phc_sample at(__u64 host_ns, __s64 offset_ns, double ppm, __s64 off_ns = 0, __u64 err_ns = US)
{
	return { host_ns,
		 __u64(__s64(host_ns) + offset_ns + __s64(double(host_ns) * ppm / 1e6) + off_ns),
		 err_ns };
}

/* Looks at 0, 100 and 150 ms; in between the clock loses @lost_ns. */
rxaqm_phc_lost lost_by(__s64 lost_ns, double ppm, __u64 err_ns, __s64 o0 = 0, __s64 o1 = 0,
		       __s64 o2 = 0)
{
	const rxaqm_phc_sample before[2] = { at(SEC, TAI, ppm, o0, err_ns),
					     at(SEC + 100 * MS, TAI, ppm, o1, err_ns) };
	const rxaqm_phc_sample after = at(SEC + 150 * MS, TAI - lost_ns, ppm, o2, err_ns);

	return rxaqm_phc_lost_since(before, &after);
}

__u64 size_of(__s64 ns)
{
	return __u64(ns < 0 ? -ns : ns);
}

} // namespace

TEST_CASE("phc keep: what is lost is told, and no more than that, within the error", "[phc]")
{
	for (__s64 lost_ns : { __s64(0), TAI, -TAI, __s64(3 * MS), -__s64(40 * US) })
		for (double ppm : { 0., 100., -100., 900., -900. })
			for (__u64 err_ns : { __u64(100), US, 50 * US })
				for (int corner = 0; corner < 8; corner++) {
					const __s64 e = __s64(err_ns);
					const rxaqm_phc_lost lost = lost_by(lost_ns, ppm, err_ns,
									    corner & 1 ? e : -e,
									    corner & 2 ? e : -e,
									    corner & 4 ? e : -e);

					CAPTURE(lost_ns, ppm, err_ns, corner, lost.ns, lost.err_ns);
					CHECK(size_of(lost.ns - lost_ns) <= lost.err_ns);
				}
}

TEST_CASE("phc keep: the error is that of the readings, or of a clock's rate if that is less",
	  "[phc]")
{
	/* Two readings, and half as much again as both of the line through two. */
	CHECK(lost_by(0, 0, US).err_ns <= 2 * US + US + 200);
	/* 50 ms at 1000 ppm, where the line would say 25 times as much. */
	CHECK(lost_by(0, 0, 500 * US).err_ns <= 1000 * US + 50 * US + 200);
}

TEST_CASE("phc keep: a clock that runs like no other is taken as it runs", "[phc]")
{
	const rxaqm_phc_lost lost = lost_by(0, 1.5e6, US);

	CAPTURE(lost.ns, lost.err_ns);
	CHECK(size_of(lost.ns) <= lost.err_ns);
	CHECK(size_of(lost_by(TAI, 1.5e6, US).ns - TAI) <= 10 * US);
}

TEST_CASE("phc keep: a clock that someone sets meanwhile is no clock that was reset", "[phc]")
{
	const __u64 real_ns = 1700000000 * SEC;
	rxaqm_phc_lost lost = {};

	auto was_reset = [&](__s64 lost_ns, __u64 phc_ns) {
		lost.ns = lost_ns;
		return rxaqm_phc_was_reset(&lost, phc_ns, real_ns);
	};
	CHECK(was_reset(TAI, real_ns)); /* igb: was at TAI */
	CHECK(was_reset(TAI, real_ns + 20 * MS));
	/* From 0 on: under a minute ago. */
	CHECK(was_reset(__s64(real_ns), 2 * SEC));
	CHECK(was_reset(__s64(real_ns), 60 * SEC));
	CHECK_FALSE(was_reset(__s64(real_ns), 61 * SEC));
	CHECK(was_reset(__s64(20 * US),
			real_ns + __u64(TAI))); /* igc: written back, a little late */
	CHECK_FALSE(was_reset(-TAI, real_ns + __u64(TAI))); /* ptp4l's first step, to TAI */
	CHECK_FALSE(was_reset(3600 * __s64(SEC), real_ns - 3600 * SEC));
}

namespace
{

struct Kept {
	PhcDevice device;
	rxaqm_phc_keep keep;
	rxaqm_error error = {};
	__u64 was_ns;

	Kept()
	{
		device.realtime_ns = 1700000000 * SEC;
		device.phc_ns = device.realtime_ns + __u64(TAI);
		device.freq = 5 << 16;
		was_ns = device.phc_ns;
		rxaqm_phc_keep_begin(&keep, PhcDevice::IFNAME);
	}
	std::string end(bool resets = false)
	{
		rxaqm_phc_keep_end(&keep, resets, &error);
		return error.text;
	}
	/* Arms, resets to the system's time, ends. */
	std::string over_reset()
	{
		rxaqm_phc_keep_arm(&keep);
		device.phc_ns = device.realtime_ns;
		return end();
	}
	__s64 off_ns() const
	{
		return __s64(device.phc_ns - was_ns);
	}
	bool says(const char *word) const
	{
		return std::string(error.text).find(word) != std::string::npos;
	}
};

} // namespace

TEST_CASE("phc keep: what a reset has taken is given back, the rate too, and told", "[phc]")
{
	Kept k;

	CAPTURE(k.over_reset());
	CHECK(size_of(k.off_ns()) < 2 * US);
	CHECK(k.device.freq_set == 1);
	CHECK(k.device.freq == 5 << 16);
	CHECK(k.says("lacked 37.000"));
	CHECK(k.says("to within"));
	CHECK(k.says("/dev/ptp90"));
	CHECK(k.device.fds.size() > 0);
}

TEST_CASE("phc keep: a clock that goes on, or was never at risk, is left alone", "[phc]")
{
	Kept k;

	rxaqm_phc_keep_arm(&k.keep);
	k.device.now_ns += SEC;
	CHECK(k.end() == "");
	CHECK(k.off_ns() == 0);
	CHECK(k.device.freq_set == 0);

	Kept never;
	never.device.phc_ns -= __u64(TAI);
	CHECK(never.end() == "");
	CHECK(never.off_ns() == -TAI);
}

TEST_CASE("phc keep: of a driver known to reset it the rate is set again in any case", "[phc]")
{
	Kept k;

	rxaqm_phc_keep_arm(&k.keep);
	CHECK(k.end(true) == "");
	CHECK(k.device.freq_set == 1);
}

TEST_CASE("phc keep: a step to TAI by someone else stays, and is told", "[phc]")
{
	Kept k;

	k.device.phc_ns = k.device.realtime_ns;
	rxaqm_phc_keep_end(&k.keep, false, &k.error);
	rxaqm_phc_keep_begin(&k.keep, PhcDevice::IFNAME);
	rxaqm_phc_keep_arm(&k.keep);
	k.device.phc_ns += __u64(TAI);
	CAPTURE(k.end());
	CHECK(k.off_ns() == 0);
	CHECK(k.says("that is left as it is"));
}

TEST_CASE("phc keep: a clock that cannot be set is told with the command that sets it", "[phc]")
{
	Kept k;

	k.device.refuses = EBUSY;
	CAPTURE(k.over_reset());
	CHECK(k.off_ns() == -TAI);
	CHECK(k.says("phc_ctl /dev/ptp90 -- adj 37.000"));
	CHECK(k.says("busy"));
}

TEST_CASE("phc keep: without a clock to read nothing is said unless its driver resets it", "[phc]")
{
	Kept gone;

	rxaqm_phc_keep_arm(&gone.keep);
	gone.device.gone = true;
	gone.end();
	CHECK(gone.says("not known"));

	Kept absent;
	rxaqm_phc_keep_end(&absent.keep, false, nullptr);
	absent.device.gone = true;
	rxaqm_phc_keep_begin(&absent.keep, PhcDevice::IFNAME);
	rxaqm_phc_keep_arm(&absent.keep);
	CHECK(absent.end(true) == "");

	Kept shut;
	rxaqm_phc_keep_end(&shut.keep, false, nullptr);
	shut.device.shut = true;
	for (bool resets : { false, true }) {
		rxaqm_phc_keep_begin(&shut.keep, PhcDevice::IFNAME);
		rxaqm_phc_keep_arm(&shut.keep);
		CHECK(shut.end(resets).empty() == !resets);
	}
	CHECK(shut.says("its time could not be kept"));
}
