// SPDX-License-Identifier: GPL-2.0-only
/* Commands, options and values: what is understood, and what is said of the rest. */
#include "cli.hpp"

#include <fstream>
#include <sstream>

namespace
{

void check_rows(const std::vector<Row> &rows)
{
	Host host;
	Netns netns;

	netns.ip("link add cli0 type veth peer name cli1");
	for (const Row &row : rows)
		check_row(row, host.rxaqm(netns, with_interface(row.args, "cli0")));
	/* None of it did anything. */
	CHECK(xdp_on(netns, "cli0") == 0);
	CHECK(host.gone());
}

/* The same on an interface that is attached, whose policy must stay what it is. */
void check_rows_attached(const std::vector<Row> &rows)
{
	Host host;
	Netns netns;

	netns.ip("link add cli0 numrxqueues 4 numtxqueues 4 type veth peer name cli1 "
		 "numrxqueues 4 numtxqueues 4");
	REQUIRE(host.rxaqm(netns, { "attach", "cli0" }).exit_code == 0);
	std::string before = host.rxaqm(netns, { "policy", "show", "cli0" }).out;
	for (const Row &row : rows) {
		check_row(row, host.rxaqm(netns, with_interface(row.args, "cli0")));
		CHECK(host.rxaqm(netns, { "policy", "show", "cli0" }).out == before);
	}
}

} // namespace

TEST_CASE("cli: help and version go to stdout", "[cli]")
{
	check_rows({
		{ { "--help" }, 0, "Usage: rxaqm", "" },
		{ { "-h" }, 0, "Commands:", "" },
		{ { "-?" }, 0, "Commands:", "" },
		{ { "help" }, 0, "Exit codes: 0 done, 1 failed, 2 usage", "" },
		{ { "help", "status" }, 0, "Usage: rxaqm status", "" },
		{ { "help", "frobnicate" }, 2, "", "unknown command \"frobnicate\"", "--help" },
		{ { "--version" }, 0, "rxaqm ", "" },
		{ { "-V" }, 0, "rxaqm ", "" },
		{ { "-j", "trial", "-V" }, 0, "rxaqm-trial ", "" },
		{ { "attach", "--help" }, 0, "Usage: rxaqm attach", "" },
		{ { "detach", "--help" }, 0, "Usage: rxaqm detach", "" },
		{ { "status", "--help" }, 0, "Usage: rxaqm status", "" },
		{ { "top", "--help" }, 0, "Usage: rxaqm top", "" },
		{ { "hist", "--help" }, 0, "Usage: rxaqm hist", "" },
		{ { "policy", "--help" }, 0, "  rxaqm policy show IFACE\n", "" },
		{ { "policy", "show", "--help" }, 0, "Usage: rxaqm policy show", "" },
		{ { "policy", "set", "--help" }, 0, "Usage: rxaqm policy set", "" },
		{ { "policy", "load", "--help" }, 0, "Usage: rxaqm policy load", "" },
		{ { "policy", "save", "--help" }, 0, "Usage: rxaqm policy save", "" },
		{ { "profile", "--help" }, 0, "Usage: rxaqm profile", "" },
		{ { "profile", "show", "--help" }, 0, "Usage: rxaqm profile show", "" },
		{ { "profile", "check", "--help" }, 0, "Usage: rxaqm profile check", "" },
		{ { "attach", "-h" }, 0, "Usage: rxaqm attach", "" },
	});
}

TEST_CASE("cli: help and policies fit into lines of 80 characters", "[cli]")
{
	Host host;
	Netns netns;

	netns.ip("link add cli0 type veth peer name cli1");
	REQUIRE(host.rxaqm(netns, { "attach", "cli0" }).exit_code == 0);
	for (const Args &args : { Args{ "--help" }, Args{ "attach", "--help" },
				  Args{ "policy", "--help" }, Args{ "policy", "show", "--help" },
				  Args{ "profile", "--help" }, Args{ "run", "--help" },
				  Args{ "check", "--help" }, Args{ "policy", "show", "cli0" } }) {
		RunOptions narrow;

		narrow.environment = { "COLUMNS=80" };
		std::istringstream text(host.rxaqm(netns, args, narrow).out);
		std::string line;

		while (std::getline(text, line)) {
			CAPTURE(line);
			CHECK(line.size() <= 80);
			CHECK((line.empty() || line.back() != ' '));
			CHECK(line.find("Mandatory") == std::string::npos);
		}
	}
}

