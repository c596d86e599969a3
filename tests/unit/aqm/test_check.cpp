/* SPDX-License-Identifier: GPL-2.0-only */
/* What monitoring is told, and the counters of packets that a full queue lost. */
#include <catch2/catch_test_macros.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

#include "text.hpp"

extern "C" {
#include "base/procfs.h"
#include "report/check.h"
}

static const __u64 MS = RXAQM_NSEC_PER_MSEC;
static const __u64 SEC = RXAQM_NSEC_PER_SEC;

namespace
{

struct Check {
	rxaqm_check_sum sum = {};
	rxaqm_check_iface iface = {};

	Check()
	{
		sum.warn_ns = 2 * SEC;
		sum.crit_ns = 60 * SEC;
		strcpy(iface.name, "eth0");
	}

	static rxaqm_check_queue over(__u64 stood_ns, __u64 sojourn_ns, bool enforced)
	{
		rxaqm_check_queue queue = {};

		queue.queue = 3;
		queue.look.stands = true;
		/* As rxaqm_overload_look() does it. */
		queue.look.over = !enforced || sojourn_ns > RXAQM_OVERLOAD_SLACK * 2 * MS;
		queue.look.enforced = enforced;
		queue.look.stood_ns = stood_ns;
		queue.look.sojourn_ns = sojourn_ns;
		queue.look.target_ns = 2 * MS;
		return queue;
	}

	Check &add(const rxaqm_check_queue &queue)
	{
		rxaqm_check_add_queue(&sum, &iface, &queue);
		return *this;
	}

	/* The line, and its level. */
	std::string print(int *ret_level = nullptr)
	{
		char *text = nullptr;
		size_t size = 0;

		rxaqm_check_add_iface(&sum, &iface);
		FILE *file = open_memstream(&text, &size);
		int level = rxaqm_check_print(&sum, file, false);
		std::fclose(file);
		std::string line(text, size);
		std::free(text);
		CHECK(level == sum.level);
		CHECK(line.find('\n') == line.size() - 1);
		CHECK(line.find('|') == line.rfind('|'));
		if (ret_level)
			*ret_level = level;
		return line;
	}
};

} // namespace

TEST_CASE("check: a queue that stands over its target", "[check]")
{
	const struct {
		__u64 stood_ns, sojourn_ns;
		bool enforced;
		int level;
	} rows[] = {
		{ 1 * SEC, 84 * MS, false, RXAQM_CHECK_OK }, /* a burst */
		{ 2 * SEC, 84 * MS, false, RXAQM_CHECK_WARNING },
		{ 60 * SEC - 1, 84 * MS, false, RXAQM_CHECK_WARNING },
		{ 60 * SEC, 84 * MS, false, RXAQM_CHECK_CRITICAL },
		{ 60 * SEC, 2 * MS + 1, false, RXAQM_CHECK_CRITICAL },
		/* Control at work. */
		{ 3600 * SEC, 4 * MS, true, RXAQM_CHECK_OK },
		{ 3600 * SEC, 4 * MS + 1, true, RXAQM_CHECK_WARNING },
		{ 1 * SEC, 84 * MS, true, RXAQM_CHECK_OK },
	};

	for (const auto &row : rows) {
		Check check;
		int level;

		check.add(Check::over(row.stood_ns, row.sojourn_ns, row.enforced)).print(&level);
		CAPTURE(row.stood_ns, row.sojourn_ns, row.enforced);
		CHECK(level == row.level);
	}
}

TEST_CASE("check: an application that is too slow is named", "[check]")
{
	Check check;
	rxaqm_check_queue queue = Check::over(90 * SEC, 84 * MS, false);
	int level;

	queue.look.waiting = true;
	CHECK(has(check.add(queue).print(&level),
		  "queue 3 has waited for its application for 1m30s: sojourn 84ms"));
	CHECK(level == RXAQM_CHECK_CRITICAL);
}

TEST_CASE("check: exempt traffic that holds a queue is named", "[check]")
{
	Check check;
	rxaqm_check_queue queue = Check::over(90 * SEC, 84 * MS, true);
	int level;

	queue.look.exempt_percent = 97;
	snprintf(queue.look.exempt, sizeof(queue.look.exempt), "ICMP, exempt_ports=22");
	CHECK(has(check.add(queue).print(&level),
		  "although enforced; exempt traffic holds it (97 %), law=codel cannot help; exempt: "
		  "ICMP, exempt_ports=22 |"));
	CHECK(level == RXAQM_CHECK_WARNING);
}

TEST_CASE("check: the line, exactly", "[check]")
{
	Check good, bad;
	rxaqm_check_queue calm = {};

	good.add(calm).add(calm);
	CHECK(good.print() ==
	      "RXAQM OK - 1 interface, 2 queues, 0 of them standing, none over its target for long | "
	      "'eth0_standing'=0;;;0;2 'eth0_sojourn'=0.000000s;;;0 "
	      "'eth0_stood'=0.000000s;2.000000;60.000000;0\n");
	bad.iface.overflow_known = true;
	bad.add(calm).add(Check::over(125 * SEC, 84 * MS, false));
	CHECK(bad.print() ==
	      "RXAQM CRITICAL - eth0 queue 3 has stood for 2m5s: sojourn 84ms, target 2ms, not "
	      "enforced | 'eth0_standing'=1;;;0;2 'eth0_sojourn'=0.084000s;;;0 "
	      "'eth0_stood'=125.000000s;2.000000;60.000000;0 'eth0_overflow'=0;;0;0\n");
}

