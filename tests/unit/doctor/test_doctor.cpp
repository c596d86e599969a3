// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor: rules over snapshots. Each case names its cause and acquits the others. */
#include "doctor_case.hpp"

TEST_CASE("doctor: a healthy host under full load has nothing", "[doctor]")
{
	Bundle bundle;
	Diagnosis diagnosis(bundle.text());

	INFO(diagnosis.printed(true));
	CHECK(diagnosis.primary() == "");
	CHECK(diagnosis.with(DOCTOR_FOUND).empty());
	CHECK(diagnosis.exit_code() == RXAQM_EXIT_OK);
	CHECK(diagnosis.printed(false).find("NOTHING FOUND") != std::string::npos);
}

TEST_CASE(
	"doctor: each cause is named, what follows from it is ordered below, all else is acquitted",
	"[doctor]")
{
	for (const Case &one : doctor_cases()) {
		Bundle bundle;

		one.change(bundle);

		Diagnosis diagnosis(bundle.text());
		std::set<std::string> found = one.also;

		INFO(one.id << "\n" << diagnosis.printed(true));
		found.insert(one.id);
		CHECK(diagnosis.primary() == (diagnosis.is_note(one.id) ? "" : one.id));
		CHECK(diagnosis.with(DOCTOR_FOUND) == found);
		for (const std::string &id : one.also)
			CHECK(diagnosis.consequence_of(id) != "");
		CHECK(diagnosis.unexplained().empty());
		CHECK(diagnosis.exit_code() ==
		      (diagnosis.is_note(one.id) ? RXAQM_EXIT_OK : RXAQM_EXIT_FINDINGS));
	}
}

TEST_CASE("doctor: every check has a case, or is never found", "[doctor]")
{
	std::set<std::string> seen = { "window-empty" };
	const doctor_check *check;

	for (const Case &one : doctor_cases()) {
		seen.insert(one.id);
		seen.insert(one.also.begin(), one.also.end());
	}
	for (size_t i = 0; (check = doctor_check_at(i)); i++) {
		INFO(check->id);
		CHECK(seen.count(check->id));
	}
}

TEST_CASE("doctor: ids are unique, rows are whole, and consequences name checks", "[doctor]")
{
	std::set<std::string> ids;
	const doctor_check *check;

	for (size_t i = 0; (check = doctor_check_at(i)); i++) {
		const doctor_remedy remedy = doctor_remedy_of(check);

		INFO(check->id);
		CHECK(ids.insert(check->id).second);
		for (const char *text :
		     { check->reads, check->rule ? check->rule : "as most", check->cause,
		       check->because, check->clear, remedy.now, remedy.keep, remedy.undo,
		       remedy.expect, remedy.risk, check->reference }) {
			REQUIRE(text);
			CHECK(*text);
		}
	}
	for (size_t i = 0; (check = doctor_check_at(i)); i++) {
		std::istringstream after(check->after ? check->after : "");
		std::string id;

		INFO(check->id);
		while (after >> id) {
			INFO(id);
			CHECK(ids.count(id));
			CHECK(id != check->id);
		}
	}
}

TEST_CASE("doctor: a remedy that changes a setting says how that is undone", "[doctor]")
{
	const char *const changes[] = { "ethtool -A",	   "ethtool -K",     "ethtool -s ",
					"ethtool -L",	   "ethtool -G",     "ethtool -N",
					"ethtool -X",	   "sysctl -w",	     "tc qdisc replace",
					"echo ",	   "ip link set ",   "iptables",
					"cpupower freque", "systemctl stop", "policy set" };
	const doctor_check *check;

	for (size_t i = 0; (check = doctor_check_at(i)); i++) {
		const doctor_remedy remedy = doctor_remedy_of(check);

		CAPTURE(check->id, remedy.now, remedy.undo);
		for (const char *change : changes)
			if (std::string(remedy.now).find(change) != std::string::npos)
				CHECK(std::string(remedy.undo) != "nothing was changed");
	}
}

TEST_CASE("doctor: what a driver counts in all and by queue is counted once, times not at all",
	  "[doctor]")
{
	const unsigned often = 11; /* more than one a second */

	for (unsigned n : { often - 2, often }) {
		Bundle bundle;

		for (const char *name : { "xdp_drop", "q0_xdp_drop", "rx_missed", "q0_rx_missed" })
			bundle.rise_at(std::string("ifaces/1/ethtool/") + name, n);
		bundle.rise_at("ifaces/1/ethtool/xdp_drop_ns", 700000);

		Diagnosis diagnosis(bundle.text());
		const bool found = n == often;

		INFO(diagnosis.printed(true));
		CHECK(diagnosis.with(DOCTOR_FOUND).count("xdp-drops") == found);
		CHECK(diagnosis.with(DOCTOR_FOUND).count("nic-ring-overflow") == found);
	}
}

