// SPDX-License-Identifier: GPL-2.0-only
/* Records of a qualification: lossless, and strict about what others wrote. */
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" {
#include "qualify/qualify.h"
#include "qualify/record/record.h"
}

namespace
{

struct Record : qualify_record {
	Record()
		: qualify_record{}
	{
	}
	~Record()
	{
		qualify_record_free(this);
	}
	Record(const Record &) = delete;
	Record &operator=(const Record &) = delete;
};

struct Path {
	std::string name = "/tmp/rxaqm-record-" + std::to_string(getpid()) + ".json";
	~Path()
	{
		unlink(name.c_str());
	}
	std::string text() const
	{
		std::ifstream file(name);
		std::stringstream text;

		text << file.rdbuf();
		return text.str();
	}
};

template<typename T> T *add(T *&at, size_t &nr)
{
	return static_cast<T *>(rxaqm_list_grow(reinterpret_cast<void **>(&at), &nr, sizeof(T)));
}

void fill(qualify_record &record)
{
	strcpy(record.interface, "eth0");
	strcpy(record.peer, "loopback eth1");
	strcpy(record.firmware, "14.32 <\"&'> \xc3\xa9");
	record.cpus = 8;
	record.mtu = 1500;
	record.speed_mbit = -1;

	auto *row = add(record.rows.at, record.rows.nr);

	strcpy(row->id, "Q4");
	row->verdict = QUALIFY_WARN;
	strcpy(row->why, "one too many");
	row->took_ms = 1234567890123;

	auto *figure = add(row->figures.at, row->figures.nr);

	strcpy(figure->name, "stamp_to_xdp_idle");
	strcpy(figure->unit, "ns");
	figure->n = (1ULL << 63) + 1;
	figure->median = 0.1 + 0.2;
	figure->p99 = 1e300;
	figure->min = -5;
	figure->max = NAN;
	figure->cv = INFINITY; /* of a median of 0: as unknown as NAN */
	figure->error = 4.9e-324;

	auto *curve = add(figure->curves.at, figure->curves.nr);

	strcpy(curve->name, "idle");
	curve->distribution = true;
	for (int i = 0; i < 1000; i++) {
		auto *point = add(curve->points.at, curve->points.nr);

		point->x = 1000.0 / 3 * i;
		point->y = i / 999.0;
	}
}

int parse(qualify_record &record, const std::string &text, rxaqm_error &error)
{
	return qualify_record_parse(&record, text.data(), text.size(), "x.json", &error);
}

std::string refused(const std::string &text)
{
	Record record;
	rxaqm_error error = {};

	CHECK(parse(record, text, error) < 0);
	CHECK(error.exit_code == RXAQM_EXIT_USAGE);
	return error.text;
}

std::string of(const std::string &rest)
{
	return R"({"format":"rxaqm-qualify","version":2)" + rest + "}";
}

} // namespace

TEST_CASE("qualify: a record written and read is the same, to the last bit", "[qualify]")
{
	Path path;
	Record first, second;
	rxaqm_error error = {};

	fill(first);
	REQUIRE(qualify_record_write(&first, path.name.c_str(), &error) == 0);

	std::string once = path.text();

	int err = qualify_record_read(&second, path.name.c_str(), &error);

	INFO(error.text);
	REQUIRE(err == 0);
	CHECK(std::string(second.firmware) == first.firmware);
	CHECK(second.speed_mbit == -1);

	const struct qualify_figure *figure = qualify_figure(&second, "Q4", "stamp_to_xdp_idle");
	const struct qualify_figure *was = &first.rows.at[0].figures.at[0];

	REQUIRE(figure);
	CHECK(figure->n == was->n);
	CHECK(figure->median == was->median);
	CHECK(figure->p99 == was->p99);
	CHECK(figure->min == was->min);
	CHECK(figure->error == was->error);
	CHECK(std::isnan(figure->max));
	CHECK(std::isnan(figure->cv));
	REQUIRE(figure->curves.nr == 1);
	REQUIRE(figure->curves.at[0].points.nr == 1000);
	for (size_t i = 0; i < 1000; i++) {
		CHECK(figure->curves.at[0].points.at[i].x == was->curves.at[0].points.at[i].x);
		CHECK(figure->curves.at[0].points.at[i].y == was->curves.at[0].points.at[i].y);
	}
	REQUIRE(qualify_record_write(&second, path.name.c_str(), &error) == 0);
	CHECK(path.text() == once);
	CHECK(qualify_find_row(&second, "Q4")->took_ms == 1234567890123);
	CHECK(qualify_find_row(&second, "Q5") == nullptr);
	CHECK(qualify_figure(&second, "Q5", "stamp_to_xdp_idle") == nullptr);
	CHECK(qualify_figure(&second, "Q4", "stamp") == nullptr);
}

