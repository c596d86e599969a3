// SPDX-License-Identifier: GPL-2.0-only
/*
 * Report the result of each test case to tests/run.sh, which adds up the binaries.
 * One line for each case is appended to the file named by RXAQM_TALLY:
 *
 *   pass|fail|skip TAB name TAB reason
 *
 * and "end" after the last case: if it is missing, the binary died.
 *
 * A process that still runs after the case that started it is killed, and the case fails, because
 * it would take a CPU from all later cases. RXAQM_TALLY in its environment identifies it.
 */
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>

namespace
{

std::string contents(const std::filesystem::path &path)
{
	std::ifstream file(path, std::ios::binary);

	return { std::istreambuf_iterator<char>(file), {} };
}

/* Processes with our RXAQM_TALLY in their environment, without this one; zombies have none. */
std::set<pid_t> relatives()
{
	const char *path = std::getenv("RXAQM_TALLY");
	std::set<pid_t> found;
	std::error_code gone;

	if (!path)
		return found;
	const std::string variable = std::string("RXAQM_TALLY=") + path + '\0';

	for (const auto &entry : std::filesystem::directory_iterator("/proc", gone)) {
		const std::string name = entry.path().filename();

		if (!isdigit((unsigned char)name[0]) || name == std::to_string(getpid()))
			continue;
		if (contents(entry.path() / "environ").find(variable) != std::string::npos)
			found.insert(std::stoi(name));
	}
	return found;
}

class Tally : public Catch::EventListenerBase
{
    public:
	using EventListenerBase::EventListenerBase;

	static std::string getDescription()
	{
		return "reports each test case to tests/run.sh";
	}

	void testRunStarting(const Catch::TestRunInfo &) override
	{
		before_ = relatives();
	}

	void testCaseStarting(const Catch::TestCaseInfo &) override
	{
		failure_.clear();
		skip_.clear();
	}

	void assertionEnded(const Catch::AssertionStats &stats) override
	{
		const Catch::AssertionResult &result = stats.assertionResult;

		if (result.getResultType() == Catch::ResultWas::ExplicitSkip)
			keep_first(skip_, std::string(result.getMessage()));
		else if (!result.isOk())
			keep_first(failure_, where(result) + what(result));
	}

	void testCaseEnded(const Catch::TestCaseStats &stats) override
	{
		const Catch::Counts &cases = stats.totals.testCases;

		keep_first(failure_, end_left());
		if (cases.failed || !failure_.empty())
			append("fail", stats.testInfo->name, failure_);
		else if (cases.skipped)
			append("skip", stats.testInfo->name, skip_);
		else
			append("pass", stats.testInfo->name, "");
	}

	void testRunEnded(const Catch::TestRunStats &) override
	{
		append("end", "", "");
	}

    private:
	/* The commands that this case has left running, after two seconds to end. */
	std::string end_left() const
	{
		std::set<pid_t> left;
		std::string commands;

		for (int i = 0; i < 20; i++) {
			left = relatives();
			for (pid_t pid : before_)
				left.erase(pid);
			if (left.empty())
				return "";
			std::this_thread::sleep_for(std::chrono::milliseconds(100));
		}
		for (pid_t pid : left) {
			commands += (commands.empty() ? "left running: " : "; ") +
				    contents("/proc/" + std::to_string(pid) + "/cmdline");
			kill(pid, SIGKILL);
		}
		std::replace(commands.begin(), commands.end(), '\0', ' ');
		return commands;
	}

	static void keep_first(std::string &text, const std::string &candidate)
	{
		if (text.empty())
			text = candidate;
	}

	static std::string where(const Catch::AssertionResult &result)
	{
		Catch::SourceLineInfo at = result.getSourceInfo();

		return std::string(at.file) + ":" + std::to_string(at.line) + ": ";
	}

	static std::string what(const Catch::AssertionResult &result)
	{
		if (result.hasMessage())
			return std::string(result.getMessage());
		return result.hasExpandedExpression() ? result.getExpandedExpression() :
							result.getExpressionInMacro();
	}

	static std::string one_line(std::string text)
	{
		std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
		return text;
	}

	static void append(const char *result, const std::string &name, const std::string &reason)
	{
		const char *path = std::getenv("RXAQM_TALLY");

		if (path)
			std::ofstream(path, std::ios::app) << result << '\t' << one_line(name)
							   << '\t' << one_line(reason) << '\n';
	}

	std::string failure_;
	std::string skip_;
	std::set<pid_t> before_;
};

CATCH_REGISTER_LISTENER(Tally)

} // namespace
