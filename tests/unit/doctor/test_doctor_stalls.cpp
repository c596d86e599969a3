// SPDX-License-Identifier: GPL-2.0-only
/* doctor --deep switches BQL's detector of stalls on, and back off, however it ends. */
#include <catch2/catch_test_macros.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "process.hpp"

extern "C" {
#include "doctor/deep/deep.h"
#include "doctor/snapshot/get.h"
}

using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace
{

/* A sysfs with two Tx queues of "eth0", and a snapshot of it. */
class Sysfs
{
    public:
	Sysfs()
	{
		char dir[] = "/tmp/rxaqm-t-stalls-XXXXXX";

		REQUIRE(mkdtemp(dir));
		root_ = dir;
		fd = open(dir, O_PATH | O_DIRECTORY);
		REQUIRE(fd >= 0);

		doctor_iface *iface = (doctor_iface *)rxaqm_list_add(&snap.after.ifaces);

		snprintf(iface->name, sizeof(iface->name), "eth0");
		iface->ifindex = 2;
		for (unsigned i = 0; i < 2; i++) {
			doctor_queue *queue = (doctor_queue *)rxaqm_list_add(&iface->queues);

			queue->id = i;
			queue->tx = true;
			queue->bql_limit = 90000;
			fs::create_directories(dir_of(i));
			write(i, "stall_thrs", 0);
			write(i, "stall_cnt", 5);
			write(i, "stall_max", 0);
		}
	}
	~Sysfs()
	{
		close(fd);
		doctor_snapshot_free(&snap);
		fs::remove_all(root_);
	}
	std::string note() const
	{
		return root_ + "/note";
	}
	void write(unsigned queue, const char *name, unsigned value) const
	{
		std::ofstream(dir_of(queue) + name) << value << "\n";
	}
	/* What was written last: a file is not cut short as sysfs' are. */
	std::string read(unsigned queue, const char *name) const
	{
		std::ifstream file(dir_of(queue) + name);
		std::string word;

		file >> word;
		return word;
	}
	/* As long as @probe says; in this process. */
	void watch(volatile int *stop, uint64_t time_ns)
	{
		doctor_deep deep = { &snap, stop, time_ns };

		doctor_stalls_watch(&deep, fd, note().c_str());
	}
	bool is_on() const
	{
		return read(0, "stall_thrs") == "40" && read(1, "stall_thrs") == "40";
	}
	bool is_off() const
	{
		return read(0, "stall_thrs").substr(0, 1) == "0" &&
		       read(1, "stall_thrs").substr(0, 1) == "0";
	}

	doctor_snapshot snap = {};
	int fd;

    private:
	std::string dir_of(unsigned queue) const
	{
		return root_ + "/class/net/eth0/queues/tx-" + std::to_string(queue) +
		       "/byte_queue_limits/";
	}
	std::string root_;
};

} // namespace

TEST_CASE("doctor: stalls are counted meanwhile, and the detector is off again",
	  "[doctor][deep][stalls]")
{
	Sysfs sysfs;
	volatile int stop = 0;
	uint64_t value;

	CHECK(doctor_stalls_possible(&sysfs.snap));

	std::thread queue([&] {
		bool on = eventually([&] { return sysfs.is_on() && fs::exists(sysfs.note()); });

		sysfs.write(1, "stall_cnt", 8);
		sysfs.write(1, "stall_max", 70);
		stop = on;
	});
	sysfs.watch(&stop, 60000000000);
	queue.join();
	CHECK(stop);
	CHECK(sysfs.is_off());
	CHECK(!fs::exists(sysfs.note()));
	REQUIRE(sysfs.snap.deep_stalls.nr == 1);
	CHECK(sysfs.snap.deep_stalls.at[0].queue == 1);
	CHECK(sysfs.snap.deep_stalls.at[0].stalls == 3);
	CHECK(sysfs.snap.deep_stalls.at[0].longest_ms == 70);
	CHECK(doctor_map_get(sysfs.snap.deep, "stalls_ns", (__u64 *)&value));
}

