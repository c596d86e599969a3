// SPDX-License-Identifier: GPL-2.0-only
/* The host's clock is stepped by an hour while a PHC is read, and PHCs go and come back. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>

#include "json.hpp"
#include "phc_device.hpp"

extern "C" {
#include "report/clock_out.h"
#include "clock/phc.h"
#include "daemon/clock.h"
}

namespace
{

const __u64 MS = RXAQM_NSEC_PER_MSEC, SEC = RXAQM_NSEC_PER_SEC;
const __s64 HOUR = 3600 * __s64(SEC);

enum rxaqm_phc_method choose(PhcDevice &device, const char *method)
{
	device.precise = !strcmp(method, "precise");
	device.extended_monotonic = !strcmp(method, "extended, monotonic");
	device.extended = device.extended_monotonic || !strcmp(method, "extended");
	return device.precise		 ? RXAQM_PHC_PRECISE :
	       device.extended_monotonic ? RXAQM_PHC_EXTENDED_MONOTONIC :
	       device.extended		 ? RXAQM_PHC_EXTENDED :
					   RXAQM_PHC_OFFSET;
}

/* By how much more than it admits @s is wrong. */
__s64 excess_ns(const PhcDevice &device, const rxaqm_phc_sample &s)
{
	__s64 off = __s64(s.phc_ns - device.phc_ns - s.host_ns);

	return (off < 0 ? -off : off) - __s64(s.err_ns);
}

/* What the daemon prints goes to a string. */
class Stderr
{
    public:
	Stderr()
		: before_(stderr)
	{
		stderr = open_memstream(&text_, &size_);
	}
	~Stderr()
	{
		fclose(stderr);
		stderr = before_;
		free(text_);
	}
	std::string text() const
	{
		fflush(stderr);
		return std::string(text_, size_);
	}
	size_t count(const std::string &part) const
	{
		std::string all = text();
		size_t n = 0;

		for (size_t at = 0; (at = all.find(part, at)) != std::string::npos; at++)
			n++;
		return n;
	}

    private:
	FILE *before_;
	char *text_ = nullptr;
	size_t size_ = 0;
};

/* A daemon with one interface that has stamps; its clock is estimated from packets, too. */
struct Daemon {
	PhcDevice device;
	rxaqm_meta_info meta = {};
	rxaqm_iface iface[RXAQM_MAX_IFACES] = {};
	rxaqm_clock_entry clock[RXAQM_MAX_IFACES] = {};
	rxaqm_clock_phc phc[RXAQM_MAX_IFACES] = {};
	rxaqm_run run = {};
	rxaqm_link link = {};

	Daemon()
	{
		run.state.lock_fd = -1;
		run.state.meta = &meta;
		run.state.iface = iface;
		run.state.clock = clock;
		run.state.clock_phc = phc;
		run.links = &link;
		iface[0].state = RXAQM_IFACE_ATTACHED;
		iface[0].stamp = RXAQM_STAMP_HWTSTAMP;
		iface[0].attached_ns = device.now_ns;
		iface[0].prog_id = link.prog_id = 7;
		link.run = &run;
		link.state = RXAQM_LINK_ATTACHED;
		strcpy(link.name, PhcDevice::IFNAME);
	}
	~Daemon()
	{
		rxaqm_run_clock_free(&link);
	}
	/* As by its timers, but every 10 ms. */
	void pass(__u64 ns)
	{
		for (__u64 end_ns = device.now_ns + ns; device.now_ns < end_ns;) {
			device.now_ns += 10 * MS;
			rxaqm_run_clocks(&run);
		}
	}
	/* What "rxaqm status" would say goes first. */
	std::string source()
	{
		char *text = nullptr;
		size_t size = 0;
		FILE *file = open_memstream(&text, &size);
		rxaqm_out out;

		clock[0].clock[1].host_ref_ns = clock[0].clock[1].hw_ref_ns = device.now_ns;
		clock[0].clock[1].expires_ns = device.now_ns + SEC;
		clock[0].published = 1;
		rxaqm_out_open(&out, file, true);
		rxaqm_clock_out(&out, &clock[0], &phc[0], device.now_ns);
		rxaqm_out_close(&out, false);
		fclose(file);
		std::string source = Json(text).text("/clock/source");
		free(text);
		return source;
	}
};

} // namespace

