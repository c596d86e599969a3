/* SPDX-License-Identifier: GPL-2.0-only */
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstring>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "profile_dirs.hpp"

static int parse(const std::string &text, rxaqm_profile *profile, rxaqm_error *error)
{
	FILE *file = fmemopen(const_cast<char *>(text.data()), text.size(), "r");
	int err = rxaqm_profile_parse(file, "x.conf", profile, error);

	fclose(file);
	return err;
}

TEST_CASE("profile: all keys", "[profile]")
{
	rxaqm_profile profile;
	rxaqm_error error = {};

	CHECK(parse("[Match]\n"
		    "Driver=bnxt_en\n"
		    "[Nic]\n"
		    "CompletionDesign=shared\n"
		    "Napi=apart\n"
		    "NapiPoll=bnxt_poll\n"
		    "ReceivePathGeneric=list\n"
		    "TimestampField=tstamp\n"
		    "HintSince=6.13\n"
		    "PollPackets=512\n"
		    "Moderation=10us\n"
		    "TargetRule=shared\n"
		    "Note=one\n"
		    "Warning=two\n"
		    "Note=three\n"
		    "[Policy]\n"
		    "target=300us\n"
		    "preset=wan\n",
		    &profile, &error) == 0);
	INFO(error.text);
	CHECK(std::string(profile.driver) == "bnxt_en");
	CHECK(profile.design == RXAQM_DESIGN_SHARED);
	CHECK(std::string(profile.napi_poll) == "bnxt_poll");
	CHECK(profile.path_generic == RXAQM_PATH_LIST);
	CHECK(profile.stamp == RXAQM_STAMP_TSTAMP);
	CHECK(std::string(profile.hint_since) == "6.13");
	CHECK(profile.napi == RXAQM_NAPI_APART);
	CHECK(profile.poll_packets == 512);
	CHECK(profile.moderation_ns == 10000);
	CHECK(profile.target_rule == RXAQM_RULE_SHARED);
	REQUIRE(profile.nr_notes == 3);
	CHECK(std::string(profile.note[0].text) == "one");
	CHECK_FALSE(profile.note[0].warning);
	CHECK(profile.note[1].warning);
	CHECK(std::string(profile.note[2].text) == "three");
	REQUIRE(profile.nr_settings == 2);
	CHECK(std::string(profile.setting[0].key) == "target");
	CHECK(std::string(profile.setting[0].value) == "300us");

	rxaqm_policy policy;
	CHECK(rxaqm_profile_policy(&profile, &policy, &error) == 0);
	CHECK(policy.target_ns == 5 * RXAQM_NSEC_PER_MSEC);
}

TEST_CASE("profile: what is not said is unknown", "[profile]")
{
	rxaqm_profile profile;

	REQUIRE(parse("[Match]\nDriver=*\n", &profile, NULL) == 0);
	CHECK(profile.design == RXAQM_DESIGN_UNKNOWN);
	CHECK(profile.path_generic == RXAQM_PATH_UNKNOWN);
	CHECK(profile.stamp == RXAQM_STAMP_NONE);
	CHECK(profile.ring_entries == 0);
	CHECK(profile.napi == RXAQM_NAPI_UNKNOWN);
	CHECK(profile.target_rule == RXAQM_RULE_UNKNOWN);
	CHECK(profile.moderation_ns == 0);
	CHECK(profile.nr_notes == 0);
	CHECK(profile.nr_settings == 0);
	CHECK(std::string(rxaqm_design_names[RXAQM_DESIGN_NONE]) == "none");
	CHECK(std::string(rxaqm_path_names[RXAQM_PATH_BACKLOG]) == "backlog");
	CHECK(std::string(rxaqm_stamp_names[RXAQM_STAMP_TSTAMP]) == "tstamp");
}