TEST_CASE("doctor: threads that receive wait for each other, which is not for programs", "[doctor]")
{
	Bundle bundle;

	bundle.rise_at("threads/0/wait_ns", 7000000000).rise_at("threads/0/run_ns", 500000000);
	bundle.softirq(0, 94).rise_at("cpus/0/user", 20).rise_at("cpus/0/system", 10);

	Diagnosis diagnosis(bundle.text());

	INFO(diagnosis.printed(true));
	CHECK(!diagnosis.with(DOCTOR_FOUND).count("rx-starved"));
}

/* Every name in every template is noted, found or acquitted. */
TEST_CASE("doctor: no template is left unfilled", "[doctor]")
{
	std::vector<Case> cases = doctor_cases();

	cases.push_back({ "", {}, [](Bundle &) {} });
	for (const Case &one : cases) {
		Bundle bundle;

		one.change(bundle);

		Diagnosis diagnosis(bundle.text());

		for (const std::string &text :
		     { diagnosis.printed(true), diagnosis.printed(false, true) }) {
			size_t at = text.find("${");

			INFO(one.id << ": " << (at == text.npos ? "" : text.substr(at - 100, 200)));
			CHECK(at == text.npos);
		}
	}
}

TEST_CASE("doctor: people get one screen", "[doctor]")
{
	for (const Case &one : doctor_cases()) {
		Bundle bundle;

		one.change(bundle);

		Diagnosis diagnosis(bundle.text());
		std::istringstream text(diagnosis.printed(false));
		std::string line;
		unsigned lines = 0;

		while (std::getline(text, line)) {
			INFO(one.id << ": " << line);
			/* A command stays whole. */
			CHECK(line.size() <= (line.starts_with("  ") ? 130 : 100));
			lines++;
		}
		INFO(one.id << "\n" << text.str());
		CHECK(lines <= 60);
	}
}

static std::vector<std::string> numbers_below(Bundle &bundle, const std::string &at)
{
	std::vector<std::string> paths;
	json_object *object = bundle.get(at);

	REQUIRE(object);
	json_object_object_foreach(object, key, value) {
		if (json_object_is_type(value, json_type_int))
			paths.push_back(at.substr(strlen("/after/")) + "/" + key);
	}
	return paths;
}

/* One event more, anywhere, is no evidence of another cause. */
TEST_CASE("doctor: no single counter turns the cause into another one", "[doctor]")
{
	for (const Case &one : doctor_cases()) {
		Bundle bundle;
		std::vector<std::string> paths;

		one.change(bundle);
		for (const char *at :
		     { "/after/counters", "/after/ifaces/0/stats", "/after/ifaces/1/stats",
		       "/after/cpus/0", "/after/cpus/1" }) {
			std::vector<std::string> more = numbers_below(bundle, at);

			paths.insert(paths.end(), more.begin(), more.end());
		}
		for (const std::string &path : paths) {
			json_object *value = bundle.get("/after/" + path);
			int64_t was = json_object_get_int64(value);

			/* Which CPU, not how much. */
			if (path.substr(path.rfind('/') + 1) == "id")
				continue;
			json_object_int_inc(value, 1);
			{
				Diagnosis diagnosis(bundle);
				const bool same = diagnosis.primary() ==
						  (diagnosis.is_note(one.id) ? "" : one.id);

				INFO(one.id << ", " << path << " + 1\n"
					    << (same ? "" : diagnosis.printed(false)));
				CHECK(same);
			}
			json_object_set_int64(value, was);
		}
	}
}

TEST_CASE("doctor: what cannot be seen is said, and is not \"nothing found\"", "[doctor]")
{
	Bundle bundle;

	bundle.set("/sockets", R"({"source":""})");
	bundle.set("/cannot_see/-", R"({"what":"sockets","why":"sock_diag: no"})");

	Diagnosis diagnosis(bundle.text());

	INFO(diagnosis.printed(true));
	CHECK(diagnosis.primary() == "");
	CHECK(diagnosis.exit_code() == RXAQM_EXIT_UNSUPPORTED);
	CHECK(diagnosis.with(DOCTOR_BLIND).count("tcp-reader-stopped"));
	CHECK(diagnosis.printed(false).find("sock_diag: no") != std::string::npos);
}

