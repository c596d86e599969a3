// SPDX-License-Identifier: GPL-2.0-only
/* Machines that lack something: rights, BTF, hooks, drivers with XDP. */
#include "cli.hpp"

#include <catch2/generators/catch_generators.hpp>

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace
{

struct Machine {
	Host host;
	Netns netns;

	Machine()
	{
		netns.ip("link add cli0 type veth peer name cli1");
	}
	~Machine()
	{
		CHECK(xdp_on(netns, "cli0") == 0);
		CHECK(host.gone());
	}
};

} // namespace

TEST_CASE("cli: not root: what is missing is told, nothing is changed", "[cli]")
{
	Machine m;
	RunOptions options;

	/* In the namespace already: entering it takes root, too. */
	options.prepare = [] { return setgid(65534) || setuid(65534); };
	std::string path = m.host.bpffs() + "/rxaqm";
	Args enter = { "ip",	    "netns",	     "exec",	      m.netns.name(),
		       "setpriv",   "--reuid=65534", "--regid=65534", "--clear-groups",
		       rxaqm_path() };
	if (run({ "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", rxaqm_path(),
		  "--version" })
		    .exit_code)
		SKIP("nobody cannot run " << rxaqm_path() << " by setpriv");

	for (const Args &args :
	     { Args{ "attach", "cli0" }, Args{ "detach", "cli0" }, Args{ "detach", "--all" },
	       Args{ "qualify", "cli0" }, Args{ "qualify", "cli0", "--restore" } }) {
		Args command = enter;

		command.insert(command.end(), args.begin(), args.end());
		check_row({ {}, 1, "", "lacks CAP_NET_ADMIN and CAP_SYS_ADMIN", "run as root" },
			  run(command, m.host.with_environment()));
	}
	check_row({ {}, 1, "", "network namespace", "run as root" },
		  m.host.rxaqm(m.netns, { "status" }, options));
	/* What needs no rights works. */
	check_row({ {}, 0, "veth", "" }, m.host.rxaqm({ "profile", "show" }, options));
}

TEST_CASE("cli: not root: what is attached is not shown or changed, and told why", "[cli]")
{
	Machine m;
	RunOptions options;

	options.prepare = [] { return setgid(65534) || setuid(65534); };
	if (m.host.rxaqm({ "--version" }, options).exit_code)
		SKIP("nobody cannot run " << rxaqm_path());
	REQUIRE(m.host.rxaqm(m.netns, { "attach", "cli0" }).exit_code == 0);
	for (const Args &args : { Args{ "status" }, Args{ "top", "-n", "1" },
				  Args{ "policy", "set", "cli0", "target=3ms" } })
		check_row({ {}, 1, "", "rxaqm: ", "run as root" }, m.host.rxaqm(args, options));
	options.environment = { "RUNTIME_DIRECTORY=" + m.host.bpffs() + "/none" };
	check_row({ {}, 1, "", "run as root", "\"status_mode=0644\" in [Daemon] lets all" },
		  m.host.rxaqm({ "status" }, options));
	CHECK(m.host.rxaqm(m.netns, { "detach", "cli0" }).exit_code == 0);
}

TEST_CASE("cli: root without one capability: which it is is told, nothing is changed", "[cli]")
{
	struct Lack {
		unsigned cap;
		const char *name;
	};
	const Lack lack = GENERATE(Lack{ CAP_SYS_ADMIN, "CAP_SYS_ADMIN" },
				   Lack{ CAP_NET_ADMIN, "CAP_NET_ADMIN" });
	Machine m;
	RunOptions options;
	std::string ns = "/run/netns/" + m.netns.name();

	CAPTURE(lack.name);
	/* In the namespace already: entering it takes CAP_SYS_ADMIN itself. */
	options.prepare = [ns, lack] {
		return setns(open(ns.c_str(), O_RDONLY | O_CLOEXEC), CLONE_NEWNET) ||
		       prctl(PR_CAPBSET_DROP, lack.cap);
	};
	/* No daemon's status file, which "status" would fall back to. */
	options.environment = { "RUNTIME_DIRECTORY=" + m.host.bpffs() + "/none" };
	check_row({ {}, 1, "", lack.name, "run as root" },
		  m.host.rxaqm({ "attach", "cli0" }, options));
	CHECK(m.host.gone());

	REQUIRE(m.host.rxaqm(m.netns, { "attach", "cli0" }).exit_code == 0);
	m.host.note_maps();
	uint32_t prog = xdp_on(m.netns, "cli0");
	std::string before = m.host.rxaqm(m.netns, { "policy", "save", "cli0" }).out;
	for (const Args &args :
	     { Args{ "attach", "cli0" }, Args{ "detach", "cli0" }, Args{ "detach", "--all" },
	       Args{ "policy", "set", "cli0", "target=3ms" } })
		check_row({ {}, 1, "", lack.name, "run as root" }, m.host.rxaqm(args, options));
	check_row({ {}, 1, "", lack.name, "run as root" },
		  m.host.rxaqm({ "run", "--config", source_path("packaging/rxaqm.conf") },
			       options));
	/* Whoever cannot ask for programs by their ids would take each for gone. */
	for (const Args &args : { Args{ "status", "cli0" }, Args{ "top", "-n", "1", "-i", "10ms" },
				  Args{ "hist" }, Args{ "policy", "show", "cli0" } }) {
		if (lack.cap == CAP_SYS_ADMIN)
			check_row({ {}, 1, "", lack.name, "run as root" },
				  m.host.rxaqm(args, options));
		else
			CHECK(m.host.rxaqm(args, options).exit_code == 0);
	}
	Result check = m.host.rxaqm({ "check", "-i", "100ms" }, options);
	CAPTURE(check.text());
	CHECK(check.exit_code == (lack.cap == CAP_SYS_ADMIN ? 3 : 0));
	CHECK(check.out.find("taken off") == std::string::npos);

	CHECK(xdp_on(m.netns, "cli0") == prog);
	CHECK(m.host.rxaqm(m.netns, { "policy", "save", "cli0" }).out == before);
	CHECK(m.host.rxaqm(m.netns, { "detach", "cli0" }).exit_code == 0);
}

