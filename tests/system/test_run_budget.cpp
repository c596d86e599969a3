// SPDX-License-Identifier: GPL-2.0-only
/* What the daemon itself takes with 16 interfaces of 64 queues: printed, and held to the budget. */
#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "daemon.hpp"

extern "C" {
#include "state.h"
}

namespace
{

constexpr unsigned IFACES = 16, QUEUES = 64;
constexpr long RSS_MAX_KIB = 16 * 1024;
constexpr double CPU_MAX_PERCENT = 0.5;

/* CPU time of @pid so far, in seconds. */
double cpu_s(pid_t pid)
{
	std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
	std::string text((std::istreambuf_iterator<char>(file)), {});
	std::istringstream fields(text.substr(text.rfind(')') + 2));
	std::string skipped;
	long user, system;

	for (int i = 0; i < 11; i++)
		fields >> skipped;
	fields >> user >> system;
	return double(user + system) / double(sysconf(_SC_CLK_TCK));
}

long status_kib(pid_t pid, const std::string &key)
{
	std::ifstream file("/proc/" + std::to_string(pid) + "/status");
	std::string line;

	while (std::getline(file, line))
		if (line.rfind(key + ":", 0) == 0)
			return strtol(line.c_str() + key.size() + 1, nullptr, 10);
	return -1;
}

/* All queues as they are after a day of traffic, without the day: what nobody polls costs the
 * daemon next to nothing.
 */
void make_busy(const Host &host)
{
	struct rxaqm_state state = {};
	struct rxaqm_error error = {};

	state.lock_fd = -1;
	setenv("RXAQM_BPFFS", host.bpffs().c_str(), 1);
	int err = rxaqm_state_open(&state, true, &error);
	unsetenv("RXAQM_BPFFS");
	CAPTURE(error.text);
	REQUIRE(err == 0);
	for (unsigned i = 0; i < IFACES * QUEUES; i++) {
		struct rxaqm_queue *q = &state.queue[i];

		q->flags |= RXAQM_QUEUE_POLLED | RXAQM_QUEUE_SAMPLED;
		for (unsigned s = 0; s < RXAQM_NR_STATS; s++)
			q->stat[s] = 1000000000ULL + i * s;
		for (unsigned b = 0; b < RXAQM_HIST_BUCKETS; b++)
			q->hist[b] = 1000000 + i;
	}
	rxaqm_state_close(&state);
}

} // namespace

TEST_CASE("run: memory and CPU time with 16 interfaces of 64 queues", "[run][budget]")
{
	Host host;
	Netns netns;
	Service service{ host, netns };
	double percent = 100;

	for (unsigned i = 0; i < IFACES; i++) {
		std::string n = std::to_string(i);

		netns.ip("link add bg" + n + " numrxqueues 64 numtxqueues 64 type veth peer name " +
			 "pg" + n + " numrxqueues 64 numtxqueues 64");
	}
	service.configure(
		"[Daemon]\nsettle=0ns\n[Metrics]\nlisten=127.0.0.1:0\ntextfile=" + service.dir() +
		"/m.prom\n[Interface bg*]\nauto_enforce=yes\nlease=10m\n");
	service.start();
	CAPTURE(service.log());
	REQUIRE(host.json(netns, { "status" }).size("/interfaces") == IFACES);
	make_busy(host);
	/* Other work on the machine can only add to it. */
	for (int i = 0; i < 3 && percent > CPU_MAX_PERCENT; i++) {
		double before = cpu_s(service.pid());

		std::this_thread::sleep_for(std::chrono::seconds(30));
		percent = (cpu_s(service.pid()) - before) * 100 / 30;
	}
	long rss = status_kib(service.pid(), "VmRSS"), most = status_kib(service.pid(), "VmHWM");

	WARN("16 interfaces of 64 queues: " << percent << " % of a CPU, " << rss << " KiB, at most "
					    << most << " KiB");
	/* The most is reached for a moment, while a program is loaded. */
	CHECK(rss > 0);
	CHECK(rss < RSS_MAX_KIB);
	CHECK(percent < CPU_MAX_PERCENT);
}
