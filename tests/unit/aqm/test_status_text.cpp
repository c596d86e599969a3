// SPDX-License-Identifier: GPL-2.0-only
/* The text of status. */
#include <catch2/catch_test_macros.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "metrics_maps.hpp"

extern "C" {
#include "base/now.h"
#include "report/status.h"
}

namespace
{

/* Two interfaces, with a queue each. */
struct Two {
	Maps maps;

	Two()
	{
		for (unsigned slot = 0; slot < 2; slot++) {
			maps.attach("", 1);
			snprintf(maps.iface(slot).name, RXAQM_IFNAMSIZ, "eth%u", slot);
		}
	}
	void set(unsigned slot, rxaqm_mode mode, bool standing)
	{
		rxaqm_queue &q = maps.queue(slot, 0);

		maps.policy(slot, 0).mode = mode;
		q.poll_end_ns = rxaqm_now_ns();
		q.stood_since_ns = standing ? q.poll_end_ns : 0;
	}
	std::string text()
	{
		char *buf = nullptr, line[RXAQM_OVERVIEW_LEN];
		size_t size = 0;
		rxaqm_overview overview = {};
		rxaqm_status_view view;
		rxaqm_out out;

		rxaqm_out_open(&out, open_memstream(&buf, &size), false);
		for (unsigned slot = 0; slot < 2; slot++) {
			rxaqm_status_look(&view, &maps.state(), &maps.iface(slot), nullptr);
			rxaqm_status_out(&out, &view, true, &overview);
		}
		rxaqm_status_next(&out, &overview);
		fclose(out.file);
		std::string text(buf, size);
		free(buf);
		return rxaqm_overview_text(&overview, line) + text;
	}
};

} // namespace

TEST_CASE("status text: what stands and is only observed leads to a trial, once", "[status]")
{
	const std::string next = "\nnext: rxaqm trial ";
	Two two;

	two.set(0, RXAQM_MODE_OBSERVE, false);
	two.set(1, RXAQM_MODE_OBSERVE, false);
	CHECK(two.text().find("2 interfaces, 2 queues: none stands") == 0);
	CHECK(two.text().find(next) == std::string::npos);
	two.set(0, RXAQM_MODE_ENFORCE, true);
	CHECK(two.text().find("2 interfaces, 2 queues: 1 stands (eth0 queue 0, ") == 0);
	CHECK(two.text().find(next) == std::string::npos);
	two.set(1, RXAQM_MODE_OBSERVE, true);
	CHECK(two.text().find(next + "eth1 ") != std::string::npos);
	two.set(0, RXAQM_MODE_OBSERVE, true);
	const std::string both = two.text();
	CHECK(both.find(next + "eth0 ") != std::string::npos);
	CHECK(both.find(next) == both.rfind(next));
}
