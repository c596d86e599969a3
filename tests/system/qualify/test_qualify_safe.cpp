// SPDX-License-Identifier: GPL-2.0-only
/* qualify on veth pairs: what it leaves behind, whatever ends it. */
#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "qualify_place.hpp"

TEST_CASE("what qualify changed is put back", "[qualify]")
{
	Place place;
	/* Of long enough a run that it is at work when it is ended. */
	const Args args = qualify_args(place.wire, "Q9,Q10,Q11,Q12", { "--yes-disturb" });
	Child child(place.host.command(place.wire.rx, args),
		    place.host.with_environment(place.options()));
	const auto changed = [&] {
		return place.has_journal() && place.now().find("clsact") != std::string::npos;
	};

	REQUIRE(eventually(changed));
	SECTION("after Ctrl-C")
	{
		child.kill(SIGINT);
		Result result = child.wait();
		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(result.err.find("interrupted") != std::string::npos);
	}
	SECTION("when nobody reads any more, as with | head")
	{
		child.kill(SIGPIPE);
		Result result = child.wait();
		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(result.err.find("interrupted") != std::string::npos);
	}
	SECTION("after kill -9, by --restore")
	{
		child.kill(SIGKILL);
		child.wait();
		CHECK(place.now() != place.before);
		Result result = place.run({ "qualify", place.wire.rx_if, "--restore" });
		CAPTURE(result.text());
		CHECK(result.exit_code == 0);
		CHECK(result.err.find("put back") != std::string::npos);
		CHECK(place.run({ "qualify", place.wire.rx_if, "--restore" })
			      .err.find("nothing to put back") != std::string::npos);
	}
	SECTION("after kill -9, by the next run")
	{
		child.kill(SIGKILL);
		child.wait();
		CHECK(place.run({ "qualify", place.wire.rx_if, "--rows", "Q5" }).exit_code == 0);
	}
	CHECK(place.now() == place.before);
	CHECK_FALSE(place.has_journal());
}

TEST_CASE("files are tried before anything is measured", "[qualify]")
{
	Place place;

	for (const char *option : { "--out", "--html", "--junit" }) {
		Result result = place.run({ "qualify", place.wire.rx_if, "--rows", "Q5", option,
					    place.dir + "/not/there", "--yes-disturb" });
		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(result.out == "");
		CHECK(result.err == "rxaqm: cannot write \"" + place.dir +
					    "/not/there\": No such file or directory\n");
	}
}

TEST_CASE("what was measured is shown though it cannot be written", "[qualify]")
{
	Place place;
	const std::string dir = place.dir + "/soon-gone";
	Args args = { "qualify",      place.wire.rx_if,
		      "--loopback",   place.wire.tx.name() + "/" + place.wire.tx_if,
		      "--rows",	      "Q5,Q17",
		      "--out",	      dir + "/a.json",
		      "--yes-disturb" };

	std::filesystem::create_directory(dir);
	Child child(place.host.command(place.wire.rx, args),
		    place.host.with_environment(place.options()));
	REQUIRE(eventually([&] { return place.has_journal(); }));
	std::filesystem::remove_all(dir);
	Result result = child.wait();
	CAPTURE(result.text());
	CHECK(result.exit_code == 1);
	CHECK(result.out.find("\nQ17 ") != std::string::npos);
	const size_t at = result.err.find("cannot write");
	CHECK(at != std::string::npos);
	CHECK(result.err.find("cannot write", at + 1) == std::string::npos);
}

TEST_CASE("what another version has noted is kept, and told", "[qualify]")
{
	Place place;
	const std::string path =
		place.dir +
		"/run/qualify-$(head -c 8 /proc/sys/kernel/random/boot_id)-$(stat -Lc %i /proc/self/ns/net)-" +
		place.wire.rx_if + ".journal";

	/* RSS keys are set no more. */
	place.wire.rx.shell("mkdir -p " + place.dir + "/run; printf 'rss-key -\\t00:01\\n' >" +
			    path);
	REQUIRE(place.has_journal());
	for (const char *option : { "--restore", "--rows=Q5" }) {
		Result result = place.run({ "qualify", place.wire.rx_if, option });

		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(result.err.find("a line is not of this version") != std::string::npos);
		CHECK(result.err.find("nothing is put back") != std::string::npos);
		CHECK(place.has_journal());
	}
	CHECK(place.now() == place.before);
}

TEST_CASE("one qualify at a time", "[qualify]")
{
	Place place;
	const Args args = qualify_args(place.wire, "Q9,Q10,Q12", { "--yes-disturb" });
	Child child(place.host.command(place.wire.rx, args),
		    place.host.with_environment(place.options()));

	REQUIRE(eventually([&] { return place.has_journal(); }));
	Result result = place.rows("Q5", { "--yes-disturb" });
	CAPTURE(result.text());
	CHECK(result.exit_code == 1);
	CHECK(result.err.find("another \"rxaqm qualify\"") != std::string::npos);
	CHECK(result.err.find("is disturbed") == std::string::npos);
	/* Nor is there nothing to put back. */
	result = place.run({ "qualify", place.wire.rx_if, "--restore" });
	CAPTURE(result.text());
	CHECK(result.exit_code == 1);
	CHECK(result.err.find("another \"rxaqm qualify\"") != std::string::npos);
	CHECK(place.has_journal());
	/* Nobody is to take its program off. */
	REQUIRE(eventually([&] { return xdp_on(place.wire.rx, place.wire.rx_if) != 0; }));
	result = place.run({ "attach", place.wire.rx_if });
	CAPTURE(result.text());
	CHECK(result.exit_code == 1);
	CHECK(result.err == "rxaqm: \"rxaqm qualify\" is at work at \"" + place.wire.rx_if +
				    "\"; wait until it ends\n");
	child.kill(SIGINT);
	child.wait();
	CHECK(place.now() == place.before);
}

TEST_CASE("a loopback interface of the same namespace is refused, and what to do is told",
	  "[qualify]")
{
	Place place;
	Result result = place.run({ "qualify", place.wire.rx_if, "--loopback", "eth9", "--rows",
				    "Q17", "--yes-disturb" });

	CAPTURE(result.text());
	CHECK(result.exit_code == 2);
	CHECK(result.err.find("ip link set eth9 netns other;") != std::string::npos);
	CHECK_FALSE(place.has_journal());
}

TEST_CASE("the link is taken down only if no address is lost by it", "[qualify]")
{
	Place place;
	Result result = place.rows("Q18", { "--yes-disturb" });

	CAPTURE(result.text());
	REQUIRE(result.exit_code == 6);
	CHECK(Record(result.out).why("Q18").find("has IP addresses") != std::string::npos);
	CHECK(place.wire.rx.ip("addr").find(Wire::RX_IP6) != std::string::npos);

	place.wire.rx.ip("addr flush dev " + place.wire.rx_if + " scope global");
	result = place.rows("Q18", { "--yes-disturb" });
	CAPTURE(result.text());
	REQUIRE(qualify_ended(result));
	CHECK(Record(result.out).words("Q18", "after_flap") == "yes");
	CHECK(Record(result.out).words("Q18", "stats_kept") == "yes");
	CHECK(place.now() == place.before);
}
