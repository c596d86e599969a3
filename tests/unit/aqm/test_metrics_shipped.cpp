// SPDX-License-Identifier: GPL-2.0-only
/* The alert rules, their tests and the dashboard ask for series that exist, with labels and label
 * values that exist; docs/fleet.md lists all there are.
 */
#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "host.hpp"
#include "prometheus.hpp"
#include "metrics_maps.hpp"

namespace fs = std::filesystem;

namespace
{

std::string slurp(const fs::path &path)
{
	std::ifstream file(path);
	std::stringstream text;

	INFO(path);
	REQUIRE(file.is_open());
	text << file.rdbuf();
	return text.str();
}

/* They point into @text, which must stay. */
std::vector<std::smatch> matches(const std::string &text, const std::regex &form)
{
	return { std::sregex_iterator(text.begin(), text.end(), form), std::sregex_iterator() };
}

/* One interface of which everything is known, so that no family is empty. */
Exposition full_page()
{
	Maps maps;
	unsigned slot = maps.attach("eth0", 1);

	maps.iface(slot).stamp = RXAQM_STAMP_HWTSTAMP;
	maps.iface(slot).ring_entries = 4096;
	maps.clock(slot).published = 1;
	maps.queue(slot, 0).round_ns = 1;
	maps.queue(slot, 0).sample_err_ns = 1;
	maps.queue(slot, 0).flags |= RXAQM_QUEUE_SAMPLED | RXAQM_QUEUE_SOCKET;
	maps.wait(slot, 0).updated_ns = maps.view().now_ns;
	maps.policy(slot, 0).mode = RXAQM_MODE_ENFORCE;
	maps.policy(slot, 0).lease_until_ns = maps.view().now_ns + 1;
	return maps.page();
}

/* Families that the daemon (struct rxaqm_metrics, more) and rxaqm-exporter add. */
std::set<std::string> families_of_daemon()
{
	static const std::regex call(
		"(RXAQM_METRICS_(?:COUNTER|GAUGE),\\s*\"|# TYPE )(rxaqm_[a-z0-9_]+)[ \"]");
	std::set<std::string> names;

	for (const auto &entry : fs::recursive_directory_iterator(source_path("control"))) {
		const std::string text = entry.path().extension() == ".c" ? slurp(entry.path()) :
									    "";

		for (const std::smatch &match : matches(text, call))
			names.insert(match[2]);
	}
	return names;
}

/* Every name of a series in @text that neither @page nor the daemon has. */
std::string unknown_series(const std::string &text, const Exposition &page)
{
	static const std::regex name("(^|[^a-z0-9_:])(rxaqm_[a-z0-9_]+)");
	std::set<std::string> known = page.sample_names(), daemon = families_of_daemon();
	std::string unknown;

	known.insert(daemon.begin(), daemon.end());
	for (const Family &family : page.families())
		known.insert(family.name); /* a histogram has no series of its own name */
	for (const std::smatch &match : matches(text, name))
		if (!known.count(match[2]))
			unknown += match[2].str() + " ";
	return unknown;
}

/* Every NAME{...LABEL="VALUE"...} in @text for which @page has no such value of the label. */
std::string unknown_values(const std::string &text, const Exposition &page)
{
	static const std::regex selector("(rxaqm_[a-z0-9_]+)\\{([^}]*)\\}"),
		matcher("([a-z_]+)=~?\\\\?\"([^\"\\\\]*)\\\\?\""), word("[a-z0-9_]+");
	std::string unknown;

	for (const std::smatch &found : matches(text, selector)) {
		std::vector<Sample> samples = page.find(found[1]);
		std::set<std::pair<std::string, std::string>> all;

		for (const Sample &sample : samples)
			all.insert(sample.labels.begin(), sample.labels.end());
		const std::string labels = found[2];
		for (const std::smatch &match : matches(labels, matcher)) {
			const std::string values = match[2];

			if (samples.empty() || match[1] == "instance" || match[1] == "le" ||
			    values.find('$') != std::string::npos)
				continue;
			for (const std::smatch &value : matches(values, word))
				if (match[1] != "interface" && match[1] != "queue" &&
				    !all.count({ match[1], value[0] }))
					unknown += found[1].str() + "{" + match[1].str() + "=" +
						   value[0].str() + "} ";
		}
	}
	return unknown;
}

} // namespace

TEST_CASE("metrics shipped: alert rules ask for what is there", "[metrics]")
{
	Exposition page = full_page();

	for (const char *file : { "rxaqm.rules.yml", "rxaqm.rules.test.yml" }) {
		std::string text = slurp(source_path("packaging/prometheus/") + file);

		CAPTURE(file);
		CHECK(unknown_series(text, page) == "");
		CHECK(unknown_values(text, page) == "");
	}
}