TEST_CASE("doctor: a counter that is missing, or was reset, is not 0", "[doctor]")
{
	for (bool reset : { false, true }) {
		Bundle bundle;

		bundle.rise("TcpExt.RcvPruned", 5)
			.rise("TcpExt.OfoPruned", 5)
			.rise("TcpExt.TCPOFODrop", 5);
		for (const char *name : { "RcvPruned", "OfoPruned", "TCPOFODrop" }) {
			if (reset)
				bundle.set(std::string("/before/counters/TcpExt.") + name, "99");
			else
				json_object_object_del(bundle.get("/after/counters"),
						       (std::string("TcpExt.") + name).c_str());
		}

		Diagnosis diagnosis(bundle.text());

		CHECK(diagnosis.with(DOCTOR_BLIND).count("tcp-pruned"));
		CHECK(diagnosis.primary() == "");
	}
}

TEST_CASE("doctor: a core that polls for ever is no overload", "[doctor]")
{
	Bundle bundle;
	const std::string thread = R"({"comm":"napi/eth0-9","pid":77,"cpu":1,"wait_ns":0,"run_ns":)";

	bundle.set("/before/threads/-", thread + "0}")
		.set("/after/threads/-", thread + "9990000000}");
	bundle.set("/after/ifaces/1/napis",
		   R"([{"id":9,"irq":0,"pid":77,"threaded":"busy-poll"}])");
	CHECK(Diagnosis(bundle.text()).primary() == "");
	/* The same thread without it has a queue that stands. */
	bundle.set("/after/ifaces/1/napis/0/threaded", "\"enabled\"");
	CHECK(Diagnosis(bundle.text()).primary() == "rx-cpu-busy");
}

static std::string zero_windows_follow_from(unsigned wanted, unsigned shut)
{
	Bundle bundle;

	bundle.socket(R"({"rcvbuf":67108864,"rmem_alloc":64637712,"rcv_wnd":11284480,
		"received":390000000,"read":390000000})");
	bundle.rise("TcpExt.TCPWantZeroWindowAdv", wanted);
	bundle.rise("TcpExt.TCPToZeroWindowAdv", shut);

	Diagnosis diagnosis(bundle.text());

	INFO(diagnosis.printed(true));
	CHECK(diagnosis.with(DOCTOR_FOUND).count("tcp-window-stuck"));
	CHECK(diagnosis.with(DOCTOR_FOUND).count("tcp-zero-window"));
	return diagnosis.consequence_of("tcp-zero-window");
}

TEST_CASE("doctor: a few windows that could not shrink do not explain many that shut", "[doctor]")
{
	CHECK(zero_windows_follow_from(900, 1085) == "tcp-window-stuck");
	CHECK(zero_windows_follow_from(12, 1085) == "");
}

TEST_CASE("doctor: with tcp_shrink_window=1 windows that want to shut do", "[doctor]")
{
	Bundle bundle;

	bundle.socket(R"({"rcvbuf":67108864,"rmem_alloc":64637712,"rcv_wnd":11284480})");
	bundle.rise("TcpExt.TCPWantZeroWindowAdv", 900);
	CHECK(Diagnosis(bundle.text()).primary() == "tcp-window-stuck");
	bundle.set("/sysctl/net.ipv4.tcp_shrink_window", "\"1\"");
	CHECK(Diagnosis(bundle.text()).primary() == "");
}

TEST_CASE("doctor: a program of many threads is slow only if one of them is busy", "[doctor]")
{
	const auto primary = [](const std::string &more) {
		Bundle bundle;

		bundle.socket(R"({"proto":"udp","state":"","remote":"0.0.0.0:0","drops":5000,
			"rcvbuf":212992,"rmem_alloc":0,"was_rmem_alloc":0})");
		bundle.rise("Udp.RcvbufErrors", 5000).rise("Udp.InDatagrams", 90000);
		bundle.set("/owners/-", R"({"pid":4711,"comm":"reader","seen_before":true,
			"state":"S","cpu":0,"wait_ns":1700000000,"run_ns":10500000000)" +
						more + "}");
		return Diagnosis(bundle.text()).primary();
	};

	CHECK(primary(R"(,"busiest_run_ns":5500000000)") == "udp-burst");
	CHECK(primary(R"(,"busiest_run_ns":8500000000)") == "udp-reader-slow");
	/* A bundle of a former version does not tell. */
	CHECK(primary("") == "udp-reader-slow");
}
