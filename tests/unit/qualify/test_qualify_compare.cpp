// SPDX-License-Identifier: GPL-2.0-only
/* What two records differ in: changes beyond noise, and nothing that is noise. */
#include <algorithm>
#include <random>
#include <vector>

#include "qualify_record.hpp"
#include "text.hpp"

extern "C" {
#include "qualify/print/compare.h"
}

/* Of copies that point to what the records have. */
struct Comparison : qualify_comparison {
	std::vector<qualify_record> records;
	char files[2][8] = { "a.json", "b.json" };
	char *all[2] = { files[0], files[1] };

	Comparison(std::initializer_list<NicRecord *> of)
		: qualify_comparison{}
	{
		for (NicRecord *record : of) {
			qualify_judge(record);
			records.push_back(*record);
		}
		REQUIRE(qualify_compare(this, records.data(), all) == 0);
	}
	~Comparison()
	{
		free(lines.at);
	}
	Comparison(const Comparison &) = delete;
	Comparison &operator=(const Comparison &) = delete;

	std::string text()
	{
		return printed([&](FILE *file) { qualify_comparison_print(file, this); });
	}
	std::string html()
	{
		return printed([&](FILE *file) { qualify_comparison_html(file, this); });
	}
};

/* The kind of the only figure of both, by its median or else its p99. */
static std::string kind(NicRecord &a, NicRecord &b)
{
	Comparison comparison{ &a, &b };

	REQUIRE(comparison.lines.nr == 1);

	const qualify_line &line = comparison.lines.at[0];

	return qualify_changes[line.change] + std::string(line.p99 ? " p99" : "");
}

static void sampled(struct qualify_figure *figure, double median, double cv, __u64 n)
{
	figure->median = median;
	figure->cv = cv;
	figure->n = n;
}

TEST_CASE("compare: medians within three standard errors are the same", "[qualify]")
{
	struct {
		double cv;
		__u64 n;
		double error, b;
		const char *kind;
	} rows[] = {
		/* 3 * 1.2533 * 0.1 * 1000 / sqrt(100) is 37.6 for each: 53 for both. */
		{ 0.1, 100, NAN, 1050, "same" },
		{ 0.1, 100, NAN, 1060, "worse" },
		{ 0.1, 100, NAN, 940, "better" },
		{ 0.1, 10000, NAN, 1010, "worse" },
		/* Errors of both are added to that. */
		{ 0.1, 10000, 50, 1010, "same" },
		{ 0.1, 10000, 50, 1110, "worse" },
		{ NAN, 0, 10, 1019, "same" },
		{ NAN, 0, 10, 1021, "worse" },
		{ NAN, 0, 0, 1000.1, "worse" },
		/* Of one observation the error says nothing about the next. */
		{ NAN, 1, 10, 1021, "maybe" },
		{ NAN, 1, 10, 1019, "same" },
		{ NAN, 1, 0, 1021, "worse" },
		{ NAN, 3, 10, 1021, "worse" },
		{ NAN, 0, NAN, 1001, "maybe" },
		{ NAN, 0, NAN, 1000, "same" },
	};

	for (const auto &row : rows) {
		NicRecord a, b;

		sampled(a.number("Q8", "floor", 0, "ns", row.error), 1000, row.cv, row.n);
		sampled(b.number("Q8", "floor", 0, "ns", row.error), row.b, row.cv, row.n);
		CAPTURE(row.cv, row.n, row.error, row.b);
		CHECK(kind(a, b) == row.kind);
	}
}

TEST_CASE("compare: two runs of the same are the same nearly always", "[qualify]")
{
	std::mt19937 random(1);
	std::lognormal_distribution<double> delay(10, 0.3);
	unsigned int changed = 0;

	auto run = [&](NicRecord &record) {
		std::vector<double> samples(1000);
		double sum = 0, squares = 0;

		for (double &sample : samples) {
			sample = delay(random);
			sum += sample;
			squares += sample * sample;
		}
		std::sort(samples.begin(), samples.end());

		auto *figure = record.figure("Q4", "stamp_to_xdp_idle", "ns");
		double mean = sum / 1000;

		sampled(figure, samples[500], std::sqrt(squares / 1000 - mean * mean) / mean, 1000);
		figure->p99 = samples[989];

		auto *curve = qualify_add_curve(figure, "idle", "ns", "share");

		curve->distribution = true;
		for (size_t i = 0; i < 1000; i++)
			qualify_add_point(curve, samples[i], (double)(i + 1) / 1000);
	};

	for (int i = 0; i < 300; i++) {
		NicRecord a, b;

		run(a);
		run(b);
		changed += kind(a, b) != "same";
	}
	/* One in 370 for the median, and less for the p99. */
	CHECK(changed <= 6);
}

