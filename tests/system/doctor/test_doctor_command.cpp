// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor: its bundles, --verify, and what it is asked wrongly. */
#include "doctor.hpp"

#include <linux/filter.h>

#include <filesystem>
#include <fstream>
#include <iterator>

extern "C" {
#include "doctor/checks/check.h"
#include "doctor/collect/collect.h"
}

TEST_CASE("doctor: a bundle gives the same diagnosis, byte for byte", "[doctor][bundle]")
{
	Host host;
	Netns netns;
	char path[] = "/tmp/rxaqm-t-doctor-XXXXXX";

	set_up(netns);
	close(mkstemp(path));

	Connection connection(netns);
	const std::string text(1448, 'x');
	Meanwhile sender([&] { (void)!write(connection.tx, text.data(), text.size()); }, 1000us);

	std::this_thread::sleep_for(1s);
	for (bool mask : { false, true }) {
		for (bool json : { false, true }) {
			Args args = { "doctor", "--time=1s", "--all", "--record", path };
			Args again = { "doctor", "--all", "--from", path };

			if (mask)
				args.push_back("--mask");
			if (json) {
				args.push_back("-j");
				again.push_back("-j");
			}

			Result live = host.rxaqm(netns, args);
			Result offline = host.rxaqm(again);

			INFO(live.text());
			CHECK(live.exit_code == 5);
			CHECK(offline.exit_code == 5);
			CHECK(live.out == offline.out);
			CHECK((live.out.find("127.0.0.1") == std::string::npos) == mask);
		}
	}
	unlink(path);
}

TEST_CASE("doctor: --verify says whether a finding is gone", "[doctor][bundle]")
{
	Host host;
	Netns netns;

	set_up(netns);

	Args args = { "doctor", "--time=1s", "--verify=tcp-features-off" };
	Result before = host.rxaqm(netns, args);

	INFO(before.text());
	CHECK(before.exit_code == 0);
	CHECK(before.out.find("GONE") == 0);
	netns.shell("echo 0 >/proc/sys/net/ipv4/tcp_sack");

	Result after = host.rxaqm(netns, args);

	INFO(after.text());
	CHECK(after.exit_code == 5);
	CHECK(after.out.find("STILL") == 0);
	CHECK(after.out.find("tcp_sack=0") != std::string::npos);
}

/* What a program refuses itself is no buffer that is full. */
TEST_CASE("doctor: a socket with a filter of its program's", "[doctor][causes][udp]")
{
	Host host;
	Netns netns;

	set_up(netns);

	UdpFlow flow(netns);
	sock_filter none[] = { BPF_STMT(BPF_RET | BPF_K, 0) };
	sock_fprog program = { 1, none };

	REQUIRE(!setsockopt(flow.rx, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)));

	Meanwhile sender([&] { flow.send(1, 100); }, 5000us);
	Diagnosis diagnosis = diagnose(host, netns);

	check_names(diagnosis, "udp-filtered");
	CHECK((diagnosis.exit_code == 0 || !diagnosis.machine.empty()));
}

TEST_CASE("doctor: where nothing came nothing is called healthy", "[doctor]")
{
	Host host;
	Netns netns;

	set_up(netns);

	Result result = host.rxaqm(netns, { "doctor", "--time=1s", "lo" });

	INFO(result.text());
	CHECK((result.exit_code == 3 || result.exit_code == 5));
	CHECK(result.out.find("window-empty: no packets came") != std::string::npos);
}

TEST_CASE("doctor: an interface is looked at by its name, in its namespace", "[doctor]")
{
	Host host;
	Netns netns;

	set_up(netns);
	netns.ip("link add doc0 type veth peer name doc1");
	netns.ip("link set doc0 up");

	Result result = host.rxaqm(netns, { "doctor", "--time=1s", "--record=-", "doc0" });

	INFO(result.text());

	Json json(result.out);

	CHECK(json.text("/interface") == "doc0");
	CHECK(json.text("/after/ifaces/0/name") == "doc0");
	CHECK(json.text("/after/ifaces/0/driver") == "veth");
	CHECK(!json.has("/after/ifaces/1"));
}

