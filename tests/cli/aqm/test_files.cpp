// SPDX-License-Identifier: GPL-2.0-only
/* Commands that read files: profiles, traces, policies. */
#include "cli.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

namespace
{

/* A directory of the test's own. */
class Scratch
{
    public:
	Scratch()
	{
		std::string dir = "/tmp/rxaqm-test-files-XXXXXX";

		REQUIRE(mkdtemp(dir.data()));
		dir_ = dir;
	}
	~Scratch()
	{
		std::error_code error;

		fs::remove_all(dir_, error);
	}
	std::string file(const std::string &name, const std::string &text) const
	{
		std::ofstream(dir_ / name) << text;
		return dir_ / name;
	}
	std::string path() const
	{
		return dir_;
	}

    private:
	fs::path dir_;
};

const std::string HEADER = "now_ns,queue,sojourn_ns,len,ecn,kind,drained\n";

} // namespace

TEST_CASE("cli: profiles are shown and checked", "[cli]")
{
	Host host;

	check_row({ {}, 0, "generic", "" }, host.rxaqm({ "profile", "show" }));
	check_row({ {}, 0, "veth", "" }, host.rxaqm({ "profile", "show", "veth" }));
	check_row({ {}, 0, "ok", "" }, host.rxaqm({ "profile", "check" }));
	Json list(host.rxaqm({ "profile", "show", "-j" }).out);
	CHECK(list.size("/profiles") >= 4);
	RunOptions none;
	none.environment = { "RXAQM_PROFILE_PATH=/nope" };
	for (const char *what : { "show", "check" })
		check_row({ {}, 1, "", "no profile in /nope; ", "RXAQM_PROFILE_PATH" },
			  host.rxaqm({ "profile", what }, none));
	Json shown(host.rxaqm({ "-j", "profile", "show", "virtio_net" }).out);
	CHECK(shown.size("/profiles") == 1);
}

TEST_CASE("cli: a profile with an error is named with its line", "[cli]")
{
	const std::string good = "[Match]\nDriver=veth\n[Nic]\nCompletionDesign=none\n";
	Host host;
	Scratch scratch;
	Netns netns;
	struct {
		std::string text, says;
	} bad[] = {
		{ good + "Frobnicate=yes\n", "bad.conf:5: " },
		{ good + "RxRing=many\n", "bad.conf:5: " },
		{ good + "[Policy]\ntarget=5\n", "bad.conf:6: " },
		{ good + "[Policy]\ntarget=50ms\ninterval=5ms\n", "bad.conf" },
		{ good + "[Strange]\n", "bad.conf:5: " },
		{ "Driver=veth\n", "bad.conf:1: " },
		{ "", "bad.conf" },
	};

	netns.ip("link add cli0 type veth peer name cli1");
	for (const auto &row : bad) {
		std::string path = scratch.file("bad.conf", row.text);

		CAPTURE(row.text);
		Result check = host.rxaqm({ "profile", "check", path });
		CAPTURE(check.text());
		CHECK(check.exit_code == 2);
		CHECK(check.err.find(row.says) != std::string::npos);
		check_row({ {}, 2, "", row.says.c_str() },
			  host.rxaqm(netns, { "attach", "cli0", "--profile", path }));
		CHECK(xdp_on(netns, "cli0") == 0);
	}
	CHECK(host.gone());
	Result missing = host.rxaqm({ "profile", "check", scratch.path() + "/none.conf" });
	CAPTURE(missing.text());
	CHECK(missing.exit_code != 0);
	CHECK(missing.err.find("none.conf") != std::string::npos);
	/* The good part is good. */
	const std::string fine = scratch.file("good.conf", good);
	check_row({ {}, 0, "ok", "" }, host.rxaqm({ "profile", "check", fine }));
	/* Each is told by its own name, also one that is not there. */
	Json all(host.rxaqm({ "-j", "profile", "check", fine, scratch.path() + "/none.conf" }).out);
	CHECK(all.text("/profiles/0/path") == fine);
	CHECK(all.text("/profiles/1/path") == scratch.path() + "/none.conf");
}

