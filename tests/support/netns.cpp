// SPDX-License-Identifier: GPL-2.0-only
#include "netns.hpp"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "json.hpp"
#include "process.hpp"

namespace fs = std::filesystem;

namespace
{

const std::string PREFIX = "rxaqm-t-";
const fs::path NETNS_DIR = "/run/netns";

Args words(const std::string &text)
{
	std::istringstream in(text);
	std::string word;
	Args out;

	while (in >> word)
		out.push_back(word);
	return out;
}

[[noreturn]] void fail(const std::string &what)
{
	throw std::system_error(errno, std::generic_category(), what);
}

/* The pid in "rxaqm-t-PID-..." if the name is one of ours, or 0. */
long owner_of(const std::string &name)
{
	if (name.compare(0, PREFIX.size(), PREFIX))
		return 0;
	return atol(name.c_str() + PREFIX.size());
}

bool is_left_over(const std::string &name)
{
	long owner = owner_of(name);

	return owner && owner != getpid() && !is_test_program(owner);
}

} // namespace

bool is_test_program(long pid)
{
	std::error_code error;
	fs::path exe = fs::read_symlink("/proc/" + std::to_string(pid) + "/exe", error);

	return !error && exe.parent_path().filename() == "tests";
}

void sweep_leftovers()
{
	std::error_code error;

	for (const fs::path &dir : { NETNS_DIR, fs::path("/tmp") }) {
		for (const auto &entry : fs::directory_iterator(dir, error)) {
			std::string name = entry.path().filename();

			if (!is_left_over(name))
				continue;
			if (dir == NETNS_DIR) {
				run({ "ip", "netns", "delete", name });
				continue;
			}
			umount2(entry.path().c_str(), MNT_DETACH);
			rmdir(entry.path().c_str());
		}
	}
}

Netns::Netns()
{
	static std::atomic<unsigned> count;
	static std::once_flag swept;

	std::call_once(swept, sweep_leftovers);
	name_ = PREFIX + std::to_string(getpid()) + "-" + std::to_string(count++);
	must({ "ip", "netns", "add", name_ });
	ip("link set lo up");
}

Netns::~Netns()
{
	if (!removed_)
		run({ "ip", "netns", "delete", name_ });
}

void Netns::remove()
{
	must({ "ip", "netns", "delete", name_ });
	removed_ = true;
}

std::string Netns::ip(const std::string &text) const
{
	Args args = { "ip", "-n", name_ }, more = words(text);

	args.insert(args.end(), more.begin(), more.end());
	return must(args);
}

std::string Netns::shell(const std::string &command) const
{
	return must({ "ip", "netns", "exec", name_, "sh", "-c", command });
}

void Netns::enter(const std::function<void()> &what) const
{
	std::exception_ptr thrown;

	std::thread([&] {
		try {
			int fd = open((NETNS_DIR / name_).c_str(), O_RDONLY | O_CLOEXEC);

			if (fd < 0 || setns(fd, CLONE_NEWNET))
				fail("enter " + name_);
			close(fd);
			what();
		} catch (...) {
			thrown = std::current_exception();
		}
	}).join();
	if (thrown)
		std::rethrow_exception(thrown);
}

int Netns::socket(int family, int type, int protocol) const
{
	int fd = -1;

	enter([&] {
		fd = ::socket(family, type | SOCK_CLOEXEC, protocol);
		if (fd < 0)
			fail("socket in " + name_);
	});
	return fd;
}

unsigned Netns::ifindex(const std::string &ifname) const
{
	unsigned index = 0;

	enter([&] { index = if_nametoindex(ifname.c_str()); });
	return index;
}

/* The name must be unique on the machine: kernel threads are found by it. */
Wire::Wire(unsigned queues)
	: tx_if("t" + std::to_string(getpid()))
	, rx_if("r" + std::to_string(getpid()))
{
	std::string n = std::to_string(queues), same = " numtxqueues " + n + " numrxqueues " + n;

	rx.ip("link add " + rx_if + " address " + RX_MAC + same + " type veth peer name " + tx_if +
	      " address " + TX_MAC + " netns " + tx.name() + same);
	set_up();
}

Wire::Wire(const std::string &tx_device, const std::string &rx_device)
	: tx_if(tx_device)
	, rx_if(rx_device)
	, borrowed_(true)
{
	if (!if_nametoindex(tx_device.c_str()) || !if_nametoindex(rx_device.c_str()))
		throw std::runtime_error("no interfaces " + tx_device + " and " + rx_device);
	must({ "ip", "link", "set", tx_device, "down", "address", TX_MAC, "netns", tx.name() });
	must({ "ip", "link", "set", rx_device, "down", "address", RX_MAC, "netns", rx.name() });
	set_up();
}

/* When a namespace goes, the kernel returns its devices only later. Move them back now, for the
 * next test.
 */
Wire::~Wire()
{
	const std::string here = std::to_string(getpid());

	if (!borrowed_)
		return;
	run({ "ip", "-n", tx.name(), "link", "set", tx_if, "netns", here });
	run({ "ip", "-n", rx.name(), "link", "set", rx_if, "netns", here });
}

void Wire::set_up() const
{
	tx.ip("address add " + std::string(TX_IP4) + "/24 dev " + tx_if);
	tx.ip("address add " + std::string(TX_IP6) + "/64 dev " + tx_if + " nodad");
	rx.ip("address add " + std::string(RX_IP4) + "/24 dev " + rx_if);
	rx.ip("address add " + std::string(RX_IP6) + "/64 dev " + rx_if + " nodad");
	/* Otherwise the first packets wait for neighbour discovery, with IPv6 half a second. */
	for (const char *ip : { RX_IP4, RX_IP6 })
		tx.ip("neighbour add " + std::string(ip) + " lladdr " + RX_MAC + " dev " + tx_if);
	for (const char *ip : { TX_IP4, TX_IP6 })
		rx.ip("neighbour add " + std::string(ip) + " lladdr " + TX_MAC + " dev " + rx_if);
	tx.ip("link set " + tx_if + " up");
	rx.ip("link set " + rx_if + " up");
}

unsigned long long Wire::tx_dropped() const
{
	Json stats(tx.ip("-j -s link show dev " + tx_if));

	return static_cast<unsigned long long>(stats.number("/0/stats64/tx/dropped"));
}

void Wire::pin_napi(unsigned cpu, int nice) const
{
	const std::string name = "napi/" + rx_if + "-";
	std::error_code error;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	rx.shell("echo 1 >/sys/class/net/" + rx_if + "/threaded");
	bool found = eventually([&] {
		unsigned pinned = 0;

		for (const auto &entry : fs::directory_iterator("/proc", error)) {
			pid_t pid = atoi(entry.path().filename().c_str());
			std::string comm;

			if (!pid || !(std::ifstream(entry.path() / "comm") >> comm) ||
			    comm.compare(0, name.size(), name))
				continue;
			pinned += !sched_setaffinity(pid, sizeof(cpus), &cpus);
			setpriority(PRIO_PROCESS, id_t(pid), nice);
		}
		return pinned > 0;
	});
	if (!found)
		throw std::runtime_error("no thread " + name + "*: is XDP attached natively?");
}