TEST_CASE("doctor: --metrics writes the causes, and says what it says without it", "[doctor]")
{
	Host host;
	Netns netns;
	char path[] = "/tmp/rxaqm-t-doctor-XXXXXX";

	set_up(netns);
	close(mkstemp(path));
	unlink(path);

	Connection connection(netns);
	const std::string text(1448, 'x');
	Meanwhile sender([&] { (void)!write(connection.tx, text.data(), text.size()); }, 1000us);
	Result result = host.rxaqm(netns, { "doctor", "--time=1s", "--metrics", path });
	std::ifstream file(path);
	const std::string page{ std::istreambuf_iterator<char>(file), {} };

	INFO(result.text());
	INFO(page);
	CHECK(result.exit_code == 5);
	CHECK(result.out.find("tcp-reader-stopped") != std::string::npos);
	CHECK(page.find("\nrxaqm_doctor_found{id=\"tcp-reader-stopped\"") != std::string::npos);
	CHECK(page.find("\nrxaqm_doctor_timestamp_seconds ") != std::string::npos);
	/* node_exporter is nobody. */
	CHECK(std::filesystem::status(path).permissions() == std::filesystem::perms(0644));
	CHECK(host.rxaqm(netns, { "doctor", "--time=1s", "--metrics=-" }).out.find("# HELP ") == 0);
	unlink(path);
}

TEST_CASE("doctor: bad words", "[doctor][cli]")
{
	Host host;
	Netns netns;

	for (const auto &[args, exit_code, err] : std::vector<std::tuple<Args, int, std::string>>{
		     { { "doctor", "--time=5" }, 2, "--time=5: not a DURATION" },
		     { { "doctor", "--time=11m" }, 2, "1s to 10m is possible" },
		     { { "doctor", "--verify=nonsense" }, 2, "no such check" },
		     { { "doctor", "a", "b" }, 2, "too many interfaces" },
		     { { "doctor", "--from=x", "eth0" }, 2, "--from stands alone" },
		     { { "doctor", "--from=x", "-t", "5s" }, 2, "--from stands alone" },
		     { { "doctor", "--watch", "--record=x" }, 2, "--watch excludes" },
		     { { "doctor", "--watch", "--verify=cq-shared" }, 2, "--watch excludes" },
		     { { "doctor", "--from=/nonexistent" }, 1, "cannot read \"/nonexistent\"" },
		     { { "doctor", "--from=/dev/null" }, 2, "/dev/null: not JSON, at byte 0" },
		     { { "doctor", "--time=1s", "nosuch0" }, 1, "no interface \"nosuch0\"" },
		     { { "doctor", "--time=1s", "--record=/nonexistent/x", "lo" },
		       1,
		       "cannot write \"/nonexistent/x\"" },
		     { { "doctor", "--time=1s", "--metrics=/nonexistent/x", "lo" },
		       1,
		       "cannot write \"/nonexistent/x\"" },
		     { { "doctor", "-j", "--metrics=-" }, 2, "two documents would go to standard" },
	     }) {
		Result result = host.rxaqm(netns, args);

		INFO(result.text());
		CHECK(result.exit_code == exit_code);
		CHECK(result.out == "");
		CHECK(result.err.find(err) != std::string::npos);
		CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
	}
}

TEST_CASE("doctor: a record that cannot be written is said before the window", "[doctor][cli]")
{
	Host host;
	Netns netns;
	const auto began = std::chrono::steady_clock::now();
	Result result = host.rxaqm(netns, { "doctor", "--time=20s", "--record=/nonexistent/x" });

	INFO(result.text());
	CHECK(result.exit_code == 1);
	CHECK(result.err.find("cannot write \"/nonexistent/x\"") != std::string::npos);
	CHECK(std::chrono::steady_clock::now() - began < 10s);
}

