// SPDX-License-Identifier: GPL-2.0-only
/* The timestamp configuration, which is the whole device's, as others change it, too. */
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "phc_device.hpp"

extern "C" {
#include "attach/stamps.h"
}

/* Where Catch2 finds it. */
static bool operator==(const hwtstamp_config &a, const hwtstamp_config &b)
{
	return a.flags == b.flags && a.tx_type == b.tx_type && a.rx_filter == b.rx_filter;
}

namespace
{

const hwtstamp_config NONE = { 0, HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_NONE };
const hwtstamp_config OURS = { 0, HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_ALL };
const hwtstamp_config CHRONY = { 0, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_ALL };
const hwtstamp_config PTP = { 0, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_PTP_V2_EVENT };

struct Stamps {
	PhcDevice device;
	rxaqm_iface iface = {};
	rxaqm_error error = {};

	explicit Stamps(const hwtstamp_config &before)
	{
		device.stamps = before;
		iface.stamp = RXAQM_STAMP_HWTSTAMP;
	}
	void attach()
	{
		REQUIRE(rxaqm_stamps_turn_on(&iface, PhcDevice::IFNAME, &error) == 0);
		CHECK(std::string(error.text).empty());
	}
	std::string detach()
	{
		rxaqm_phc_keep keep;

		rxaqm_phc_keep_begin(&keep, PhcDevice::IFNAME);
		rxaqm_stamps_restore(&iface, PhcDevice::IFNAME, &keep, &error);
		rxaqm_phc_keep_end(&keep, false, &error);
		return error.text;
	}
};

} // namespace

TEST_CASE("stamps: what attach has changed is put back, and what is sent is no part of that",
	  "[stamps]")
{
	for (const hwtstamp_config &before : { NONE, PTP }) {
		Stamps s(before);

		s.attach();
		CHECK(s.device.stamps.rx_filter == HWTSTAMP_FILTER_ALL);
		CHECK(s.device.stamps.tx_type == before.tx_type);
		CHECK(s.detach() == "");
		CHECK(s.device.stamps == before);
	}
}

TEST_CASE("stamps: on before attach, on after detach", "[stamps]")
{
	Stamps s(CHRONY);

	s.attach();
	CHECK(s.detach() == "");
	CHECK(s.device.stamps_set == 0);
}

TEST_CASE("stamps: whatever of it someone has changed since, all of it is theirs", "[stamps]")
{
	const hwtstamp_config bonded = { HWTSTAMP_FLAG_BONDED_PHC_INDEX, OURS.tx_type,
					 OURS.rx_filter };

	for (const hwtstamp_config &theirs : { CHRONY, PTP, bonded }) {
		Stamps s(NONE);

		s.attach();
		CHECK(s.device.stamps == OURS);
		s.device.stamps = theirs;
		const std::string said = s.detach();
		CAPTURE(said);
		CHECK(s.device.stamps == theirs);
		CHECK(said.find("rx_filter " + std::to_string(theirs.rx_filter)) !=
		      std::string::npos);
		CHECK(said.find("tx_type " + std::to_string(theirs.tx_type)) != std::string::npos);
		CHECK(said.find("hwstamp_ctl -i phc0 -t 0 -r 0") != std::string::npos);
	}
}

TEST_CASE("stamps: nothing is said of what is as it was before attach", "[stamps]")
{
	Stamps s(NONE);

	s.attach();
	s.device.stamps = NONE;
	CHECK(s.detach() == "");
	CHECK(s.device.stamps == NONE);
	CHECK(s.device.stamps_set == 1);
}

TEST_CASE("stamps: less than was asked for is put back as well", "[stamps]")
{
	Stamps s(NONE);

	s.device.grants = HWTSTAMP_FILTER_PTP_V2_EVENT;
	s.attach();
	CHECK(s.detach() == "");
	CHECK(s.device.stamps == NONE);
}

