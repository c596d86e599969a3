// SPDX-License-Identifier: GPL-2.0-only
/* What status, top and hist print of an interface that carries traffic. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "host.hpp"
#include "traffic.hpp"

namespace
{

struct Attached {
	Host host;
	Wire wire;

	Attached()
	{
		REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
		REQUIRE(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 100) == 100);
	}
};

/* A terminal for a program to run on. */
class Terminal
{
    public:
	Terminal()
		: fd_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC))
	{
		if (fd_ < 0 || grantpt(fd_) || unlockpt(fd_) ||
		    ptsname_r(fd_, name_, sizeof(name_)))
			throw std::runtime_error("cannot make a terminal");
		/* What was printed last is lost with the last that has it open. */
		keep_ = open(name_, O_RDWR | O_NOCTTY | O_CLOEXEC);
	}
	~Terminal()
	{
		hang_up();
	}

	/* For the child: all of its output, and if @input its input, are the terminal's. A hang-up
	 * is not the end of it.
	 */
	int enter(bool input) const
	{
		int fd;

		signal(SIGHUP, SIG_IGN);
		if (setsid() < 0)
			return -1;
		fd = open(name_, O_RDWR); /* which makes it the terminal of this session */
		return fd < 0 || (input && dup2(fd, 0) < 0) || dup2(fd, 1) < 0;
	}
	void resize(unsigned short columns) const
	{
		const struct winsize size = { 24, columns, 0, 0 };

		if (ioctl(fd_, TIOCSWINSZ, &size))
			throw std::runtime_error("cannot resize a terminal");
	}
	void hang_up()
	{
		for (int *fd : { &fd_, &keep_ }) {
			if (*fd >= 0)
				close(*fd);
			*fd = -1;
		}
	}
	void type(const char *text) const
	{
		if (write(fd_, text, strlen(text)) < 0)
			throw std::runtime_error("cannot type");
	}
	/* Has it shown @text? */
	bool shows(const std::string &text)
	{
		char buf[4096];
		int bytes = 0;

		if (ioctl(fd_, FIONREAD, &bytes) || bytes <= 0)
			return shown_.find(text) != std::string::npos;
		ssize_t n = read(fd_, buf, sizeof(buf));

		if (n > 0)
			shown_.append(buf, size_t(n));
		return shown_.find(text) != std::string::npos;
	}
	const std::string &shown() const
	{
		return shown_;
	}

    private:
	int fd_, keep_ = -1;
	char name_[64];
	std::string shown_;
};

/* What is as wide as the terminal is, whatever the tests are run on. */
RunOptions on_terminal(const Host &host)
{
	RunOptions options;

	options.environment = { "COLUMNS=" };
	return host.with_environment(options);
}

} // namespace

TEST_CASE("views: status has state, policy and all counters, in JSON and in text", "[views]")
{
	Attached a;
	Json json = a.host.json(a.wire.rx, { "status" });
	const std::string iface = "/interfaces/0", queue = iface + "/queues/0";

	CHECK(json.size("/interfaces") == 1);
	CHECK(json.text(iface + "/interface") == a.wire.rx_if);
	CHECK(json.text(iface + "/xdp_mode") == "native");
	CHECK(json.text(iface + "/profile") == "veth");
	CHECK(json.number(iface + "/ring_entries") == 256);
	CHECK_FALSE(json.has(iface + "/trouble"));
	CHECK(json.text(queue + "/mode") == "observe");
	CHECK(json.number(queue + "/target_ns") > 0);
	CHECK(json.number(queue + "/interval_ns") >= json.number(queue + "/target_ns"));
	CHECK_FALSE(json.flag(queue + "/standing"));
	CHECK(json.is_null(queue + "/law/limit_pps"));
	CHECK(json.flag(queue + "/target_auto"));
	CHECK(json.number(queue + "/stats/packets") >= 100);
	CHECK(json.number(queue + "/stats/drop") == 0);
	CHECK(json.number(queue + "/cpu") >= 0);

	Result text = a.host.rxaqm(a.wire.rx, { "status", "--all", a.wire.rx_if });
	CAPTURE(text.text());
	CHECK(text.exit_code == 0);
	CHECK(text.out.find("1 interface, 1 queue: none stands\n\n" + a.wire.rx_if +
			    ": native mode") == 0);
	CHECK(text.out.find("observe, target ") != std::string::npos);
	CHECK(text.out.find("packets ") != std::string::npos);
}

