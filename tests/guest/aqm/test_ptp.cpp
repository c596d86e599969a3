// SPDX-License-Identifier: GPL-2.0-only
/* The real chronyd and ptp4l beside rxaqm, on QEMU's igb and e1000e: the stamps that they turn on
 * stay on, and the clock that they read goes on. Neither has a server, or a peer outside of the
 * guest.
 */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <linux/net_tstamp.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>

#include "guest.hpp"
#include "traffic.hpp"

using namespace std::chrono_literals;

namespace
{

std::string words(const struct hwtstamp_config &config)
{
	return "flags " + std::to_string(config.flags) + " tx " + std::to_string(config.tx_type) +
	       " rx " + std::to_string(config.rx_filter);
}

struct Nic {
	Host host;
	std::unique_ptr<Wire> wire;
	Args attach_args;

	explicit Nic(const std::string &driver)
		: wire(wire_of(driver))
		, attach_args{ "attach", wire->rx_if }
	{
		if (driver == "igb")
			wire->rx.shell("ethtool -L " + wire->rx_if + " combined 2");
		else
			attach_args.insert(attach_args.end(), { "--mode", "generic" });
		set_hwtstamp(wire->rx, wire->rx_if, HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_NONE);
		await_link();
	}
	~Nic()
	{
		wire->rx.shell("phc_ctl -q " + wire->rx_if + " freq 0 set");
	}
	/* Resetting an igb takes its link down for a moment. */
	void await_link() const
	{
		REQUIRE(eventually(
			[&] {
				return wire->rx.ip("-br link show dev " + wire->rx_if)
					       .find(" UP ") != std::string::npos;
			},
			20s));
	}
	Result rxaqm(const Args &args) const
	{
		Result result = host.rxaqm(wire->rx, args);

		CAPTURE(result.text());
		CHECK(result.exit_code == 0);
		return result;
	}
	Result attach() const
	{
		return rxaqm(attach_args);
	}
	Result detach() const
	{
		return rxaqm({ "detach", wire->rx_if });
	}
	std::string stamps() const
	{
		return words(hwtstamp_of(wire->rx, wire->rx_if));
	}
	bool sends_stamped() const
	{
		return hwtstamp_of(wire->rx, wire->rx_if).tx_type == HWTSTAMP_TX_ON;
	}
	std::string notes() const
	{
		return host.rxaqm(wire->rx, { "status", "--all" }).out;
	}
};

/* chronyd or ptp4l, after it has turned stamps on. */
struct Daemon {
	std::unique_ptr<Child> child;

	Daemon(const Nic &nic, const std::string &name)
	{
		Args args = { "ip", "netns", "exec", nic.wire->rx.name() };
		RunOptions options;

		if (run({ "sh", "-c", "command -v " + name }).exit_code)
			SKIP("no " << name << ": packaging/unpack-daemons.sh build/daemons");
		if (name == "chronyd") {
			std::ofstream("/tmp/chrony.conf") << "hwtimestamp *\nport 0\ncmdport 0\n"
							     "bindcmdaddress /\nuser root\n"
							     "pidfile /tmp/chrony.pid\n";
			args.insert(args.end(),
				    { "chronyd", "-d", "-x", "-f", "/tmp/chrony.conf" });
		} else {
			args.insert(args.end(), { "ptp4l", "-i", nic.wire->rx_if, "-2", "-m", "-q",
						  "--free_running=1", "--uds_address=/tmp/ptp4l" });
		}
		options.timeout = 300s;
		child = std::make_unique<Child>(args, options);
		if (!eventually([&] { return nic.sends_stamped(); }, 20s)) {
			end();
			FAIL(name << " has turned no stamps on: " << said.text());
		}
		/* It reads back what it has set. */
		std::this_thread::sleep_for(500ms);
	}
	void end()
	{
		child->kill(SIGTERM);
		said = child->wait();
		child.reset();
	}
	Result said;
};

constexpr const char *CHANGED = "timestamp configuration";

} // namespace

