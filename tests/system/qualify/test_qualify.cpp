// SPDX-License-Identifier: GPL-2.0-only
/* qualify on veth pairs: what it refuses, measures and asks its peer. */
#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>
#include <sys/utsname.h>

#include <fstream>
#include <memory>

#include "qualify_place.hpp"
#include "traffic.hpp"

TEST_CASE("qualify refuses bad words", "[qualify]")
{
	struct {
		Args args;
		const char *says;
	} const rows[] = {
		{ {}, "an interface to measure is missing" },
		{ { "lo", "--rows", "Q1,Q77" }, "no such row: \"Q77\"" },
		{ { "lo", "--rows", "" }, "no such row: \"\"" },
		{ { "lo", "--class", "fast" }, "must be aqm or af_xdp" },
		{ { "lo", "--peer", "a", "--loopback", "b" }, "exclude each other" },
		{ { "lo", "--peer=-oProxyCommand=x" }, "must be HOST or HOST/IFACE" },
		{ { "--rows", "Q1" }, "an interface is missing" },
		{ { "--restore" }, "an interface is missing" },
		{ { "lo", "--from", "x.json" }, "leave out \"lo\"" },
	};
	Host host;

	for (const auto &row : rows) {
		Args args = { "qualify" };

		args.insert(args.end(), row.args.begin(), row.args.end());
		Result result = host.rxaqm(args);
		CAPTURE(result.text());
		CHECK(result.exit_code == 2);
		CHECK(result.err.find(row.says) != std::string::npos);
	}
}

TEST_CASE("qualify disturbs nothing that is in use", "[qualify]")
{
	Place place;

	SECTION("the default route")
	{
		place.wire.rx.ip("route add default dev " + place.wire.rx_if);
		Result result = place.rows("Q5");
		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(result.err.find("carries the default route") != std::string::npos);
		CHECK(place.rows("Q5", { "--yes-disturb" }).exit_code == 0);
	}
	SECTION("an IPv6 default route among others")
	{
		place.wire.rx.ip("-6 route add default dev " + place.wire.rx_if);
		CHECK(place.rows("Q5").exit_code == 1);
	}
	SECTION("traffic")
	{
		Background traffic(place.wire);

		Result result = place.rows("Q5");
		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(result.err.find("packets a second, which would disturb") !=
		      std::string::npos);
		traffic.stop();
	}
	SECTION("another XDP program")
	{
		put_foreign_xdp(place.wire.rx, place.wire.rx_if);
		Result result = place.rows("Q5", { "--yes-disturb" });
		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(result.err.find("has an XDP program") != std::string::npos);
		CHECK(xdp_on(place.wire.rx, place.wire.rx_if));
		xdp_off(place.wire.rx, place.wire.rx_if);
	}
	SECTION("an interface that is not there")
	{
		Result result = place.run({ "qualify", "nosuch" });
		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(result.err.find("rxaqm: no interface \"nosuch\"") == 0);
	}
	CHECK_FALSE(place.has_journal());
}

TEST_CASE("without another end rows say what they need", "[qualify]")
{
	Place place;
	Result result = place.run({ "qualify", place.wire.rx_if, "--rows", "Q2,Q5,Q6", "--json" });

	CAPTURE(result.text());
	/* A pipeline must not take that for a pass, but may say what it needs to know. */
	CHECK(result.exit_code == 6);
	CHECK(Json(result.out).text("/verdict") == "unknown");
	const Args needs = { "qualify", place.wire.rx_if, "--rows", "Q2,Q5,Q6", "--require" };
	auto require = [&](const std::string &rows) {
		Args args = needs;

		args.push_back(rows);
		return place.run(args).exit_code;
	};
	CHECK(require("Q5") == 0);
	CHECK(require("Q5,q2") == 6);
	Record record(result.out);
	CHECK(record.verdict("Q2") == "unknown");
	CHECK(record.why("Q2").find("--loopback") != std::string::npos);
	CHECK(record.why("Q6").find("PTP hardware clock") != std::string::npos);
	CHECK(record.words("Q5", "source") == "none");
	/* What else would have to be the same. */
	CHECK(result.out.find("\"name\": \"offloads\"") != std::string::npos);
	CHECK(result.out.find("--rows Q2,Q5,Q6") != std::string::npos);
}

static std::string kernel_release()
{
	struct utsname host;

	uname(&host);
	return host.release;
}