TEST_CASE("doctor: a probe that was killed is undone by the next one", "[doctor][deep][stalls]")
{
	Sysfs sysfs;
	pid_t pid = fork();

	REQUIRE(pid >= 0);
	if (!pid) {
		sysfs.watch(nullptr, 60000000000);
		_exit(0);
	}
	CHECK(eventually([&] { return sysfs.is_on(); }));
	/* While it runs, another one leaves it alone. */
	CHECK(doctor_stalls_restore(sysfs.fd, sysfs.note().c_str()) == 0);
	CHECK(sysfs.is_on());
	sysfs.watch(nullptr, 1);
	CHECK(sysfs.snap.cannot_see.nr == 1);
	CHECK(sysfs.is_on());
	kill(pid, SIGKILL);
	REQUIRE(waitpid(pid, nullptr, 0) == pid);
	CHECK(sysfs.is_on());
	CHECK(fs::exists(sysfs.note()));
	/* What someone has set since is his. */
	sysfs.write(1, "stall_thrs", 25);
	CHECK(doctor_stalls_restore(sysfs.fd, sysfs.note().c_str()) == 1);
	CHECK(sysfs.read(0, "stall_thrs").substr(0, 1) == "0");
	CHECK(sysfs.read(1, "stall_thrs") == "25");
	CHECK(!fs::exists(sysfs.note()));
	CHECK(doctor_stalls_restore(sysfs.fd, sysfs.note().c_str()) == 0);
}

TEST_CASE("doctor: without a note nothing is changed", "[doctor][deep][stalls]")
{
	Sysfs sysfs;
	doctor_deep deep = { &sysfs.snap, nullptr, 1 };

	doctor_stalls_watch(&deep, sysfs.fd, "/nonexistent/note");
	CHECK(sysfs.is_off());
	REQUIRE(sysfs.snap.cannot_see.nr == 1);
	CHECK(std::string(sysfs.snap.cannot_see.at[0].why).find("/nonexistent/note") !=
	      std::string::npos);
}

TEST_CASE("doctor: a note that cannot be read, or done, is kept", "[doctor][deep][stalls]")
{
	Sysfs sysfs;
	const std::string queue = "class/net/eth0/queues/tx-0/byte_queue_limits\n";

	sysfs.write(0, "stall_thrs", 40);
	SECTION("it holds what is no queue")
	{
		std::ofstream(sysfs.note()) << "nonsense\n" << queue;
		CHECK(doctor_stalls_restore(sysfs.fd, sysfs.note().c_str()) == -EBADMSG);
		/* What can be undone is. */
		CHECK(sysfs.read(0, "stall_thrs").substr(0, 1) == "0");
		CHECK(fs::exists(sysfs.note()));
	}
	SECTION("there is no descriptor for what it names")
	{
		std::ofstream(sysfs.note()) << queue;
		std::vector<int> taken;
		for (int fd; (fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;)
			taken.push_back(fd);
		REQUIRE(!taken.empty());
		close(taken.back());
		taken.pop_back();
		const int err = doctor_stalls_restore(sysfs.fd, sysfs.note().c_str());
		for (int fd : taken)
			close(fd);
		CHECK(err == -EMFILE);
		CHECK(fs::exists(sysfs.note()));
		/* The next one can. */
		CHECK(doctor_stalls_restore(sysfs.fd, sysfs.note().c_str()) == 1);
		CHECK(!fs::exists(sysfs.note()));
	}
	SECTION("nor is it written over by a probe")
	{
		std::ofstream(sysfs.note()) << "nonsense\n";
		sysfs.watch(nullptr, 1);
		CHECK(sysfs.snap.cannot_see.nr == 1);
		std::ifstream note(sysfs.note());
		std::string line;
		std::getline(note, line);
		CHECK(line == "nonsense");
	}
	SECTION("a line that was cut short notes nothing that was changed")
	{
		std::ofstream(sysfs.note()) << queue << "class/net/eth0/queu";
		CHECK(doctor_stalls_restore(sysfs.fd, sysfs.note().c_str()) == 1);
		CHECK(!fs::exists(sysfs.note()));
	}
}
