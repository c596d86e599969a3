// SPDX-License-Identifier: GPL-2.0-only
/* Several XDP programs on an interface, by libxdp's dispatcher: beside xdp-filter's program, or
 * beside one that xdp-loader loads.
 */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <sstream>
#include <thread>

#include "guest.hpp"
#include "nameless.hpp"
#include "traffic.hpp"

using namespace std::chrono_literals;

namespace
{

struct Shared {
	Host host;
	Wire wire;

	Shared()
	{
		if (run({ "sh", "-c", "command -v xdp-filter" }).exit_code)
			SKIP("no xdp-filter: packaging/install-deps.sh vm");
	}
	~Shared()
	{
		in_wire({ "xdp-filter", "unload", wire.rx_if });
	}
	/* Run @args in the receiver's namespace, with rxaqm's view of the file systems. */
	Result in_wire(Args args) const
	{
		args.insert(args.begin(), { "nsenter", "--net=/run/netns/" + wire.rx.name() });
		return run(args, host.with_environment());
	}
	void must_in_wire(const Args &args) const
	{
		Result result = in_wire(args);

		CAPTURE(result.text());
		REQUIRE(result.exit_code == 0);
	}
	void filter(const std::string &what) const
	{
		must_in_wire({ "xdp-filter", what, wire.rx_if });
	}
	void rxaqm(const std::string &what) const
	{
		Result result = host.rxaqm(wire.rx, { what, wire.rx_if });

		CAPTURE(result.text());
		REQUIRE(result.exit_code == 0);
	}
	bool runs(const std::string &program) const
	{
		return in_wire({ "xdp-loader", "status", wire.rx_if }).out.find(program) !=
		       std::string::npos;
	}
	bool filter_runs() const
	{
		return runs("xdpfilt_");
	}
	/* Its id in the kernel, from the table of xdp-loader. */
	std::string loaded_id() const
	{
		std::istringstream lines(in_wire({ "xdp-loader", "status", wire.rx_if }).out);
		std::string line;

		while (std::getline(lines, line)) {
			const size_t at = line.find("xdpfilt_");
			std::string name, id;

			if (at != std::string::npos &&
			    std::istringstream(line.substr(at)) >> name >> id)
				return id;
		}
		return "";
	}
	bool rxaqm_runs() const
	{
		return runs("rxaqm_xdp") || runs("rxaqm_bare");
	}
	/* xdp-filter drops what it is told to drop, and then passes all again. rxaqm runs first,
	 * and sees what is dropped.
	 */
	void check_filter() const
	{
		const bool seen = rxaqm_runs();
		const int64_t before = seen ? host.stat(wire.rx, wire.rx_if, "packets") : 0;

		must_in_wire({ "xdp-filter", "ip", Wire::TX_IP4, "--mode", "src" });
		CHECK(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 5) == 0);
		if (seen)
			CHECK(host.stat(wire.rx, wire.rx_if, "packets") >= before + 5);
		must_in_wire({ "xdp-filter", "ip", Wire::TX_IP4, "--mode", "src", "--remove" });
		CHECK(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 20) == 20);
	}
	void check_rxaqm() const
	{
		int64_t before = host.stat(wire.rx, wire.rx_if, "packets");

		CHECK_FALSE(host.json(wire.rx, { "status" }).has("/interfaces/0/trouble"));
		CHECK(udp_transfer(wire.tx, wire.rx, Wire::RX_IP6, 50) == 50);
		CHECK(host.stat(wire.rx, wire.rx_if, "packets") >= before + 50);
	}
};

} // namespace

TEST_CASE("dispatcher: rxaqm and xdp-filter, who comes first goes first", "[dispatcher]")
{
	in_guest();
	const bool rxaqm_comes_first = GENERATE(true, false);
	const bool rxaqm_goes_first = rxaqm_comes_first; /* other orders: with xdp-loader */
	Shared s;

	CAPTURE(rxaqm_comes_first);
	if (rxaqm_comes_first)
		s.rxaqm("attach");
	s.filter("load");
	if (!rxaqm_comes_first)
		s.rxaqm("attach");
	CHECK(s.runs("xdp_dispatcher"));
	CHECK(s.filter_runs());
	CHECK(s.rxaqm_runs());
	s.check_filter();
	s.check_rxaqm();

	if (rxaqm_goes_first) {
		s.rxaqm("detach");
		CHECK_FALSE(s.rxaqm_runs());
		CHECK(s.filter_runs());
		s.check_filter();
		s.filter("unload");
	} else {
		s.filter("unload");
		CHECK_FALSE(s.filter_runs());
		CHECK(s.rxaqm_runs());
		s.check_rxaqm();
		s.rxaqm("detach");
	}
	CHECK(xdp_on(s.wire.rx, s.wire.rx_if) == 0);
	CHECK(s.host.gone());
}

