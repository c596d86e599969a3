/* SPDX-License-Identifier: GPL-2.0-only */
#include <catch2/catch_test_macros.hpp>

#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

extern "C" {
#include "config/config.h"
#include "base/out.h"
}

namespace
{

struct Config {
	rxaqm_config config = {};
	rxaqm_error error = {};
	int err;

	explicit Config(const std::string &text)
	{
		FILE *file = fmemopen(const_cast<char *>(text.data()), text.size(), "r");

		err = rxaqm_config_parse(file, "r.conf", &config, &error);
		fclose(file);
	}
	~Config()
	{
		rxaqm_config_free(&config);
	}
	Config(const Config &) = delete;

	/* The section for @ifname, "" if none is. */
	std::string match(const char *ifname) const
	{
		const rxaqm_config_iface *found = rxaqm_config_find(&config, ifname);

		return found ? found->match : "";
	}

	std::string print() const
	{
		char *text = nullptr;
		size_t size = 0;
		FILE *file = open_memstream(&text, &size);
		rxaqm_out out;

		rxaqm_out_open(&out, file, false);
		rxaqm_config_out(&out, &config);
		rxaqm_out_close(&out, false);
		fclose(file);
		std::string result(text, size);
		free(text);
		return result;
	}
};

} // namespace

TEST_CASE("config: an empty file leaves the defaults, those that the help names", "[config]")
{
	Config c("# nothing\n");
	rxaqm_config_iface iface;

	INFO(c.error.text);
	REQUIRE(c.err == 0);
	CHECK(c.config.nr_ifaces == 0);
	CHECK(c.match("eth0") == "");
	rxaqm_config_iface_init(&iface);
	for (const rxaqm_key *row = rxaqm_config_keys; row->name; row++) {
		bool of_iface = !strcmp(row->section, "Interface");
		char value[RXAQM_KEY_LEN], text[RXAQM_KEY_TEXT_LEN];
		std::string said = rxaqm_key_explain(row, text);

		CAPTURE(row->section, row->name, said);
		rxaqm_key_format(row, of_iface ? static_cast<const void *>(&iface) : &c.config, 0,
				 value);
		size_t at = said.find("(default ");
		REQUIRE(at != std::string::npos);
		said = said.substr(at + 9, said.size() - at - 10);
		/* What depends on more than the key is said in words. */
		CHECK(value == (row->standard ? said : row->none ? row->none : ""));
	}
}

TEST_CASE("config: all keys are read, and printed as they are read", "[config]")
{
	const std::string text = "[Daemon]\n"
				 "on_stop=detach\n"
				 "settle=0ns\n"
				 "status_file=/tmp/s.json\n"
				 "status_mode=0644\n"
				 "status_group=root\n"
				 "status_interval=1m\n"
				 "\n[Metrics]\n"
				 "per=interface\n"
				 "textfile=/var/lib/x.prom\n"
				 "textfile_interval=30s\n"
				 "\n[Overload]\n"
				 "raise=5s\n"
				 "clear=30s\n"
				 "diagnose=20m\n"
				 "\n[Interface eth0]\n"
				 "enable=no\n"
				 "xdp_mode=generic\n"
				 "hook=tp\n"
				 "key=cpu\n"
				 "profile=igb\n"
				 "lease=30s\n"
				 "preset=wan\n"
				 "target=7ms\n"
				 "ce_threshold_selector=ect1\n"
				 "exempt_ports=22,443\n";
	Config c(text);

	INFO(c.error.text);
	REQUIRE(c.err == 0);
	CHECK(c.print() == text);
	CHECK(c.config.on_stop == RXAQM_ON_STOP_DETACH);
	CHECK(c.config.status_mode == 0644);
	CHECK(c.config.overload.raise_ns == 5000000000);
	CHECK(c.config.diagnose_ns == 1200000000000);
	REQUIRE(c.config.nr_ifaces == 1);
	const rxaqm_config_iface &iface = c.config.iface[0];
	CHECK_FALSE(iface.enable);
	CHECK(iface.xdp_mode_set);
	CHECK(iface.xdp_mode == RXAQM_XDP_GENERIC);
	CHECK(iface.key == RXAQM_KEY_CPU);
	CHECK(iface.lease_ns == 30000000000);

	rxaqm_policy policy;
	rxaqm_error error = {};
	rxaqm_policy_init(&policy);
	REQUIRE(rxaqm_config_policy(&iface, 1000, &policy, &error) == 0);
	CHECK(policy.target_ns == 7000000);
	CHECK(policy.interval_ns == 100000000);
	CHECK(policy.nr_exempt_ports == 2);
	CHECK(policy.lease_until_ns == 30000001000);
}

