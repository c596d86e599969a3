// SPDX-License-Identifier: GPL-2.0-only
/* What the daemon leaves for others to read: the status file and the metrics. */
#include <catch2/catch_test_macros.hpp>

#include <grp.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "daemon.hpp"

TEST_CASE("run: who may not ask the kernel gets the status that was written, and its age", "[run]")
{
	Run r;
	struct stat st;
	RunOptions without;
	std::string path = r.service.dir() + "/status.json";
	const std::string text_path = r.service.dir() + "/status.txt";
	const struct group *group = getgrgid(1);

	REQUIRE(group);
	r.service.configure(std::string("[Daemon]\nstatus_interval=1s\nstatus_mode=0640\n") +
			    "status_group=" + group->gr_name + "\n" + r.section("target=3ms\n"));
	r.service.start();
	for (const std::string &file : { path, text_path }) {
		CHECK(eventually([&] { return !access(file.c_str(), R_OK); }));
		REQUIRE(!stat(file.c_str(), &st));
		CHECK((st.st_mode & 07777) == 0640);
		CHECK(st.st_gid == 1);
	}

	/* Root without its capabilities, who may read the file, wherever the program is. */
	without.prepare = [] { return prctl(PR_SET_SECUREBITS, SECBIT_NOROOT); };
	without.environment = { "RUNTIME_DIRECTORY=" + r.service.dir() };
	/* The same text as root's. */
	Result text = r.host.rxaqm({ "status" }, without);
	Result own = r.host.rxaqm(r.wire.rx, { "status" });
	auto until_age = [](const std::string &of) {
		return of.substr(0, of.find("attached for"));
	};
	CAPTURE(text.text(), own.text());
	CHECK(text.exit_code == 0);
	CHECK(text.out.find("attached for") != std::string::npos);
	CHECK(until_age(text.out) == until_age(own.out));
	CHECK(text.err.find("this is what the daemon wrote") != std::string::npos);
	for (const Args &args : { Args{ "status", "-j", r.wire.rx_if }, Args{ "status", "-j" } }) {
		Result json = r.host.rxaqm(args, without);

		CAPTURE(json.text());
		CHECK(json.exit_code == 0);
		CHECK(Json(json.out).text("/interfaces/0/interface") == r.wire.rx_if);
		CHECK(Json(json.out).text("/interfaces/0/xdp_mode") == "native");
		CHECK(Json(json.out).number("/interfaces/0/queues/0/target_ns") == 3000000);
		CHECK(json.err.find("this is what the daemon wrote") != std::string::npos);
		CHECK(json.err.find("wrote 0 ago") == std::string::npos);
	}
	CHECK(r.host.rxaqm({ "status", "-j", "eth99" }, without).exit_code == 4);
	/* The text is the whole of what root would see, and no more. */
	for (const Args &args : { Args{ "status", r.wire.rx_if }, Args{ "status", "--all" } }) {
		Result part = r.host.rxaqm(args, without);

		CAPTURE(part.text());
		CHECK(part.exit_code == 1);
		CHECK(part.out == "");
		CHECK(part.err.find("see \"rxaqm status -j\"") != std::string::npos);
	}

	/* A status file of another ending, or of a version before, has no text beside it. */
	without.environment = { "RUNTIME_DIRECTORY=" + r.service.dir() + "/json-only" };
	std::filesystem::create_directory(r.service.dir() + "/json-only");
	std::filesystem::copy(path, r.service.dir() + "/json-only/status.json");
	Result only = r.host.rxaqm({ "status" }, without);
	CAPTURE(only.text());
	CHECK(only.exit_code == 1);
	CHECK(only.err.find("see \"rxaqm status -j\"") != std::string::npos);
	without.environment = { "RUNTIME_DIRECTORY=" + r.service.dir() };

	/* It goes with the daemon. */
	CHECK(r.service.stop().exit_code == 0);
	CHECK(access(path.c_str(), F_OK) != 0);
	CHECK(access(text_path.c_str(), F_OK) != 0);
	Result none = r.host.rxaqm({ "status", "--all" }, without);
	CAPTURE(none.text());
	CHECK(none.err.find("the daemon wrote") == std::string::npos);
}

TEST_CASE("run: a file beside the status that the daemon has not written stays", "[run]")
{
	Run r;
	const std::string text = r.service.dir() + "/status.txt";

	std::filesystem::create_directories(r.service.dir() + "/status.json/theirs");
	std::ofstream(text) << "theirs";
	r.service.configure(r.section("target=3ms\n"));
	r.service.start();
	CHECK(eventually([&] {
		return r.service.log().find("cannot write status_file") != std::string::npos;
	}));
	CHECK(r.service.stop().exit_code == 0);
	CHECK(std::filesystem::exists(text));
}

