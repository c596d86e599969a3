// SPDX-License-Identifier: GPL-2.0-only
/* Many commands at once: each does its job or says why not, and the state stays whole. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <sys/file.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <list>

#include "daemon.hpp"
#include "host.hpp"
#include "traffic.hpp"

namespace
{

/* Start all of @commands together and wait for them. */
std::vector<Result> run_together(const Host &host, const std::vector<Args> &commands)
{
	RunOptions options = host.with_environment();
	std::list<Child> children;
	std::vector<Result> results;

	options.timeout = std::chrono::seconds(60);
	for (const Args &command : commands)
		children.emplace_back(command, options);
	for (Child &child : children)
		results.push_back(child.wait());
	return results;
}

} // namespace

TEST_CASE("concurrent: of many attaches at once one attaches, the rest find it done",
	  "[concurrent]")
{
	Host host;
	Wire wire;
	unsigned attached = 0, found = 0;

	for (const Result &result :
	     run_together(host,
			  std::vector<Args>(6, host.command(wire.rx, { "attach", wire.rx_if })))) {
		CAPTURE(result.text());
		CHECK(result.exit_code == 0);
		attached += result.out.find(": attached") != std::string::npos;
		found += result.err.find("attached already") != std::string::npos;
	}
	CHECK(attached == 1);
	CHECK(found == 5);
	CHECK(Json(host.rxaqm(wire.rx, { "status", "-j" }).out).size("/interfaces") == 1);
	host.note_maps();

	unsigned detached = 0, not_attached = 0;
	for (const Result &result :
	     run_together(host,
			  std::vector<Args>(6, host.command(wire.rx, { "detach", wire.rx_if })))) {
		detached += result.exit_code == 0;
		not_attached += result.exit_code == 4;
	}
	CHECK(detached == 1);
	CHECK(not_attached == 5);
	CHECK(host.gone());
	CHECK(all_traffic(wire) == "");
}

TEST_CASE("concurrent: several interfaces attached at once are all attached", "[concurrent]")
{
	Host host;
	Netns netns;
	std::vector<Args> attaches, detaches;

	for (int i = 0; i < 5; i++) {
		std::string n = std::to_string(i);

		netns.ip("link add m" + n + " numrxqueues 2 numtxqueues 2 type veth peer name p" +
			 n + " numrxqueues 2 numtxqueues 2");
		attaches.push_back(host.command(netns, { "attach", "m" + n }));
		detaches.push_back(host.command(netns, { "detach", "m" + n }));
	}
	for (const Result &result : run_together(host, attaches)) {
		CAPTURE(result.text());
		CHECK(result.exit_code == 0);
	}
	CHECK(Json(host.rxaqm(netns, { "status", "-j" }).out).size("/interfaces") == 5);
	host.note_maps();
	for (const Result &result : run_together(host, detaches)) {
		CAPTURE(result.text());
		CHECK(result.exit_code == 0);
	}
	CHECK(host.gone());
}

TEST_CASE("concurrent: any mix of commands leaves a whole state and flowing traffic",
	  "[concurrent]")
{
	Host host;
	Wire wire;
	Background background(wire);
	std::vector<Args> commands;
	const std::vector<Args> mix = {
		{ "attach", wire.rx_if },
		{ "status", "-j" },
		{ "policy", "set", wire.rx_if, "target=3ms", "interval=60ms" },
		{ "detach", wire.rx_if },
		{ "policy", "show", wire.rx_if, "-j" },
		{ "hist", "-j" },
		{ "attach", wire.rx_if, "-m", "generic" },
		{ "status", "-i", "10ms" },
		{ "top", "-n", "2", "-i", "10ms", "-j" },
		{ "detach", "--all" },
		{ "policy", "save", wire.rx_if },
	};

	for (int i = 0; i < 3; i++)
		for (const Args &args : mix)
			commands.push_back(host.command(wire.rx, args));
	for (const Result &result : run_together(host, commands)) {
		CAPTURE(result.text());
		CHECK(result.signal == 0);
		CHECK_FALSE(result.timed_out);
		CHECK((result.exit_code == 0 || result.exit_code == 1 || result.exit_code == 4));
		/* 1 only of an attach in the other mode. */
		if (result.exit_code == 1)
			CHECK(result.err.find("to change that") != std::string::npos);
		if (result.exit_code == 0 && result.command.find(" -j") != std::string::npos &&
		    result.command.find(" top ") == std::string::npos)
			CHECK_NOTHROW(Json(result.out));
	}

	host.rxaqm(wire.rx, { "detach", wire.rx_if });
	CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	CHECK(Json(host.rxaqm(wire.rx, { "status", "-j" }).out).size("/interfaces") == 1);
	host.note_maps();
	CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
	CHECK(host.gone());
	Background::Outcome outcome = background.stop();
	CAPTURE(outcome.sent, outcome.received, outcome.interruptions);
	/* As in test_attach.cpp, for each detach: six may have done something, then two more. */
	CHECK(outcome.received > 0);
	CHECK(outcome.interruptions <= 2 * 8);
}