TEST_CASE("config: what is printed gives the same when read", "[config]")
{
	Config first("[Interface b*]\n[Interface a]\nmode=enforce\n");

	REQUIRE(first.err == 0);
	Config second(first.print());
	INFO(second.error.text);
	REQUIRE(second.err == 0);
	CHECK(second.print() == first.print());
}

TEST_CASE("config: a name goes before patterns, these in the order of the file", "[config]")
{
	Config c("[Interface e*]\n[Interface en*]\n[Interface enp1s0]\n[Interface *]\n"
		 "[Interface veth?]\n");

	INFO(c.error.text);
	REQUIRE(c.err == 0);
	CHECK(c.match("enp1s0") == "enp1s0");
	CHECK(c.match("enp1s1") == "e*");
	CHECK(c.match("wlan0") == "*");
	CHECK(c.match("veth1") == "*");
	/* No pattern means the loopback device; its name does. */
	CHECK(c.match("lo") == "");
	Config lo("[Interface *]\n[Interface lo]\n");
	CHECK(lo.match("lo") == "lo");
	Config one("[Interface veth?]\n");
	CHECK(one.match("veth3") == "veth?");
	CHECK(one.match("veth10") == "");
}

TEST_CASE("config: errors name file, line, key, value and remedy", "[config]")
{
	const std::map<std::string, const char *> bad = {
		{ "on_stop=leave\n", "r.conf:1: \"on_stop\" stands before the first [section]" },
		{ "[Deamon]\n", "r.conf:1: unknown section [Deamon]; there are [Daemon]" },
		{ "[Daemon]\non_stp=leave\n",
		  "r.conf:2: unknown key \"on_stp\" in [Daemon]; did you mean \"on_stop\"?" },
		{ "[Daemon]\nfrobnicate=1\n", "r.conf:2: unknown key \"frobnicate\" in [Daemon]" },
		{ "[Daemon]\ntarget=2ms\n", "r.conf:2: unknown key \"target\" in [Daemon]" },
		{ "[Daemon]\non_stop=kill\n",
		  "r.conf:2: on_stop=kill: must be one of leave|detach" },
		{ "[Daemon]\nsettle=5\n", "r.conf:2: settle=5: not a DURATION" },
		{ "[Daemon]\nsettle=2m\n", "r.conf:2: settle=2m: out of range; 0ns to 1m" },
		{ "[Daemon]\nstatus_file=status\n",
		  "status_file=status: must be an absolute path" },
		{ "[Daemon]\nstatus_mode=0777\n", "r.conf:2: status_mode=0777: out of range" },
		{ "[Daemon]\nstatus_mode=rw\n", "r.conf:2: status_mode=rw: must be an octal" },
		{ "[Daemon]\nstatus_group=no-such-group\n",
		  "status_group=no-such-group: there is no" },
		{ "[Daemon]\nsettle=1s\nsettle=2s\n", "r.conf:3: settle is set twice in [Daemon]" },
		{ "[Daemon]\n[Metrics]\n[Daemon]\n", "r.conf:3: [Daemon] occurs twice" },
		{ "[Metrics]\nlisten=127.0.0.1:9752\n",
		  "r.conf:2: listen is gone: the daemon does not listen" },
		{ "[Metrics]\ntextfile=/a/.prom\n", "must end in .prom" },
		{ "[Metrics]\ntextfile=/tmp/x\n", "textfile=/tmp/x must end in .prom" },
		{ "[Interface a]\nce_threshold=1ms\n",
		  "r.conf:2: [Interface a]: ce_threshold=1ms: law=auto" },
		{ "[Interface]\n", "r.conf:1: [Interface ]: write one name or pattern" },
		{ "[Interface veth[0-3]]\n", "r.conf:1: text after [section]" },
		{ "[Interface a b]\n", "r.conf:1: [Interface a b]: write one name" },
		{ "[Interface a]\n[Interface a]\n", "r.conf:2: [Interface a] occurs twice" },
		{ "[Interface sixteen-letters-]\n", "no interface has a name of more than 15" },
		{ "[Interface a]\nmode=on\n",
		  "r.conf:2: mode=on: must be one of off|observe|enforce" },
		{ "[Interface a]\nxdp_mod=native\n", "did you mean \"xdp_mode\"?" },
		{ "[Interface a]\ntraget=2ms\n", "did you mean \"target\"?" },
		{ "[Interface a]\nenable=true\n", "r.conf:2: enable=true: must be yes or no" },
		{ "[Interface a]\ntarget=50ms\n", "r.conf:2: [Interface a]: target=50ms exceeds" },
		{ "[Interface a]\nkey=cpu\n", "r.conf:2: [Interface a]: key=cpu goes with" },
		{ "[Interface a]\nlease=1ms\n", "r.conf:2: lease=1ms: must be 1s to 1440m" },
		{ "[Interface a]\nlease=expired\n",
		  "r.conf:2: lease=expired: must be 1s to 1440m" },
		{ "[Interface a]\nlease=1m\nlease=2m\n", "r.conf:3: lease is set twice" },
		{ "[Interface a]\nauto_enforce=yes\n",
		  "r.conf:2: auto_enforce is gone: say mode=enforce" },
		{ "[Overload]\nenforce_after=1m\n", "r.conf:2: enforce_after is gone: " },
		{ "[Interface a]\nect0=auto\n", "r.conf:2: ect0 is gone: " },
	};

	for (const auto &[text, says] : bad) {
		Config c(text);

		CAPTURE(text, c.error.text, says);
		CHECK(c.err < 0);
		CHECK(c.error.exit_code == RXAQM_EXIT_USAGE);
		CHECK(std::string(c.error.text).find(says) != std::string::npos);
		CHECK(c.config.nr_ifaces == 0);
		CHECK(c.config.iface == nullptr);
	}
}

