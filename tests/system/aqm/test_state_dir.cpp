// SPDX-License-Identifier: GPL-2.0-only
/* Where the state is pinned: whose directory it is, and file systems that refuse it. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <bpf/bpf.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <functional>

#include "host.hpp"
#include "traffic.hpp"

namespace fs = std::filesystem;

TEST_CASE("state: a long RXAQM_BPFFS is used as it is, or refused, never cut", "[state]")
{
	const size_t length = GENERATE(126u, 127u, 180u, 181u, 5000u);
	Host host;
	Wire wire;
	RunOptions options;
	std::string dir = host.bpffs();

	CAPTURE(length);
	while (dir.size() < length) {
		dir += "/";
		dir += std::string(std::min<size_t>(length - dir.size(), 100), 'x');
		if (dir.back() == '/')
			dir += "x";
		if (length < 200)
			REQUIRE(mkdir(dir.c_str(), 0700) == 0);
	}
	const std::string stray = dir + "/stray";

	if (length < 200)
		pin_map(stray);
	options.environment = { "RXAQM_BPFFS=" + dir };
	Result result = host.rxaqm(wire.rx, { "attach", wire.rx_if }, options);
	CAPTURE(result.text());
	if (dir.size() <= 180) {
		CHECK(result.exit_code == 0);
		CHECK(fs::exists(dir + "/rxaqm/link_napi_poll"));
		CHECK(host.rxaqm({ "detach", "--all" }, options).exit_code == 0);
		CHECK_FALSE(fs::exists(dir + "/rxaqm"));
	} else {
		for (const Args &args : { Args{ "attach", wire.rx_if }, Args{ "status" },
					  Args{ "detach", "--all" }, Args{ "run", "--check" } }) {
			Result refused = host.rxaqm(wire.rx, args, options);

			CAPTURE(refused.text());
			CHECK(refused.exit_code == 2);
			CHECK(refused.err.find("RXAQM_BPFFS") != std::string::npos);
		}
		CHECK(host.rxaqm({ "check" }, options).exit_code == 3);
	}
	CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
	if (length < 200)
		CHECK(fs::exists(stray));
}

TEST_CASE("state: a directory that others can change is refused, and nothing in it is touched",
	  "[state]")
{
	struct Way {
		const char *what;
		std::function<int(const std::string &dir)>
			make; /* as root, or in a child as nobody */
		bool nobody;
	};
	const Way ways[] = {
		{ "made by nobody", [](auto &dir) { return mkdir(dir.c_str(), 0700); }, true },
		{ "a link of nobody's", [](auto &dir) { return symlink("elsewhere", dir.c_str()); },
		  true },
		{ "a link of root's", [](auto &dir) { return symlink("elsewhere", dir.c_str()); },
		  false },
		{ "of mode 0755", [](auto &dir) { return mkdir(dir.c_str(), 0755); }, false },
		{ "in a directory without the sticky bit",
		  [](auto &dir) {
			  return mkdir(dir.c_str(), 0700) ||
				 chmod(fs::path(dir).parent_path().c_str(), 0777);
		  },
		  false },
	};
	const size_t at = GENERATE(0u, 1u, 2u, 3u, 4u);
	const Way &way = ways[at];
	Host host;
	Wire wire;
	const std::string dir = host.state_dir(), elsewhere = host.bpffs() + "/elsewhere";

	CAPTURE(way.what);
	/* As where "mount -t bpf" was not told a mode. */
	REQUIRE(chmod(host.bpffs().c_str(), 01777) == 0);
	REQUIRE(mkdir(elsewhere.c_str(), 0700) == 0);
	if (way.nobody) {
		RunOptions options;

		options.prepare = [&] { return setgid(65534) || setuid(65534) || way.make(dir); };
		REQUIRE(run({ "/bin/true" }, options).exit_code == 0);
	} else {
		umask(0);
		REQUIRE(way.make(dir) == 0);
		umask(022);
	}
	pin_map(dir + "/queue_map");
	for (const Args &args : { Args{ "attach", wire.rx_if }, Args{ "detach", wire.rx_if },
				  Args{ "detach", "--all" }, Args{ "status" },
				  Args{ "policy", "set", wire.rx_if, "target=3ms" } }) {
		Result result = host.rxaqm(wire.rx, args);

		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(result.out == "");
		CHECK(result.err.find("\"" + dir + "\" is not a directory that only root") !=
		      std::string::npos);
	}
	CHECK(fs::exists(dir + "/queue_map"));
	CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
	chmod(host.bpffs().c_str(), 01777);
	unlink((dir + "/queue_map").c_str());
	REQUIRE(remove(dir.c_str()) == 0);
	/* One of root's own is made, and does, there as well. */
	CHECK(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	host.note_maps();
	CHECK(host.rxaqm({ "detach", "--all" }).exit_code == 0);
	CHECK(host.gone());
}