/* build/replay with @args. */
static Result replay(Args args, const RunOptions &options = {})
{
	args.insert(args.begin(), build_path("replay"));
	return run(args, options);
}

TEST_CASE("cli: replay takes the decisions that a trace asks for", "[cli]")
{
	Host host;
	RunOptions options;

	/* 20 ms at 10 ms over target: CoDel waits for one interval, then acts. */
	options.input = HEADER;
	for (int i = 0; i < 300; i++)
		options.input += std::to_string(1000000000ULL + unsigned(i) * 1000000) +
				 ",0,30000000,1500," + (i % 2 ? "2" : "0") + ",data,0\n";
	Result lines = replay({ "law=codel", "target=2ms", "interval=40ms" }, options);
	CAPTURE(lines.text());
	CHECK(lines.exit_code == 0);
	CHECK(lines.err == "");
	CHECK(lines.out.find("now_ns,queue,verdict,count,dropping,drop_next_ns\n") == 0);
	CHECK(std::count(lines.out.begin(), lines.out.end(), '\n') == 301);
	CHECK(lines.out.find(",drop,") != std::string::npos);
	CHECK(lines.out.find(",mark,") != std::string::npos);

	Json sum(replay({ "--summary", "-j", "-", "law=codel", "target=2ms", "interval=40ms" },
			options)
			 .out);
	CHECK(sum.number("/queues/0/packets") == 300);
	CHECK(sum.number("/queues/0/dropped") > 0);
	CHECK(sum.number("/queues/0/marked") > 0);
	/* With a target that is not reached nothing happens. */
	Json calm(replay({ "--summary", "-j", "-", "target=35ms", "interval=40ms" }, options).out);
	CHECK(calm.number("/queues/0/dropped") == 0);
	CHECK(calm.number("/queues/0/marked") == 0);
}

TEST_CASE("cli: replay shows the state of the law that decides", "[cli]")
{
	Host host;
	RunOptions options;

	/* Almost a second of packets that all stand 30 ms: none is a burst. */
	options.input = HEADER;
	for (int i = 0; i < 900; i++)
		options.input += std::to_string(1000000000ULL + unsigned(i) * 1000000) +
				 ",0,30000000,1500," + (i % 2 ? "2" : "0") + ",data,0\n";
	Result lines = replay({ "--ring", "4096", "target=2ms" }, options);
	CAPTURE(lines.text().substr(0, 1000));
	CHECK(lines.exit_code == 0);
	CHECK(lines.err == "");
	CHECK(lines.out.find(
		      "now_ns,queue,verdict,limit_pps,bad,goal_ns\n1000000000,0,pass,0,0,2000000\n") ==
	      0);
	CHECK(std::count(lines.out.begin(), lines.out.end(), '\n') == 901);
	CHECK(lines.out.find(",drop,") != std::string::npos);
	CHECK(lines.out.find(",mark,") != std::string::npos);
	CHECK(lines.out.find(",1,2000000\n") != std::string::npos);
	/* The same again, since numbers drawn by lot are those of the queue. */
	CHECK(replay({ "--ring", "4096", "target=2ms" }, options).out == lines.out);

	Result json = replay({ "-j", "target=2ms" }, options);
	Json first(json.out.substr(0, json.out.find('\n')));
	CHECK(first.text("/verdict") == "pass");
	CHECK(first.number("/limit_pps") == 0);
	CHECK_FALSE(first.flag("/bad"));
	CHECK(first.number("/goal_ns") == 2000000);
	CHECK(replay({ "law=codel", "--unguarded", "target=2ms" }, options).exit_code == 0);
}

