// SPDX-License-Identifier: GPL-2.0-only
/* The daemon towards others: leases, service manager, journal. */
#include <catch2/catch_test_macros.hpp>

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "daemon.hpp"

namespace
{

/* The capabilities that the unit leaves to the daemon. */
std::vector<std::string> unit_capabilities()
{
	std::ifstream unit(source_path("packaging/rxaqm.service"));
	const std::string key = "CapabilityBoundingSet=";
	std::vector<std::string> names;
	std::string line, name;

	while (std::getline(unit, line)) {
		if (line.compare(0, key.size(), key))
			continue;
		std::istringstream words(line.substr(key.size()));
		while (words >> name)
			names.push_back(name);
	}
	return names;
}

unsigned capability_number(const std::string &name)
{
	static const std::pair<const char *, unsigned> known[] = {
		{ "CAP_BPF", CAP_BPF },
		{ "CAP_PERFMON", CAP_PERFMON },
		{ "CAP_NET_ADMIN", CAP_NET_ADMIN },
		{ "CAP_SYS_ADMIN", CAP_SYS_ADMIN },
		{ "CAP_SYSLOG", CAP_SYSLOG },
		{ "CAP_CHOWN", CAP_CHOWN },
	};

	for (const auto &one : known)
		if (name == one.first)
			return one.second;
	FAIL("not known to this test: " << name);
	return 0;
}

} // namespace

TEST_CASE("run: the capabilities that the unit leaves are enough", "[run]")
{
	Run r;
	struct stat st;
	uint64_t keep = 0;

	for (const std::string &name : unit_capabilities())
		keep |= 1ULL << capability_number(name);
	REQUIRE(keep);
	r.service.prepare([keep] {
		for (unsigned cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
			if (!(keep & (1ULL << cap)) && prctl(PR_CAPBSET_DROP, cap))
				return -1;
		return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	});
	r.service.configure(
		"[Daemon]\non_stop=detach\nstatus_interval=1s\nstatus_group=" +
		std::string(getgrgid(1)->gr_name) + "\n[Metrics]\ntextfile=" + r.service.dir() +
		"/rxaqm.prom\ntextfile_interval=1s\n" + r.section("mode=enforce\ntarget=3ms\n"));
	r.service.start();
	r.host.note_maps();
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if));
	CHECK(r.target() == 3000000);
	CHECK(eventually([&] {
		return !stat((r.service.dir() + "/status.json").c_str(), &st) && st.st_gid == 1;
	}));
	CHECK(eventually([&] { return !access((r.service.dir() + "/rxaqm.prom").c_str(), R_OK); }));
	r.service.reload();
	/* One that comes later, and one that goes. */
	r.wire.rx.ip("link set dev " + r.wire.rx_if + " name gone0");
	CHECK(eventually([&] { return xdp_on(r.wire.rx, "gone0") == 0; }));
	r.wire.rx.ip("link set dev gone0 name " + r.wire.rx_if);
	CHECK(eventually([&] { return xdp_on(r.wire.rx, r.wire.rx_if) != 0; }));
	Result end = r.service.stop();
	CAPTURE(end.text());
	CHECK(end.exit_code == 0);
	CHECK(end.err.find("error") == std::string::npos);
	CHECK(end.err.find("ermi") == std::string::npos); /* permission, permitted */
	CHECK(r.host.gone());
}

/* Sees leases being renewed, by when they end, whatever the machine has to do meanwhile. */
struct Lease {
	const Run &r;
	int64_t length_ns;
	int64_t end_from_ns = 0, end_to_ns = 0; /* it ends between these */
	unsigned in_time = 0; /* renewals that certainly were before the end */

	static int64_t now_ns()
	{
		timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		return now.tv_sec * 1000000000LL + now.tv_nsec;
	}
	void look()
	{
		int64_t from_ns = now_ns(), to_ns;
		int64_t left_ns = r.host.json(r.wire.rx, { "policy", "show", r.wire.rx_if })
					  .number("/policies/0/lease_ns");

		to_ns = now_ns() + left_ns;
		from_ns += left_ns;
		if (!left_ns || from_ns <= end_to_ns)
			return;
		in_time += end_to_ns && to_ns - length_ns < end_from_ns;
		end_from_ns = from_ns;
		end_to_ns = to_ns;
	}
	bool renewed(unsigned times)
	{
		return eventually([&] {
			look();
			return in_time >= times;
		});
	}
};