TEST_CASE("concurrent: a command waits for the one before it, whatever /run it sees",
	  "[concurrent]")
{
	/* The one before may remove the directory that is the lock. */
	const bool removed = GENERATE(false, true);
	Host host;
	Wire wire;
	RunOptions options = host.with_environment();
	const std::string ns = "/run/netns/" + wire.rx.name();
	int fd;

	REQUIRE(mkdir(host.state_dir().c_str(), 0700) == 0);
	fd = open(host.state_dir().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	REQUIRE(fd >= 0);
	REQUIRE(flock(fd, LOCK_EX) == 0);
	options.prepare = [&] {
		return setns(open(ns.c_str(), O_RDONLY | O_CLOEXEC), CLONE_NEWNET) ||
		       unshare(CLONE_NEWNS) ||
		       mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) ||
		       mount("tmpfs", "/run", "tmpfs", 0, nullptr);
	};
	Child attach({ rxaqm_path(), "attach", wire.rx_if }, options);
	std::this_thread::sleep_for(std::chrono::milliseconds(700));
	/* Reading needs no lock. */
	CHECK(host.rxaqm(wire.rx, { "status", "--all" }).exit_code == 4);
	CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
	if (removed)
		REQUIRE(rmdir(host.state_dir().c_str()) == 0);
	close(fd);
	Result result = attach.wait();
	CAPTURE(removed, result.text());
	CHECK(result.exit_code == 0);
	CHECK(xdp_on(wire.rx, wire.rx_if));
	CHECK(host.json(wire.rx, { "status" }).size("/interfaces") == 1);
}

TEST_CASE("concurrent: who holds libxdp's lock is told, and does not hold up others for ever",
	  "[concurrent]")
{
	const std::string what = GENERATE("attach", "detach --all");
	Host host;
	Wire wire;
	const std::string dir = host.bpffs() + "/xdp";
	auto tried = [&] {
		return what == "attach" ? host.rxaqm(wire.rx, { "attach", wire.rx_if }) :
					  host.rxaqm({ "detach", "--all" });
	};

	REQUIRE(mkdir(dir.c_str(), 0700) == 0);
	int fd = open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	REQUIRE(fd >= 0);
	REQUIRE(flock(fd, LOCK_EX) == 0);
	Result result = tried();
	CAPTURE(what, result.text());
	CHECK(result.exit_code == 1);
	CHECK(result.err.find("libxdp's lock on \"" + dir + "\"") != std::string::npos);
	CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
	CHECK(access(host.state_dir().c_str(), F_OK) != 0);
	close(fd);
	CHECK(tried().exit_code == 0);
}

TEST_CASE("concurrent: who looks while others detach, or attach anew, is told what is",
	  "[concurrent]")
{
	const bool anew = GENERATE(false, true);
	Host host;
	Wire wire;
	const std::string dir = host.bpffs() + "-faults", file = dir + "/obj_get";
	RunOptions options = host.with_environment();

	CAPTURE(anew);
	std::filesystem::create_directory(dir);
	options.environment.push_back("LD_PRELOAD=" + preload_library(dir, "faults"));
	options.environment.push_back("FAULTS=" + dir);
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	/* It has read what the state is, and not yet what is in it. */
	std::ofstream(file) << "1 policy_map";
	Child child(host.command(wire.rx, { "status" }), options);
	CHECK(eventually([&] { return !access((dir + "/waits").c_str(), F_OK); }));
	CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
	if (anew)
		CHECK(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	std::filesystem::remove(file);
	Result status = child.wait();
	CAPTURE(status.text());
	CHECK(status.exit_code == (anew ? 0 : 4));
	CHECK(status.err.find("detach --all") == std::string::npos);
	if (anew)
		CHECK(status.out.find(wire.rx_if + ": native mode") != std::string::npos);
	else
		CHECK(status.err.find("not attached to any interface; see") != std::string::npos);
	std::filesystem::remove_all(dir);
}

TEST_CASE("concurrent: a program that is verified for too long is given up, and who waits is told",
	  "[concurrent]")
{
	Host host;
	Wire wire;
	const std::string dir = host.bpffs() + "-faults";
	RunOptions options = host.with_environment();

	std::filesystem::create_directory(dir);
	options.environment.push_back("LD_PRELOAD=" + preload_library(dir, "faults"));
	options.environment.push_back("FAULTS=" + dir);
	options.environment.push_back("RXAQM_LOCK_SECONDS=4");
	std::ofstream(dir + "/slow").close();
	std::ofstream(dir + "/flock").close();
	Child slow(host.command(wire.rx, { "attach", wire.rx_if }), options);
	const std::string pid = std::to_string(slow.pid());
	CHECK(eventually([&] { return std::filesystem::file_size(dir + "/flock") > 0; }));
	/* It waits for ten seconds, which may not be enough where the machine is busy. */
	Result waiting = host.rxaqm(wire.rx, { "attach", wire.rx_if });
	Result given_up = slow.wait();
	CAPTURE(waiting.text(), given_up.text());
	CHECK(waiting.err.find("waiting for the lock of all commands, held by rxaqm --netns ") !=
	      std::string::npos);
	CHECK(waiting.err.find(" attach " + wire.rx_if + " (pid " + pid + ")") !=
	      std::string::npos);
	CHECK(given_up.exit_code == 1);
	CHECK(given_up.err.find("given up after 4 s, in which") != std::string::npos);
	CHECK(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	std::filesystem::remove_all(dir);
}