TEST_CASE("cli: replay names the line that it cannot read", "[cli]")
{
	const std::string line = "1000,0,5,1500,0,data,0\n";
	Host host;
	Scratch scratch;
	struct {
		std::string text, says;
	} bad[] = {
		{ "", "" },
		{ "now,queue\n", ":1" },
		{ HEADER + line + "2000,0,5,1500,0\n", ":3" },
		{ HEADER + line + "2000,0,5,1500,4,data,0\n", ":3" },
		{ HEADER + line + "2000,0,5,1500,0,junk,0\n", ":3" },
		{ HEADER + line + "2000,0,-5,1500,0,data,0\n", ":3" },
		{ HEADER + line + "500,0,5,1500,0,data,0\n", ":3" },
		{ HEADER + line + "2000,9999999,5,1500,0,data,0\n", ":3" },
		{ HEADER + line + "# comment\n\n2000,0,x,1500,0,data,0\n", ":" },
	};

	for (const auto &row : bad) {
		std::string path = scratch.file("trace.csv", row.text);
		Result result = replay({ "--summary", path });

		CAPTURE(row.text, result.text());
		CHECK(result.exit_code == 2);
		CHECK(result.out == "");
		CHECK(result.err.find(path + row.says) != std::string::npos);
		CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
	}
	std::string junk = scratch.file("junk", "now,queue\n");
	check_row({ {}, 2, "", "junk:1: " }, replay({ junk }));
	check_row({ {}, 1, "", "nosuch.csv", "No such file" },
		  replay({ scratch.path() + "/nosuch.csv" }));
	CHECK(replay({ "-", "target=5" }).err.find("replay: target=5: a unit is required") == 0);
	CHECK(replay({ "-", "target=5" }).exit_code == 2);
	CHECK(replay({ "-", "lease=5s" }).err.find("replay: a lease means nothing") == 0);
	CHECK(replay({ "-", "lease=5s" }).exit_code == 2);
}

TEST_CASE("cli: a policy file is written and read by name, errors named with file and line",
	  "[cli]")
{
	Host host;
	Scratch scratch;
	Netns netns;

	netns.ip("link add cli0 type veth peer name cli1");
	REQUIRE(host.rxaqm(netns, { "attach", "cli0", "target=3ms" }).exit_code == 0);
	std::string saved = scratch.path() + "/saved";
	check_row({ {}, 0, "", "" }, host.rxaqm(netns, { "policy", "save", "cli0", saved }));
	REQUIRE(host.rxaqm(netns, { "policy", "set", "cli0", "target=4ms" }).exit_code == 0);
	check_row({ {}, 0, "", "" }, host.rxaqm(netns, { "policy", "load", "cli0", saved }));
	CHECK(host.status_number(netns, "cli0", "/queues/0/target_ns") == 3000000);

	std::string bad = scratch.file("bad", "[interface]\ntarget=4ms\n\nmode=on\n");
	check_row({ {}, 2, "", "bad:4: ", "off|observe|enforce" },
		  host.rxaqm(netns, { "policy", "load", "cli0", bad }));
	CHECK(host.status_number(netns, "cli0", "/queues/0/target_ns") == 3000000);
}

TEST_CASE("cli: a policy that is not there yet keeps no other command waiting", "[cli]")
{
	Host host;
	Scratch scratch;
	Netns netns;
	const std::string pipe = scratch.path() + "/pipe";
	int fd = -1;

	netns.ip("link add cli0 type veth peer name cli1");
	REQUIRE(host.rxaqm(netns, { "attach", "cli0" }).exit_code == 0);
	REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
	Child load(host.command(netns, { "policy", "load", "cli0", pipe }),
		   host.with_environment());
	/* It can be opened so once there is who reads. */
	REQUIRE(eventually([&] {
		fd = open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
		return fd >= 0;
	}));
	check_row({ {}, 0, "", "" }, host.rxaqm(netns, { "policy", "set", "cli0", "target=4ms" }));
	const std::string text = "[interface]\ninterval=50ms\n";
	CHECK(write(fd, text.data(), text.size()) == ssize_t(text.size()));
	close(fd);
	check_row({ {}, 0, "", "" }, load.wait());
	CHECK(host.status_number(netns, "cli0", "/queues/0/target_ns") == 4000000);
	CHECK(host.status_number(netns, "cli0", "/queues/0/interval_ns") == 50000000);
}