TEST_CASE("check: a driver that has lost the program", "[check]")
{
	for (bool lost : { false, true }) {
		Check check;
		int level;

		check.iface.unseen = lost ? 100 : 0;
		CHECK(has(check.print(&level),
			  "eth0 received 100 packets, of which the XDP program "
			  "saw none: the driver has lost it") == lost);
		CHECK(level == (lost ? RXAQM_CHECK_CRITICAL : RXAQM_CHECK_OK));
	}
}

TEST_CASE("check: the worst is told, and how much more there is", "[check]")
{
	Check check;
	rxaqm_check_queue unstamped = {}, distrusted = {};
	int level;

	unstamped.unstamped = true;
	distrusted.distrust = "stamped later than received";
	check.add(unstamped).add(distrusted);
	check.add(Check::over(60 * SEC, 84 * MS, false));
	check.add(Check::over(70 * SEC, 90 * MS, false));
	std::string line = check.print(&level);
	CHECK(level == RXAQM_CHECK_CRITICAL);
	CHECK(line.find("eth0 queue 3 has stood for 1m") != std::string::npos);
	CHECK(line.find("(and 3 more)") != std::string::npos);
	/* The figures are the largest. */
	CHECK(line.find("'eth0_sojourn'=0.090000s") != std::string::npos);
	CHECK(line.find("'eth0_stood'=70.000000s") != std::string::npos);
	CHECK(line.find("'eth0_standing'=2;;;0;4") != std::string::npos);
}

TEST_CASE("check: stamps that are not believed, or do not come", "[check]")
{
	Check distrust, missing;
	rxaqm_check_queue queue = {};
	int level;

	queue.distrust = "stamped later than received";
	CHECK(distrust.add(queue).print(&level).find(
		      "eth0 queue 0: stamps not believed: stamped later than received") !=
	      std::string::npos);
	CHECK(level == RXAQM_CHECK_WARNING);
	queue.distrust = nullptr;
	queue.unstamped = true;
	CHECK(missing.add(queue).print(&level).find("without stamps") != std::string::npos);
	CHECK(level == RXAQM_CHECK_WARNING);
}

TEST_CASE("check: overflow is critical, enforced or not", "[check]")
{
	Check check;
	int level;

	check.iface.overflow_known = true;
	check.iface.overflow = 446;
	std::string line = check.print(&level);
	CHECK(level == RXAQM_CHECK_CRITICAL);
	CHECK(line.find("eth0 overflows: 446 packets lost") != std::string::npos);
	CHECK(line.find("'eth0_overflow'=446;;0;0") != std::string::npos);
}

TEST_CASE("check: what cannot be told is unknown, but critical goes first", "[check]")
{
	rxaqm_check_sum sum = {};

	rxaqm_check_find(&sum, RXAQM_CHECK_UNKNOWN, nullptr, "no permission");
	CHECK(sum.level == RXAQM_CHECK_UNKNOWN);
	CHECK(std::string(sum.text) == "no permission");
	rxaqm_check_find(&sum, RXAQM_CHECK_WARNING, nullptr, "w");
	CHECK(sum.level == RXAQM_CHECK_WARNING);
	rxaqm_check_find(&sum, RXAQM_CHECK_UNKNOWN, nullptr, "u");
	CHECK(sum.level == RXAQM_CHECK_WARNING);
	rxaqm_check_find(&sum, RXAQM_CHECK_CRITICAL, nullptr, "c");
	CHECK(sum.level == RXAQM_CHECK_CRITICAL);
	rxaqm_check_find(&sum, RXAQM_CHECK_CRITICAL, nullptr, "later");
	CHECK(std::string(sum.text) == "c");
}

TEST_CASE("check: a line that cannot be written is unknown", "[check]")
{
	rxaqm_check_sum sum = {};
	FILE *full = std::fopen("/dev/full", "w");

	REQUIRE(full);
	CHECK(rxaqm_check_print(&sum, full, false) == RXAQM_CHECK_UNKNOWN);
	std::fclose(full);
}

static __s64 parse_softnet(const std::string &text)
{
	char path[] = "/tmp/rxaqm-softnet-XXXXXX";
	int fd = mkstemp(path);

	REQUIRE(fd >= 0);
	CHECK(write(fd, text.data(), text.size()) == (ssize_t)text.size());
	close(fd);
	__s64 packets = rxaqm_backlog_drops(path);
	unlink(path);
	return packets;
}

TEST_CASE("check: drops of the backlogs are the second column of all CPUs", "[check]")
{
	CHECK(parse_softnet("0001f2c5 00000010 00000002 00000000 00000000\n"
			    "00000000 0000000a 00000002 00000000 00000000\n") == 26);
	/* They wrap. */
	CHECK(parse_softnet("0 ffffffff\n0 00000003\n") == 2);
	CHECK(parse_softnet("none\n") == -EINVAL);
	CHECK(parse_softnet("00000001\n") == -EINVAL);
	CHECK(parse_softnet("\n") == -EINVAL);
	CHECK(parse_softnet("") == -EINVAL);
	CHECK(rxaqm_backlog_drops("/no/such/file") == -ENOENT);
	CHECK(rxaqm_backlog_drops(RXAQM_SOFTNET_STAT) >= 0);
}

TEST_CASE("check: drops of a ring are asked for by name", "[check]")
{
	CHECK(rxaqm_check_ring_drops("lo") == 0);
	CHECK(rxaqm_check_ring_drops("no-such-if") == -ENODEV);
}
