// SPDX-License-Identifier: GPL-2.0-only
/* What the daemon itself takes with 16 interfaces of 64 queues. Its work is counted, and held to a
 * budget; how much of a CPU that is depends on the machine, and is printed only.
 */
#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "daemon.hpp"

extern "C" {
#include "state/state.h"
}

namespace
{

constexpr unsigned IFACES = 16, QUEUES = 64;
constexpr long RSS_MAX_KIB = 16 * 1024;
/* In ten seconds, which load stretches; one wake-up for each interface and second would be 160. */
constexpr long WAKEUPS_MAX = 80, CALLS_MAX = 3000;

/* CPU time of @pid so far, in seconds. */
double cpu_seconds(pid_t pid)
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

/* The number after "@key:" in /proc/PID/@file. */
long proc_number(pid_t pid, const char *name, const std::string &key)
{
	std::ifstream file("/proc/" + std::to_string(pid) + "/" + name);
	std::string line;

	while (std::getline(file, line))
		if (line.rfind(key + ":", 0) == 0)
			return strtol(line.c_str() + key.size() + 1, nullptr, 10);
	return -1;
}

/* What a process has done so far. */
struct Work {
	long wakeups, calls;
	double cpu_s;

	explicit Work(pid_t pid)
		: wakeups(proc_number(pid, "status", "voluntary_ctxt_switches"))
		, calls(proc_number(pid, "io", "syscr") + proc_number(pid, "io", "syscw"))
		, cpu_s(cpu_seconds(pid))
	{
	}
};

ino_t inode(const std::string &path)
{
	struct stat st = {};

	stat(path.c_str(), &st);
	return st.st_ino;
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

	for (unsigned i = 0; i < IFACES; i++) {
		std::string n = std::to_string(i);

		netns.ip("link add bg" + n + " numrxqueues 64 numtxqueues 64 type veth peer name " +
			 "pg" + n + " numrxqueues 64 numtxqueues 64");
	}
	service.configure("[Daemon]\nsettle=0ns\nstatus_interval=5s\n[Metrics]\ntextfile=" +
			  service.dir() + "/m.prom\n[Interface bg*]\nmode=enforce\nlease=10m\n");
	service.start();
	CAPTURE(service.log());
	REQUIRE(host.json(netns, { "status" }).size("/interfaces") == IFACES);
	make_busy(host);
	/* From one status file to the second after it: what it does in ten seconds of its own. */
	auto next_status = [&] {
		const ino_t last = inode(service.dir() + "/status.json");

		return eventually([&] { return inode(service.dir() + "/status.json") != last; });
	};
	REQUIRE(next_status());
	const Work before(service.pid());
	REQUIRE(next_status());
	REQUIRE(next_status());
	const Work after(service.pid());
	long rss = 0, most = proc_number(service.pid(), "status", "VmHWM");

	/* Memory of what it has just written goes back after the file is there. */
	eventually(
		[&] {
			rss = proc_number(service.pid(), "status", "VmRSS");
			return rss < RSS_MAX_KIB;
		},
		std::chrono::seconds(2));

	WARN("16 interfaces of 64 queues, in ten seconds: woken "
	     << after.wakeups - before.wakeups << " times, " << after.calls - before.calls
	     << " reads and writes, " << (after.cpu_s - before.cpu_s) * 1000 << " ms of CPU; "
	     << rss << " KiB, at most " << most << " KiB");
	/* The most is reached for a moment, while a program is loaded. */
	CHECK(rss > 0);
	CHECK(rss < RSS_MAX_KIB);
	CHECK(after.wakeups - before.wakeups < WAKEUPS_MAX);
	CHECK(after.calls - before.calls < CALLS_MAX);
}