TEST_CASE("qualify: others may read a record, and a failed write leaves the old one", "[qualify]")
{
	Path path;
	Record record;
	rxaqm_error error = {};
	struct stat status;
	mode_t mask = umask(022);

	REQUIRE(qualify_record_write(&record, path.name.c_str(), &error) == 0);
	umask(mask);
	REQUIRE(stat(path.name.c_str(), &status) == 0);
	CHECK((status.st_mode & 0777) == 0644);

	CHECK(qualify_record_write(&record, "/nonexistent/x.json", &error) < 0);
	CHECK(std::string(error.text).find("cannot write \"/nonexistent/x.json\"") == 0);
	CHECK(qualify_record_read(&record, "/nonexistent/x.json", &error) < 0);
	CHECK(std::string(error.text).find("cannot read \"/nonexistent/x.json\"") == 0);
}

TEST_CASE("qualify: a record for a pipe or a device does not replace it", "[qualify]")
{
	Path path;
	Record record;
	rxaqm_error error = {};
	struct stat status;

	REQUIRE(mkfifo(path.name.c_str(), 0600) == 0);

	int fd = open(path.name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	REQUIRE(fd >= 0);
	REQUIRE(qualify_record_write(&record, path.name.c_str(), &error) == 0);
	REQUIRE(stat(path.name.c_str(), &status) == 0);
	CHECK(S_ISFIFO(status.st_mode));

	char byte = 0;

	CHECK(read(fd, &byte, 1) == 1);
	CHECK(byte == '{');
	close(fd);
	CHECK(qualify_record_write(&record, "/tmp", &error) < 0);
	CHECK(std::string(error.text) == "cannot write \"/tmp\": Is a directory");
}

TEST_CASE("qualify: what is left out of a record is not known", "[qualify]")
{
	Record record;
	rxaqm_error error = {};

	REQUIRE(parse(record,
		      of(R"(,"rows":[{"id":"Q1","verdict":"unknown","figures":[{"name":"f"}]}])"),
		      error) == 0);
	CHECK(record.cpus == ~0U);
	CHECK(record.speed_mbit == -1);

	const struct qualify_figure *figure = qualify_figure(&record, "Q1", "f");

	REQUIRE(figure);
	CHECK(std::isnan(figure->median));
	CHECK(figure->n == ~0ULL);
}

TEST_CASE("qualify: a record that is none is refused by its place", "[qualify]")
{
	const std::vector<std::pair<std::string, const char *>> rows = {
		{ "", "x.json: not JSON, at byte 0: it ends too early" },
		{ "{}", "x.json: not a record of \"rxaqm qualify --out\"" },
		{ R"({"format":"rxaqm-doctor","version":1})", "x.json: not a record" },
		{ R"({"format":"rxaqm-qualify","version":1})", "version 1; this rxaqm reads" },
		{ of(R"(,"mtu":-1)"), "x.json: record.mtu: must be 0 to 4294967295" },
		{ of(R"(,"kernel":7)"), "record.kernel: must be a string" },
		{ of(R"(,"nic_class":"0123456789abcdef")"), "record.nic_class: must be shorter" },
		{ of(R"(,"rows":{})"), "record.rows: must be an array" },
		{ of(R"(,"rows":[{"id":"Q1","verdict":"good"}])"),
		  "rows.verdict: must be one of unknown, pass, warn, fail" },
		{ of(R"(,"rows":[{"id":"Q1","verdict":1}])"), "rows.verdict: must be one of" },
		{ of(R"(,"rows":[{"verdict":"pass"}])"), "rows[0].id: must be there" },
		{ of(R"(,"rows":[{"id":"Q1","verdict":"pass"},{"id":"Q1","verdict":"pass"}])"),
		  "rows[1].id: must be there, and once" },
		{ of(R"(,"rows":[{"id":"Q1","verdict":"pass","figures":[{}]}])"),
		  "rows[0].figures[0].name: must be there" },
		{ of(R"(,"rows":[{"id":"Q1","verdict":"pass","figures":[{"name":"a"},{"name":"a"}]}])"),
		  "rows[0].figures[1].name: must be there, and once" },
		{ of(R"(,"rows":[{"id":"Q1","verdict":"pass","figures":[{"name":"a","p99":1e999}]}])"),
		  "p99: must be a finite number" },
		{ of(R"(,"rows":[{"id":"Q1","verdict":"pass","figures":[{"name":"a","p99":"1"}]}])"),
		  "p99: must be a number" },
	};

	for (const auto &[text, words] : rows) {
		std::string got = refused(text);

		INFO(text << ": " << got);
		CHECK(got.find(words) != std::string::npos);
	}
}

TEST_CASE("qualify: facts of the set-up are kept in order, as long as they fit", "[qualify]")
{
	Record record;

	qualify_setup_add(&record, "peer's NIC", "%s", "igb");
	qualify_setup_add(&record, "Rx ring", "%s", std::string(1000, '5').c_str());
	REQUIRE(record.setup.nr == 2);
	CHECK(record.setup.at[0].value == std::string("igb"));
	CHECK(strlen(record.setup.at[1].value) == sizeof(record.setup.at[1].value) - 1);
}
