// SPDX-License-Identifier: GPL-2.0-only
/* What others have named or said, on its way out. */
#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <string>

extern "C" {
#include "base/clean.h"
}

namespace
{

std::string cleaned(const std::string &text)
{
	std::string copy = text;

	rxaqm_clean(copy.data());
	return copy.c_str();
}

std::string put(const std::string &text)
{
	char *buf = nullptr;
	size_t size = 0;
	FILE *file = open_memstream(&buf, &size);

	REQUIRE(file);
	rxaqm_clean_puts(file, text.c_str());
	fclose(file);
	std::string all(buf, size);
	free(buf);
	return all;
}

} // namespace

TEST_CASE("clean: what a terminal obeys is shown instead", "[clean]")
{
	struct {
		const char *text, *word, *put;
	} const rows[] = {
		{ "eth0", "eth0", "eth0" },
		{ "", "", "" },
		{ "\x1b[31mred", "?[31mred", "\\u001b[31mred" },
		{ "a\nb\tc\r", "a?b?c?", "a\nb\tc\\u000d" },
		{ "\x7f\b", "??", "\\u007f\\u0008" },
		{ "\xc2\x9b", "?", "\\u009b" }, /* CSI of C1 */
		{ "\xc2\xb5s \xe2\x86\x92 \xe4\xb8\xad \xf0\x9f\x98\x80",
		  "\xc2\xb5s \xe2\x86\x92 \xe4\xb8\xad \xf0\x9f\x98\x80",
		  "\xc2\xb5s \xe2\x86\x92 \xe4\xb8\xad \xf0\x9f\x98\x80" },
		{ "\xe2\x80\xae"
		  "0hte",
		  "?0hte", "\\u202e0hte" },
		{ "\xe2\x81\xa6\xe2\x81\xa9\xd8\x9c\xe2\x80\x8f", "????",
		  "\\u2066\\u2069\\u061c\\u200f" },
		{ "\xe2\x80\xa8\xef\xbb\xbf\xe2\x80\x8b", "???", "\\u2028\\ufeff\\u200b" },
		{ "\xff\x80", "??", "\\ufffd\\ufffd" },
		{ "\xc0\x8a", "??", "\\ufffd\\ufffd" }, /* a line end, overlong */
		{ "\xe0\x80\xae", "???", "\\ufffd\\ufffd\\ufffd" },
		{ "\xed\xa0\x80", "???", "\\ufffd\\ufffd\\ufffd" }, /* a surrogate */
		{ "\xf4\x90\x80\x80", "????", "\\ufffd\\ufffd\\ufffd\\ufffd" },
		{ "\xe2\x80x", "??x", "\\ufffd\\ufffdx" },
		{ "\xef\xbf\xbd", "\xef\xbf\xbd", "\xef\xbf\xbd" }, /* U+FFFD itself */
	};

	for (const auto &row : rows) {
		CAPTURE(row.put);
		CHECK(cleaned(row.text) == row.word);
		CHECK(put(row.text) == row.put);
		/* Once clean, it stays. */
		CHECK(put(row.put) == row.put);
	}
}

TEST_CASE("clean: it does not matter where a stream is cut", "[clean]")
{
	const std::string piece = "\xe2\x80\xae-\xc2\xb5-\xf0\x9f\x98\x80\x1b";
	std::string text, expected;

	for (int i = 0; i < 700; i++) {
		text += piece;
		expected += "\\u202e-\xc2\xb5-\xf0\x9f\x98\x80\\u001b";
	}
	for (const char *before : { "", "x", "xx", "xxx" })
		CHECK(put(before + text) == before + expected);
}
