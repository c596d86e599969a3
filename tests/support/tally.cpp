// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports the result of each test case to tests/run.sh, which adds up the binaries.
 * One line a case, appended to the file named by RXAQM_TALLY:
 *
 *   pass|fail|skip TAB name TAB reason
 *
 * and "end" after the last: without it the binary died on the way.
 */
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

namespace
{

class Tally : public Catch::EventListenerBase
{
    public:
	using EventListenerBase::EventListenerBase;

	static std::string getDescription()
	{
		return "reports each test case to tests/run.sh";
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

		if (cases.failed)
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
};

CATCH_REGISTER_LISTENER(Tally)

} // namespace
