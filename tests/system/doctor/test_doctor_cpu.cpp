// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor on programs that read at the end of a wire, and the CPU that they get. */
#include "doctor.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <optional>
#include <sstream>

#include "traffic.hpp"

namespace
{

/* Sends in a process of its own: the program whose CPU is judged shall only read. */
class ProcessSender
{
    public:
	explicit ProcessSender(UdpFlow &flow)
		: pid_(fork())
	{
		REQUIRE(pid_ >= 0);
		if (pid_)
			return;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(flow.rx);

		Ahead ahead;

		for (;;) {
			flow.send(40, 1000);
			usleep(500);
		}
	}
	~ProcessSender()
	{
		kill(pid_, SIGKILL);
		waitpid(pid_, nullptr, 0);
	}

    private:
	pid_t pid_;
};

double thread_cpu_s()
{
	timespec ts = {};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

} // namespace

static void pin(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

/* Of CPU @cpu, since boot: the time that softirqs took, and all of it, in ticks. */
static std::pair<double, double> softirq_time(unsigned cpu)
{
	std::ifstream file("/proc/stat");
	const std::string name = "cpu" + std::to_string(cpu);

	for (std::string line; std::getline(file, line);) {
		std::istringstream words(line);
		std::string word;
		double of_softirqs = 0, all = 0, ticks;

		words >> word;
		if (word != name)
			continue;
		/* user nice system idle iowait irq softirq steal */
		for (int i = 0; i < 8 && words >> ticks; i++) {
			of_softirqs += i == 6 ? ticks : 0;
			all += ticks;
		}
		return { of_softirqs, all };
	}
	return {};
}

/* Another program has the CPU of a reader that is nice; what sends has its own. Softirqs may have
 * that CPU, too, of what else the machine does, and are named then.
 */
TEST_CASE("doctor: a UDP program that gets no CPU", "[doctor][causes][udp]")
{
	if (std::thread::hardware_concurrency() < 2)
		SKIP("needs two CPUs: one to send, one to read");

	Host host;
	Wire wire;
	UdpFlow flow(wire.tx, wire.rx, address_of(Wire::RX_IP4));
	cpu_set_t all;

	sched_getaffinity(0, sizeof(all), &all);
	pin(0);

	const pid_t reader = fork();
	const pid_t hog = reader ? fork() : -1;

	if (!reader || !hog) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(1);
		if (!reader)
			(void)!nice(19);
		else
			close(flow.rx);
		for (;;)
			if (!reader)
				flow.drain();
	}

	ProcessSender sender(flow);

	close(flow.rx);
	flow.rx = -1;
	sched_setaffinity(0, sizeof(all), &all);
	std::this_thread::sleep_for(1s);

	const auto before = softirq_time(1);
	Diagnosis diagnosis = diagnose(host, wire.rx);
	const auto after = softirq_time(1);

	for (pid_t pid : { hog, reader }) {
		kill(pid, SIGKILL);
		waitpid(pid, nullptr, 0);
	}

	const bool softirqs = after.first - before.first >= 0.15 * (after.second - before.second) &&
			      diagnosis.found.count("udp-reader-shares-cpu");

	check_names(diagnosis, softirqs ? "udp-reader-shares-cpu" : "reader-waits-for-cpu",
		    { "udp-overflow" });
}

namespace
{

/* A cgroup that may use a tenth of a CPU, in which process @pid is. */
class Quota
{
    public:
	explicit Quota(pid_t pid)
		: v1_(std::ifstream("/sys/fs/cgroup/cpu/cgroup.procs").good())
		, dir_(std::string("/sys/fs/cgroup") + (v1_ ? "/cpu" : "") + "/rxaqm-t-" +
		       std::to_string(getpid()))
	{
		made_ = !mkdir(dir_.c_str(), 0755) &&
			(v1_ ? write("cpu.cfs_quota_us", "10000") :
			       write("cpu.max", "10000 100000")) &&
			write("cgroup.procs", std::to_string(pid));
	}
	~Quota()
	{
		while (rmdir(dir_.c_str()) && errno == EBUSY)
			std::this_thread::sleep_for(10ms);
	}
	bool made() const
	{
		return made_;
	}