TEST_CASE("profile: errors name file, line and remedy", "[profile]")
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "", "x.conf: no Driver= in a section [Match]" },
		{ "[Match]\n[Nic]\nRxRing=256\n", "x.conf: no Driver=" },
		{ "[Match]\nDriver=\n", "x.conf:2: Driver=: must be the name of a driver" },
		{ "[Match]\nDriver=igb # Intel\n",
		  "x.conf:2: Driver=igb # Intel: must be the name" },
		{ "[Match]\nDriver=a\nDriver=b\n", "x.conf:3: Driver is set twice" },
		{ "[Match]\nDriver=a_name_of_thirty-two_characters_\n",
		  "x.conf:2: Driver=a_name_of" },
		{ "[Match]\nPath=x\n",
		  "x.conf:2: unknown key \"Path\" in [Match]; it must be Driver, NapiPoll, Napi, Channels or "
		  "PrivateFlag" },
		{ "[Match]\nDriver=a a\n", "x.conf:2: Driver=a a: must be the name" },
		{ "[Match]\nDriver=a *\n", "x.conf:2: Driver=a *: contradicts itself" },
		{ "[Match]\nChannels=both\n",
		  "x.conf:2: Channels=both: must be combined or separate" },
		{ "[Match]\nNapi=apart\n\nNapi=joint\n",
		  "x.conf:4: Napi is set twice, first on line 2" },
		{ "[Match]\nNapiPoll=f()\n", "x.conf:2: NapiPoll=f(): must be the name of a" },
		{ "[Match]\nPrivateFlag=!\n", "x.conf:2: PrivateFlag=!: must be the name of" },
		{ "[Match]\nPrivateFlag=a\nPrivateFlag=!a\n",
		  "x.conf:3: PrivateFlag=!a: contradicts PrivateFlag=a on line 2" },
		{ "[Match]\nPrivateFlag=a\nPrivateFlag=a\n",
		  "x.conf:3: PrivateFlag=a: repeats PrivateFlag=a on line 2" },
		{ "[Match]\nNapi=apart\n", "x.conf: no Driver= in a section [Match]" },
		{ "[Link]\nDriver=x\n",
		  "x.conf:1: unknown section [Link]; it must be [Match], [Nic]" },
		{ "[nic]\n", "x.conf:1: unknown section [nic]" },
		{ "[Nic]\nRxring=1\n",
		  "x.conf:2: unknown key \"Rxring\" in [Nic]; did you mean RxRing?" },
		{ "[Nic]\nSpeed=1\n", "x.conf:2: unknown key \"Speed\" in [Nic]; it must be "
				      "CompletionDesign, Napi, NapiPoll, Po" },
		{ "[Nic]\nDriver=x\n", "x.conf:2: unknown key \"Driver\" in [Nic]" },
		{ "[Nic]\nCompletionDesign=joint\n",
		  "x.conf:2: CompletionDesign=joint: must be shared, split, writeback or none" },
		{ "[Nic]\nCompletionDesign=unknown\n",
		  "x.conf:2: CompletionDesign=unknown: must be" },
		{ "[Nic]\nWorkCountsTx=yes\n", "x.conf:2: WorkCountsTx is gone: nothing reads it" },
		{ "[Nic]\nReceivePathGeneric=GRO\n",
		  "x.conf:2: ReceivePathGeneric=GRO: must be gro, frags, list" },
		{ "[Nic]\nTimestampField=skb\n",
		  "x.conf:2: TimestampField=skb: must be none, hwtst" },
		{ "[Nic]\nNapi=both\n", "x.conf:2: Napi=both: must be joint or apart" },
		{ "[Nic]\nTargetRule=fast\n", "x.conf:2: TargetRule=fast: must be none, shared" },
		{ "[Nic]\nTargetRule=unknown\n", "x.conf:2: TargetRule=unknown: must be none" },
		{ "[Nic]\nModeration=16\n", "x.conf:2: Moderation=16: must be a time of up to" },
		{ "[Nic]\nModeration=2s\n", "x.conf:2: Moderation=2s: must be a time of up to" },
		{ "[Nic]\nNote=\n", "x.conf:2: Note=: must be text" },
		{ "[Nic]\nRxRingMax=4\n", "x.conf:2: RxRingMax is gone: ethtool -g says it" },
		{ "[Nic]\nHintSince=6\n", "x.conf:2: HintSince=6: must be a kernel release" },
		{ "[Nic]\nHintSince=6.3.1\n",
		  "x.conf:2: HintSince=6.3.1: must be a kernel release" },
		{ "[Nic]\nNapiPoll=\n",
		  "x.conf:2: NapiPoll=: must be the name of a kernel function" },
		{ "[Nic]\nNapiPoll=igb poll\n", "x.conf:2: NapiPoll=igb poll: must be" },
		{ "[Nic]\nRxRing=0\n", "x.conf:2: RxRing=0: must be a number from 1 to 1048576" },
		{ "[Nic]\nRxRing=1k\n", "x.conf:2: RxRing=1k: must be a number" },
		{ "[Nic]\nPollPackets=4097\n",
		  "x.conf:2: PollPackets=4097: must be a number from 1" },
		{ "[Nic]\nRxRing=1\n\n# again\nRxRing=1\n", "x.conf:5: RxRing is set twice" },
		{ "[Policy]\ntarget=5\n", "x.conf:2: target=5: a unit is required" },
		{ "[Policy]\ntarget=5ms\ntarget=5ms\n",
		  "x.conf:3: target is set twice, first on line 2" },
		{ "[Policy]\nmode=enforce\n", "x.conf:2: mode is not for profiles to set" },
		{ "[Policy]\nlease=5s\n", "x.conf:2: lease is not for profiles to set" },
		{ "[Policy]\nRxRing=5\n", "x.conf:2: unknown setting \"RxRing\"" },
		{ "[Match]\nDriver=x\n[Policy]\ntarget=50ms\n",
		  "x.conf: [Policy]: target=50ms exceeds interval=40ms" },
		{ "Driver=x\n", "x.conf:1: \"Driver\" stands before the first [section]" },
	};

	for (const auto &row : rows) {
		rxaqm_profile profile;
		rxaqm_error error = {};

		INFO(row.text);
		CHECK(parse(row.text, &profile, &error) == -EINVAL);
		INFO(error.text);
		CHECK(std::string(error.text).find(row.says) == 0);
		CHECK(error.exit_code == RXAQM_EXIT_USAGE);
	}
}

