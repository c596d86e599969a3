// SPDX-License-Identifier: GPL-2.0-only
/* The daemon: what fails may pass, and whoever is slow is not waited for. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "daemon.hpp"
#include "text.hpp"

namespace
{

/* Calls of the daemon that are made to fail. */
struct Faulty : Run {
	Faulty()
	{
#ifdef __SANITIZE_ADDRESS__
		SKIP("nothing may be loaded before the sanitizer's library");
#endif
		library_ = preload_library(service.dir(), "faults");
	}
	Args environment() const
	{
		return { "LD_PRELOAD=" + library_, "FAULTS=" + service.dir() };
	}
	void set(const std::string &name, int err) const
	{
		/* Whole at once, for the daemon may look. */
		std::ofstream(service.dir() + "/new") << err << "\n";
		std::filesystem::rename(service.dir() + "/new", service.dir() + "/" + name);
	}
	void clear(const std::string &name) const
	{
		std::filesystem::remove(service.dir() + "/" + name);
	}
	bool attached() const
	{
		return xdp_on(wire.rx, wire.rx_if) != 0;
	}

    private:
	std::string library_;
};

/* The lock of all commands, held as by one that takes long. */
class Lock
{
    public:
	explicit Lock(const Host &host)
	{
		mkdir(host.state_dir().c_str(), 0700); /* where nothing is attached yet */
		fd_ = open(host.state_dir().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		REQUIRE(flock(fd_, LOCK_EX) == 0);
	}
	~Lock()
	{
		close(fd_);
	}

    private:
	int fd_;
};

} // namespace

TEST_CASE("run: what failed is tried again, and when is told", "[run][faults]")
{
	Faulty f;

	f.service.configure(f.section("target=3ms\n"));
	SECTION("an error that passes")
	{
		f.set("prog_load", GENERATE(ENOMEM, ENOSPC, EBUSY, EINVAL));
		f.service.start(f.environment());
		CHECK(f.service.logged("tried again 1s to 60s later"));
		CHECK(f.service.notified("STATUS=0 interfaces attached, 1 failed (next try "));
		f.clear("prog_load");
		CHECK(eventually([&] { return f.attached(); }));
	}
	SECTION("one that does not, unless the interface changes")
	{
		f.set("prog_load", EOPNOTSUPP);
		f.service.start(f.environment());
		CHECK(f.service.logged("; tried again when the interface changes"));
		CHECK(f.service.notified("STATUS=0 interfaces attached, 1 failed"));
		CHECK(f.service.notifications().find("next try") == std::string::npos);
		f.clear("prog_load");
		unsigned mtu = 1400;
		CHECK(eventually([&] {
			f.wire.rx.ip("link set dev " + f.wire.rx_if + " mtu " +
				     std::to_string(mtu++));
			return f.attached();
		}));
		CHECK(f.service.log().find("has changed, which is a reason") != std::string::npos);
	}
	CAPTURE(f.service.log());
	CHECK(f.service.notified("STATUS=1 interface attached"));
	CHECK(f.target() == 3000000);
}

TEST_CASE("run: nobody is waited for who holds the lock, at start and reload", "[run][faults]")
{
	Run r;
	std::string all = "[Interface w*]\n" + r.section("target=3ms\n");
	auto fed = [&] { return count_of(r.service.notifications(), "WATCHDOG=1\n"); };

	/* As many as would be waited for longer than this test has patience. */
	for (int i = 0; i < 5; i++)
		r.wire.rx.ip("link add w" + std::to_string(i) + " type veth peer name v" +
			     std::to_string(i));
	r.service.configure(all);
	{
		Lock lock(r.host);

		r.service.launch({ "WATCHDOG_USEC=1000000" });
		CHECK(eventually([&] { return fed() >= 4; }));
		CHECK(xdp_on(r.wire.rx, r.wire.rx_if) == 0);
	}
	CHECK(r.service.notified("READY=1"));
	CHECK(r.service.notified("STATUS=6 interfaces attached"));
	CHECK(r.target() == 3000000);

	r.service.configure(all + "interval=50ms\n");
	{
		Lock lock(r.host);

		r.service.forget();
		kill(r.service.pid(), SIGHUP);
		CHECK(eventually([&] { return fed() >= 4; }));
		CHECK(r.host.status_number(r.wire.rx, r.wire.rx_if, "/queues/0/interval_ns") ==
		      40000000);
	}
	CHECK(r.service.notified("READY=1"));
	CAPTURE(r.service.log());
	CHECK(eventually([&] {
		return r.host.status_number(r.wire.rx, r.wire.rx_if, "/queues/0/interval_ns") ==
		       50000000;
	}));
}

