// SPDX-License-Identifier: GPL-2.0-only
/* The hardware timestamp configuration of a NIC: attach turns it on, detach restores it. */
#include <catch2/catch_test_macros.hpp>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>

#include "guest.hpp"
#include "traffic.hpp"

namespace
{

/* For a child: make SIOCSHWTSTAMP fail from now on, as if the driver broke. */
int refuse_timestamps()
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SIOCSHWTSTAMP, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	static const struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

struct Stamping {
	Host host;
	std::unique_ptr<Wire> wire = simnic_wire();

	explicit Stamping(int filter_before)
	{
		set_hwtstamp(wire->rx, wire->rx_if, HWTSTAMP_TX_OFF, filter_before);
		REQUIRE(filter() == filter_before);
		Result result = host.rxaqm(wire->rx, { "attach", wire->rx_if, "signal=stamp" });
		CAPTURE(result.text());
		REQUIRE(result.exit_code == 0);
		REQUIRE(filter() == HWTSTAMP_FILTER_ALL);
	}
	int filter()
	{
		return hwtstamp_of(wire->rx, wire->rx_if).rx_filter;
	}
	Result detach(RunOptions options = {})
	{
		return host.rxaqm(wire->rx, { "detach", wire->rx_if }, std::move(options));
	}
};

} // namespace

TEST_CASE("hwtstamp: on while attached, off again after", "[hwtstamp]")
{
	in_guest();
	Stamping s(HWTSTAMP_FILTER_NONE);

	CHECK(s.host.json(s.wire->rx, { "status" }).text("/interfaces/0/stamp") == "hwtstamp");
	CHECK(all_traffic(*s.wire).empty());
	CHECK(s.host.stat(s.wire->rx, s.wire->rx_if, "packets") > 100);
	CHECK(s.host.stat(s.wire->rx, s.wire->rx_if, "stamp_missing") == 0);
	Result result = s.detach();
	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	CHECK(result.err.empty());
	CHECK(s.filter() == HWTSTAMP_FILTER_NONE);
	CHECK(s.host.gone());
}

TEST_CASE("hwtstamp: what was on before stays on", "[hwtstamp]")
{
	in_guest();
	Stamping s(HWTSTAMP_FILTER_ALL);

	CHECK(s.detach().exit_code == 0);
	CHECK(s.filter() == HWTSTAMP_FILTER_ALL);
}

TEST_CASE("hwtstamp: detach that cannot put it back says so, and detaches", "[hwtstamp]")
{
	in_guest();
	Stamping s(HWTSTAMP_FILTER_NONE);
	RunOptions options;

	options.prepare = refuse_timestamps;
	Result result = s.detach(options);
	CAPTURE(result.text());
	CHECK(result.err.find("timestamp") != std::string::npos);
	CHECK(result.err.find(s.wire->rx_if) != std::string::npos);
	CHECK(s.filter() == HWTSTAMP_FILTER_ALL);
	CHECK(xdp_on(s.wire->rx, s.wire->rx_if) == 0);
	CHECK(s.host.gone());
}

TEST_CASE("hwtstamp: attach that cannot turn it on says so, and undoes itself", "[hwtstamp]")
{
	in_guest();
	Host host;
	std::unique_ptr<Wire> wire = simnic_wire();
	RunOptions options;

	set_hwtstamp(wire->rx, wire->rx_if, HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_NONE);
	options.prepare = refuse_timestamps;
	Result result = host.rxaqm(wire->rx, { "attach", wire->rx_if, "signal=stamp" }, options);
	CAPTURE(result.text());
	CHECK(result.exit_code == 3);
	CHECK(result.err.find("signal=busy") != std::string::npos);
	CHECK(hwtstamp_of(wire->rx, wire->rx_if).rx_filter == HWTSTAMP_FILTER_NONE);
	CHECK(xdp_on(wire->rx, wire->rx_if) == 0);
}