TEST_CASE("metrics shipped: the dashboard asks for what is there, and for all of it", "[metrics]")
{
	std::string text = slurp(source_path("packaging/grafana/rxaqm.json"));
	Exposition page = full_page();
	Json dashboard(text);

	CHECK(unknown_series(text, page) == "");
	CHECK(unknown_values(text, page) == "");
	for (const Family &family : page.families()) {
		/* Facts that a graph has no use for. */
		if (family.name == "rxaqm_hook_info" || family.name == "rxaqm_interface_info" ||
		    family.name == "rxaqm_interface_ring_entries" ||
		    family.name == "rxaqm_interface_attached_seconds" ||
		    family.name == "rxaqm_clock_offset_seconds" ||
		    family.name == "rxaqm_clock_error_growth_ratio")
			continue;
		CAPTURE(family.name);
		CHECK(text.find(family.name) != std::string::npos);
	}
	std::set<int64_t> ids;
	for (size_t i = 0; i < dashboard.size("/panels"); i++)
		CHECK(ids.insert(dashboard.number("/panels/" + std::to_string(i) + "/id")).second);
}

TEST_CASE("metrics shipped: the document lists every family, and no other", "[metrics]")
{
	static const std::regex row("\\n\\| `(rxaqm_[a-z0-9_]+)`");
	std::string text = slurp(source_path("docs/fleet.md"));
	std::set<std::string> listed, known = families_of_daemon();
	Exposition page = full_page();

	for (const std::smatch &match : matches(text, row))
		listed.insert(match[1]);
	for (const Family &family : page.families())
		known.insert(family.name);
	CHECK(listed == known);
	CHECK(unknown_series(text, page) == "");
}

TEST_CASE("metrics shipped: this test finds a series that is not there", "[metrics]")
{
	Exposition page = full_page();

	CHECK(unknown_series("sum(rxaqm_rx_packets_total) / rxaqm_rx_pakets_total", page) ==
	      "rxaqm_rx_pakets_total ");
	CHECK(unknown_series("instance:rxaqm_something:rate5m", page) == "");
	CHECK(unknown_values("rxaqm_rx_mode{mode=~\"enforce|observed\",instance=\"a\"}", page) ==
	      "rxaqm_rx_mode{mode=observed} ");
	CHECK(unknown_values("\"rxaqm_rx_mode{mod=\\\"off\\\"}\"", page) ==
	      "rxaqm_rx_mode{mod=off} ");
}

TEST_CASE("metrics shipped: promtool accepts the rules, and their tests pass", "[metrics]")
{
	const std::string promtool = prometheus_program("promtool");
	const std::string rules = source_path("packaging/prometheus/rxaqm.rules");
	Result check = run({ promtool, "check", "rules", rules + ".yml" });
	Result test = run({ promtool, "test", "rules", rules + ".test.yml" });

	CAPTURE(check.text(), test.text());
	CHECK(check.exit_code == 0);
	CHECK(test.exit_code == 0);
}

TEST_CASE("metrics shipped: every alert has a test, a severity, and a row to go to", "[metrics]")
{
	static const std::regex form("severity: ([a-z]+)"),
		url("runbook_url: \"file:///usr/share/doc/rxaqm/fleet.md#([a-z]+)\"");
	const std::string begin = "- alert: ";
	std::string rules = slurp(source_path("packaging/prometheus/rxaqm.rules.yml"));
	std::string tests = slurp(source_path("packaging/prometheus/rxaqm.rules.test.yml"));
	std::string document = slurp(source_path("docs/fleet.md"));
	std::set<std::string> severities;
	size_t at = rules.find(begin), next;

	for (; at != std::string::npos; at = next) {
		at += begin.size();
		next = rules.find(begin, at);
		const std::string alert = rules.substr(at, next - at);
		const std::string name = alert.substr(0, alert.find('\n'));
		std::smatch severity, anchor;

		CAPTURE(name);
		REQUIRE(std::regex_search(alert, severity, form));
		REQUIRE(std::regex_search(alert, anchor, url));
		CHECK((tests.find("\"" + name + "\"") != std::string::npos ||
		       tests.find(": " + name + "\n") != std::string::npos));
		CHECK(document.find("\n| <a id=\"" + anchor[1].str() + "\"></a>`" + name + "` | " +
				    severity[1].str() + " | ") != std::string::npos);
		severities.insert(severity[1]);
	}
	CHECK(severities == std::set<std::string>{ "critical", "info", "warning" });
}