TEST_CASE("cli: an interface whose name has a = in it is named behind --", "[cli]")
{
	Machine m;

	m.netns.ip("link add a=b type veth peer name a=c");
	check_row({ {}, 2, "", "an interface is missing", "--help" },
		  m.host.rxaqm(m.netns, { "attach", "a=b" }));
	Result attached = m.host.rxaqm(m.netns, { "attach", "mode=enforce", "--", "a=b" });
	CAPTURE(attached.text());
	CHECK(attached.exit_code == 0);
	CHECK(attached.out.find("a=b: attached") == 0);
	CHECK(m.host.json(m.netns, { "status", "a=b" }).text("/interfaces/0/queues/0/mode") ==
	      "enforce");
	/* Behind the name come settings, with or without that. */
	CHECK(m.host.rxaqm(m.netns, { "attach", "--", "cli0", "mode=enforce" }).exit_code == 0);
	check_row({ {}, 2, "", "too many arguments: \"a=c\"", "--help" },
		  m.host.rxaqm(m.netns, { "attach", "cli0", "--", "a=c" }));
	CHECK(m.host.rxaqm({ "detach", "--all" }).exit_code == 0);
}

TEST_CASE("cli: a kernel without BTF: exit code 3", "[cli]")
{
	Machine m;
	RunOptions options;

	if (access("/sys/kernel/btf/vmlinux", R_OK))
		SKIP("this kernel has none: attach cannot be tested at all");
	options.prepare = [] {
		return unshare(CLONE_NEWNS) ||
		       mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) ||
		       mount("tmpfs", "/sys/kernel/btf", "tmpfs", 0, nullptr);
	};
	Result result = m.host.rxaqm(m.netns, { "attach", "cli0" }, options);
	if (result.exit_code == 125)
		SKIP("cannot hide /sys/kernel/btf in a mount namespace");
	check_row({ {}, 3, "", "no BTF", "CONFIG_DEBUG_INFO_BTF" }, result);
}

TEST_CASE("cli: a kernel with PREEMPT_RT: exit code 3", "[cli]")
{
	const bool by_sysfs = GENERATE(true, false);
	std::string dir = "/tmp/rxaqm-rt-XXXXXX";
	Machine m;
	RunOptions options;

	if (access("/sys/kernel/btf/vmlinux", R_OK))
		SKIP("this kernel has no BTF: attach cannot be tested at all");
	REQUIRE(mkdtemp(dir.data()));
	CAPTURE(by_sysfs);
	if (by_sysfs) {
		options.prepare = [dir] {
			return unshare(CLONE_NEWNS) ||
			       mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) ||
			       mount("/sys/kernel/btf", dir.c_str(), nullptr, MS_BIND, nullptr) ||
			       mount("tmpfs", "/sys/kernel", "tmpfs", 0, nullptr) ||
			       mkdir("/sys/kernel/btf", 0755) ||
			       mount(dir.c_str(), "/sys/kernel/btf", nullptr, MS_BIND, nullptr) ||
			       !(std::ofstream("/sys/kernel/realtime") << "1\n").flush();
		};
	} else {
#ifdef __SANITIZE_ADDRESS__
		SKIP("nothing may be loaded before the sanitizer's library");
#endif
		std::string library = dir + "/uname_rt.so";

		must({ "gcc", "-D_GNU_SOURCE", "-Wall", "-Werror", "-shared", "-fPIC", "-o",
		       library, source_path("tests/cli/aqm/uname_rt.c") });
		options.environment = { "LD_PRELOAD=" + library };
	}
	const char *how = by_sysfs ? "/sys/kernel/realtime" : "uname -v";

	for (const Args &args :
	     { Args{ "attach", "cli0" }, Args{ "attach", "--mode", "generic", "cli0" },
	       Args{ "run", "--config", source_path("packaging/rxaqm.conf") } }) {
		Result result = m.host.rxaqm(m.netns, args, options);

		if (result.exit_code == 125)
			SKIP("cannot put a file into /sys/kernel in a mount namespace");
		CAPTURE(result.text());
		check_row({ {}, 3, "", "PREEMPT_RT", how }, result);
	}
	CHECK(m.host.rxaqm(m.netns, { "detach", "--all" }, options).exit_code == 0);
	unlink((dir + "/uname_rt.so").c_str());
	CHECK(rmdir(dir.c_str()) == 0);
}

