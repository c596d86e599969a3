// SPDX-License-Identifier: GPL-2.0-only
/* Reports of a qualification: text as it was agreed on, HTML that is well formed and alone. */
#include <algorithm>
#include <cctype>
#include <cmath>
#include <regex>
#include <set>
#include <vector>

#include "qualify_record.hpp"
#include "text.hpp"

extern "C" {
#include "qualify/print/compare.h"
#include "qualify/print/print.h"
}

static std::string html(const qualify_record &record)
{
	return printed([&](FILE *file) { qualify_print_html(file, &record); });
}

static size_t count(const std::string &text, const std::string &what)
{
	size_t nr = 0;

	for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
		nr++;
	return nr;
}

/* What is wrong with the tags of @page: "" if each is closed in its place. */
static std::string unbalanced(const std::string &page)
{
	static const std::set<std::string> empty = { "meta", "link", "br" };
	static const std::regex tag("<(/?)([a-zA-Z0-9]+)((?:[^<>\"]|\"[^\"]*\")*)>");
	std::vector<std::string> open;
	size_t found = 0;

	for (std::sregex_iterator at(page.begin(), page.end(), tag), end; at != end; ++at) {
		std::string name = (*at)[2], rest = (*at)[3];

		found++;
		if ((*at)[1] == "/") {
			if (open.empty() || open.back() != name)
				return "</" + name + ">";
			open.pop_back();
		} else if (!empty.count(name) && (rest.empty() || rest.back() != '/')) {
			open.push_back(name);
		}
	}
	/* <!DOCTYPE html> is none of them. */
	if (found + 1 != count(page, "<"))
		return "a < that begins no tag";
	return open.empty() ? "" : "<" + open.back() + ">";
}

TEST_CASE("qualify: what finds open tags finds them", "[qualify]")
{
	CHECK(unbalanced("<!DOCTYPE html><p>a</p><path d=\"M1\"/>") == "");
	CHECK(unbalanced("<!DOCTYPE html><p><b></p></b>") == "</p>");
	CHECK(unbalanced("<!DOCTYPE html><p>") == "<p>");
	CHECK(unbalanced("<!DOCTYPE html>a < b") != "");
}

TEST_CASE("qualify: text as it was agreed on", "[qualify]")
{
	/* Written by: build/rxaqm qualify --all --from=NAME.json */
	for (const char *name : { "good", "bad" }) {
		std::string path = std::string("tests/unit/qualify/") + name;
		NicRecord record(path + ".json");

		CHECK(printed([&](FILE *file) { qualify_print_text(file, &record, true); }) ==
		      read_text(path + ".txt"));
	}
}

TEST_CASE("qualify: without figures there is a line a row", "[qualify]")
{
	NicRecord record(GOOD_RECORD);
	std::string text = printed([&](FILE *file) { qualify_print_text(file, &record, false); });

	CHECK(count(text, "\nQ") == record.rows.nr);
	CHECK_FALSE(has(text, "SO_TIMESTAMPING"));
}

TEST_CASE("qualify: the page is well formed, needs nothing, and has every picture", "[qualify]")
{
	for (const char *path : { GOOD_RECORD, BAD_RECORD }) {
		NicRecord record(path);
		std::string page = html(record);

		CHECK(unbalanced(page) == "");
		CHECK_FALSE(has(page, "<script"));
		CHECK_FALSE(has(page, "http"));
		CHECK_FALSE(has(page, "url("));
		CHECK_FALSE(has(page, "nan"));
		CHECK_FALSE(has(page, "inf\""));
		/* Q4, Q6, Q7, Q8, Q10, Q11, Q12, Q13. */
		CHECK(count(page, "<svg") == 8);
		CHECK(count(page, "<section") == record.rows.nr);
		for (size_t i = 0; i < record.rows.nr; i++)
			CHECK(has(page, "href=\"#" + std::string(record.rows.at[i].id) + "\""));
	}
}