TEST_CASE("config: who enforces does so with a lease, unless he says otherwise", "[config]")
{
	static const std::map<std::string, __u64> rows{
		{ "mode=enforce\n", 300 },
		{ "mode=enforce\nlease=off\n", 0 },
		{ "mode=enforce\nlease=20s\n", 20 },
		{ "lease=20s\n", 20 },
		{ "mode=observe\n", 0 },
		{ "", 0 },
	};

	for (const auto &[text, lease_s] : rows) {
		Config c("[Interface a]\n" + text);
		rxaqm_policy policy;

		CAPTURE(text, c.error.text);
		REQUIRE(c.err == 0);
		REQUIRE(c.config.nr_ifaces == 1);
		rxaqm_policy_init(&policy);
		REQUIRE(rxaqm_config_policy(&c.config.iface[0], 1, &policy, &c.error) == 0);
		CHECK(policy.lease_ns == lease_s * RXAQM_NSEC_PER_SEC);
		CHECK((rxaqm_setting_source(&policy, "lease") == RXAQM_SOURCE_CONFIG) == !!lease_s);
	}
}

TEST_CASE("config: a missing file is named", "[config]")
{
	rxaqm_config config;
	rxaqm_error error = {};

	CHECK(rxaqm_config_read("/nonexistent/r.conf", &config, &error) == -ENOENT);
	CHECK(error.exit_code == RXAQM_EXIT_FAILED);
	CHECK(std::string(error.text).find("\"/nonexistent/r.conf\": No such file") !=
	      std::string::npos);
}