TEST_CASE("run: a lease is renewed while the daemon runs, and lapses when it does not", "[run]")
{
	const int64_t SEC = 1000000000;
	Run r;

	SECTION("the daemon dies")
	{
		Lease lease{ r, 4 * SEC };

		r.service.configure(r.section("mode=enforce\nlease=4s\n"));
		r.service.start();
		CAPTURE(r.service.log());
		CHECK(lease.renewed(1));
		r.service.kill();
		CHECK(eventually([&] { return r.mode() == "observe (lease over)"; }));
		r.service.start();
		CHECK(eventually([&] { return r.mode() == "enforce"; }));
	}
	SECTION("the shortest lease is no shorter than the daemon can renew")
	{
		Lease lease{ r, SEC };

		r.service.configure(r.section("mode=enforce\nlease=1s\n"));
		r.service.start();
		CAPTURE(r.service.log());
		CHECK(lease.renewed(3));
	}
	SECTION("commands have the lock most of the time")
	{
		Lease lease{ r, 4 * SEC };
		int lock;

		r.service.configure(r.section("mode=enforce\nlease=4s\n"));
		r.service.start();
		CAPTURE(r.service.log());
		lock = open(r.host.state_dir().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		REQUIRE(lock >= 0);
		/* With this rhythm a look once a second would miss the gaps for a long time. */
		for (int i = 0; i < 60 && lease.in_time < 2; i++) {
			REQUIRE(flock(lock, LOCK_EX) == 0);
			std::this_thread::sleep_for(std::chrono::milliseconds(650));
			REQUIRE(flock(lock, LOCK_UN) == 0);
			std::this_thread::sleep_for(std::chrono::milliseconds(350));
			lease.look();
		}
		CHECK(lease.in_time >= 2);
		close(lock);
	}
	SECTION("a policy that is saved and loaded changes nothing of that")
	{
		Lease lease{ r, 4 * SEC };
		std::string file = r.service.dir() + "/p.conf";

		r.service.configure(r.section("mode=enforce\nlease=4s\n"));
		r.service.start();
		for (const char *verb : { "save", "load" })
			REQUIRE(r.host.rxaqm(r.wire.rx, { "policy", verb, r.wire.rx_if, file })
					.exit_code == 0);
		CAPTURE(r.service.log());
		CHECK(lease.renewed(1));
	}
	SECTION("without a word there is one for who enforces, but not for who wants none")
	{
		auto lease_by = [&] {
			Json policy = r.host.json(r.wire.rx, { "policy", "show", r.wire.rx_if });

			return policy.number("/policies/0/lease_ns") > 240 * SEC ?
				       policy.text("/policies/0/sources/lease") :
				       "";
		};

		r.service.configure(r.section("mode=enforce\n"));
		r.service.start();
		CHECK(lease_by() == "configuration");
		/* Who asks for none later gets none, though the section counts as the same. */
		r.service.kill();
		r.service.configure(r.section("mode=enforce\nlease=off\n"));
		r.service.start();
		CAPTURE(r.service.log());
		CHECK(r.host.rxaqm(r.wire.rx, { "policy", "show", r.wire.rx_if })
			      .out.find(" lease=off ") != std::string::npos);
	}
	SECTION("an operator's lease is not renewed")
	{
		r.service.configure(r.section("mode=enforce\nlease=1s\n"));
		r.service.start();
		CAPTURE(r.service.log());
		REQUIRE(r.host.rxaqm(r.wire.rx, { "policy", "set", r.wire.rx_if, "lease=100ms" })
				.exit_code == 0);
		CHECK(eventually([&] { return r.mode() == "observe (lease over)"; }));
		/* Longer than the daemon's own would have been left. */
		std::this_thread::sleep_for(std::chrono::milliseconds(1500));
		CHECK(r.mode() == "observe (lease over)");
	}
}

TEST_CASE("run: --check says what is in effect, and for whom", "[run]")
{
	Run r;

	r.service.configure(r.section("target=3ms\n"));
	Result check = r.service.start_fails({ "--check" });
	CAPTURE(check.text());
	CHECK(check.exit_code == 0);
	CHECK(check.err == "");
	CHECK(check.out.find("target=3ms\n") != std::string::npos);
	CHECK(check.out.find("# " + r.wire.rx_if + ": [Interface " + r.wire.rx_if + "]\n") !=
	      std::string::npos);
	CHECK(check.out.find("# lo: no section\n") != std::string::npos);
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if) == 0);
	Json json(r.service.start_fails({ "--check", "-j" }).out);
	CHECK(json.number("/Daemon/settle_ns") == 100000000);
	CHECK(json.text("/Interface/0/policy/target") == "3ms");
	CHECK(json.size("/here") >= 2);

	r.service.configure("[Daemon]\nsettle=soon\n");
	check = r.service.start_fails({ "--check" });
	CHECK(check.exit_code == 2);
	CHECK(check.out == "");
	CHECK(check.err.find("rxaqm.conf:2: settle=soon") != std::string::npos);
}

TEST_CASE("run: the watchdog is fed at the pace asked for", "[run]")
{
	Run r;

	r.service.configure(r.section());
	r.service.start({ "WATCHDOG_USEC=1000000" });
	r.service.forget();
	/* Of what systemd waits for, so that it is fed twice a period. */
	CHECK(eventually([&] {
		const std::string &all = r.service.notifications();
		unsigned fed = 0;

		for (size_t at = 0; (at = all.find("WATCHDOG=1", at)) != std::string::npos; at++)
			fed++;
		return fed >= 3;
	}));
}