TEST_CASE("views: status tells the last second from what was since attach", "[views]")
{
	Attached a;
	const std::string queue = "/interfaces/0/queues/0";

	/* One look has no rates, unless an interval is given. */
	CHECK_FALSE(a.host.json(a.wire.rx, { "status" }).has(queue + "/window"));
	Result quiet = a.host.rxaqm(a.wire.rx, { "status", "--all", "-i", "200ms" });
	Background background(a.wire);
	Json json = a.host.json(a.wire.rx, { "status", "-i", "2s" });
	Result text = run(a.host.command(a.wire.rx, { "status", "--all" }),
			  a.host.with_environment());
	background.stop();
	CAPTURE(quiet.text(), text.text());
	CHECK(quiet.out.find("    last ") != std::string::npos);
	CHECK(quiet.out.find("    since attach, ") != std::string::npos);
	CHECK(json.number(queue + "/window/window_ns") >= 2000000000);
	/* About a packet a ms, by a process that may get no CPU for a while. */
	CHECK(json.real(queue + "/window/rates/packets") > 10);
	CHECK(json.real(queue + "/window/rates/packets") < 1500);
	CHECK(json.number(queue + "/stats/packets") > 100);
	CHECK(json.has(queue + "/window/sojourn_p99_ns"));
	CHECK(text.out.find("    last 1") != std::string::npos);
	CHECK(text.out.find("/s polls_drained ") != std::string::npos);
}

/* Three lines of JSON of top. The most packets a second that one of them has. */
static double most_pps(Attached &a)
{
	Result top = a.host.rxaqm(a.wire.rx,
				  { "top", a.wire.rx_if, "-n", "3", "-i", "200ms", "-j" });
	size_t documents = 0, begin = 0, end;
	double most = 0;

	CAPTURE(top.text());
	REQUIRE(top.exit_code == 0);
	while ((end = top.out.find('\n', begin)) != std::string::npos) {
		Json json(top.out.substr(begin, end - begin));

		begin = end + 1;
		documents++;
		REQUIRE(json.size("/queues") == 1);
		CHECK(json.text("/queues/0/interface") == a.wire.rx_if);
		CHECK(json.real("/queues/0/pps") < 1500);
		most = std::max(most, json.real("/queues/0/pps"));
		CHECK(json.real("/queues/0/drop") == 0);
		CHECK(json.number("/time_ns") > 0);
	}
	CHECK(documents == 3);
	return most;
}

TEST_CASE("views: top counts packets a second", "[views]")
{
	Attached a;
	Background background(a.wire);

	/* About a packet a ms is sent, by a process that may get no CPU for a while. */
	CHECK(eventually([&] { return most_pps(a) > 50; }));
	background.stop();
}

TEST_CASE("views: top prints plain lines where there is no terminal", "[views]")
{
	Attached a;
	Result top = a.host.rxaqm(a.wire.rx, { "top", "-a", "-n", "2", "-i", "50ms" });
	size_t lines = size_t(std::count(top.out.begin(), top.out.end(), '\n'));

	CAPTURE(top.text());
	CHECK(top.exit_code == 0);
	CHECK(top.out.find("interface ") == 0);
	CHECK(top.out.find("\n" + a.wire.rx_if) != std::string::npos);
	CHECK(top.out.find('\033') == std::string::npos);
	CHECK(lines == 3);
}

TEST_CASE("views: top on a terminal waits for its intervals, and clears it unless told not to",
	  "[views]")
{
	const bool clears = GENERATE(true, false);
	Attached a;
	Terminal terminal;
	RunOptions options = on_terminal(a.host);

	options.environment.push_back("TERM=xterm");
	options.prepare = [&] { return terminal.enter(true); };
	auto start = std::chrono::steady_clock::now();
	Child top(a.host.command(a.wire.rx, { "--color=never", "top", clears ? "--all" : "-ap",
					      "-n", "20", "-i", "50ms" }),
		  options);
	CHECK(eventually([&] { return terminal.shows(a.wire.rx_if); }));
	Result result = top.wait();
	auto took = std::chrono::steady_clock::now() - start;
	terminal.shows("");
	CAPTURE(clears, result.text(), terminal.shown());
	CHECK(result.exit_code == 0);
	/* However slow the machine is, it does not end earlier. */
	CHECK(took >= std::chrono::milliseconds(20 * 50));
	CHECK((terminal.shown().find('\033') != std::string::npos) == clears);
}