TEST_CASE("config: files of the directory beside it go before it, by name, key by key", "[config]")
{
	char dir[] = "/tmp/rxaqm-config-XXXXXX";
	REQUIRE(mkdtemp(dir));
	const std::string path = std::string(dir) + "/r.conf", drop_ins = path + ".d/";
	rxaqm_config config;
	rxaqm_error error = {};
	auto write = [](const std::string &file, const std::string &text) {
		std::ofstream(file) << text;
	};

	std::filesystem::create_directory(drop_ins);
	write(path,
	      "[Daemon]\nsettle=1s\non_stop=detach\n[Interface eth*]\ntarget=5ms\nmode=observe\n");
	write(drop_ins + "20-b.conf", "[Interface eth*]\ntarget=3ms\n[Interface lo]\nenable=no\n");
	write(drop_ins + "10-a.conf",
	      "[Daemon]\nsettle=2s\n[Interface eth*]\ntarget=4ms\necn=off\n");
	write(drop_ins + ".30.conf", "nonsense");
	write(drop_ins + "30.conf.dpkg-old", "nonsense");
	REQUIRE(rxaqm_config_read(path.c_str(), &config, &error) == 0);
	CHECK(config.settle_ns == 2 * RXAQM_NSEC_PER_SEC);
	CHECK(config.on_stop == RXAQM_ON_STOP_DETACH);
	REQUIRE(config.nr_ifaces == 2);
	std::string settings;
	for (unsigned i = 0; i < config.iface[0].nr_settings; i++)
		settings += std::string(config.iface[0].setting[i].key) + "=" +
			    config.iface[0].setting[i].value + " ";
	CHECK(settings == "mode=observe ecn=off target=3ms ");
	rxaqm_config_free(&config);

	/* What is wrong is told by file and line; the whole is refused. */
	for (const auto &[text, says] : std::map<std::string, std::string>{
		     { "[Interface eth*]\ntarget=1h\n", "20-b.conf:2: target=1h" },
		     { "[Interface eth*]\n[Interface eth*]\n",
		       "20-b.conf:2: [Interface eth*] occurs" },
		     { "\n[Interface eth*]\ninterval=1ms\n", "20-b.conf:3: [Interface eth*]: " },
	     }) {
		write(drop_ins + "20-b.conf", text);
		CAPTURE(text, error.text);
		CHECK(rxaqm_config_read(path.c_str(), &config, &error) < 0);
		CHECK(std::string(error.text).find(drop_ins + says) == 0);
		CHECK(config.iface == nullptr);
	}
	/* All of it, whatever the file. */
	write(path, "[Daemon]\nsettle=5\n[Interface eth*]\nmode=bad\ntarget=50ms\n[Interface a]\n"
		    "target=50ms\n");
	write(drop_ins + "20-b.conf", "[Metrics]\ntextfile=/m.txt\n[Interface a]\nenable=1\n");
	CHECK(rxaqm_config_read(path.c_str(), &config, &error) == -EINVAL);
	std::string errors = error.text;
	CAPTURE(errors);
	size_t at = 0;
	for (const std::string &says : { path + ":2: settle=5: ", path + ":4: mode=bad: ",
					 path + ":7: [Interface a]: target=50ms exceeds",
					 drop_ins + "20-b.conf:4: enable=1: ",
					 drop_ins + "20-b.conf: [Metrics]: textfile=" }) {
		CAPTURE(says);
		at = errors.find(says, at);
		CHECK(at != std::string::npos);
	}
	CHECK(std::count(errors.begin(), errors.end(), '\n') == 4);
	write(path, "[Daemon]\nsettle=5\n");
	std::filesystem::remove(drop_ins + "20-b.conf");
	std::filesystem::create_symlink("gone", drop_ins + "20-b.conf");
	CHECK(rxaqm_config_read(path.c_str(), &config, &error) == -EINVAL);
	CHECK(std::string(error.text)
		      .find("\ncannot open \"" + drop_ins +
			    "20-b.conf\": No such file or directory; " +
			    "make it readable, or remove it") != std::string::npos);
	std::filesystem::remove_all(dir);
}