TEST_CASE("run: priorities are for the journal only", "[run]")
{
	Run r;
	struct stat st;

	r.service.configure(r.section());
	std::ofstream(r.service.dir() + "/log");
	REQUIRE(!stat((r.service.dir() + "/log").c_str(), &st));
	bool journal = false;
	SECTION("the journal reads")
	{
		journal = true;
	}
	SECTION("someone else does")
	{
		st.st_ino++;
	}
	r.service.start({ "JOURNAL_STREAM=" + std::to_string(st.st_dev) + ":" +
			  std::to_string(st.st_ino) });
	CAPTURE(r.service.log());
	std::string line = (journal ? "<5>" : "rxaqm: ") + r.wire.rx_if + ": attached, native";
	CHECK(("\n" + r.service.log()).find("\n" + line) != std::string::npos);
}

/* A journal that keeps what it is sent. */
struct Journal {
	const std::string dir = "/run/systemd/journal";
	int fd;
	std::string got;

	Journal()
	{
		sockaddr_un address = {};

		if (!access((dir + "/socket").c_str(), F_OK))
			SKIP("this machine has a journal: tests/service looks at what it gets");
		std::filesystem::create_directories(dir);
		fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		address.sun_family = AF_UNIX;
		strcpy(address.sun_path, (dir + "/socket").c_str());
		REQUIRE(fd >= 0);
		REQUIRE(!bind(fd, (sockaddr *)&address, sizeof(address)));
	}
	~Journal()
	{
		close(fd);
		std::filesystem::remove_all(dir);
	}
	bool has(const std::string &text)
	{
		char buf[4096];

		for (ssize_t n; (n = recv(fd, buf, sizeof(buf), 0)) > 0;)
			got.append(buf, size_t(n)) += '\n';
		return got.find(text) != std::string::npos;
	}
};

TEST_CASE("policy: the journal gets who has changed what", "[policy]")
{
	Journal journal;
	Run a;
	std::string ifname = a.wire.rx_if;

	REQUIRE(a.host.rxaqm(a.wire.rx, { "attach", ifname, "ecn=off" }).exit_code == 0);
	CHECK(journal.has("MESSAGE=" + ifname + ": all queues: ecn on -> off; by uid 0, login "));
	REQUIRE(a.host.rxaqm(a.wire.rx, { "policy", "set", ifname, "target=2ms", "ecn=off" })
			.exit_code == 0);
	CHECK(journal.has("MESSAGE=" + ifname +
			  ": all queues: target auto:500us -> 2ms; by uid 0, "
			  "login "));
	CAPTURE(journal.got);
	CHECK(journal.has(" policy set " + ifname + " target=2ms ecn=off\"\n"));
	CHECK(journal.has("\nIFACE=" + ifname + "\n"));
	/* As rxaqm(8) has it. */
	CHECK(journal.has("\nMESSAGE_ID=9d1c0a6f4b7e4f53a8e2c5d07b31f6aa\n"));
	journal.got.clear();
	REQUIRE(a.host.rxaqm(a.wire.rx, { "policy", "set", ifname, "target=2ms" }).exit_code == 0);
	CHECK_FALSE(journal.has("MESSAGE="));
	Result shown = a.host.rxaqm(a.wire.rx, { "policy", "show", ifname });
	CAPTURE(shown.text());
	CHECK(shown.out.find("target by operator ") != std::string::npos);
}

TEST_CASE("run: the journal gets interface and event as fields", "[run]")
{
	Journal journal;
	Run r;
	struct stat st;

	r.service.configure(r.section());
	std::ofstream(r.service.dir() + "/log");
	REQUIRE(!stat((r.service.dir() + "/log").c_str(), &st));
	r.service.start({ "JOURNAL_STREAM=" + std::to_string(st.st_dev) + ":" +
			  std::to_string(st.st_ino) });
	CHECK(eventually([&] { return journal.has(": attached, native mode"); }));
	const std::string &got = journal.got;
	CAPTURE(got, r.service.log());
	CHECK(got.find("MESSAGE=" + r.wire.rx_if + ": attached, ") != std::string::npos);
	CHECK(got.find("\nIFACE=" + r.wire.rx_if + "\n") != std::string::npos);
	CHECK(got.find("\nPRIORITY=5\n") != std::string::npos);
	/* As rxaqm(8) has it. */
	CHECK(got.find("\nMESSAGE_ID=c756ae717f7e4c02ace98a7adfc51391\n") != std::string::npos);
	CHECK(got.find("QUEUE=") == std::string::npos);
	CHECK(r.service.log().find("attached, ") == std::string::npos);
}