TEST_CASE("qualify: the page begins with what it came to, why, and what matters most", "[qualify]")
{
	const std::string bad = html(NicRecord(BAD_RECORD)), good = html(NicRecord(GOOD_RECORD));
	const std::string first = bad.substr(0, bad.find("<dl>"));

	CHECK(count(bad, "<main>") == 1);
	CHECK_FALSE(std::regex_search(bad, std::regex("<(h[1-6]|th)[^>]*></")));
	CHECK(has(first,
		  "<strong>Fail</strong> for a host that must survive overload (class aqm)"));
	CHECK(has(first, "<a href=\"#Q12\">Q12 Tx completion under Rx load</a>: <b>late Tx "
			 "completions starve TSQ and BQL"));
	CHECK_FALSE(has(first, "#Q5\""));
	CHECK(has(good, "<strong>Pass</strong> for a host"));
}

TEST_CASE("qualify: each picture says what it came to, in words, and has its limit", "[qualify]")
{
	NicRecord record(GOOD_RECORD);
	const std::string page = html(record);

	for (size_t at = page.find("<figure>"); at != std::string::npos;
	     at = page.find("<figure>", at + 1))
		CHECK(has(page.substr(at, page.find("</figure>", at) - at), "<path class=\"limit"));
	CHECK(has(page, "<title>pass: floor 19 us, at most 250 us</title>"));
	CHECK(has(page, ">limit 250 us</text>"));
	/* Of an even share of eight queues. */
	CHECK(has(page, ">limit 1.50</text>"));
	for (std::string at = page; at.find("text-anchor=\"start\">") != std::string::npos;) {
		at = at.substr(at.find("text-anchor=\"start\">") + 20);
		CHECK_FALSE(has(at.substr(0, at.find('<')), "_"));
	}
	/* Another use, another limit. */
	strcpy(record.nic_class, "af_xdp");
	qualify_judge(&record);
	CHECK(has(html(record), ">limit 50 us</text>"));
}

TEST_CASE("qualify: the page says no good or bad of a row that was disturbed", "[qualify]")
{
	NicRecord record(BAD_RECORD);

	for (const char *id : { "Q8", "Q11", "Q12" })
		strcpy(record.row(id)->disturbed, "the hypervisor had CPU 1 for 70 % of the time");
	qualify_judge(&record);
	const std::string page = html(record);
	CHECK(has(page, "<title>Interrupt moderation: unknown</title>"));
	CHECK_FALSE(has(page, "<title>fail: floor"));
}

TEST_CASE("qualify: records for CI", "[qualify]")
{
	NicRecord good(GOOD_RECORD), bad(BAD_RECORD);
	strcpy(bad.firmware, "a \"quoted\", <one>");
	const auto print = [](const qualify_record &record) {
		return printed([&](FILE *file) { qualify_print_junit(file, &record); });
	};
	const std::string xml = print(bad);

	CHECK(count(xml, "<testsuite ") == 1);
	/* And one for the verdict. */
	CHECK(count(xml, "<testcase ") == bad.rows.nr + 1);
	CHECK(has(xml, "name=\"verdict\"><failure>Fail for a host that must survive"));
	CHECK(has(print(good), "name=\"verdict\"><system-out>Pass for a host that must survive"));
	CHECK(has(xml, "(slownic a &quot;quoted&quot;, &lt;one&gt;)"));
	CHECK(has(xml, "name=\"Q12 Tx completion under Rx load\""));
	CHECK(count(xml, "<failure message=") > 3);
}

TEST_CASE("qualify: what a driver says is text, not markup", "[qualify]")
{
	NicRecord record;

	strcpy(record.firmware, "</dd><script>alert(1)</script>\n&\"'");
	strcpy(record.interface, "<big>");
	strcpy(record.row("Q1")->why, "<i>");
	strcpy(record.row("\"><p>")->why, "x");
	record.words("Q1", "<u>", "<s>");

	auto *curve = qualify_add_curve(record.number("Q4", "f", 1, "ns"), "<em>", "<x>", "<y>");

	qualify_add_point(curve, 1, 1);
	qualify_add_point(curve, 2, 2);

	std::string page = html(record);

	CHECK(unbalanced(page) == "");
	for (const char *tag : { "<big>", "<i>", "<u>", "<s>", "<script", "<em>", "<x>", "<y>" })
		CHECK_FALSE(has(page, tag));
	CHECK(has(page, "&lt;script&gt;alert(1)&lt;/script&gt;?&amp;&quot;&#39;"));
}