TEST_CASE("cli: the words of the command line are checked", "[cli]")
{
	check_rows({
		{ {}, 2, "", "a command is missing", "rxaqm --help" },
		{ { "--", "help" }, 2, "", "a command is missing", "rxaqm --help" },
		{ { "frobnicate" }, 2, "", "unknown command \"frobnicate\"", "--help" },
		{ { "statsu" }, 2, "", "unknown command \"statsu\"", "did you mean \"status\"?" },
		{ { "--frobnicate", "status" },
		  2,
		  "",
		  "no such option",
		  "\"--frobnicate\" (see \"rxaqm --help\")" },
		{ { "--netns" }, 2, "", "--netns", "--help" },
		{ { "status", "-jx" },
		  2,
		  "",
		  "no such option",
		  "\"-jx\" (see \"rxaqm status --help\")" },
		{ { "status", "-a", "-xj" }, 2, "", "no such option", "\"-xj\" (see" },
		{ { "-j", "-x", "status" }, 2, "", "no such option", "\"-x\" (see" },
		{ { "status", "--netns", "nope" }, 1, "", "\"nope\"", "ip netns list" },
		{ { "trial", "@IF", "--netns=nope" }, 1, "", "\"nope\"", "ip netns list" },
		{ { "-j", "policy", "save", "@IF" }, 2, "", "policy show prints JSON" },
		{ { "policy", "--color", "pink", "show" }, 2, "", "--color must be", "\"pink\"" },
		{ { "attach" }, 2, "", "an interface is missing", "attach --help" },
		{ { "attach", "@IF", "other" }, 2, "", "other", "--help" },
		{ { "attach", "@IF", "--frobnicate" }, 2, "", "frobnicate" },
		{ { "attach", "@IF", "--mode" }, 2, "", "mode" },
		{ { "attach", "@IF", "-m", "fast" }, 2, "", "--mode=fast", "native|generic" },
		{ { "attach", "@IF", "--mode=enforce" },
		  2,
		  "",
		  "native|generic; the setting has no "
		  "dashes: mode=enforce" },
		{ { "attach", "@IF", "--lease=5s" }, 2, "", "without dashes, lease=5s" },
		{ { "policy", "set", "@IF", "--mode=enforce" },
		  2,
		  "",
		  "without dashes, mode=enforce" },
		{ { "policy", "set", "@IF", "--target" }, 2, "", "without dashes, KEY=VALUE" },
		{ { "policy", "set", "@IF", "queue=1" }, 2, "", "policy set has --queue=LIST" },
		{ { "attach", "@IF", "-H", "usb" }, 2, "", "--hook=usb", "auto|tp|kprobe" },
		{ { "attach", "@IF", "-k", "nic" }, 2, "", "--key=nic", "auto|queue|cpu" },
		{ { "attach", "@IF", "-k", "cpu" }, 2, "", "--key cpu", "--mode generic" },
		{ { "attach", "@IF", "--profile", "nosuch" }, 2, "", "nosuch", "profile show" },
		{ { "detach" }, 2, "", "name an interface, or --all (", "detach --help" },
		{ { "detach", "@IF", "--all" }, 2, "", "name an interface, or --all, not both" },
		{ { "detach", "@IF", "more" }, 2, "", "more" },
		{ { "detach", "cli*" }, 4, "", "not attached to any interface" },
		{ { "status", "@IF", "more" }, 2, "", "more", "--help" },
		{ { "top", "-n", "0" }, 2, "", "--count=0", "from 1 to" },
		{ { "top", "-n", "x" }, 2, "", "--count=x" },
		{ { "clock" }, 2, "", "clock is gone: \"rxaqm status IFACE\"" },
		{ { "-j", "clock", "--sample", "@IF" }, 2, "", "clock is gone" },
		{ { "top", "-i", "5" }, 2, "", "--interval=5", "1.5ms" },
		{ { "top", "-i", "1ms" }, 2, "", "--interval=1ms", "10ms to 1m" },
		{ { "policy" }, 2, "", "show, set, load or save", "policy --help" },
		{ { "policy", "change" },
		  2,
		  "",
		  "unknown policy command \"change\"",
		  "show, set, load or save" },
		{ { "policy", "st" },
		  2,
		  "",
		  "unknown policy command \"st\"",
		  "did you mean \"set\"?" },
		{ { "policy", "show" }, 2, "", "an interface is missing" },
		{ { "policy", "set", "@IF" }, 2, "", "nothing to set", "KEY=VALUE" },
		{ { "policy", "set", "--all" }, 2, "", "nothing to set", "KEY=VALUE" },
		{ { "policy", "set", "--all", "@IF", "mode=off" }, 2, "", "not of the form" },
		{ { "policy", "set", "--all", "mode=off" }, 4, "", "not attached" },
		{ { "policy", "show", "--all" }, 2, "", "all" },
		{ { "policy", "set", "@IF", "target" }, 2, "", "\"target\"", "target=2ms" },
		{ { "policy", "load", "@IF" }, 2, "", "name one file" },
		{ { "profile" }, 2, "", "show or check", "--help" },
		{ { "profile", "draw" }, 2, "", "\"draw\"", "--help" },
		{ { "profile", "shw" }, 2, "", "\"shw\"", "did you mean \"show\"?" },
		{ { "profile", "list" }, 2, "", "profile list is gone: \"rxaqm profile show\"" },
		{ { "profile", "show", "nosuch" }, 2, "", "\"nosuch\"", "profile show" },
	});
}