TEST_CASE("ptp: stamps that chronyd or ptp4l has turned on stay on, whoever came first", "[ptp]")
{
	in_guest();
	const std::string driver = GENERATE("e1000e", "igb"), name = GENERATE("chronyd", "ptp4l");
	const bool begins_first = GENERATE(true, false);
	/* Half of all combinations, in which any three of the four occur in all ways. */
	const bool ends_first = (driver == "igb") ^ (name == "ptp4l") ^ begins_first;

	CAPTURE(driver, name, begins_first, ends_first);
	Nic nic(driver);
	std::optional<Daemon> daemon;

	if (begins_first)
		daemon.emplace(nic, name);
	const std::string before = nic.stamps();
	nic.attach();
	const std::string by_attach = nic.stamps();
	if (begins_first)
		CHECK(nic.sends_stamped());
	else
		daemon.emplace(nic, name);
	if (ends_first)
		daemon->end();
	const std::string now = nic.stamps();
	CAPTURE(before, by_attach, now);
	const Result result = nic.detach();
	/* rxaqm restored them; if the daemon has changed them since, its whole setting stays. */
	CHECK(nic.stamps() == (now == by_attach ? before : now));
	CHECK((result.err.find(CHANGED) != std::string::npos) ==
	      (by_attach != before && now != by_attach && now != before));
	if (!ends_first) {
		CHECK(nic.sends_stamped());
		daemon->end();
	}
}

TEST_CASE("ptp: attached twice, with chronyd in between", "[ptp]")
{
	in_guest();
	Nic nic("e1000e");

	nic.attach();
	Daemon chronyd(nic, "chronyd");
	const std::string theirs = nic.stamps();
	nic.detach();
	CHECK(nic.stamps() == theirs);
	nic.attach();
	CHECK(nic.detach().err.find(CHANGED) == std::string::npos);
	CHECK(nic.stamps() == theirs);
	chronyd.end();
}

/* detach says how to restore them; try that, too. */
TEST_CASE("ptp: ptp4l narrows the stamps of all packets to those of PTP, and status says so",
	  "[ptp]")
{
	in_guest();
	Nic nic("e1000e");
	const std::string before = nic.stamps();

	nic.attach();
	Daemon ptp4l(nic, "ptp4l");
	REQUIRE(hwtstamp_of(nic.wire->rx, nic.wire->rx_if).rx_filter ==
		HWTSTAMP_FILTER_PTP_V2_EVENT);
	const std::string notes = nic.notes();
	CAPTURE(notes);
	CHECK(notes.find("only PTP packets") != std::string::npos);
	CHECK(notes.find("policy set " + nic.wire->rx_if + " signal=") != std::string::npos);
	const Result result = nic.detach();
	CHECK(nic.sends_stamped());
	ptp4l.end();

	const size_t begin = result.err.find("\"hwstamp_ctl"),
		     end = result.err.find('"', begin + 1);
	REQUIRE(begin != std::string::npos);
	REQUIRE(end != std::string::npos);
	nic.wire->rx.shell(result.err.substr(begin + 1, end - begin - 1));
	CHECK(nic.stamps() == before);
}