TEST_CASE("state: a link of root's for libxdp's pins is followed within the BPF file system",
	  "[state]")
{
	struct Way {
		const char *what, *target;
		bool nobody, followed;
	};
	/* iproute2 leaves the first, once it has loaded any BPF object. */
	const Way ways[] = {
		{ "as iproute2 leaves it", "tc/", false, true },
		{ "absolute", "BPFFS/tc", false, true },
		{ "of nobody's", "tc/", true, false },
		{ "to a directory of nobody's", "nobodys", false, false },
		{ "to a link", "other", false, false },
		{ "to what is not there", "gone", false, false },
		{ "up and out", "../../../../tmp", false, false },
		{ "out of the file system", "/tmp", false, false },
	};
	const size_t at = GENERATE(0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u);
	const Way &way = ways[at];
	Host host;
	Wire wire;
	const std::string xdp = host.bpffs() + "/xdp", nobodys = host.bpffs() + "/nobodys";
	std::string target = way.target;

	CAPTURE(way.what);
	if (target.starts_with("BPFFS"))
		target.replace(0, strlen("BPFFS"), host.bpffs());
	REQUIRE(chmod(host.bpffs().c_str(), 01777) == 0);
	REQUIRE(mkdir((host.bpffs() + "/tc").c_str(), 0700) == 0);
	REQUIRE(symlink("tc", (host.bpffs() + "/other").c_str()) == 0);
	REQUIRE(mkdir(nobodys.c_str(), 0700) == 0);
	REQUIRE(chown(nobodys.c_str(), 65534, 65534) == 0);
	REQUIRE(symlink(target.c_str(), xdp.c_str()) == 0);
	if (way.nobody)
		REQUIRE(lchown(xdp.c_str(), 65534, 65534) == 0);
	Result result = host.rxaqm(wire.rx, { "attach", wire.rx_if });
	CAPTURE(result.text());
	if (way.followed) {
		CHECK(result.exit_code == 0);
		CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
	} else {
		CHECK(result.exit_code == 1);
		CHECK(result.err.find("\"" + xdp + "\", where libxdp pins") != std::string::npos);
		CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
		/* What it says is what to do. */
		CHECK(result.err.find("remove it") != std::string::npos);
		REQUIRE(unlink(xdp.c_str()) == 0);
		CHECK(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
		CHECK(host.rxaqm({ "detach", "--all" }).exit_code == 0);
	}
	CHECK(fs::exists(host.bpffs() + "/tc"));
}

TEST_CASE("state: nobody's commands leave nothing in root's way", "[state]")
{
	Host host;
	Wire wire;
	RunOptions options;

	REQUIRE(chmod(host.bpffs().c_str(), 01777) == 0);
	options.prepare = [] { return setgid(65534) || setuid(65534); };
	if (host.rxaqm({ "--version" }, options).exit_code)
		SKIP("nobody cannot run " << rxaqm_path());
	for (const Args &args : { Args{ "status" }, Args{ "detach", "--all" },
				  Args{ "policy", "set", "x", "target=3ms" } }) {
		Result result = host.rxaqm(args, options);

		CAPTURE(result.text());
		CHECK(result.exit_code != 0);
		CHECK_FALSE(fs::exists(host.state_dir()));
	}
}

TEST_CASE("state: the BPF file system that we mount is root's alone", "[state]")
{
	Host host; /* skips without root */
	RunOptions options;

	options.prepare = [] {
		if (unshare(CLONE_NEWNS) ||
		    mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr))
			return 1;
		while (!umount2("/sys/fs/bpf", MNT_DETACH)) {
		}
		return 0;
	};
	Result result = run({ "sh", "-c",
			      source_path("packaging/mount-bpffs.sh") +
				      " && stat -f -c %T /sys/fs/bpf && stat -c %a /sys/fs/bpf" },
			    options);
	CAPTURE(result.text());
	CHECK(result.out == "bpf_fs\n1700\n");
}