TEST_CASE("qualify measures a veth pair, and leaves it as it was", "[qualify]")
{
	Place place;
	Result result = place.rows("Q2,Q9,Q16,Q17,Q14", { "--yes-disturb" });

	CAPTURE(result.text());
	REQUIRE(qualify_ended(result));
	Record record(result.out);
	/* Of the other end as well; each verdict when it is known. */
	CHECK(record.setup("peer's kernel") == kernel_release());
	CHECK(record.setup("peer's NIC") ==
	      place.wire.tx_if + ", veth 1.0, firmware not told, no bus");
	CHECK(result.err.find("Q2   warn    Stamp coverage\n             stamped 0 %") !=
	      std::string::npos);
	CHECK(result.err.find("Q2   ") < result.err.find("Q9, how many"));
	/* A veth has no stamps; drivers/net/veth.c: VETH_RING_SIZE. */
	CHECK(record.words("Q2", "coverage") == "none");
	CHECK(record.median("Q2", "stamped") == 0);
	CHECK(record.median("Q9", "depth") <= 258);
	CHECK(record.median("Q9", "depth") >= 200);
	CHECK(record.median("Q9", "drain_drop") > 0);
	CHECK(record.median("Q16", "lost") > 0);
	CHECK(record.words("Q14", "native") == "yes");
	CHECK(record.words("Q14", "drop") == "yes");
	CHECK(record.words("Q14", "zero_copy").starts_with("copy"));
	CHECK(record.median("Q14", "missing") == 0);
	/* A packet takes at least its own length. */
	CHECK(record.median("Q17", "truesize_1500") > 1);
	CHECK(place.now() == place.before);
	CHECK_FALSE(place.has_journal());
}

TEST_CASE("beside other programs qualify judges nothing that they alter", "[qualify]")
{
	Place place;
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	std::vector<std::unique_ptr<Child>> busy;

	/* More than one, so that each CPU has one whatever else runs. */
	for (long i = 0; i < 2 * cpus; i++)
		busy.push_back(
			std::make_unique<Child>(Args{ "taskset", "-c", std::to_string(i % cpus),
						      "sh", "-c", "while :; do :; done" }));
	Result result = place.rows("Q2,Q8,Q15", { "--yes-disturb" });

	CAPTURE(result.text());
	REQUIRE(result.exit_code == 6);
	Record record(result.out);
	for (const char *row : { "Q8", "Q15" }) {
		CAPTURE(record.why(row));
		CHECK(record.verdict(row) == "unknown");
		CHECK(record.why(row).find(" had CPU ") != std::string::npos);
	}
	/* That it has no stamps does not depend on that. */
	CHECK(record.verdict("Q2") != "unknown");
	CHECK(record.why("Q2").find("CPU") == std::string::npos);
}

/* Without native XDP frames may reach tc without their MAC header. */

TEST_CASE("qualify measures an interface that has generic XDP only", "[qualify]")
{
	Place place;
	const Netns &rx = place.wire.rx;

	rx.ip("link add generic0 link " + place.wire.rx_if + " type macvlan");
	rx.ip("link set generic0 up");
	Result result = place.run({ "qualify", "generic0", "--loopback",
				    place.wire.tx.name() + "/" + place.wire.tx_if, "--rows",
				    "Q11,Q12,Q13,Q14", "--json", "--yes-disturb" });
	CAPTURE(result.text());
	REQUIRE(qualify_ended(result));
	Record record(result.out);
	CHECK(record.words("Q14", "native").starts_with("no"));
	CHECK(record.words("Q14", "drop") == "yes");
	CHECK(record.median("Q12", "tx_load") > 0);
	CHECK(record.has("Q11", "standing_on_150"));
	CHECK(record.why("Q13").find("several Rx queues") != std::string::npos);
}

TEST_CASE("where nothing comes the run ends, and says so once", "[qualify]")
{
	Place place;

	/* The wrong cable: of another pair. */
	place.wire.tx.ip("link add stray0 type veth peer name stray1");
	place.wire.tx.ip("link set stray0 up");
	place.wire.tx.ip("link set stray1 up");
	Result result = place.run({ "qualify", place.wire.rx_if, "--loopback",
				    place.wire.tx.name() + "/stray0", "--rows", "Q5,Q17,Q9",
				    "--json", "--yes-disturb" });
	CAPTURE(result.text());
	CHECK(result.exit_code == 1);
	CHECK(result.err.find("reached \"" + place.wire.rx_if + "\": is the cable") !=
	      std::string::npos);
	CHECK(result.err.find("2 of 3") != std::string::npos);
	CHECK(result.err.find("3 of 3") == std::string::npos);
	Record record(result.out);
	CHECK(record.has("Q5", "source"));
	CHECK(record.why("Q9").find("is the cable") != std::string::npos);
	CHECK_FALSE(record.has("Q17"));
	CHECK(place.now() == place.before);
	CHECK_FALSE(place.has_journal());
}

