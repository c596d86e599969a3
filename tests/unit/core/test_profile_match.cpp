/* SPDX-License-Identifier: GPL-2.0-only */
/* Which profile an interface gets, and whether shipped ones say where they know it from. */
#include <catch2/catch_test_macros.hpp>

#include <cstring>
#include <functional>
#include <regex>

#include "profile_dirs.hpp"

extern "C" {
#include "profile/match.h"
}

using Change = std::function<void(rxaqm_nic_facts &)>;

static Change polls(const char *function)
{
	return [function](rxaqm_nic_facts &f) {
		f.nr_napis = f.nr_polls = 1;
		snprintf(f.napi_poll[0], sizeof(f.napi_poll[0]), "%s", function);
	};
}

static Change napi(rxaqm_napi napi)
{
	return [napi](rxaqm_nic_facts &f) { f.napi = napi; };
}

static Change channels(unsigned rx, unsigned tx, unsigned combined)
{
	return [=](rxaqm_nic_facts &f) {
		f.channels_known = true;
		f.nr_rx = rx, f.nr_tx = tx, f.nr_combined = combined;
	};
}

static Change flag(const char *name, bool on)
{
	return [=](rxaqm_nic_facts &f) {
		snprintf(f.flag[f.nr_flags].name, sizeof(f.flag[0].name), "%s", name);
		f.flag[f.nr_flags++].on = on;
	};
}

static Change both(const Change &a, const Change &b)
{
	return [=](rxaqm_nic_facts &f) { a(f), b(f); };
}

static const Change nothing = [](rxaqm_nic_facts &) {};

static std::string name_for(rxaqm_nic_facts facts)
{
	rxaqm_profile profile;
	rxaqm_error error = {};

	if (rxaqm_profile_for_nic(&facts, &profile, &error))
		return error.text;
	return profile.name;
}

TEST_CASE("profile match: shipped ones tell generations and modes apart", "[profile]")
{
	const struct {
		const char *driver;
		Change says;
		const char *name;
	} rows[] = {
		{ "bnxt_en", nothing, "bnxt_en" },
		{ "bnxt_en", both(polls("bnxt_poll"), channels(0, 0, 8)), "bnxt_en" },
		{ "bnxt_en", both(polls("bnxt_poll"), channels(8, 8, 0)), "bnxt_en-separate" },
		{ "bnxt_en", polls("bnxt_poll_p5"), "bnxt_en-p5" },
		{ "bnxt_en", both(polls("bnxt_poll_p5"), channels(8, 8, 0)), "bnxt_en-p5" },
		{ "gve", polls("gve_napi_poll"), "gve" },
		{ "gve", polls("gve_napi_poll_dqo"), "gve-dqo" },
		{ "idpf", polls("idpf_vport_splitq_napi_poll"), "idpf" },
		{ "idpf", polls("idpf_vport_singleq_napi_poll"), "idpf-single" },
		{ "igb", napi(RXAQM_NAPI_JOINT), "igb" },
		{ "igb", napi(RXAQM_NAPI_APART), "igb-apart" },
		{ "igc", napi(RXAQM_NAPI_UNKNOWN), "igc" },
		{ "igc", napi(RXAQM_NAPI_APART), "igc-apart" },
		{ "fbnic", channels(0, 0, 8), "fbnic" },
		{ "fbnic", channels(4, 4, 0), "fbnic-separate" },
		{ "qede", channels(4, 4, 0), "qede-separate" },
		{ "qede", channels(1, 1, 4), "qede" },
		{ "mlx5_core", nothing, "mlx5_core" },
		{ "mlx5_core", flag("rx_cqe_compress", false), "mlx5_core" },
		{ "mlx5_core", flag("rx_cqe_compress", true), "mlx5_core-compressed" },
		{ "simnic", flag("shared-cq", false), "simnic" },
		{ "simnic", flag("shared-cq", true), "simnic-shared" },
		{ "vmxnet3", polls("vmxnet3_poll"), "vmxnet3-single" },
		{ "tun", nothing, "tun" },
		{ "tun", polls("tun_napi_poll"), "tun-napi" },
		{ "st_gmac", nothing, "stmmac" },
		{ "st_xgmac", nothing, "stmmac" },
		{ "st_", nothing, "generic" },
		{ "e1000", nothing, "generic" },
		{ "", nothing, "generic" },
	};

	setenv("RXAQM_PROFILE_PATH", "nic-profiles:tests/simnic/profiles", 1);
	for (const auto &row : rows) {
		rxaqm_nic_facts facts = nic(row.driver);

		row.says(facts);
		INFO(row.driver);
		CHECK(name_for(facts) == row.name);
	}
}