TEST_CASE("profile: those of nic-profiles are built in", "[profile]")
{
	const char *before = getenv("RXAQM_PROFILE_PATH");
	std::string restore = before ? before : "";
	std::set<std::string> built_in, shipped;

	for (const auto &file : std::filesystem::directory_iterator("nic-profiles")) {
		if (file.path().extension() == ".conf")
			shipped.insert("(built-in)/" + file.path().filename().string());
	}
	setenv("RXAQM_PROFILE_PATH", "(built-in)", 1);
	rxaqm_profile_each(
		[](const rxaqm_profile *profile, const rxaqm_error *error, void *arg) {
			rxaqm_profile file;
			std::string path = profile->path;

			CHECK(!error);
			static_cast<std::set<std::string> *>(arg)->insert(path);
			path.replace(0, strlen("(built-in)"), "nic-profiles");
			REQUIRE(rxaqm_profile_read(path.c_str(), &file, nullptr) == 0);
			CHECK(std::string(file.name) == profile->name);
			CHECK(std::string(file.driver) == profile->driver);
			CHECK(file.design == profile->design);
			CHECK(file.nr_settings == profile->nr_settings);
			REQUIRE(file.nr_notes == profile->nr_notes);
			for (unsigned int i = 0; i < file.nr_notes; i++)
				CHECK(!strcmp(file.note[i].text, profile->note[i].text));
			return 0;
		},
		&built_in);
	CHECK(built_in == shipped);
	CHECK(built_in.size() > 20);
	if (before)
		setenv("RXAQM_PROFILE_PATH", restore.c_str(), 1);
	else
		unsetenv("RXAQM_PROFILE_PATH");
}

TEST_CASE("profile: every shipped one is sound", "[profile]")
{
	std::vector<std::string> found;

	for (const auto &file : std::filesystem::directory_iterator("nic-profiles")) {
		rxaqm_profile profile;
		rxaqm_policy policy;
		rxaqm_error error = {};

		if (file.path().extension() != ".conf")
			continue;
		INFO(file.path());
		CHECK(rxaqm_profile_read(file.path().c_str(), &profile, &error) == 0);
		INFO(error.text);
		CHECK(rxaqm_profile_policy(&profile, &policy, &error) == 0);
		CHECK(profile.name == file.path().stem());
		if (std::string(profile.driver) != "*") {
			CHECK(profile.design != RXAQM_DESIGN_UNKNOWN);
			CHECK(profile.target_rule != RXAQM_RULE_UNKNOWN);
			CHECK(profile.path_generic != RXAQM_PATH_UNKNOWN);
		}
		/* The one without conditions, which the others fall back to. */
		if (profile.nr_matches == 1)
			found.push_back(profile.driver);
	}
	for (const char *driver : {
		     "*",    "mlx5_core",  "mlx4_en", "bnxt_en",
		     "ice",  "i40e",	   "ixgbe",   "igc",
		     "igb",  "e1000e",	   "ena",     "gve",
		     "nfp",  "fbnic",	   "sfc",     "qede",
		     "idpf", "mana",	   "vmxnet3", "hv_netvsc",
		     "veth", "virtio_net", "tun",     "st_gmac st_xgmac st_mac100" }) {
		INFO(driver);
		CHECK(std::count(found.begin(), found.end(), driver) == 1);
	}
}