TEST_CASE("compare: shares by their number of packets", "[qualify]")
{
	for (auto [n, b, words] : { std::tuple{ 1000, 0.999, "same" },
				    { 100000, 0.999, "worse" },
				    { 1000, 0.95, "worse" } }) {
		NicRecord first, second;

		first.number("Q2", "stamped", 1, "share")->n = (__u64)n;
		second.number("Q2", "stamped", b, "share")->n = (__u64)n;
		CAPTURE(n, b);
		CHECK(kind(first, second) == words);
	}
}

/* Row Q12 with @median and a tail at @p99. */
static void with_tail(NicRecord &record, double median, double p99)
{
	auto *figure = record.figure("Q12", "tx_load", "ns");

	sampled(figure, median, 0.5, 10000);
	figure->p99 = p99;

	auto *curve = qualify_add_curve(figure, "c", "ns", "share");

	curve->distribution = true;
	for (int i = 1; i <= 100; i++)
		qualify_add_point(curve, i > 97 ? p99 + i : median / 2 + 10 * i, i / 100.);
}

TEST_CASE("compare: a tail that has grown is seen by its order statistics", "[qualify]")
{
	for (auto [tail, words] : { std::pair{ 2000., "same" }, { 40000., "worse p99" } }) {
		NicRecord a, b;

		with_tail(a, 1000, 2000);
		with_tail(b, 1000, tail);
		CHECK(kind(a, b) == words);
	}
}

TEST_CASE("compare: a tail has a line where the median is the same, and counts once", "[qualify]")
{
	NicRecord a, tail, median;

	with_tail(a, 1000, 40000);
	with_tail(tail, 1000, 80000);
	with_tail(median, 9000, 40000);
	for (auto [to, text] : { std::pair{ &tail, "\n  tx_load p99           40 us  " },
				 { &median, "\n  tx_load               1 us  " } }) {
		Comparison comparison{ &a, to };

		INFO(comparison.text());
		CHECK(has(comparison.text(), text));
		CHECK(comparison.count[QUALIFY_WORSE] == 1);
		CHECK(comparison.count[QUALIFY_SAME] == 0);
	}
}

TEST_CASE("compare: a row whose verdict alone differs is told", "[qualify]")
{
	NicRecord passes, warns;

	for (auto [record, ns] : { std::pair{ &passes, 4.9e9 }, { &warns, 5.1e9 } }) {
		record->number("Q18", "gap_flap", ns, "ns", 1)->error = 1e9;
		record->words("Q18", "after_flap", "yes");
		record->row("Q18")->figures.at[0].n = 1;
	}
	Comparison comparison{ &passes, &warns };
	const std::string text = comparison.text();

	INFO(text);
	CHECK(has(text, "\nQ18 "));
	CHECK(has(text, "\n  verdict               pass                        warn"));
	CHECK_FALSE(has(Comparison{ &passes, &passes }.text(), "Q18"));
}

TEST_CASE("compare: first come rows whose verdict changed, and nothing is cut off", "[qualify]")
{
	const std::string name = "a_name_of_a_figure_that_is_longer_than_its_column";
	const std::string said = "words of a driver that are longer than any column has room for";
	NicRecord a, b;

	for (NicRecord *record : { &a, &b }) {
		sampled(record->number("Q8", "floor", 0, "ns"), record == &a ? 1000 : 90000, 0.1,
			100);
		record->number("Q11", "target", 1e6, "ns");
		record->number("Q11", "standing_on_150", record == &a ? 1e6 : 9e6, "ns");
	}
	a.words("Q8", name.c_str(), said.c_str());
	strcpy(b.cpu, said.c_str());
	Comparison comparison{ &a, &b };

	for (const std::string &text : { comparison.text(), comparison.html() }) {
		INFO(text);
		CHECK(text.find("Q11 Standing delay") < text.find("Q8 Interrupt moderation"));
		CHECK_FALSE(has(text, ".."));
		CHECK(has(text, "absent"));
		/* The name's parts, without what the other columns have between. */
		for (const char *part :
		     { "a_name_of_a_figure", "words of a driver that are", "room for" })
			CHECK(has(text, part));
	}
	CHECK(has(comparison.html(), "<td>  " + name + "</td><td class=\"v0\">" + said));
	CHECK(has(comparison.html(), "<h2>Rows whose verdict changed</h2>\n<table class=\"wide\" "
				     "tabindex=\"0\">\n<tr><th scope=\"rowgroup\">Q11 "));
	CHECK(has(comparison.text(), "\n  verdict               pass                        warn"));
}