TEST_CASE("views: top on a narrow terminal leaves out columns, but not the last ones", "[views]")
{
	const unsigned short columns = GENERATE(80, 100, 120, 160);
	Attached a;
	Terminal terminal;
	RunOptions options = on_terminal(a.host);

	terminal.resize(columns);
	options.environment.push_back("TERM=xterm");
	options.prepare = [&] { return terminal.enter(true); };
	Child top(a.host.command(a.wire.rx, { "top", "-a", "-n", "2", "-i", "50ms" }), options);
	CHECK(eventually([&] { return terminal.shows("observe"); }));
	CHECK(top.wait().exit_code == 0);
	terminal.shows("");
	CAPTURE(columns, terminal.shown());
	for (const char *title : { "drop", "mark", "q(ms)", "p99(ms)", "tgt(ms)", "would", "mode" })
		CHECK(terminal.shows(title));
	CHECK(terminal.shows("drained") == (columns == 160));
	CHECK(terminal.shows("not-ECT") == (columns >= 120));
	CHECK(terminal.shows("signal") == (columns >= 100));
	CHECK(terminal.shows("limit") == (columns >= 100));
}

TEST_CASE("views: top ends when its terminal is gone", "[views]")
{
	Attached a;
	Terminal terminal;
	RunOptions options = on_terminal(a.host);

	options.environment.push_back("TERM=xterm");
	options.prepare = [&] { return terminal.enter(true); };
	Child top(a.host.command(a.wire.rx, { "top", "-a", "-i", "50ms" }), options);
	CHECK(eventually([&] { return terminal.shows(a.wire.rx_if); }));
	terminal.hang_up();
	Result result = top.wait();
	CAPTURE(result.text());
	CHECK_FALSE(result.timed_out);
}

TEST_CASE("views: top ends when nobody reads it any more", "[views]")
{
	Attached a;
	std::string command;

	for (const std::string &arg : a.host.command(a.wire.rx, { "top", "-i", "20ms" }))
		command += arg + " ";
	Result result = run({ "sh", "-c", command + "| head -n 3" }, a.host.with_environment());
	CAPTURE(result.text());
	CHECK_FALSE(result.timed_out);
	CHECK(result.out.find("interface ") == 0);
}

TEST_CASE("views: top goes on when the interface is detached and attached meanwhile", "[views]")
{
	Attached a;
	Child top(a.host.command(a.wire.rx, { "top", "-n", "25", "-i", "100ms", "-j" }),
		  a.host.with_environment());

	std::this_thread::sleep_for(std::chrono::milliseconds(300));
	CHECK(a.host.rxaqm(a.wire.rx, { "detach", a.wire.rx_if }).exit_code == 0);
	CHECK(a.host.rxaqm(a.wire.rx, { "attach", a.wire.rx_if }).exit_code == 0);
	Result result = top.wait();
	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 25);
	CHECK(result.err == "");
}

TEST_CASE("views: hist has every packet that was given a sojourn", "[views]")
{
	Attached a;
	Json json = a.host.json(a.wire.rx, { "hist", a.wire.rx_if });
	const std::string queue = "/interfaces/0/queues/0";
	int64_t sum = 0, floor_ns = -1;

	CHECK(json.number(queue + "/packets") >= 100);
	for (size_t i = 0; i < json.size(queue + "/buckets"); i++) {
		std::string at = queue + "/buckets/" + std::to_string(i);

		CHECK(json.number(at + "/floor_ns") > floor_ns);
		floor_ns = json.number(at + "/floor_ns");
		sum += json.number(at + "/packets");
	}
	CHECK(sum == json.number(queue + "/packets"));
	CHECK(json.number(queue + "/sojourn_p50_ns") <= json.number(queue + "/sojourn_p99_ns"));

	Result text = a.host.rxaqm(a.wire.rx, { "hist", "--all", a.wire.rx_if });
	CAPTURE(text.text());
	CHECK(text.exit_code == 0);
	CHECK(text.out.find('#') != std::string::npos);
	/* Of empty buckets JSON has each, text none. */
	CHECK(text.out.find("            0 |") == std::string::npos);
}

TEST_CASE("views: where nothing is stamped status knows of no clock", "[views]")
{
	Attached a;
	Json json = a.host.json(a.wire.rx, { "status", a.wire.rx_if });

	CHECK(json.is_null("/interfaces/0/clock/source"));
	CHECK_FALSE(json.flag("/interfaces/0/clock/valid"));
	Result text = a.host.rxaqm(a.wire.rx, { "status", a.wire.rx_if });
	CHECK(text.out.find("clock:") == std::string::npos);
}

TEST_CASE("views: an interface name that is attached elsewhere is not attached here", "[views]")
{
	Attached a;

	for (const char *command : { "status", "top", "hist" }) {
		Result result = a.host.rxaqm(a.wire.tx, { command, a.wire.rx_if });
		CAPTURE(result.text());
		CHECK(result.exit_code == 4);
		CHECK(result.out == "");
		CHECK(result.err.find("not attached to \"" + a.wire.rx_if + "\"") !=
		      std::string::npos);
	}
}
