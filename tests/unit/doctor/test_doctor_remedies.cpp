// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor: the commands of its remedies run as they are printed. */
#include "doctor_case.hpp"

#include <regex>
#include <sched.h>
#include <unistd.h>

#include "process.hpp"

/* Of all golden cases, each once. */
static std::set<std::string> all_commands()
{
	std::set<std::string> all;

	for (const Case &one : doctor_cases()) {
		Bundle bundle;

		one.change(bundle);
		for (const std::string &command : Diagnosis(bundle).commands())
			all.insert(command);
	}
	return all;
}

TEST_CASE("doctor: each command of a remedy is one, with its values", "[doctor][remedies]")
{
	static const std::regex left(
		"\\$\\{|\\b(IFACE|MASK|CPUS?|PID|IRQ|UNIT|PEER|NETNS)\\b|[ /]rx-N|rx N|"
		"not known|<|…");
	static const std::regex tools(
		"(bpftool|cat|chrt|dmesg|echo|ethtool|for|gdb|ip|iptables|lspci|n=0;|nft|nmcli|perf|renice|"
		"rxaqm|ss|sysctl|systemctl|taskset|tc|tcpdump|top|udevadm) .*");
	const std::set<std::string> all = all_commands();

	CHECK(all.size() > 90);
	for (const std::string &command : all) {
		INFO(command);
		CHECK(!std::regex_search(command, left));
		CHECK(std::regex_match(command + " ", tools));
		CHECK(run({ "sh", "-nc", command }).exit_code == 0);
	}
}

/* In a namespace with an interface of that name: what changes this host, or asks for its hardware,
 * is not run.
 */
TEST_CASE("doctor: the commands of remedies run in a network namespace", "[doctor][remedies]")
{
	static const char begin[] =
		"mount -t sysfs sysfs /sys && ip link add eth0 numrxqueues 4 type veth peer name peer0 && "
		"ip link set lo up && ip link set eth0 up && ";
	static const std::regex here(
		"sysctl -w net\\.ipv4\\.(tcp_|conf\\.).*|ip link set .*|tc -s .*|ss .*|"
		"ethtool -K \\S+ (gro|tso|tx) .*|for q in .*rps_cpus.*|"
		"echo [0-9a-f]+ >/sys/class/net/eth0/queues/rx-[0-3]/.*|bpftool net show .*");
	unsigned nr = 0;

	if (geteuid() != 0 ||
	    run({ "unshare", "-n", "-m", "sh", "-c", std::string(begin) + "true" }).exit_code)
		SKIP("needs root, to make a namespace");
	for (const std::string &command : all_commands()) {
		if (!std::regex_match(command, here))
			continue;
		if (command.starts_with("bpftool") && run({ "which", "bpftool" }).exit_code)
			continue;

		/* A setting that this kernel or namespace lacks is no fault of the command. */
		if (command.starts_with("sysctl -w ")) {
			const std::string name = command.substr(10, command.find('=') - 10);

			if (run({ "unshare", "-n", "sysctl", "-n", name }).exit_code ||
			    name == "net.ipv4.tcp_mem" || name == "net.ipv4.tcp_congestion_control")
				continue;
		}

		const Result result = run(
			{ "unshare", "-n", "-m", "sh", "-c", std::string(begin) + command });

		INFO(command << "\n" << result.text());
		CHECK(result.exit_code == 0);
		nr++;
	}
	CHECK(nr >= 20);
}