namespace
{

PhcOffset offset_of(const Nic &nic)
{
	return phc_offset(nic.wire->rx, nic.wire->rx_if);
}

/* The error of the clock that rxaqm states: "... put back, to within 12.3us". */
int64_t stated_ns(const std::string &said)
{
	const std::string word = "to within ";
	const size_t at = said.find(word);
	size_t unit = 0;

	CAPTURE(said);
	REQUIRE(at != std::string::npos);
	const std::string number = said.substr(at + word.size());
	const double value = std::stod(number, &unit);
	const std::string rest = number.substr(unit);
	const double ns = rest.compare(0, 2, "ns") == 0 ? 1 :
			  rest.compare(0, 2, "us") == 0 ? 1e3 :
			  rest.compare(0, 2, "ms") == 0 ? 1e6 :
							  1e9;
	return int64_t(value * ns);
}

constexpr int64_t SECOND = 1000000000;

/* After @what, which says that it set the clock right, the clock goes on as before. */
template<typename What> void check_goes_on(const Nic &nic, double ppm, What what)
{
	const PhcOffset before = offset_of(nic);
	const Result result = what();
	const PhcOffset after = offset_of(nic);
	const int64_t took_ns = after.host_ns - before.host_ns;
	const int64_t stated = stated_ns(result.err);
	/* Between the readings of the test the rate is known to 100 ppm. */
	const double wander_ns = 100e-6 * double(took_ns);
	const double lost_ns = double(after.ns - before.ns) + ppm * 1e-6 * double(took_ns);

	CAPTURE(result.text(), before.ns, after.ns, took_ns, stated);
	CHECK(stated < SECOND / 100);
	CHECK(std::fabs(lost_ns) <= double(stated + before.err_ns + after.err_ns) + wander_ns);
	CHECK(result.err.find("/dev/ptp") != std::string::npos);
}

} // namespace

TEST_CASE("ptp: igb's clock at TAI is there after attach and after detach", "[ptp]")
{
	in_guest();
	const bool ptp4l_runs = GENERATE(false, true);

	CAPTURE(ptp4l_runs);
	Nic nic("igb");
	std::optional<Daemon> ptp4l;

	nic.wire->rx.shell("phc_ctl -q " + nic.wire->rx_if + " set adj 37");
	if (ptp4l_runs)
		ptp4l.emplace(nic, "ptp4l");
	check_goes_on(nic, 0, [&] { return nic.attach(); });
	check_goes_on(nic, 0, [&] { return nic.detach(); });
	if (ptp4l)
		ptp4l->end();
}

TEST_CASE("ptp: the rate that igb's clock was given is there after attach and after detach",
	  "[ptp]")
{
	in_guest();
	Nic nic("igb");
	auto rate_ppm = [&] {
		const PhcOffset one = offset_of(nic);

		std::this_thread::sleep_for(2s);
		const PhcOffset two = offset_of(nic);
		return double(one.ns - two.ns) / double(two.host_ns - one.host_ns) * 1e6;
	};

	nic.wire->rx.shell("phc_ctl -q " + nic.wire->rx_if + " freq 500000 set adj 37");
	CHECK(std::fabs(rate_ppm() - 500) < 200);
	check_goes_on(nic, 500, [&] { return nic.attach(); });
	CHECK(std::fabs(rate_ppm() - 500) < 200);
	check_goes_on(nic, 500, [&] { return nic.detach(); });
	CHECK(std::fabs(rate_ppm() - 500) < 200);
}

TEST_CASE("ptp: attach says beforehand that igb's clock is reset, and --no-reset refuses that",
	  "[ptp]")
{
	in_guest();
	Nic nic("igb");
	Result refused = nic.host.rxaqm(nic.wire->rx, { "attach", "--no-reset", nic.wire->rx_if });

	CAPTURE(refused.text());
	CHECK(refused.exit_code == 3);
	CHECK(refused.err.find("--mode generic") != std::string::npos);
	CHECK(xdp_on(nic.wire->rx, nic.wire->rx_if) == 0);
	/* What the refusal recommends instead works, and leaves the clock alone. */
	const PhcOffset before = offset_of(nic);
	Result generic = nic.rxaqm(
		{ "attach", "--no-reset", "--mode", "generic", nic.wire->rx_if });
	CHECK(generic.err.empty());
	CHECK(nic.detach().err.empty());
	CHECK(std::abs(offset_of(nic).ns - before.ns) < SECOND / 10);
	CHECK(nic.attach().err.find("resets the clock") != std::string::npos);
}