TEST_CASE("cli: a file without a name is refused before anything is measured", "[cli]")
{
	Host host;
	Scratch scratch;
	Netns netns;

	netns.ip("link add cli0 type veth peer name cli1");
	REQUIRE(host.rxaqm(netns, { "attach", "cli0" }).exit_code == 0);
	for (const Args &args :
	     { Args{ "policy", "save", "cli0", "" }, Args{ "trial", "cli0", "--for=10m", "--out=" },
	       Args{ "trial", "cli0", "--for=10m", "--html=" },
	       Args{ "qualify", "--from=x", "--junit=" },
	       Args{ "doctor", "--time=10m", "--record=" } })
		check_row({ {}, 1, "", "cannot write \"\": No such file" },
			  host.rxaqm(netns, args));
}

TEST_CASE("cli: no command says that nothing is attached where it cannot see it", "[cli]")
{
	Host host;
	Netns netns;
	RunOptions blind;

	blind.environment = { "RXAQM_BPFFS=/tmp" };
	netns.ip("link add cli0 type veth peer name cli1");
	REQUIRE(host.rxaqm(netns, { "attach", "cli0" }).exit_code == 0);
	for (const Args &args :
	     { Args{ "status" }, Args{ "detach", "cli0" }, Args{ "detach", "cli*" },
	       Args{ "policy", "set", "cli*", "mode=off" },
	       Args{ "policy", "set", "--all", "mode=off" }, Args{ "detach", "--all" } })
		check_row({ {},
			    1,
			    "",
			    "rxaqm's own program (id ",
			    "\"/tmp\" is not a BPF file system" },
			  host.rxaqm(netns, args, blind));
	/* Where no program shows that there is something to see. */
	Netns bare;
	bare.ip("link add cli0 type veth peer name cli1");
	check_row({ {}, 4, "", "could be seen: \"/tmp\" is not a BPF file system", "--netns" },
		  host.rxaqm(bare, { "status" }, blind));
	CHECK(xdp_on(netns, "cli0") != 0);
}

TEST_CASE("cli: a file without end is refused at once", "[cli]")
{
	Host host;
	Netns netns;

	netns.ip("link add cli0 type veth peer name cli1");
	REQUIRE(host.rxaqm(netns, { "attach", "cli0" }).exit_code == 0);
	check_row({ {}, 2, "", "/dev/zero: larger than 64 MiB" },
		  host.rxaqm(netns, { "policy", "load", "cli0", "/dev/zero" }));
	for (const Args &args : { Args{ "profile", "check", "/dev/zero" },
				  Args{ "run", "--check", "--config", "/dev/zero" } })
		check_row({ {}, 2, "", "/dev/zero:1: NUL character" }, host.rxaqm(args));
}

TEST_CASE("cli: run --check refuses files that run could not read or write", "[cli]")
{
	Host host;
	Scratch scratch;
	Netns netns;
	auto check = [&](const std::string &text) {
		return host.rxaqm(netns, { "run", "--check", "-c", scratch.file("c", text) });
	};
	const std::string dir = scratch.path();

	netns.ip("link add cli0 type veth peer name cli1");
	check_row({ {}, 1, "[Interface cli0]", "cannot open \"/nope\"", "cli0: [Interface cli0]" },
		  check("[Interface cli0]\nprofile=/nope\n"));
	check_row({ {}, 2, "[Interface cli0]", "no profile \"nope\"", "profile show" },
		  check("[Interface cli0]\nprofile=nope\n"));
	check_row({ {}, 1, "status_file", "status_file=/nope/x: ", "\"/nope/\": No such file" },
		  check("[Daemon]\nstatus_file=/nope/x\n"));
	check_row({ {},
		    1,
		    "textfile",
		    ("textfile=" + dir + "/c/a.prom: ").c_str(),
		    "Not a directory" },
		  check("[Metrics]\ntextfile=" + dir + "/c/a.prom\n"));
	/* What is not here, or not enabled, does not matter. */
	check_row({ {}, 0, "[Interface cli0]", "" },
		  check("[Interface nope0]\nprofile=/nope\n"
			"[Interface cli0]\nprofile=/nope\nenable=no\n"));
	check_row({ {}, 0, "textfile", "" }, check("[Daemon]\nstatus_file=" + dir +
						   "/s\n[Metrics]\ntextfile=" + dir + "/a.prom\n"));
	check_row({ {}, 0, "textfile", "" }, check("[Daemon]\nstatus_file=/run/rxaqm/x\n"));
	CHECK(host.gone());
}