/* One whose remedy is not run says why. */
TEST_CASE("doctor: the remedy of each check is run, or cannot be tried here", "[doctor][remedies]")
{
	static const struct {
		const char *why, *ids;
	} untried[] = {
		{ "it only looks, or has no remedy",
		  "window-empty xdp-drops rx-dropped "
		  "udp-overflow tx-qdisc-drops tx-qdisc-standing packet-dear bpf-dear "
		  "rx-late softirq-late softirq-other udp-filtered tcp-zero-window tcp-rwnd-limited "
		  "tcp-truesize" },
		{ "it is to be done elsewhere: cables, switches, the peer, who hires the machine out",
		  "cpu-steal duplex-mismatch link-slow link-full nic-pauses-received nic-allowance "
		  "nic-port-discards wire-errors frames-too-long tcp-loss small-mss checksum-errors" },
		{ "it is the program's to mend",
		  "tcp-reader-stopped tcp-reader-slow udp-reader-stopped udp-reader-slow "
		  "listen-overflow tcp-sndbuf-limited tcp-rcvbuf-fixed app-window ip-fragments "
		  "ip-reassembly-fails" },
		{ "it changes what all of the host shares",
		  "backlog-drops nic-no-memory tcp-memory udp-memory udp-burst udp-send-buffer "
		  "conntrack-full conntrack-race neighbour-full "
		  "irqs-on-one-cpu rx-starved napi-starved reader-waits-for-cpu "
		  "udp-reader-shares-cpu conntrack-invalid too-big-to-forward" },
		{ "it needs a driver with such queues, rings or offloads: the simulated NIC's tests "
		  "have its conditions",
		  "rx-cpu-busy rx-cpus-busy rx-skew rx-queues-few gro-off "
		  "nic-pauses nic-ring-overflow tx-hangs cq-shared veth-drops tun-drops" },
		{ "an operator has set what drops: whether that is right is not doctor's to try",
		  "ingress-drops ip-undelivered" },
		{ "it is rxaqm's: tests/system/aqm has what its policies do",
		  "rx-queue-standing acks-dominate rx-overload-sticks" },
		{ "whether it helps is a matter of minutes, or of a long path",
		  "tcp-collapse tcp-pruned tcp-queue-drop tcp-window-stuck tcp-window-limit "
		  "tcp-buffers-huge tcp-not-sent tso-self-throttled loss-on-long-path reordering tcp-gaps "
		  "syn-queue-full" },
	};
	std::string sources, all;
	const doctor_check *check;

	for (const char *file : { "test_doctor.cpp", "test_doctor_wire.cpp" }) {
		std::ifstream source(source_path("tests/system/doctor/") + file);

		sources.append(std::istreambuf_iterator<char>(source), {});
	}
	for (const auto &row : untried)
		all += std::string(" ") + row.ids;
	all += " ";
	for (size_t i = 0; (check = doctor_check_at(i)); i++) {
		const std::string id = check->id;
		const bool runs = sources.find(", diagnosis, \"" + id + "\");") != sources.npos;

		INFO(id);
		CHECK(runs != (all.find(" " + id + " ") != all.npos));
	}
}

/* A host may have thousands of processes. */
TEST_CASE("doctor: processes are looked through for threads that receive once", "[doctor]")
{
	doctor_snapshot snap = {};

	doctor_programs_second(&snap, doctor_programs_first(&snap));
	if (snap.before.threads.nr < 2)
		SKIP("no threads of the kernel are seen here");
	snap.before.threads.nr = 1;
	doctor_threads_again(&snap);
	REQUIRE(snap.after.threads.nr == 1);
	CHECK(snap.after.threads.at[0].pid == snap.before.threads.at[0].pid);
	doctor_snapshot_free(&snap);
}