/* ena's, on instances without: github.com/amzn/amzn-drivers/issues/351. */
TEST_CASE("stamps: a driver that names them and refuses them is no reason not to attach",
	  "[stamps]")
{
	auto enable = [](Stamps &s, rxaqm_signal signal) {
		rxaqm_phc_keep keep;

		rxaqm_phc_keep_begin(&keep, PhcDevice::IFNAME);
		int err = rxaqm_stamps_enable(&s.iface, PhcDevice::IFNAME, signal, &keep, &s.error);

		rxaqm_phc_keep_end(&keep, false, nullptr);
		return err;
	};

	for (int err : { EOPNOTSUPP, ERANGE }) {
		for (rxaqm_signal signal : { RXAQM_SIGNAL_AUTO, RXAQM_SIGNAL_STAMP }) {
			Stamps s(PTP);
			bool lenient = signal == RXAQM_SIGNAL_AUTO;

			CAPTURE(err, signal);
			s.device.stamps_refused = err;
			s.iface.flags = RXAQM_IFACE_HINT;
			CHECK(enable(s, signal) == (lenient ? 0 : -err));
			CHECK(std::string(s.error.text).find("busy") != std::string::npos);
			CHECK(s.error.err == (lenient ? 0 : err));
			CHECK(!(s.iface.flags & RXAQM_IFACE_HINT) == lenient);
			/* For status: less was granted, and nobody has changed it. */
			CHECK(rxaqm_stamps_filter(&s.iface) == PTP.rx_filter);
			s.error = {};
			CHECK(s.detach() == "");
			CHECK(s.device.stamps == PTP);
		}
	}
	/* What may pass is tried again by the daemon. */
	Stamps busy(NONE);

	busy.device.stamps_refused = EBUSY;
	CHECK(enable(busy, RXAQM_SIGNAL_AUTO) == -EBUSY);
	CHECK(busy.device.stamps == NONE);
	busy.device.stamps_refused = 0;
	busy.error = {};
	CHECK(enable(busy, RXAQM_SIGNAL_AUTO) == 0);
	CHECK(busy.device.stamps == OURS);
}

TEST_CASE("stamps: turned on again, what others have set meanwhile is what was before", "[stamps]")
{
	Stamps s(NONE);

	s.attach();
	s.device.stamps = PTP;
	s.attach();
	CHECK(s.device.stamps == CHRONY);
	CHECK(s.detach() == "");
	CHECK(s.device.stamps == PTP);
}

TEST_CASE("stamps: what others set while attach looks at the clock is not taken away", "[stamps]")
{
	Stamps s(NONE);

	s.device.tx_meanwhile = HWTSTAMP_TX_ON;
	s.attach();
	CHECK(s.device.stamps == CHRONY);
	s.device.tx_meanwhile = -1;
	CHECK(s.detach() == "");
	CHECK(s.device.stamps.tx_type == HWTSTAMP_TX_ON);

	Stamps again(NONE);
	again.attach();
	again.device.tx_meanwhile = HWTSTAMP_TX_ON;
	CHECK(again.detach() != "");
	CHECK(again.device.stamps == CHRONY);
}

/* amd-xgbe does that (xgbe-dev.c:xgbe_config_tstamp). */
TEST_CASE("stamps: a driver that resets its clock for them is found out", "[stamps]")
{
	Stamps s(NONE);

	s.device.phc_ns = s.device.realtime_ns + 37000000000ULL;
	s.device.stamps_reset_clock = true;
	CHECK(rxaqm_stamps_turn_on(&s.iface, PhcDevice::IFNAME, &s.error) == 0);
	CHECK(std::string(s.error.text).find("is put back") != std::string::npos);
	CHECK(s.device.phc_ns - s.device.realtime_ns - 36999990000ULL < 20000);
	s.error = {};
	CHECK(s.detach().find("is put back") != std::string::npos);
	CHECK(s.device.phc_ns - s.device.realtime_ns - 36999990000ULL < 20000);
}

TEST_CASE("stamps: a configuration that cannot be put back is told", "[stamps]")
{
	rxaqm_iface iface = {};
	rxaqm_error error = {};
	rxaqm_phc_keep keep;

	/* lo has none: as after the driver was replaced. */
	iface.hwtstamp_granted = HWTSTAMP_FILTER_ALL;
	iface.hwtstamp_rx_filter = HWTSTAMP_FILTER_PTP_V2_EVENT;
	rxaqm_phc_keep_begin(&keep, nullptr);
	rxaqm_stamps_restore(&iface, "lo", &keep, &error);
	CHECK(std::string(error.text).empty());
	iface.flags = RXAQM_IFACE_HWTSTAMP_SAVED;
	rxaqm_stamps_restore(&iface, "lo", &keep, &error);
	const std::string text = error.text;
	CAPTURE(text);
	CHECK(text.find("\"lo\" could not be put back") != std::string::npos);
	CHECK(text.find("hwstamp_ctl -i lo -t 0 -r 12") != std::string::npos);
}

TEST_CASE("stamps: what is in force unless someone changes it", "[stamps]")
{
	rxaqm_iface iface = {};

	CHECK(rxaqm_stamps_filter(&iface) == HWTSTAMP_FILTER_ALL);
	iface.flags = RXAQM_IFACE_HWTSTAMP_SAVED;
	iface.hwtstamp_granted = HWTSTAMP_FILTER_SOME;
	CHECK(rxaqm_stamps_filter(&iface) == HWTSTAMP_FILTER_SOME);
}
