// SPDX-License-Identifier: GPL-2.0-only
/* The text of status, from its JSON. */
#include <catch2/catch_test_macros.hpp>

#include <json-c/json.h>

#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" {
#include "report/status.h"
}

namespace
{

std::string queue(const char *mode, bool standing)
{
	return std::string(R"({"queue": 0, "mode": ")") + mode + R"(", "standing": )" +
	       (standing ? "true" : "false") + "}";
}

/* Two interfaces, each with one of these queues. */
std::string text_of(const std::string &first, const std::string &second)
{
	const std::string json =
		R"({"interfaces": [{"interface": "eth0", "nr_queues": 1, "queues": [)" + first +
		R"(]}, {"interface": "eth1", "nr_queues": 1, "queues": [)" + second + "]}]}";
	json_object *status = json_tokener_parse(json.c_str());
	char *buf = nullptr;
	size_t size = 0;
	rxaqm_out out;

	REQUIRE(status);
	rxaqm_out_open(&out, open_memstream(&buf, &size), false);
	rxaqm_status_print(&out, status, true);
	fclose(out.file);
	std::string text(buf, size);
	free(buf);
	json_object_put(status);
	return text;
}

} // namespace

TEST_CASE("status text: what stands and is only observed leads to a trial, once", "[status]")
{
	const std::string stands = queue("observe", true), none = queue("observe", false);
	const std::string next = "\nnext: rxaqm trial ";

	CHECK(text_of(none, none).find(next) == std::string::npos);
	CHECK(text_of(queue("enforce", true), none).find(next) == std::string::npos);
	CHECK(text_of(none, stands).find(next + "eth1 ") != std::string::npos);
	const std::string both = text_of(stands, stands);
	CHECK(both.find(next + "eth0 ") != std::string::npos);
	CHECK(both.find(next) == both.rfind(next));
}