TEST_CASE("cli: each hook attaches, or is told to be impossible here: exit code 3", "[cli]")
{
	Machine m;

	for (const std::string hook : { "tp", "kprobe" }) {
		Result result = m.host.rxaqm(m.netns, { "attach", "cli0", "--hook", hook });

		CAPTURE(hook, result.text());
		if (result.exit_code == 0) {
			CHECK(result.out.find("hook " + hook) != std::string::npos);
			m.host.note_maps();
			/* It is shared: another one cannot be had meanwhile. */
			m.netns.ip("link add hook0 type veth peer name hook1");
			check_row({ {}, 1, "", "hook \"", "detach --all" },
				  m.host.rxaqm(m.netns, { "attach", "hook0", "--hook",
							  hook == "tp" ? "kprobe" : "tp" }));
			m.netns.ip("link delete hook0");
			CHECK(m.host.rxaqm(m.netns, { "detach", "cli0" }).exit_code == 0);
		} else {
			check_row({ {}, 3, "", hook.c_str(), "--hook" }, result);
		}
		CHECK(m.host.gone());
	}
	/* "auto" finds one that can. */
	CHECK(m.host.rxaqm(m.netns, { "attach", "cli0" }).exit_code == 0);
	CHECK(m.host.rxaqm(m.netns, { "detach", "cli0" }).exit_code == 0);
}

TEST_CASE("cli: a driver without native XDP: exit code 3, and generic mode works", "[cli]")
{
	Machine m;
	unsigned tried = 0;

	for (const std::string type : { "dummy", "bridge", "ifb" }) {
		if (run({ "ip", "-n", m.netns.name(), "link", "add", "no0", "type", type })
			    .exit_code)
			continue;
		tried++;
		CAPTURE(type);
		m.netns.ip("link set no0 up");
		check_row({ {},
			    3,
			    "",
			    "cannot attach XDP to \"no0\" in native mode",
			    "\"--mode generic\", or xdp_mode=generic in rxaqm.conf" },
			  m.host.rxaqm(m.netns, { "attach", "no0" }));
		CHECK(xdp_on(m.netns, "no0") == 0);
		CHECK(m.host.gone());
		CHECK(m.host.rxaqm(m.netns, { "attach", "no0", "-m", "generic" }).exit_code == 0);
		CHECK(m.host.rxaqm(m.netns, { "detach", "no0" }).exit_code == 0);
		m.netns.ip("link delete no0");
	}
	if (!tried)
		SKIP("no dummy, bridge or ifb in this kernel");
}

TEST_CASE("cli: a loopback interface can be watched in generic mode", "[cli]")
{
	Machine m;

	check_row({ {}, 3, "", "\"lo\" in native mode", "--mode generic" },
		  m.host.rxaqm(m.netns, { "attach", "lo" }));
	Result hint = m.host.rxaqm(m.netns, { "attach", "lo", "signal=hint" });
	check_row({ {}, 3, "", "signal=hint", "signal=auto" }, hint);
	CHECK(hint.err.find("driver \"\"") == std::string::npos);
	CHECK(m.host.rxaqm(m.netns, { "attach", "lo", "-m", "generic" }).exit_code == 0);
	CHECK(m.host.rxaqm(m.netns, { "detach", "lo" }).exit_code == 0);
}

TEST_CASE("cli: more queues than there is room for are refused", "[cli]")
{
	Machine m;

	/* 4096 queues in all; veth has up to 4096 of its own. */
	if (run({ "ip", "-n", m.netns.name(), "link", "add", "big0", "numrxqueues", "4096", "type",
		  "veth", "peer", "name", "big1" })
		    .exit_code)
		SKIP("cannot make a veth of 4096 queues");
	REQUIRE(m.host.rxaqm(m.netns, { "attach", "cli0" }).exit_code == 0);
	check_row({ {}, 1, "", "no room for 4096 more queues", "detach" },
		  m.host.rxaqm(m.netns, { "attach", "big0" }));
	CHECK(xdp_on(m.netns, "big0") == 0);
	CHECK(m.host.rxaqm(m.netns, { "detach", "cli0" }).exit_code == 0);
	m.netns.ip("link delete big0");
}