TEST_CASE("cli: values that cannot be are refused before anything is done", "[cli]")
{
	const std::vector<std::pair<const char *, std::pair<const char *, const char *>>> values = {
		{ "target=5", { "a unit is required", "target=5ms" } },
		{ "target=5 ms", { "target=5 ms", "" } },
		{ "target=5parsecs", { "target=5parsecs", "500us" } },
		{ "target=-5ms", { "target=-5ms", "" } },
		{ "target=", { "target=", "" } },
		{ "target=500ns", { "out of range", "1us to 4s" } },
		{ "target=5s", { "out of range", "1us to 4s" } },
		{ "target=99999999999999999999s", { "out of range", "1us to 4s" } },
		{ "interval=10us", { "out of range", "100us" } },
		{ "mode=on", { "mode=on", "off|observe|enforce" } },
		{ "signal=hnit", { "signal=hnit", "auto|hint|stamp|busy" } },
		{ "ecn=yes", { "ecn=yes", "off|on" } },
		{ "law=pie", { "law=pie", "auto|codel" } },
		{ "target=auto:5", { "a unit is required", "target=5ms" } },
		{ "ack=thim", { "ack=thim", "did you mean \"thin\"?" } },
		{ "max_drop=50", { "max_drop=50", "50%" } },
		{ "max_drop=101%", { "max_drop=101%", "100%" } },
		{ "exempt_ports=0", { "exempt_ports=0", "1 to 65535" } },
		{ "exempt_ports=1,2,3,4,5,6,7,8,9", { "more than 8", "exempt_dscp" } },
		{ "exempt_dscp=64", { "exempt_dscp=64", "cs6" } },
		{ "lease=0ms", { "out of range; 1ms to", "or lease=off" } },
		{ "lease=0", { "out of range; 1ms to", "or lease=off" } },
		{ "target=0", { "out of range", "1us to 4s" } },
		{ "preset=moon", { "preset=moon", "dc|wan|meta2022" } },
		{ "targte=5ms", { "\"targte\"", "did you mean \"target\"?" } },
		{ "frobnicate=5ms", { "\"frobnicate\"", "law target interval" } },
	};
	std::vector<Row> rows, rows_attached;

	for (const auto &[setting, says] : values) {
		rows.push_back({ { "attach", "@IF", setting }, 2, "", says.first, says.second });
		/* The words come first, before the interface is looked for. */
		rows.push_back(
			{ { "policy", "set", "nosuch0", setting }, 2, "", says.first, says.second });
		rows_attached.push_back(
			{ { "policy", "set", "@IF", setting }, 2, "", says.first, says.second });
	}
	rows.push_back({ { "attach", "@IF", "target=50ms", "interval=40ms" },
			 2,
			 "",
			 "target=50ms exceeds interval=40ms",
			 "20 targets" });
	rows_attached.push_back({ { "policy", "set", "@IF", "target=50ms" },
				  2,
				  "",
				  "target=50ms exceeds interval=40ms",
				  "20 targets" });
	rows.push_back(
		{ { "attach", "@IF", "target=5ms", "target=6ms" }, 2, "", "target is set twice" });
	rows_attached.push_back(
		{ { "policy", "set", "@IF", "target=5ms", "mode=off", "target=6ms" },
		  2,
		  "",
		  "target is set twice" });
	/* The good part of a bad line does not count. */
	rows_attached.push_back(
		{ { "policy", "set", "@IF", "target=3ms", "mode=on" }, 2, "", "mode=on" });
	check_rows(rows);
	check_rows_attached(rows_attached);
}