TEST_CASE("state: a read-only BPF file system is told, and nothing changes", "[state]")
{
	Host host;
	Wire wire;
	auto remount = [&](unsigned long flags) {
		REQUIRE(mount(nullptr, host.bpffs().c_str(), nullptr, MS_REMOUNT | MS_BIND | flags,
			      nullptr) == 0);
	};

	SECTION("for attach")
	{
		remount(MS_RDONLY);
		Result result = host.rxaqm(wire.rx, { "attach", wire.rx_if });
		remount(0);
		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(result.out == "");
		CHECK(result.err.find(host.bpffs()) != std::string::npos);
		CHECK(result.err.find("Read-only") != std::string::npos);
		CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
		CHECK(host.gone());
	}
	SECTION("for detach")
	{
		REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
		host.note_maps();
		remount(MS_RDONLY);
		Result result = host.rxaqm(wire.rx, { "detach", wire.rx_if });
		remount(0);
		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(result.err.find(host.bpffs()) != std::string::npos);
		CHECK(all_traffic(wire) == "");
		CHECK(host.rxaqm({ "detach", "--all" }).exit_code == 0);
		CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
		CHECK(host.gone());
	}
}

TEST_CASE("state: a directory that is no BPF file system is told", "[state]")
{
	Host host;
	Wire wire;
	std::string dir = host.bpffs() + "-plain";
	RunOptions options;

	REQUIRE(mkdir(dir.c_str(), 0700) == 0);
	for (const std::string &bpffs : { dir, dir + "/missing" }) {
		options.environment = { "RXAQM_BPFFS=" + bpffs };
		Result result = host.rxaqm(wire.rx, { "attach", wire.rx_if }, options);
		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(result.err.find("mount -t bpf -o mode=0700 bpf " + bpffs) !=
		      std::string::npos);
	}
	CHECK(fs::is_empty(dir));
	rmdir(dir.c_str());
	CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
}

TEST_CASE("state: a program whose state another BPF file system hides is named by all commands",
	  "[state]")
{
	Host host;
	Wire wire;

	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if, "mode=enforce" }).exit_code == 0);
	host.note_maps();
	REQUIRE(mount("bpf", host.bpffs().c_str(), "bpf", 0, "mode=0700") == 0);
	const uint32_t id = xdp_on(wire.rx, wire.rx_if);
	const std::string named = "rxaqm's own program (id " + std::to_string(id) + ") is on \"" +
				  wire.rx_if + "\", but its state is not in";
	for (const Args &args :
	     { Args{ "status" }, Args{ "check" }, Args{ "top", "-n", "1" },
	       Args{ "policy", "set", "--all", "mode=observe" }, Args{ "detach", wire.rx_if },
	       Args{ "detach", "--all" }, Args{ "attach", wire.rx_if } }) {
		Result result = host.rxaqm(wire.rx, args);

		CAPTURE(result.text());
		CHECK(result.exit_code == (args[0] == "check" ? 2 : 1));
		CHECK(result.text().find(named) != std::string::npos);
		CHECK(result.text().find("ip link set dev " + wire.rx_if) != std::string::npos);
	}
	/* Where no program of ours is, there is nothing to name. */
	CHECK(host.rxaqm(wire.tx, { "status", "--all" }).exit_code == 4);
	CHECK(host.rxaqm(wire.tx, { "detach", "--all" }).exit_code == 0);
	CHECK(xdp_on(wire.rx, wire.rx_if) == id);
	REQUIRE(umount(host.bpffs().c_str()) == 0);
	CHECK(host.rxaqm({ "detach", "--all" }).exit_code == 0);
	CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
	CHECK(host.gone());
}

TEST_CASE("state: detach --all takes off what is hidden below /sys/fs/bpf", "[state]")
{
	Host host;
	Wire wire;
	RunOptions options;
	const std::string rxaqm = rxaqm_path() + " --netns " + wire.rx.name() + " ";

	options.prepare = [] {
		return unshare(CLONE_NEWNS) ||
		       mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) ||
		       mount("bpf", "/sys/fs/bpf", "bpf", 0, "mode=0700");
	};
	Result result =
		run({ "sh", "-c",
		      "unset RXAQM_BPFFS; " + rxaqm + "attach " + wire.rx_if +
			      " mode=enforce >&2 && mount -t bpf -o mode=0700 bpf /sys/fs/bpf && " +
			      rxaqm + "detach --all && " + rxaqm + "detach --all" },
		    options);
	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	CHECK(result.out == "1 interface detached\n0 interfaces detached\n");
	CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
}