TEST_CASE("compare: words, units, and what only one has", "[qualify]")
{
	SECTION("words with limits have a direction")
	{
		NicRecord a, b;

		a.words("Q1", "design", "shared");
		b.words("Q1", "design", "split");
		CHECK(kind(a, b) == "better");
		CHECK(kind(b, a) == "worse");
		CHECK(kind(a, a) == "same");
	}
	SECTION("others have none")
	{
		NicRecord a, b;

		a.words("Q7", "tx_types", "off");
		b.words("Q7", "tx_types", "off on");
		CHECK(kind(a, b) == "changed");
	}
	SECTION("other units cannot be compared, and that is a change")
	{
		NicRecord a, b;

		a.number("Q8", "x", 5, "ns", 1);
		b.number("Q8", "x", 5, "us", 1);
		CHECK(kind(a, b) == "changed");
	}
	SECTION("rows and figures of one side")
	{
		NicRecord a, b;

		a.number("Q8", "x", 5, "ns", 1);
		b.number("Q9", "y", 5, "ns", 1);

		Comparison comparison{ &a, &b };

		REQUIRE(comparison.lines.nr == 2);
		CHECK(comparison.count[QUALIFY_ABSENT] == 1);
		CHECK(comparison.count[QUALIFY_ADDED] == 1);
	}
	SECTION("a number that one does not know")
	{
		NicRecord a, b;

		a.number("Q8", "x", 5, "ns", 1);
		b.figure("Q8", "x", "ns");
		CHECK(kind(a, b) == "absent");
	}
}

static bool worse(NicRecord &a, NicRecord &b)
{
	return Comparison{ &a, &b }.worse;
}

TEST_CASE("compare: worse is a figure or a verdict, unknown is neither", "[qualify]")
{
	NicRecord good(GOOD_RECORD), bad(BAD_RECORD);

	CHECK(worse(good, bad));
	CHECK_FALSE(worse(bad, good));
	CHECK_FALSE(worse(good, good));

	NicRecord passes, warns, over;

	passes.number("Q18", "gap_flap", 4.9e9, "ns", 1);
	warns.number("Q18", "gap_flap", 5.1e9, "ns", 1);
	over.number("Q18", "gap_flap", 40e9, "ns", 1);
	for (NicRecord *record : { &passes, &warns, &over }) {
		record->words("Q18", "after_flap", "yes");
		record->row("Q18")->figures.at[0].n = 1;
	}
	CHECK_FALSE(worse(passes, warns));
	CHECK(worse(warns, over));
	CHECK_FALSE(worse(over, over));

	NicRecord fails, says_nothing;

	fails.words("Q18", "after_flap", "no");
	says_nothing.row("Q18");
	CHECK_FALSE(worse(says_nothing, fails));
}

TEST_CASE("compare: the text has a column a record, each change and the rule", "[qualify]")
{
	NicRecord good(GOOD_RECORD), bad(BAD_RECORD);
	std::string text = Comparison{ &good, &bad }.text();

	CHECK(has(text, "Q12 Tx completion under Rx load\n"
			"  verdict               pass                        fail"));
	CHECK(has(text, "  tx_load               39.2 us                     7.68 ms -"));
	CHECK(has(text, "  design                split                       shared -"));
	CHECK(has(text, "how much the set-up itself varies"));
	CHECK_FALSE(has(text, "stamped_tcp"));
	CHECK(has(text, "Firmware                4.60 0x8001e8b2 1.3682.0    0.1 <beta>"));
}

TEST_CASE("compare: what was disturbed is no difference for sure", "[qualify]")
{
	NicRecord a, b;

	sampled(a.number("Q8", "floor", 0, "ns"), 1000, 0.1, 100);
	sampled(b.number("Q8", "floor", 0, "ns"), 5000, 0.1, 100);
	CHECK(worse(a, b));
	CHECK(kind(b, a) == "better");
	for (NicRecord *record : { &a, &b }) {
		strcpy(record->row("Q8")->disturbed, "another program had CPU 1");
		CHECK(kind(a, b) == "maybe");
		CHECK_FALSE(worse(a, b));
		*record->row("Q8")->disturbed = '\0';
	}
}
