// SPDX-License-Identifier: GPL-2.0-only
/* What an operator finds on the screen of top, and at the head of status, with many queues. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <bpf/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sstream>
#include <stdexcept>

#include "host.hpp"

extern "C" {
#include "base/now.h"
#include "queue.h"
}

namespace
{

constexpr unsigned QUEUES = 40, STANDS = 35;

/* An interface with many queues, which all have had packets; one of them stands. That is written
 * into their map: as real as traffic to those who read it, and no load.
 */
struct Many {
	Host host;
	Wire wire{ QUEUES };
	struct rxaqm_queue *queue;
	size_t bytes = QUEUES * sizeof(*queue);

	Many()
	{
		REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
		/* No packet of the kernel's own is to change what is written. */
		wire.tx.ip("link set " + wire.tx_if + " down");
		int fd = bpf_obj_get((host.state_dir() + "/queue_map").c_str());
		void *map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		close(fd);
		if (map == MAP_FAILED)
			throw std::runtime_error("cannot map the queues");
		queue = static_cast<struct rxaqm_queue *>(map);
		for (unsigned i = 0; i < QUEUES; i++) {
			queue[i].flags |= RXAQM_QUEUE_POLLED;
			queue[i].cpu = 0;
			/* For as long as the test takes. */
			queue[i].poll_end_ns = rxaqm_now_ns() + 3600 * RXAQM_NSEC_PER_SEC;
			queue[i].stat[RXAQM_STAT_PACKETS] = 1000;
		}
		queue[STANDS].flags |= RXAQM_QUEUE_STANDING;
		queue[STANDS].stood_since_ns = rxaqm_now_ns();
		queue[STANDS].stood_sojourn_ns = 84 * RXAQM_NSEC_PER_MSEC;
	}
	~Many()
	{
		munmap(queue, bytes);
	}
	std::string status(const Args &more = {})
	{
		/* Short, so that no packet of the kernel's own comes meanwhile. */
		Args args = { "status", "-i50ms" };

		args.insert(args.end(), more.begin(), more.end());
		return host.rxaqm(wire.rx, args).out;
	}
	std::string verdict(const std::string &end) const
	{
		return "1 interface, 40 queues: 1 stands (" + wire.rx_if + " queue 35, 84ms)" + end;
	}
};

/* top on a terminal that keeps what is on its screen. */
class Screen
{
    public:
	Screen(const Many &many, unsigned columns, unsigned lines, const Args &args,
	       const std::string &variable = "")
		: tmux_{ "tmux", "-L", many.wire.rx.name(), "-f", "/dev/null" }
	{
		Args all = many.host.command(many.wire.rx, args);
		std::string command = "exec env " + variable;

		for (const std::string &var : many.host.with_environment().environment)
			if (var.find("COLUMNS=") == std::string::npos)
				command += " " + var;
		for (const std::string &arg : all)
			command += " '" + arg + "'";
		tmux({ "new-session", "-d", "-x", std::to_string(columns), "-y",
		       std::to_string(lines), command });
	}
	~Screen()
	{
		Args all = tmux_;

		all.push_back("kill-server");
		run(all);
	}
	std::string text() const
	{
		return tmux({ "capture-pane", "-p" });
	}
	bool shows(const std::string &what) const
	{
		return eventually([&] { return text().find(what) != std::string::npos; });
	}
	std::vector<std::string> lines() const
	{
		std::istringstream in(text());
		std::vector<std::string> lines;

		for (std::string line; std::getline(in, line);)
			lines.push_back(line);
		return lines;
	}

    private:
	std::string tmux(const Args &args) const
	{
		Args all = tmux_;

		all.insert(all.end(), args.begin(), args.end());
		return must(all);
	}
	Args tmux_;
};

} // namespace

TEST_CASE("top: what stands is on top of a screen that is too small", "[top]")
{
	Many many;
	Screen screen(many, 80, 24, { "top", "-i", "100ms" });

	REQUIRE(screen.shows("21 more queues"));
	std::vector<std::string> lines = screen.lines();
	CAPTURE(screen.text());
	CHECK(lines[0] == many.verdict(", not enforced"));
	CHECK(lines[1].find("interface") == 0);
	CHECK(lines[2].find(many.wire.rx_if + " ") == 0);
	CHECK(lines[2].find(" 35 ") != std::string::npos);
	for (const std::string &line : lines)
		CHECK(line.size() <= 80);
	/* What stands longest is the first of those that stand. */
	many.queue[7].flags |= RXAQM_QUEUE_STANDING;
	many.queue[7].stood_since_ns = rxaqm_now_ns();
	many.queue[7].stood_sojourn_ns = 12 * RXAQM_NSEC_PER_MSEC;
	CHECK(eventually([&] { return screen.lines()[3].find(" 7 ") != std::string::npos; }));
	CHECK(screen.lines()[2].find(" 35 ") != std::string::npos);
}

TEST_CASE("top: a wide screen has all columns, and a high one all queues", "[top]")
{
	Many many;
	Screen screen(many, 160, 50, { "top", "-i", "100ms" });

	REQUIRE(screen.shows("drained"));
	CAPTURE(screen.text());
	CHECK(screen.shows("not-ECT"));
	CHECK(screen.text().find(" more ") == std::string::npos);
}

TEST_CASE("top: a terminal whose cursor cannot be moved gets lines", "[top]")
{
	Many many;
	Screen screen(many, 80, 60, { "top", "-i", "100ms", "-o", "queue,mode" }, "TERM=dumb");

	CHECK(screen.shows("\n35 observe\n"));
}