/* The program drops all IP. Debian has its file in this directory, one of each architecture. */
TEST_CASE("dispatcher: rxaqm and what xdp-loader loads, who comes first goes last", "[dispatcher]")
{
	in_guest();
	const bool rxaqm_comes_first = GENERATE(true, false);
	const bool rxaqm_goes_first = !rxaqm_comes_first; /* other orders: with xdp-filter */
	const std::string file = must(
		{ "sh", "-c", "ls /usr/lib/$(uname -m)-*/bpf/xdpfilt_dny_ip.o" });
	Shared s;
	auto passes = [&] { return udp_transfer(s.wire.tx, s.wire.rx, Wire::RX_IP4, 3) == 3; };
	auto unload = [&] {
		s.must_in_wire({ "xdp-loader", "unload", s.wire.rx_if, "--id", s.loaded_id() });
	};

	CAPTURE(rxaqm_comes_first);
	if (rxaqm_comes_first)
		s.rxaqm("attach");
	s.must_in_wire({ "xdp-loader", "load", s.wire.rx_if,
			 file.substr(0, file.find_last_not_of('\n') + 1) });
	if (!rxaqm_comes_first)
		s.rxaqm("attach");
	CHECK(s.runs("xdp_dispatcher"));
	CHECK(s.filter_runs());
	CHECK(s.rxaqm_runs());
	CHECK(s.host.json(s.wire.rx, { "status" }).flag("/interfaces/0/dispatcher"));
	int64_t before = s.host.stat(s.wire.rx, s.wire.rx_if, "packets");
	CHECK_FALSE(passes());
	CHECK(s.host.stat(s.wire.rx, s.wire.rx_if, "packets") >= before + 3);

	if (rxaqm_goes_first) {
		s.rxaqm("detach");
		CHECK_FALSE(s.rxaqm_runs());
		CHECK(s.filter_runs());
		CHECK_FALSE(passes());
		unload();
	} else {
		unload();
		CHECK_FALSE(s.filter_runs());
		CHECK(s.rxaqm_runs());
		s.check_rxaqm();
		s.rxaqm("detach");
	}
	CHECK(passes());
	CHECK(xdp_on(s.wire.rx, s.wire.rx_if) == 0);
	CHECK(s.host.gone());
}

TEST_CASE("dispatcher: when xdp-loader unloads all, rxaqm says so, and attaches again",
	  "[dispatcher]")
{
	in_guest();
	Shared s;

	s.filter("load");
	s.rxaqm("attach");
	s.must_in_wire({ "xdp-loader", "unload", s.wire.rx_if, "--all" });
	Result check = s.host.rxaqm(s.wire.rx, { "check", "-i", "100ms" });
	CAPTURE(check.text());
	CHECK(check.exit_code == 2);
	CHECK(check.out.find("was taken off") != std::string::npos);
	s.rxaqm("attach");
	s.check_rxaqm();
	s.rxaqm("detach");
	CHECK(s.host.gone());
}

TEST_CASE("dispatcher: the swap loses no packet", "[dispatcher]")
{
	in_guest();
	Shared s;

	s.filter("load");
	Background traffic(s.wire);
	for (int i = 0; i < 2; i++) {
		s.rxaqm("attach");
		std::this_thread::sleep_for(200ms);
		s.check_rxaqm();
		s.rxaqm("detach");
		std::this_thread::sleep_for(200ms);
	}
	Background::Outcome outcome = traffic.stop();

	CHECK(s.filter_runs());
	CHECK(outcome.sent > 500);
	CHECK(outcome.received == outcome.sent);
}

TEST_CASE("dispatcher: an interface that is gone is told, though libxdp's pins keep its program",
	  "[dispatcher]")
{
	in_guest();
	const std::string way = GENERATE("deleted", "moved", "moved, and gone with its namespace");
	const bool gone = way != "moved";
	Host host;
	Wire wire;
	Netns other;

	CAPTURE(way);
	Result attach = host.rxaqm(wire.rx, { "attach", wire.rx_if });
	CAPTURE(attach.text());
	REQUIRE(attach.exit_code == 0);
	REQUIRE(host.dispatchers().size() == 1);
	if (way == "deleted")
		wire.rx.ip("link del " + wire.rx_if);
	else
		wire.rx.ip("link set " + wire.rx_if + " netns " + other.name());
	if (gone)
		other.remove();
	const std::string said = gone ? "the interface is gone" : "in another network namespace";
	CHECK(eventually([&] {
		return host.json(wire.rx, { "status" }).text("/interfaces/0/trouble").find(said) ==
		       0;
	}));
	Result check = host.rxaqm(wire.rx, { "check", "-i", "100ms" });
	CAPTURE(check.text());
	CHECK(check.exit_code == (gone ? 2 : 0));
	CHECK((check.out.find("is not guarded: the interface is gone") != std::string::npos) ==
	      gone);
	CHECK(host.rxaqm({ "detach", "--all" }).exit_code == 0);
	CHECK(host.gone());
}

TEST_CASE("dispatcher: --all takes the program out of it where nobody can go",
	  "[dispatcher][nameless]")
{
	in_guest();
	const bool shared = GENERATE(false, true);
	Host host;
	Netns tx;
	Nameless container;
	int socket = container.netns.socket(AF_INET, SOCK_DGRAM);

	CAPTURE(shared);
	/* Only a socket keeps the namespace; what is inside shows at its peer. */
	container.netns.ip("link add there type veth peer name here netns " + tx.name());
	tx.ip("link set here up");
	container.netns.ip("link set there up");
	if (shared)
		REQUIRE(run({ "nsenter", "--net=" + container.path(), "xdp-filter", "load",
			      "there" },
			    host.with_environment())
				.exit_code == 0);
	REQUIRE(host.rxaqm(container.netns, { "attach", "there" }).exit_code == 0);
	host.note_maps();
	REQUIRE(host.dispatchers().size() == 1);
	container.netns.remove();
	container.end();

	Result all = host.rxaqm(tx, { "detach", "--all" });
	CAPTURE(all.text());
	CHECK(all.exit_code == 0);
	CHECK(all.out == "1 interface detached\n");
	/* What another program has put there stays. */
	CHECK(host.dispatchers().size() == (shared ? 1 : 0));
	if (!shared)
		CHECK(host.gone());
	close(socket);
}
