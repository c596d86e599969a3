// SPDX-License-Identifier: GPL-2.0-only
/* doctor --deep switches BQL's detector of stalls on, and back off, however it ends. */
#include <catch2/catch_test_macros.hpp>

#include <fcntl.h>
#include <sys/mman.h>
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
		close(notes);
		doctor_snapshot_free(&snap);
		fs::remove_all(root_);
	}
	void write(unsigned queue, const char *name, unsigned value) const
	{
		std::ofstream(dir_of(queue) + name) << value << "\n";
	}
	/* Its threshold stays at 40 from now on. */
	void set_for_good(unsigned queue)
	{
		const int sealed = memfd_create("40", MFD_ALLOW_SEALING);

		REQUIRE(::write(sealed, "40\n", 3) == 3);
		REQUIRE(!fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW));
		fs::create_symlink("/proc/" + std::to_string(getpid()) + "/fd/" +
					   std::to_string(sealed),
				   root_ + "/sealed");
		fs::rename(root_ + "/sealed", dir_of(queue) + "stall_thrs");
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
		doctor_deep deep = { &snap, stop, time_ns, notes };

		doctor_stalls_watch(&deep, fd);
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
	const int notes = memfd_create("notes", 0);

    private:
	std::string dir_of(unsigned queue) const
	{
		return root_ + "/class/net/eth0/queues/tx-" + std::to_string(queue) +
		       "/byte_queue_limits/";
	}
	std::string root_;
};

/* The first line. */
std::string line_of(const std::string &path)
{
	std::ifstream file(path);
	std::string line;

	std::getline(file, line);
	return line;
}

} // namespace

TEST_CASE("doctor: stalls are counted meanwhile, and the detector is off again",
	  "[doctor][deep][stalls]")
{
	Sysfs sysfs;
	volatile int stop = 0;
	uint64_t value;

	CHECK(doctor_stalls_possible(&sysfs.snap));

	std::thread queue([&] {
		bool on = eventually([&] { return sysfs.is_on(); });

		sysfs.write(1, "stall_cnt", 8);
		sysfs.write(1, "stall_max", 70);
		stop = on;
	});
	sysfs.watch(&stop, 60000000000);
	queue.join();
	CHECK(stop);
	CHECK(sysfs.is_off());
	CHECK(lseek(sysfs.notes, 0, SEEK_END) == 0);
	CHECK(sysfs.snap.cannot_see.nr == 0);
	REQUIRE(sysfs.snap.deep_stalls.nr == 1);
	CHECK(sysfs.snap.deep_stalls.at[0].queue == 1);
	CHECK(sysfs.snap.deep_stalls.at[0].stalls == 3);
	CHECK(sysfs.snap.deep_stalls.at[0].longest_ms == 70);
	CHECK(doctor_map_get(sysfs.snap.deep, "stalls_ns", (__u64 *)&value));
}

TEST_CASE("doctor: a probe that was killed is undone at once", "[doctor][deep][stalls]")
{
	Sysfs sysfs;
	pid_t pid = fork();

	REQUIRE(pid >= 0);
	if (!pid) {
		setpgid(0, 0);
		sysfs.watch(nullptr, 60000000000);
		_exit(0);
	}
	CHECK(eventually([&] { return sysfs.is_on(); }));
	/* What someone has set since is his. */
	sysfs.write(1, "stall_thrs", 25);
	kill(-pid, SIGKILL);
	REQUIRE(waitpid(pid, nullptr, 0) == pid);
	CHECK(eventually([&] { return sysfs.read(0, "stall_thrs").substr(0, 1) == "0"; }));
	CHECK(sysfs.read(1, "stall_thrs") == "25");
}

/* With its guard, as when its cgroup is killed. */
TEST_CASE("doctor: what a probe that was killed has left is undone by the next run",
	  "[doctor][deep][stalls]")
{
	Sysfs sysfs;
	const std::string others = "4711 class/net/eth0/queues/tx-0/byte_queue_limits\n";
	pid_t pid = fork();

	REQUIRE(pid >= 0);
	if (!pid) {
		REQUIRE(write(sysfs.notes, others.data(), others.size()) > 0);
		sysfs.watch(nullptr, 60000000000);
		_exit(0);
	}
	REQUIRE(eventually([&] { return sysfs.is_on(); }));

	const std::string children = line_of("/proc/" + std::to_string(pid) + "/task/" +
					     std::to_string(pid) + "/children");

	REQUIRE(children != "");
	kill(stoi(children), SIGKILL);
	kill(pid, SIGKILL);
	REQUIRE(waitpid(pid, nullptr, 0) == pid);
	REQUIRE(sysfs.is_on());

	/* Someone has set one since. */
	sysfs.write(1, "stall_thrs", 25);
	REQUIRE(lseek(sysfs.notes, 0, SEEK_SET) == 0);
	doctor_stalls_undo(sysfs.notes, sysfs.fd);
	CHECK(sysfs.read(0, "stall_thrs").substr(0, 1) == "0");
	CHECK(sysfs.read(1, "stall_thrs") == "25");
	/* What is in another network namespace waits for a run there. */
	CHECK(line_of("/proc/self/fd/" + std::to_string(sysfs.notes)) + "\n" == others);
}

TEST_CASE("doctor: what cannot be switched off again is said", "[doctor][deep][stalls]")
{
	Sysfs sysfs;
	volatile int stop = 0;

	std::thread queue([&] {
		const bool on = eventually([&] { return sysfs.is_on(); });

		sysfs.set_for_good(0);
		stop = on;
	});
	sysfs.watch(&stop, 60000000000);
	queue.join();
	CHECK(stop);
	REQUIRE(sysfs.snap.cannot_see.nr == 1);
	CHECK(std::string(sysfs.snap.cannot_see.at[0].what) ==
	      "whether the detector of Tx stalls is off again");
	CHECK(sysfs.read(1, "stall_thrs").substr(0, 1) == "0");
}