TEST_CASE("phc device: a step of the host by an hour spoils a reading or does nothing", "[phc]")
{
	const char *method = GENERATE("precise", "extended, monotonic", "extended", "offset");
	const __s64 step_ns = GENERATE(HOUR, -HOUR);
	PhcDevice device;
	rxaqm_error error = {};
	rxaqm_phc phc;
	rxaqm_phc_sample s;
	int spoilt = 0, whole = 0;

	CAPTURE(method, step_ns);
	auto expected = choose(device, method);
	REQUIRE(rxaqm_phc_open(&phc, PhcDevice::IFNAME, &error) == 0);
	REQUIRE(phc.method == expected);
	/* Before each look at CLOCK_REALTIME that a reading makes, and beyond. */
	for (int n = 0; n < 30; n++) {
		CAPTURE(n);
		device.step_after = n;
		device.step_ns = step_ns;
		int err = rxaqm_phc_read(&phc, &s, &error);
		REQUIRE((err == 0 || err == -EAGAIN));
		spoilt += err != 0;
		whole += !err;
		if (!err)
			REQUIRE(excess_ns(device, s) <= 0);
		device.step_after = -1;
		REQUIRE(rxaqm_phc_read(&phc, &s, &error) == 0);
		REQUIRE(excess_ns(device, s) <= 0);
		REQUIRE(s.err_ns < 1000);
	}
	CHECK(whole > 0);
	/* Where it is not looked at, it cannot spoil anything. */
	CHECK((spoilt == 0) == (expected == RXAQM_PHC_EXTENDED_MONOTONIC));
	rxaqm_phc_close(&phc);
}

TEST_CASE("phc device: steps of the host by an hour are no steps of the mapping", "[phc]")
{
	const char *method = GENERATE("precise", "extended, monotonic", "extended", "offset");
	Daemon d;
	Stderr log;
	std::mt19937 random(1);

	CAPTURE(method);
	choose(d.device, method);
	d.pass(5 * SEC);
	REQUIRE(d.source() == "phc");
	for (int i = 0; i < 200; i++) {
		/* Some between readings, some within. */
		d.device.step_after = int(random() % 40);
		d.device.step_ns = random() % 2 ? HOUR : -HOUR;
		for (int j = 0; j < 20; j++) {
			const rxaqm_clock &map = d.phc[0].clock[d.phc[0].published & 1];
			__u64 now_ns;

			d.pass(50 * MS + random() % (100 * MS));
			REQUIRE(d.phc[0].published);
			now_ns = d.device.now_ns;
			__s64 off = __s64(rxaqm_clock_to_host(&map, now_ns + d.device.phc_ns) -
					  now_ns);
			REQUIRE(__u64(off < 0 ? -off : off) <= rxaqm_clock_err(&map, now_ns));
		}
	}
	CHECK(d.phc[0].resets == 0);
	CHECK(d.phc[0].outliers == 0);
	CHECK(log.count("\n") == 1); /* that it reads the clock */
}

TEST_CASE("phc device: one that goes leaves the estimate from packets, and comes back", "[phc]")
{
	Daemon d;
	Stderr log;

	d.pass(5 * SEC);
	REQUIRE(d.source() == "phc");
	CHECK(log.count("phc0: reading its clock, /dev/ptp90 (extended)") == 1);
	for (size_t round = 1; round <= 3; round++) {
		CAPTURE(round, log.text());
		d.device.gone = true;
		/* The next reading tells; they are a second apart at most. */
		d.pass(1100 * MS);
		CHECK(d.phc[0].published == 0);
		CHECK(d.source() == "kernel");
		CHECK(log.count(
			      "warning: phc0: cannot read the clock \"/dev/ptp90\": No such device; "
			      "its clock is estimated from packets") == round);
		d.pass(600 * SEC);
		CHECK(d.source() == "kernel");
		/* It is tried again, and told once. */
		CHECK(log.count("\"phc0\" has no PTP hardware clock") == round);
		CHECK(log.count("\n") == 3 * round);

		d.device.gone = false;
		d.pass(65 * SEC);
		CHECK(d.source() == "phc");
		CHECK(log.count("phc0: reading its clock") == round + 1);
	}
	/* Another one in its place, with another time: nothing is left of the first. */
	d.device.gone = true;
	d.pass(1100 * MS);
	d.device.gone = false;
	d.device.phc_ns -= 1234567 * SEC;
	d.pass(65 * SEC);
	const rxaqm_clock &map = d.phc[0].clock[d.phc[0].published & 1];
	REQUIRE(d.source() == "phc");
	CHECK(rxaqm_clock_to_host(&map, d.device.now_ns + d.device.phc_ns) - d.device.now_ns +
		      1000 <
	      2000);
}

TEST_CASE("phc device: an interface that is detached takes its mapping back", "[phc]")
{
	Daemon d;
	Stderr log;

	d.pass(5 * SEC);
	REQUIRE(d.phc[0].published);
	rxaqm_run_clock_free(&d.link);
	CHECK(d.phc[0].published == 0);
	CHECK_FALSE(d.link.clock.open);
}

TEST_CASE("phc device: it is left alone for a second after each attach", "[phc]")
{
	Daemon d;
	Stderr log;

	d.pass(900 * MS);
	CHECK(d.device.fds.empty());
	d.pass(200 * MS);
	CHECK(d.link.clock.open);
	d.iface[0].attached_ns = d.device.now_ns;
	d.pass(900 * MS);
	CHECK_FALSE(d.link.clock.open);
	d.pass(200 * MS);
	CHECK(d.link.clock.open);
}