TEST_CASE("cli: lists of queues are checked against the queues there are", "[cli]")
{
	check_rows_attached({
		{ { "policy", "set", "@IF", "target=3ms", "-q", "4" },
		  2,
		  "",
		  "--queue \"4\"",
		  "0 to 3" },
		{ { "policy", "set", "@IF", "target=3ms", "-q", "0-9" },
		  2,
		  "",
		  "--queue \"0-9\"",
		  "0 to 3" },
		{ { "policy", "set", "@IF", "target=3ms", "-q", "3-1" },
		  2,
		  "",
		  "--queue \"3-1\"",
		  "0-7" },
		{ { "policy", "set", "@IF", "target=3ms", "-q", "one" }, 2, "", "--queue \"one\"" },
		{ { "policy", "set", "@IF", "target=3ms", "-q", "" }, 2, "", "--queue \"\"" },
		{ { "policy", "set", "@IF", "target=3ms", "-q", "1," }, 2, "", "--queue \"1,\"" },
		{ { "policy", "set", "@IF", "target=3ms", "-q", "99999999999999999999" },
		  2,
		  "",
		  "--queue" },
		{ { "policy", "show", "@IF", "-q", "4" }, 2, "", "--queue \"4\"", "0 to 3" },
		{ { "policy", "show", "@IF", "-q", "1-2" }, 0, "queue 1-2", "" },
		{ { "policy", "--color", "always", "-j", "show", "@IF", "-q", "1-2" },
		  0,
		  "\"policies\"",
		  "" },
		{ { "policy", "--color=red", "show", "@IF" }, 2, "", "--color", "red" },
		{ { "policy", "load", "@IF", "/nonexistent/file" },
		  1,
		  "",
		  "/nonexistent/file",
		  "No such file" },
		{ { "policy", "load", "@IF", "/tmp" },
		  1,
		  "",
		  "cannot read \"/tmp\": Is a directory" },
		{ { "policy", "load", "@IF", "/dev/null" }, 2, "", "/dev/null: nothing to set" },
		{ { "policy", "save", "@IF", "-j" }, 2, "", "policy show prints JSON" },
		{ { "policy", "save", "@IF", "/nonexistent/file" },
		  1,
		  "",
		  "/nonexistent/file",
		  "No such file" },
	});
}

