/* SPDX-License-Identifier: GPL-2.0-only */
/* Profiles of a test's own, and interfaces for them to match. */
#ifndef RXAQM_TESTS_PROFILE_DIRS_HPP
#define RXAQM_TESTS_PROFILE_DIRS_HPP

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

extern "C" {
#include "profile/profile.h"
}

/* Directories of profiles that are the search path while this lives. */
class ProfileDirs
{
    public:
	ProfileDirs()
	{
		char path[] = "/tmp/rxaqm-profiles-XXXXXX";
		const char *before = getenv("RXAQM_PROFILE_PATH");

		REQUIRE(mkdtemp(path));
		top_ = path;
		before_ = before ? before : "";
		setenv("RXAQM_PROFILE_PATH",
		       (top_ + "/a:" + top_ + "/missing:" + top_ + "/b").c_str(), 1);
	}

	~ProfileDirs()
	{
		std::filesystem::remove_all(top_);
		if (before_.empty())
			unsetenv("RXAQM_PROFILE_PATH");
		else
			setenv("RXAQM_PROFILE_PATH", before_.c_str(), 1);
	}

	std::string add(const std::string &name, const std::string &text)
	{
		std::filesystem::path path = std::filesystem::path(top_) / name;

		std::filesystem::create_directories(path.parent_path());
		std::ofstream(path) << text;
		return path.string();
	}

    private:
	std::string top_, before_;
};

/* What a machine with an interface of @driver says. */
inline rxaqm_nic_facts nic(const std::string &driver)
{
	rxaqm_nic_facts facts = {};

	snprintf(facts.ifname, sizeof(facts.ifname), "eth9");
	snprintf(facts.driver, sizeof(facts.driver), "%s", driver.c_str());
	facts.moderation_us = -1;
	facts.gives_hint = -1;
	facts.napi_asked = true;
	return facts;
}

inline int for_driver(const std::string &driver, rxaqm_profile *profile, rxaqm_error *error)
{
	rxaqm_nic_facts facts = nic(driver);

	return rxaqm_profile_for_nic(&facts, profile, error);
}

#endif /* RXAQM_TESTS_PROFILE_DIRS_HPP */