TEST_CASE("run: an interface made again at once, with the same index, is attached", "[run][faults]")
{
	Faulty f;
	std::string again =
		"printf 'link del own0\nlink add own0 index 4711 type veth peer name own1\n"
		"link set own0 up\n' | ip -batch -";

	f.service.configure("[Interface own0]\n");
	f.wire.rx.ip("link add own0 index 4711 type veth peer name own1");
	f.service.start(f.environment());
	REQUIRE(xdp_on(f.wire.rx, "own0"));
	SECTION("twice")
	{
		f.wire.rx.shell(again);
		CHECK(eventually([&] { return xdp_on(f.wire.rx, "own0") != 0; }));
	}
	SECTION("after messages could not be read")
	{
		/* Which was the end of all reading. */
		f.set("recv", EIO);
		f.wire.rx.ip("link set dev own0 mtu 1400");
		CHECK(f.service.logged("cannot read the kernel's messages about interfaces"));
		f.clear("recv");
		CHECK(eventually([&] {
			f.wire.rx.shell(again);
			return eventually([&] { return xdp_on(f.wire.rx, "own0") != 0; },
					  std::chrono::seconds(3));
		}));
	}
	f.wire.rx.shell(again);
	CAPTURE(f.service.log());
	CHECK(eventually([&] { return xdp_on(f.wire.rx, "own0") != 0; }));
}

TEST_CASE("run: a timer that cannot be read for a moment is not the end", "[run][faults]")
{
	Faulty f;

	f.service.configure(f.section("target=3ms\n"));
	f.service.start(f.environment());
	f.set("read", EIO);
	CHECK(f.service.logged("the event loop failed: Input/output error; it goes on"));
	f.clear("read");
	f.service.configure(f.section("target=4ms\n"));
	f.service.reload();
	CHECK(f.target() == 4000000);
	CHECK(f.attached());
	CHECK(f.service.stop().exit_code == 0);
}

TEST_CASE("run: a program for which there is no memory is verified once", "[run][faults]")
{
	Faulty f;
	const std::string loads = f.service.dir() + "/loads";

	std::ofstream(loads).close();
	f.set("prog_load", ENOMEM);
	RunOptions options;
	options.environment = f.environment();
	Result result = f.host.rxaqm(f.wire.rx, { "attach", f.wire.rx_if }, options);
	CAPTURE(result.text());
	CHECK(result.exit_code == 3);
	CHECK(std::filesystem::file_size(loads) == 1);
}

TEST_CASE("run: the group of the status file is not looked up again and again", "[run][faults]")
{
	Faulty f;
	std::string path = f.service.dir() + "/status.json";

	f.service.configure(f.section());
	f.service.start(f.environment());
	CHECK(eventually([&] { return !access(path.c_str(), R_OK); }));
	/* LDAP does not answer from now on. */
	f.set("getgrnam", EIO);
	for (int i = 0; i < 2; i++) {
		CHECK(eventually([&] { return !access(path.c_str(), R_OK); }));
		unlink(path.c_str());
	}
	CHECK(eventually([&] { return !access(path.c_str(), R_OK); }));
	CHECK(f.service.stop().exit_code == 0);
}

TEST_CASE("run: SIGHUP that comes as soon as it starts is a reload, not the end", "[run][faults]")
{
	Run r;

	/* It waits for its configuration, which this is the first to write. */
	REQUIRE(mkfifo((r.service.dir() + "/fifo").c_str(), 0600) == 0);
	std::filesystem::rename(r.service.dir() + "/fifo", r.service.config_path());
	r.service.launch();
	int fd = -1;
	CHECK(eventually([&] {
		fd = open(r.service.config_path().c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
		return fd >= 0;
	}));
	REQUIRE(kill(r.service.pid(), SIGHUP) == 0);
	const std::string text = r.section("target=3ms\n");
	REQUIRE(write(fd, text.data(), text.size()) == ssize_t(text.size()));
	/* What it reads at the reload is a file. */
	std::filesystem::remove(r.service.config_path());
	r.service.configure(r.section("target=4ms\n"));
	close(fd);
	CHECK(r.service.logged("configuration read again"));
	CHECK(r.service.notified("STATUS=1 interface attached"));
	CHECK(eventually([&] { return r.target() == 4000000; }));
	CHECK(r.service.stop().exit_code == 0);
}