    private:
	bool write(const char *file, const std::string &text) const
	{
		std::ofstream to(dir_ + "/" + file);

		return bool(to << text << std::flush);
	}
	const bool v1_;
	const std::string dir_;
	bool made_;
};

} // namespace

/* It takes 100 us for 1000 bytes, and goes before what else the machine does. */
TEST_CASE("doctor: a TCP program whose cgroup has a quota of the CPU", "[doctor][causes]")
{
	Host host;
	Netns netns;

	set_up(netns);

	Connection connection(netns);
	const pid_t reader = fork();

	if (!reader) {
		char buf[1000];

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpriority(PRIO_PROCESS, 0, -20);
		close(connection.tx);
		for (;;) {
			const auto until = std::chrono::steady_clock::now() + 100us;

			(void)!recv(connection.rx, buf, sizeof(buf), 0);
			while (std::chrono::steady_clock::now() < until)
				;
		}
	}
	close(connection.rx);
	connection.rx = -1;

	std::optional<Diagnosis> diagnosis;
	{
		const Quota quota(reader);
		const std::string text(65536, 'x');
		Meanwhile sender(
			[&] { (void)!send(connection.tx, text.data(), text.size(), MSG_NOSIGNAL); },
			1000us);

		std::this_thread::sleep_for(1s);
		if (quota.made())
			diagnosis = diagnose(host, netns);
		kill(reader, SIGKILL);
		waitpid(reader, nullptr, 0);
	}
	if (!diagnosis)
		SKIP("no cgroup with a quota can be made here");
	check_names(*diagnosis, "reader-waits-for-cpu",
		    { "tcp-reader-slow", "tcp-zero-window", "tcp-not-sent", "tcp-rwnd-limited" });
	CHECK(diagnosis->json.find("has used up its quota") != std::string::npos);
}

/* Who starts it may leave it a socket, and close its own. */
TEST_CASE("doctor: it names a program that reads, never itself", "[doctor][causes]")
{
	Host host;
	Netns netns;
	Result result;

	set_up(netns);

	Connection connection(netns);
	const std::string text(65536, 'x');
	Meanwhile sender([&] { (void)!send(connection.tx, text.data(), text.size(), MSG_NOSIGNAL); },
			 1000us);
	std::thread look([&] { result = host.rxaqm(netns, { "doctor", "--time=3s" }); });

	std::this_thread::sleep_for(1500ms);
	close(connection.rx);
	connection.rx = -1;
	look.join();
	INFO(result.text());
	CHECK(result.out.find("tcp-reader-stopped") != std::string::npos);
	CHECK(result.out.find("rxaqm-doctor (pid") == std::string::npos);
}

TEST_CASE("doctor: a UDP program that takes longer than packets come", "[doctor][causes][udp]")
{
	Host host;
	Wire wire;
	UdpFlow flow(wire.tx, wire.rx, address_of(Wire::RX_IP4));
	Meanwhile sender([&] { flow.send(20, 1000); }, 1000us);
	Meanwhile reader(
		[&] {
			const auto until = std::chrono::steady_clock::now() + 200us;
			char buf[1000];

			(void)!recv(flow.rx, buf, sizeof(buf), MSG_DONTWAIT);
			while (std::chrono::steady_clock::now() < until)
				;
		},
		0us);

	std::this_thread::sleep_for(1s);
	check_names(diagnose(host, wire.rx), "udp-reader-slow", { "udp-overflow" });
}

TEST_CASE("doctor: a UDP program on the CPU that receives its packets", "[doctor][causes][udp]")
{
	Host host;
	Wire wire;

	if (std::thread::hardware_concurrency() < 2)
		SKIP("needs two CPUs: one to send, one to receive");
	wire.rx.shell("echo 2 >/sys/class/net/" + wire.rx_if + "/queues/rx-0/rps_cpus");
	must({ build_path("rig/rigctl"), "--netns", wire.rx.name(), "burn", "attach", wire.rx_if,
	       "cost=20us" });

	UdpFlow flow(wire.tx, wire.rx, address_of(Wire::RX_IP4));
	ProcessSender sender(flow);
	std::atomic<bool> stop{ false };
	std::atomic<unsigned long> taken{ 0 };
	cpu_set_t all;

	/* This thread has run for longer than the reader ever will, and idles now, on CPU 0. */
	REQUIRE(!sched_getaffinity(0, sizeof(all), &all));
	pin(0);
	while (thread_cpu_s() < 6)
		;

	std::thread reader([&] {
		pin(1);
		while (!stop)
			taken += recv(flow.rx, nullptr, 0, MSG_DONTWAIT) >= 0;
	});

	std::this_thread::sleep_for(1s);

	/* A reader that others leave no CPU at all takes nothing, as one that has stopped. */
	std::optional<Diagnosis> diagnosis;
	bool reads = false;

	for (int tries = 0; tries < 3 && !reads; tries++) {
		const unsigned long before = taken;

		diagnosis = diagnose(host, wire.rx);
		reads = taken - before >= 100;
	}
	stop = true;
	reader.join();
	sched_setaffinity(0, sizeof(all), &all);
	if (!reads)
		SKIP("the machine is too busy: its reader had no CPU");
	check_names(*diagnosis, "udp-reader-shares-cpu", { "udp-overflow" });
}