TEST_CASE("qualify: the set-up is folded away on the page, and beside the figures in text",
	  "[qualify]")
{
	NicRecord record;
	auto *setup = qualify_add(record.setup.at, record.setup.nr);

	strcpy(setup->name, "Rx ring");
	strcpy(setup->value, "<512>");

	std::string page = html(record);

	CHECK(unbalanced(page) == "");
	CHECK(has(page, "<details><summary>The set-up</summary>"));
	CHECK(has(page, "<dt>Rx ring</dt><dd>&lt;512&gt;</dd>"));
	CHECK(has(printed([&](FILE *file) { qualify_print_text(file, &record, true); }),
		  "  Rx ring                  <512>\n"));
	CHECK_FALSE(has(printed([&](FILE *file) { qualify_print_text(file, &record, false); }),
			"Rx ring"));
}

TEST_CASE("qualify: a picture has the first curve and those like it, six at most", "[qualify]")
{
	NicRecord record;
	auto *figure = record.number("Q4", "f", 1, "ns");
	rxaqm_picture picture;

	CHECK_FALSE(qualify_picture_of(&picture, &record, record.row("Q4")));
	qualify_add_curve(figure, "empty", "s", "ns");
	CHECK_FALSE(qualify_picture_of(&picture, &record, record.row("Q4")));
	for (unsigned i = 1; i <= 8; i++) {
		auto *curve = qualify_add_curve(figure, "cdf", "ns", "share");

		curve->distribution = true;
		qualify_add_point(curve, 1 + i, 1);
		qualify_add_point(qualify_add_curve(figure, "course", "s", "ns"), 1, 1);
		REQUIRE(qualify_picture_of(&picture, &record, record.row("Q4")));
		CHECK(picture.kind == RXAQM_PICTURE_CDF);
		CHECK(picture.nr == std::min(i, 6U));
	}
}

TEST_CASE("qualify: a picture of anything has numbers inside its frame", "[qualify]")
{
	const std::vector<std::vector<std::pair<double, double>>> cases = {
		{ { 0, 0 } },
		{ { 5, 5 }, { 5, 5 } },
		{ { -3, -8 }, { 4, 9 } },
		{ { 1e-12, 1e-9 }, { 1e12, 1e15 } },
		{ { 0, 0.5 }, { 1e6, 1 } },
		{ { NAN, 1 }, { 2, NAN }, { 3, 3 } },
		{ { NAN, NAN } },
		{ { -1e300, -1e300 }, { 1e300, 1e300 } },
	};

	for (const auto &points : cases) {
		for (int kind = 0; kind < 3; kind++) {
			NicRecord record;
			auto *curve = qualify_add_curve(record.number("Q4", "f", 1), "c",
							kind == 2 ? "queue" : "ns", "x");

			curve->distribution = kind == 0;
			for (const auto &[x, y] : points)
				qualify_add_point(curve, x, y);

			std::string page = html(record);

			CHECK(unbalanced(page) == "");
			CHECK_FALSE(has(page, "nan"));
			CHECK_FALSE(has(page, "\"-"));
			CHECK_FALSE(std::regex_search(page, std::regex("[MLHV ]-?inf")));
		}
	}
}

