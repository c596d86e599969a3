// SPDX-License-Identifier: GPL-2.0-only
#include "qualify.hpp"

#include <catch2/catch_test_macros.hpp>

std::string Record::at(const std::string &row, const std::string &figure) const
{
	for (size_t i = 0; i < json_.size("/rows"); i++) {
		const std::string at = "/rows/" + std::to_string(i);

		if (json_.text(at + "/id") != row)
			continue;
		if (figure.empty())
			return at;
		for (size_t j = 0; j < json_.size(at + "/figures"); j++) {
			const std::string in = at + "/figures/" + std::to_string(j);

			if (json_.text(in + "/name") == figure)
				return in;
		}
	}
	return "";
}

bool Record::has(const std::string &row, const std::string &figure) const
{
	return !at(row, figure).empty();
}

double Record::median(const std::string &row, const std::string &figure) const
{
	return json_.real(at(row, figure) + "/median");
}

double Record::error(const std::string &row, const std::string &figure) const
{
	return json_.real(at(row, figure) + "/error");
}

std::string Record::words(const std::string &row, const std::string &figure) const
{
	const std::string detail = json_.text(at(row, figure) + "/detail");

	return json_.text(at(row, figure) + "/words") + (detail.empty() ? "" : ": " + detail);
}

std::string Record::why(const std::string &row) const
{
	return json_.text(at(row, "") + "/why");
}

std::string Record::verdict(const std::string &row) const
{
	return json_.text(at(row, "") + "/verdict");
}

std::string Record::setup(const std::string &name) const
{
	for (size_t i = 0; i < json_.size("/setup"); i++) {
		const std::string at = "/setup/" + std::to_string(i);

		if (json_.text(at + "/name") == name)
			return json_.text(at + "/value");
	}
	return "";
}

Args qualify_args(const Wire &wire, const std::string &rows, const Args &more)
{
	Args args = { "qualify", wire.rx_if, "--loopback", wire.tx.name() + "/" + wire.tx_if,
		      "--rows",	 rows,	     "--json" };

	args.insert(args.end(), more.begin(), more.end());
	return args;
}

Record qualify(const Host &host, const Wire &wire, const std::string &rows,
	       std::chrono::seconds timeout)
{
	RunOptions options;

	options.timeout = timeout;
	Result result = host.rxaqm(wire.rx, qualify_args(wire, rows, { "--yes-disturb" }), options);
	CAPTURE(result.text());
	REQUIRE(qualify_ended(result));
	UNSCOPED_INFO(result.text());
	return Record(result.out);
}

std::string settings_of(const Netns &netns, const std::string &ifname)
{
	return netns.shell("for file in threaded flags mtu; do cat /sys/class/net/" + ifname +
			   "/$file; done; " + "cat /sys/class/net/" + ifname +
			   "/queues/tx-*/xps_cpus 2>/dev/null; " + "tc qdisc show dev " + ifname +
			   "; ethtool -g " + ifname + " 2>&1; ethtool -l " + ifname +
			   " 2>&1; ethtool -c " + ifname + " 2>&1; " + "ip -d link show dev " +
			   ifname +
			   " | grep -o 'prog/xdp.*'; ls /run/netns | grep rxaqm-qualify; true");
}
