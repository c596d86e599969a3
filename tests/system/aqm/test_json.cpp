// SPDX-License-Identifier: GPL-2.0-only
/* All JSON of rxaqm is as docs/rxaqm.schema.json says. */
#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "daemon.hpp"
#include "host.hpp"
#include "traffic.hpp"

namespace
{

/* The formats of the documents @json, one behind the other, in order. */
std::string validated(const Host &host, const std::string &json)
{
	const std::string path = host.bpffs() + "-all.json";

	std::ofstream(path) << json;
	Result result = run({ "python3", source_path("tests/support/validate.py"),
			      source_path("docs/rxaqm.schema.json"), path });
	std::filesystem::remove(path);
	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	return result.out;
}

} // namespace

TEST_CASE("json: what the commands print is what the schema says", "[json]")
{
	Host host;
	Wire wire(3);
	std::string json;
	const std::string config = host.bpffs() + "-rxaqm.conf";

	std::ofstream(config) << "[Interface " << wire.rx_if << "]\nmode=observe\n";
	auto add = [&](const Args &args) {
		Result result = host.rxaqm(wire.rx, args);

		CAPTURE(result.text());
		CHECK(result.exit_code == 0);
		json += result.out;
	};
	add({ "-j", "attach", wire.rx_if });
	REQUIRE(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 100) == 100);
	add({ "-j", "status" });
	add({ "-j", "policy", "set", wire.rx_if, "law=codel", "mode=enforce", "-q", "0" });
	add({ "-j", "status", "--all" });
	add({ "-j", "check", "-i", "100ms" });
	add({ "-j", "top", "-n", "2", "-i", "50ms", "--flows" });
	add({ "-j", "hist" });
	add({ "-j", "policy", "show", wire.rx_if });
	add({ "-j", "profile", "show" });
	add({ "-j", "profile", "show", wire.rx_if });
	add({ "-j", "profile", "check" });
	add({ "-j", "run", "--check", "-c", config });
	add({ "-j", "detach", wire.rx_if });
	std::filesystem::remove(config);
	CHECK(validated(host, json) ==
	      "rxaqm-attach\nrxaqm-status\nrxaqm-status\nrxaqm-check\nrxaqm-top\nrxaqm-top\n"
	      "rxaqm-hist\nrxaqm-policy\nrxaqm-profile-show\n"
	      "rxaqm-profile-show\nrxaqm-profile-check\nrxaqm-config\nrxaqm-detach\n");
}

TEST_CASE("json: where nothing is attached the documents are there, and empty", "[json]")
{
	Host host;
	Netns netns;
	std::string json;

	for (const char *command : { "status", "top", "hist" }) {
		Result result = host.rxaqm(netns, { "-j", command });

		CAPTURE(result.text());
		CHECK(result.exit_code == 4);
		CHECK(result.err.find("not attached to any interface") != std::string::npos);
		CHECK(Json(result.out)
			      .size(command == std::string("top") ? "/queues" : "/interfaces") ==
		      0);
		json += result.out;
	}
	Result check = host.rxaqm(netns, { "-j", "check", "nosuch" });
	CHECK(check.exit_code == 2);
	CHECK(Json(check.out).text("/level") == "CRITICAL");
	CHECK(validated(host, json + check.out) ==
	      "rxaqm-status\nrxaqm-top\nrxaqm-hist\nrxaqm-check\n");
}