TEST_CASE("profile match: driver, directory, number of conditions, name", "[profile]")
{
	ProfileDirs dirs;
	const std::string match = "[Match]\nDriver=";
	rxaqm_nic_facts facts = nic("igb");

	flag("fast", true)(facts);
	flag("safe", false)(facts);
	napi(RXAQM_NAPI_APART)(facts);
	/* Each one more beats those before. */
	dirs.add("b/generic.conf", match + "*\n");
	CHECK(name_for(facts) == "generic");
	dirs.add("b/z.conf", match + "*\nNapi=apart\n");
	CHECK(name_for(facts) == "z");
	dirs.add("b/y.conf", match + "igb\n");
	CHECK(name_for(facts) == "y");
	dirs.add("b/x.conf", match + "e1000e igb\nNapi=apart\n");
	CHECK(name_for(facts) == "x");
	dirs.add("b/zz.conf", match + "igb\nNapi=apart\nPrivateFlag=fast\n");
	CHECK(name_for(facts) == "zz");
	dirs.add("b/w.conf", match + "igb\nPrivateFlag=fast\nPrivateFlag=!safe\n");
	CHECK(name_for(facts) == "w");
	dirs.add("a/mine.conf", match + "igb\n");
	CHECK(name_for(facts) == "mine");
	/* And these do not: they do not hold, or are not known to. */
	dirs.add("a/no1.conf", match + "igb\nNapi=joint\n");
	dirs.add("a/no2.conf", match + "igb\nPrivateFlag=!fast\n");
	dirs.add("a/no3.conf", match + "igb\nPrivateFlag=unheard-of\n");
	dirs.add("a/no4.conf", match + "igb\nPrivateFlag=!unheard-of\n");
	dirs.add("a/no5.conf", match + "igb\nChannels=combined\n");
	dirs.add("a/no6.conf", match + "igb\nNapiPoll=igb_poll\n");
	dirs.add("a/no7.conf", match + "*\nNapi=apart\nPrivateFlag=fast\nPrivateFlag=!safe\n");
	CHECK(name_for(facts) == "mine");
	/* An error in one of the driver's is not passed over. */
	std::string broken = dirs.add("a/igb-new.conf", match + "igb\n[Nic]\nRing=1\n");
	CHECK(name_for(facts).find(broken + ":4: ") == 0);
}

TEST_CASE("profile match: what the machine says is told", "[profile]")
{
	rxaqm_nic_facts facts = nic("igb");
	char why[RXAQM_MATCH_WHY_LEN];
	rxaqm_profile profile = {};
	const struct {
		const char *key, *value;
		bool holds;
		const char *why;
	} rows[] = {
		{ "Driver", "igb", true, "ethtool -i: igb" },
		{ "NapiPoll", "igb_poll", false, "unknown: it is down" },
		{ "Napi", "joint", true, "NAPIs for Rx and Tx: joint" },
		{ "Channels", "separate", false, "ethtool -l: rx 1, tx 2, combined 3" },
		{ "PrivateFlag", "!legacy-rx", false,
		  "ethtool --show-priv-flags: legacy-rx is on" },
		{ "PrivateFlag", "other", false,
		  "unknown: ethtool --show-priv-flags has no other" },
	};

	channels(1, 2, 3)(facts);
	flag("legacy-rx", true)(facts);
	napi(RXAQM_NAPI_JOINT)(facts);
	facts.napi_unknown = "it is down";
	for (const auto &row : rows) {
		INFO(row.key);
		REQUIRE(rxaqm_match_add(&profile, row.key, row.value, 1, NULL) == 0);
		CHECK(rxaqm_match_holds(&profile.match[profile.nr_matches - 1], &facts, why) ==
		      row.holds);
		CHECK(std::string(why) == row.why);
	}
}

/* Lines of @path that state something without a comment above that says where it is from. */
static std::string unsourced(const std::string &path)
{
	const std::regex source("[A-Za-z0-9_]+\\.(c|h|rst|md|conf|json)\\b|manual of");
	std::string line, comment, wrong;
	std::ifstream file(path);
	bool fact = false;
	int number = 0;

	while (std::getline(file, line)) {
		number++;
		if (line.empty() || line[0] == '[' || (line[0] == '#' && fact))
			comment.clear(), fact = false;
		if (line[0] == '#')
			comment += line + "\n";
		else if (!line.empty() && line[0] != '[') {
			fact = true;
			if (!std::regex_search(comment, source))
				wrong += path + ":" + std::to_string(number) + ": " + line + "\n";
		}
	}
	return wrong;
}

TEST_CASE("profile: every shipped fact has its source above it", "[profile]")
{
	unsigned nr = 0;

	for (const auto &file : std::filesystem::directory_iterator("nic-profiles")) {
		std::stringstream text;

		if (file.path().extension() != ".conf")
			continue;
		nr++;
		CHECK(unsourced(file.path()) == "");
		text << std::ifstream(file.path()).rdbuf();
		INFO(file.path());
		/* And the kernel that it was read in. */
		CHECK(std::regex_search(text.str(), std::regex("Linux\\s(#\\s)?[67]\\.[0-9]+")));
	}
	CHECK(nr >= 30);
}

TEST_CASE("profile: a fact without a source is found", "[profile]")
{
	ProfileDirs dirs;

	CHECK(unsourced(dirs.add("a/x.conf", "# a.c\n[Match]\nDriver=x\n")).find(":3: Driver=x") !=
	      std::string::npos);
	CHECK(unsourced(dirs.add("a/y.conf", "# a.c:f\nA=1\nB=2\n\nC=3\n# who knows\nD=4\n"))
		      .find(":5: C=3\n") != std::string::npos);
	CHECK(unsourced(dirs.add("a/z.conf", "# a.c:f\nA=1\nB=2\n")) == "");
}