TEST_CASE("run: a status file that is no status is told, whatever is in it", "[run]")
{
	Host host;
	const std::string dir = host.bpffs() + "-run", path = dir + "/status.json";
	RunOptions without;

	without.prepare = [] { return prctl(PR_SET_SECUREBITS, SECBIT_NOROOT); };
	without.environment = { "RUNTIME_DIRECTORY=" + dir };
	std::filesystem::create_directory(dir);
	for (const char *content :
	     { "", "nonsense", "{", "[]", "7", "{ \"interfaces\": 7 }", "{ \"interfaces\": {} }",
	       "{ \"interfaces\": null }", "{ \"interface\": [] }", "{ \"interfaces\": [",
	       /* Of another version. */
	       "{ \"interfaces\": [] }",
	       "{ \"format\": \"rxaqm-status\", \"version\": 2, \"interfaces\": [] }" }) {
		std::ofstream(path) << content;
		for (const Args &args :
		     { Args{ "status", "-j" }, Args{ "status", "-j", "eth0" } }) {
			Result result = host.rxaqm(args, without);

			CAPTURE(content, result.text());
			CHECK(result.exit_code == 1);
			CHECK(result.out == "");
			CHECK(result.err.find(path) != std::string::npos);
			CHECK(result.err.find("run as root") != std::string::npos);
		}
	}
	/* What is in the array matters only to who looks for one of it. */
	for (const char *content :
	     { "[ 7, null, {} ]", "[ { \"interface\": null, \"queues\": 7 } ]",
	       "[ { \"queues\": [ { \"sources\": 7, \"stats\": { \"a\": null } } ] } ]" }) {
		std::ofstream(path) << "{ \"format\": \"rxaqm-status\", \"version\": 1, "
				       "\"interfaces\": "
				    << content << " }";
		CAPTURE(content);
		CHECK(host.rxaqm({ "status", "-j" }, without).exit_code == 0);
		CHECK(host.rxaqm({ "status", "-j", "eth0" }, without).exit_code == 4);
	}
	std::filesystem::remove_all(dir);
}

TEST_CASE("run: the text of status is printed whatever is in it, but harms no terminal", "[run]")
{
	Host host;
	const std::string dir = host.bpffs() + "-run";
	RunOptions without;

	without.prepare = [] { return prctl(PR_SET_SECUREBITS, SECBIT_NOROOT); };
	without.environment = { "RUNTIME_DIRECTORY=" + dir };
	std::filesystem::create_directory(dir);
	std::ofstream(dir + "/status.txt");
	Result result = host.rxaqm({ "status" }, without);
	CAPTURE(result.text());
	CHECK(result.exit_code == 4);
	CHECK(result.out == "");
	CHECK(result.err.find("not attached to any interface") != std::string::npos);
	std::ofstream(dir + "/status.txt") << "a \x1b[2Jb\u202e\xff %s%n\n";
	result = host.rxaqm({ "status" }, without);
	CHECK(result.exit_code == 0);
	CHECK(result.out == "a \\u001b[2Jb\\u202e\\ufffd %s%n\n");
	std::filesystem::remove_all(dir);
}

TEST_CASE("run: the metrics are a file, which goes with the daemon", "[run]")
{
	Run r;
	const std::string path = r.service.dir() + "/metrics.prom";
	auto page = [&] {
		std::stringstream text;

		text << std::ifstream(path).rdbuf();
		return text.str();
	};
	auto has = [&](const std::string &line) {
		return page().find("\n" + line + "\n") != std::string::npos;
	};
	struct stat st;

	r.service.configure("[Metrics]\ntextfile_interval=1s\n" + r.section("target=3ms\n"));
	r.service.start();
	/* The figures of the queues come with the first look at them. */
	CHECK(eventually([&] {
		return has("rxaqm_overload_active{interface=\"" + r.wire.rx_if + "\"} 0");
	}));
	REQUIRE(!stat(path.c_str(), &st));
	CHECK((st.st_mode & 07777) == 0644);
	CHECK(has("rxaqm_config_last_reload_successful 1"));

	/* What earlier versions had: the daemon says what has taken its place. */
	r.service.configure("[Metrics]\nlisten=127.0.0.1:9752\n" + r.section("target=5ms\n"));
	r.service.reload();
	CHECK(r.service.notifications().find("not reloaded") != std::string::npos);
	CHECK(r.service.log().find("systemctl enable --now rxaqm-exporter.socket") !=
	      std::string::npos);
	CHECK(r.target() == 3000000);
	CHECK(eventually([&] { return has("rxaqm_config_reloads_total{result=\"failed\"} 1"); }));
	CHECK(has("rxaqm_config_last_reload_successful 0"));

	r.service.configure("[Metrics]\ntextfile=" + r.service.dir() + "/more.prom\n" +
			    r.section("target=5ms\n"));
	r.service.reload();
	CHECK(r.target() == 5000000);
	CHECK(eventually([&] { return has("rxaqm_config_last_reload_successful 1"); }));
	CHECK(eventually([&] { return !access((r.service.dir() + "/more.prom").c_str(), F_OK); }));
	CHECK(r.service.stop().exit_code == 0);
	CHECK(access(path.c_str(), F_OK) != 0);
	/* That is its collector's. */
	CHECK(access((r.service.dir() + "/more.prom").c_str(), F_OK) == 0);
}