TEST_CASE("profile: shipped facts", "[profile]")
{
	rxaqm_profile profile;

	REQUIRE(rxaqm_profile_read("nic-profiles/veth.conf", &profile, NULL) == 0);
	CHECK(profile.ring_entries == 256);
	CHECK(profile.stamp == RXAQM_STAMP_NONE);
	CHECK(profile.path_generic == RXAQM_PATH_BACKLOG);
	REQUIRE(rxaqm_profile_read("nic-profiles/generic.conf", &profile, NULL) == 0);
	CHECK(profile.stamp == RXAQM_STAMP_HWTSTAMP);
	REQUIRE(rxaqm_profile_read("nic-profiles/bnxt_en.conf", &profile, NULL) == 0);
	CHECK(profile.design == RXAQM_DESIGN_SHARED);
	CHECK(profile.target_rule == RXAQM_RULE_SHARED);
	REQUIRE(rxaqm_profile_read("nic-profiles/mlx5_core-compressed.conf", &profile, NULL) == 0);
	CHECK(profile.stamp == RXAQM_STAMP_NONE);
	REQUIRE(profile.nr_notes == 1);
	CHECK(profile.note[0].warning);
}

TEST_CASE("profile: the first directory wins", "[profile]")
{
	ProfileDirs dirs;
	rxaqm_profile profile;
	rxaqm_error error = {};

	dirs.add("a/zz-mine.conf", "[Match]\nDriver=igb\n[Nic]\nRxRing=1\n");
	dirs.add("a/veth.conf", "[Match]\nDriver=veth\n[Nic]\nRxRing=2\n");
	dirs.add("b/igb.conf", "[Match]\nDriver=igb\n[Nic]\nRxRing=3\n");
	dirs.add("b/veth.conf", "[Match]\nDriver=veth\n[Nic]\nRxRing=4\n");
	dirs.add("b/generic.conf", "[Match]\nDriver=*\n[Nic]\nRxRing=5\n");
	dirs.add("b/notes.txt", "not a profile");
	dirs.add("b/.hidden.conf", "not a profile");

	static const struct {
		const char *driver;
		unsigned int ring;
	} rows[] = { { "igb", 1 }, { "veth", 2 }, { "mlx5_core", 5 }, { "", 5 } };

	for (const auto &row : rows) {
		INFO(row.driver);
		CHECK(for_driver(row.driver, &profile, &error) == 0);
		CHECK(profile.ring_entries == row.ring);
	}
	CHECK(rxaqm_profile_by_name("igb", &profile, &error) == 0);
	CHECK(profile.ring_entries == 3);
	CHECK(std::string(profile.name) == "igb");
	CHECK(rxaqm_profile_by_name("mlx5", &profile, &error) == -ENOENT);
	CHECK(std::string(error.text).find("no profile \"mlx5\"") == 0);

	std::string names;
	CHECK(rxaqm_profile_each(
		      [](const rxaqm_profile *p, const rxaqm_error *, void *arg) {
			      *(std::string *)arg += std::string(p->name) + " ";
			      return 0;
		      },
		      &names) == 0);
	CHECK(names == "generic igb veth zz-mine ");
}

TEST_CASE("profile: a broken one is not passed over", "[profile]")
{
	ProfileDirs dirs;
	rxaqm_profile profile;
	rxaqm_error error = {};
	int nr_errors = 0;

	std::string igb = dirs.add("a/igb.conf", "[Match]\nDriver=igb\n[Nic]\nRxring=1\n");
	dirs.add("a/other.conf", "nonsense");
	dirs.add("b/generic.conf", "[Match]\nDriver=*\n");
	CHECK(for_driver("igb", &profile, &error) == -EINVAL);
	CHECK(std::string(error.text).find(igb + ":4: ") == 0);
	/* One that is not the driver's is no reason to fail. */
	CHECK(for_driver("veth", &profile, &error) == 0);
	CHECK(rxaqm_profile_each(
		      [](const rxaqm_profile *, const rxaqm_error *e, void *arg) {
			      *(int *)arg += e != NULL;
			      return 0;
		      },
		      &nr_errors) == 0);
	CHECK(nr_errors == 2);
}

TEST_CASE("profile: none at all is an error", "[profile]")
{
	ProfileDirs dirs;
	rxaqm_profile profile;
	rxaqm_error error = {};

	CHECK(for_driver("igb", &profile, &error) == -ENOENT);
	CHECK(std::string(error.text).find("RXAQM_PROFILE_PATH") != std::string::npos);
	CHECK(rxaqm_profile_by_name("/nonexistent/x.conf", &profile, &error) == -ENOENT);
}
