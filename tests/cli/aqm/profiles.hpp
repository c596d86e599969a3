/* SPDX-License-Identifier: GPL-2.0-only */
/* Profiles of a test's own, for commands. */
#ifndef RXAQM_TESTS_CLI_PROFILES_HPP
#define RXAQM_TESTS_CLI_PROFILES_HPP

#include "cli.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

/* A directory of profiles, in place of those that are shipped. */
class Profiles
{
    public:
	Profiles()
	{
		std::string dir = "/tmp/rxaqm-test-profiles-XXXXXX";

		REQUIRE(mkdtemp(dir.data()));
		dir_ = dir;
	}
	~Profiles()
	{
		std::error_code error;

		std::filesystem::remove_all(dir_, error);
	}
	std::string add(const std::string &name, const std::string &text) const
	{
		std::ofstream(dir_ / name) << text;
		return dir_ / name;
	}
	RunOptions options() const
	{
		RunOptions options;

		options.environment = { "RXAQM_PROFILE_PATH=" + dir_.string() };
		return options;
	}

    private:
	std::filesystem::path dir_;
};

/* The entry of array @array whose field @key is @value: a pointer to it. */
inline std::string find(const Json &json, const std::string &array, const std::string &key,
			const std::string &value)
{
	for (size_t i = 0; i < json.size(array); i++) {
		std::string at = array + "/" + std::to_string(i);

		if (json.text(at + "/" + key) == value)
			return at;
	}
	throw std::runtime_error("no " + key + "=" + value + " in " + array);
}

#endif /* RXAQM_TESTS_CLI_PROFILES_HPP */