TEST_CASE("cli: commands say when nothing is attached, and exit with 4", "[cli]")
{
	check_rows({
		{ { "status" }, 4, "", "not attached to any interface", "attach" },
		{ { "status", "@IF" }, 4, "", "not attached", "attach" },
		{ { "status", "-j" }, 4, "\"interfaces\": [", "not attached" },
		{ { "top", "-n", "1" }, 4, "", "not attached" },
		{ { "hist" }, 4, "", "not attached" },
		{ { "detach", "@IF" }, 4, "", "not attached" },
		{ { "policy", "show", "@IF" }, 4, "", "not attached" },
		{ { "policy", "set", "@IF", "target=3ms" }, 4, "", "not attached" },
		{ { "policy", "save", "@IF" }, 4, "", "not attached" },
		{ { "policy", "load", "@IF", "/dev/null" }, 4, "", "not attached" },
		{ { "detach", "--all" }, 0, "0 interfaces detached", "" },
	});
}

TEST_CASE("cli: interfaces and namespaces that do not exist are named", "[cli]")
{
	const std::string long_name(300, 'x');
	Host host;

	check_rows({
		{ { "attach", "nosuch0" }, 1, "", "no interface \"nosuch0\"", "ip link" },
		{ { "attach", "" }, 1, "", "no interface \"\"" },
		{ { "attach", "a/b" }, 1, "", "no interface \"a/b\"" },
		{ { "attach", "sixteen_letters_" }, 1, "", "no interface \"sixteen_letters_\"" },
		{ { "attach", long_name }, 1, "", "no interface", "" },
		{ { "policy", "show", long_name }, 4, "", "not attached" },
		{ { "attach", "@IF", "--profile", long_name }, 2, "", "xxx" },
	});
	check_row({ {}, 1, "", "no network namespace \"nosuch\"", "ip netns list" },
		  host.rxaqm({ "--netns", "nosuch", "status" }));
	check_row({ {}, 1, "", "no network namespace", "" },
		  host.rxaqm({ "--netns", long_name, "status" }));
	for (const char *name : { "", ".", ".." })
		check_row({ {},
			    1,
			    "",
			    ("no network namespace \"" + std::string(name) + "\"").c_str(),
			    "ip netns list" },
			  host.rxaqm({ "--netns", name, "status" }));
}

TEST_CASE("cli: an alternative name of an interface is refused with its name", "[cli]")
{
	Host host;
	Netns netns;

	netns.ip("link add cli0 type veth peer name cli1");
	netns.ip("link property add dev cli0 altname cli-other");
	for (const Args &args :
	     { Args{ "attach", "cli-other" }, Args{ "qualify", "--rows=Q5", "cli-other" } })
		check_row({ {}, 1, "", "\"cli-other\" is an alternative name of \"cli0\"", "use " },
			  host.rxaqm(netns, args));
	/* What is attached is found by either. */
	REQUIRE(host.rxaqm(netns, { "attach", "cli0" }).exit_code == 0);
	CHECK(host.rxaqm(netns, { "status", "cli-other" }).exit_code == 0);
	CHECK(host.rxaqm(netns, { "detach", "cli-other" }).exit_code == 0);
}

TEST_CASE("cli: output that cannot be written is a failure", "[cli]")
{
	Host host;
	Netns netns;

	netns.ip("link add cli0 type veth peer name cli1");
	REQUIRE(host.rxaqm(netns, { "attach", "cli0" }).exit_code == 0);
	for (const char *command :
	     { "status", "status -j", "hist", "--help", "policy show cli0", "policy save cli0",
	       "top -n 1 -i 10ms", "profile show", "profile show -j", "attach --help",
	       "qualify --usage", "qualify --list -j" }) {
		Result result = run({ "sh", "-c",
				      "exec " + rxaqm_path() + " --netns " + netns.name() + " " +
					      command + " >/dev/full" },
				    host.with_environment());
		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(result.err.find("rxaqm: cannot write") == 0);
		CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
	}
}