TEST_CASE("a record says what measured it, and how long a run takes", "[qualify]")
{
	Place place;
	const std::string file = place.dir + "/a.json";
	Result result = place.rows("Q17", { "--yes-disturb", "--out", file });

	CAPTURE(result.text());
	REQUIRE(result.exit_code == 0);
	/* With the commit, as what measured says. */
	std::ifstream written(file);
	const std::string text{ std::istreambuf_iterator<char>(written), {} };
	CHECK(place.host.rxaqm(place.wire.tx, { "--version" }).out ==
	      "rxaqm " + Json(text).text("/rxaqm") + "\n");
	CHECK(result.err.find("rxaqm: 1 row, about 2 s together; ") == 0);
	CHECK(result.err.find("1 of 1") != std::string::npos);
	CHECK(Record(result.out).has("Q17", "truesize_200"));
}

TEST_CASE("what others send meanwhile takes no memory of the peer's packets", "[qualify]")
{
	Place place;
	auto truesize = [&place] {
		Result result = place.rows("Q17", { "--json", "--yes-disturb" });

		CAPTURE(result.text());
		REQUIRE(result.exit_code == 0);
		return Record(result.out).median("Q17", "truesize_200");
	};
	const double alone = truesize();
	Background others(place.wire);

	/* Of a veth packets are not all of one size. */
	CHECK(truesize() < 1.5 * alone);
	CHECK(others.stop().received > 0);
}

TEST_CASE("the peer is asked over ssh", "[qualify]")
{
	Place place;
	const std::string ssh = place.dir + "/ssh", path = getenv("PATH");

	/* What sshd would do: "ssh -T -o BatchMode=yes -- HOST rxaqm ARGUMENT ...". */
	std::ofstream(ssh) << "#!/bin/sh\necho \"$*\" >" << place.dir << "/asked\nshift 6\nexec "
			   << rxaqm_path() << " --netns " << place.wire.tx.name() << " \"$@\"\n";
	REQUIRE(!chmod(ssh.c_str(), 0755));
	Result result = place.run({ "qualify", place.wire.rx_if, "--peer",
				    "db2/" + place.wire.tx_if, "--rows", "Q17", "--json",
				    "--yes-disturb" },
				  { "PATH=" + place.dir + ":" + path });
	CAPTURE(result.text());
	REQUIRE(result.exit_code == 0);
	CHECK(Record(result.out).has("Q17", "truesize_200"));
	CHECK(result.out.find("host db2 (" + place.wire.tx_if + ")") != std::string::npos);
	std::string asked;
	std::ifstream file(place.dir + "/asked");
	std::getline(file, asked);
	CHECK(asked == "-T -o BatchMode=yes -- db2 rxaqm qualify --serve " + place.wire.tx_if);

	/* A host that is not there. */
	std::ofstream(ssh) << "#!/bin/sh\necho no such host >&2\nexit 255\n";
	result = place.run({ "qualify", place.wire.rx_if, "--peer", "db3", "--rows", "Q17",
			     "--yes-disturb" },
			   { "PATH=" + place.dir + ":" + path });
	CAPTURE(result.text());
	CHECK(result.exit_code == 1);
	CHECK(result.err.find("no such host") != std::string::npos);
	CHECK(result.err.find("host db3") != std::string::npos);
	CHECK(place.now() == place.before);
}

TEST_CASE("the serving side answers what it does not understand", "[qualify]")
{
	Place place;
	RunOptions options = place.options();

	options.input = "nonsense\n{\"do\":\"dance\"}\n{\"do\":\"send\",\"kind\":\"x\"}\n"
			"{\"do\":\"send\",\"kind\":\"udp4\",\"to\":\"x\"}\n"
			"{\"do\":\"avoid\",\"cpu\":1}\n{\"do\":\"hello\"}\n";
	Result result = place.host.rxaqm(place.wire.rx, { "qualify", "--serve", place.wire.rx_if },
					 options);
	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	size_t errors = 0;
	for (size_t at = 0; (at = result.out.find("\"error\"", at)) != std::string::npos; at++)
		errors++;
	CHECK(errors == 5);
	CHECK(result.out.find("\"mac\":\"" + std::string(Wire::RX_MAC) + "\"") !=
	      std::string::npos);
}