TEST_CASE("top, hist: queues without packets are hidden unless asked, counters have separators",
	  "[top]")
{
	Many many;
	Args args = { "-n1", "-i50ms" };
	const std::string command = GENERATE("top", "hist");

	for (unsigned i = 0; i < QUEUES; i++) {
		if (i != STANDS)
			many.queue[i].poll_end_ns = rxaqm_now_ns() - 11 * RXAQM_NSEC_PER_SEC;
		many.queue[i].hist[40] = 1234567;
	}
	args = command == "top" ? Args{ "top", "-n1", "-i50ms", "-o", "queue,mode" } :
				  Args{ "hist" };
	Result hidden = many.host.rxaqm(many.wire.rx, args);
	CAPTURE(hidden.text());
	CHECK(hidden.out.find("  39 queues had no packet for 10s (--all shows them)\n") !=
	      std::string::npos);
	CHECK(std::count(hidden.out.begin(), hidden.out.end(), '\n') < 10);
	args.push_back("--all");
	Result all = many.host.rxaqm(many.wire.rx, args);
	CHECK(std::count(all.out.begin(), all.out.end(), '\n') >= int(QUEUES));
	CHECK(all.out.find("--all") == std::string::npos);
	if (command == "hist")
		CHECK(hidden.out.find(" cpu 0: 1,234,567 packets") != std::string::npos);
}

TEST_CASE("top: columns are chosen by their keys", "[top]")
{
	Many many;
	Result top = many.host.rxaqm(many.wire.rx, { "top", "-n1", "-i50ms", "--noheadings", "-o",
						     "queue,mode" });

	CAPTURE(top.text());
	CHECK(top.out.find("35 observe\n 0 observe\n") == 0);
	top = many.host.rxaqm(many.wire.rx, { "top", "-o", "queue,polls_busy" });
	CHECK(top.exit_code != 0);
	CHECK(top.err.find("polls_busy is gone: it is called polls_left") != std::string::npos);
	top = many.host.rxaqm(many.wire.rx, { "top", "-o", "queue,mod" });
	CHECK(top.exit_code == 2);
	CHECK(top.err.find("unknown column \"mod\"; did you mean \"mode\"?") != std::string::npos);
}

TEST_CASE("status: one line says what stands, and idle queues are counted", "[top]")
{
	Many many;
	std::string text = many.status();

	CAPTURE(text);
	CHECK(text.find(many.verdict(", not enforced\n")) == 0);
	CHECK(text.find("  queue 35 cpu 0: observe") < text.find("  queue 0 cpu 0: observe"));
	CHECK(text.find("no packet for") == std::string::npos);
	/* Again if one of the kernel's own packets came to one of them. */
	CHECK(eventually([&] {
		for (unsigned i = 1; i <= 30; i++)
			many.queue[i].poll_end_ns = rxaqm_now_ns() - 11 * RXAQM_NSEC_PER_SEC;
		text = many.status();
		return text.find("  30 queues had no packet for 10s (--all shows them)\n") !=
		       std::string::npos;
	}));
	CHECK(text.find("  queue 30 ") == std::string::npos);
	CHECK(text.find("  queue 31 ") != std::string::npos);
	CHECK(many.status({ "--all" }).find("  queue 30 ") != std::string::npos);
	/* Nothing is known of those that never had one: --all does not show them. */
	CHECK(eventually([&] {
		for (unsigned i = 11; i <= 30; i++)
			many.queue[i].flags &= ~uint32_t(RXAQM_QUEUE_POLLED);
		text = many.status();
		return text.find("  10 queues had no packet for 10s (--all shows them)\n"
				 "  20 queues had no packet yet\n") != std::string::npos;
	}));
	text = many.status({ "--all" });
	CHECK(text.find("  20 queues had no packet yet\n") != std::string::npos);
	CHECK(text.find("--all") == std::string::npos);
	CHECK(many.host.rxaqm(many.wire.rx, { "policy", "set", many.wire.rx_if, "mode=enforce" })
		      .exit_code == 0);
	CHECK(many.status().find(many.verdict(", enforced\n")) == 0);
	many.queue[STANDS].stood_since_ns = 0;
	CHECK(many.status().find("1 interface, 40 queues: none stands\n") == 0);
}

TEST_CASE("text: fits the width there is, and has colours only where they are wanted", "[top]")
{
	const unsigned width = GENERATE(80, 160);
	Many many;
	RunOptions options;

	options.environment = { "COLUMNS=" + std::to_string(width), "TERM=xterm" };
	for (const Args &args : std::vector<Args>{
		     { "top", "--help" },
		     { "status", "--all" },
		     { "hist" },
		     { "policy", "show", many.wire.rx_if },
		     { "profile", "show" },
		     { "profile", "show", many.wire.rx_if },
	     }) {
		Result result = many.host.rxaqm(many.wire.rx, args, options);
		std::istringstream in(result.out);

		CAPTURE(result.text());
		CHECK(result.exit_code == 0);
		CHECK(result.out.find('\033') == std::string::npos);
		for (std::string line; std::getline(in, line);)
			CHECK(line.size() <= width);
	}
	auto painted = [&](const Args &args) {
		return many.host.rxaqm(many.wire.rx, args, options).out.find('\033') !=
		       std::string::npos;
	};
	CHECK(painted({ "status", "--color=always" }));
	CHECK(painted({ "--color", "always", "check" }));
	CHECK_FALSE(painted({ "status", "--color=auto" }));
	options.environment.push_back("NO_COLOR=1");
	CHECK(painted({ "status", "--color=always" }));
}