TEST_CASE("qualify: the course of something has a linear axis of time", "[qualify]")
{
	rxaqm_point points[] = { { 0.001, 1e6 }, { 60, 1e8 }, { 120, 2e6 } };
	rxaqm_curve curve = {};
	rxaqm_picture picture = {};

	strcpy(curve.x_unit, "s");
	strcpy(curve.y_unit, "ns");
	curve.points.at = points;
	curve.points.nr = 3;
	picture.kind = RXAQM_PICTURE_COURSE;
	picture.curve[picture.nr++] = &curve;
	picture.warn = picture.fail = NAN;
	const std::string svg = printed([&](FILE *file) { rxaqm_picture_draw(file, &picture); });
	CAPTURE(svg);
	CHECK(has(svg, ">0</text>"));
	CHECK(has(svg, ">60</text>") != has(svg, ">50</text>"));
	/* The point at half the time, of 0 to 150 or 120 s. */
	CHECK(std::regex_search(svg,
				std::regex("class=\"line c0\" d=\"M72.0 [0-9.]+L(289|344).*L")));
}

TEST_CASE("qualify: axes are rounded outwards, with few ticks", "[qualify]")
{
	struct {
		bool log;
		double low, high, min, max;
		std::vector<double> ticks;
	} rows[] = {
		{ false, 0, 97, 0, 100, { 0, 20, 40, 60, 80, 100 } },
		{ false, -3, 4, -4, 4, { -4, -2, 0, 2, 4 } },
		{ false, 7, 7, 7, 14, { 7 + 0., 9, 11, 13, 15 } },
		{ true, 23e3, 410e3, 2e4, 5e5, { 2e4, 5e4, 1e5, 2e5, 5e5 } },
		{ true, 1e3, 1e6, 1e3, 1e6, { 1e3, 1e4, 1e5, 1e6 } },
		{ true, 1, 1, 1, 2, { 1, 2 } },
	};

	for (auto &row : rows) {
		rxaqm_axis axis = {
			.min = 0, .max = 0, .from = 0, .to = 100, .log = row.log, .step = 0
		};
		double ticks[RXAQM_TICKS_MAX];

		rxaqm_axis_fit(&axis, row.low, row.high);
		INFO(row.low << " to " << row.high << ": " << axis.min << " to " << axis.max);
		CHECK(axis.min <= row.low);
		CHECK(axis.max >= row.high);
		CHECK(rxaqm_axis_at(&axis, axis.min) == 0);
		CHECK(rxaqm_axis_at(&axis, axis.max) == 100);
		CHECK(rxaqm_axis_at(&axis, row.low - 1e6) == 0);

		size_t nr = rxaqm_axis_ticks(&axis, ticks);

		CHECK(nr >= 2);
		CHECK(nr <= 8);
		for (size_t i = 1; i < nr; i++)
			CHECK(ticks[i] > ticks[i - 1]);
		if (row.low == row.high)
			continue;
		REQUIRE(nr == row.ticks.size());
		for (size_t i = 0; i < nr; i++)
			CHECK(std::fabs(ticks[i] - row.ticks[i]) <= 1e-9 * std::fabs(ticks[i]));
	}
}

TEST_CASE("qualify: numbers as people write them", "[qualify]")
{
	const std::vector<std::tuple<double, const char *, const char *>> rows = {
		{ 0, "ns", "0 ns" },
		{ 999, "ns", "999 ns" },
		{ 1250, "ns", "1.25 us" },
		{ -2.5e6, "ns", "-2.50 ms" },
		{ 1e9, "ns", "1 s" },
		{ 0.987, "share", "98.7 %" },
		{ 1, "share", "100 %" },
		{ 1.234e6, "pps", "1.23 Mpps" },
		{ 45600, "pps", "45.6 kpps" },
		{ 4096, "bytes", "4096 bytes" },
		{ 3, "count", "3" },
		{ 2048, "packets", "2048 packets" },
		{ 0.0042, "ppm", "0.0042 ppm" },
		{ 4.1e-9, "", "4.1e-09" },
		{ NAN, "ns", "-" },
		{ INFINITY, "ns", "-" },
	};

	for (const auto &[value, unit, words] : rows) {
		char buf[RXAQM_NUMBER_LEN];

		CHECK(std::string(rxaqm_format_number(value, unit, buf)) == words);
	}
}
