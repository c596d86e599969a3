// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor --metrics: causes for a fleet, as node_exporter reads them. */
#include "doctor_case.hpp"
#include "exposition.hpp"
#include "host.hpp"
#include "prometheus.hpp"

static std::string metrics_of(Bundle &bundle)
{
	return Diagnosis(bundle.text()).metrics();
}

/* Two causes, one of which has a consequence, and a note. */
static Bundle &ill(Bundle &bundle)
{
	bundle.rise_at("ifaces/1/ethtool/rx_buff_alloc_err", 700);
	bundle.rise_at("ifaces/1/stats/rx_missed_errors", 900);
	bundle.rise("TcpExt.TCPRcvCollapsed", 40000);
	bundle.set("/after/ifaces/1/gro", "false").set("/after/ifaces/1/gro_known", "true");
	return bundle.set("/time_s", "1785499200");
}

TEST_CASE("doctor: --metrics has each cause, and where it is", "[doctor][metrics]")
{
	Bundle bundle, other;
	const Diagnosis diagnosis(ill(bundle).text());

	/* What is left out is there to be left out. */
	CHECK(diagnosis.consequence_of("nic-ring-overflow") == "nic-no-memory");
	CHECK(diagnosis.metrics() ==
	      "# HELP rxaqm_doctor_found 1: a cause that slows receiving; no interface: it is of the"
	      " whole host, or not known\n"
	      "# TYPE rxaqm_doctor_found gauge\n"
	      "rxaqm_doctor_found{id=\"nic-no-memory\",severity=\"high\",place=\"NIC\","
	      "interface=\"eth0\"} 1\n"
	      "rxaqm_doctor_found{id=\"tcp-collapse\",severity=\"high\",place=\"TCP\"} 1\n"
	      "# HELP rxaqm_doctor_sees_enough 0: something essential could not be seen, so a cause"
	      " may be missing\n"
	      "# TYPE rxaqm_doctor_sees_enough gauge\n"
	      "rxaqm_doctor_sees_enough 1\n"
	      "# HELP rxaqm_doctor_timestamp_seconds When doctor looked, since 1970\n"
	      "# TYPE rxaqm_doctor_timestamp_seconds gauge\n"
	      "rxaqm_doctor_timestamp_seconds 1785499200\n");
	/* The name of an interface is another's text. */
	ill(other).set("/after/ifaces/1/name", R"("e\"\\\u202e")");
	CHECK(metrics_of(other).find(R"(interface="e\"\\\\u202e"} 1)") != std::string::npos);
}

TEST_CASE("doctor: --metrics of a host that is well, and of one that shows nothing",
	  "[doctor][metrics]")
{
	Bundle well, dark;
	Exposition page(metrics_of(well));

	CHECK(page.find("rxaqm_doctor_found").empty());
	CHECK(page.value("rxaqm_doctor_sees_enough") == 1);
	/* A bundle of an older version has no time. */
	CHECK(page.find("rxaqm_doctor_timestamp_seconds").empty());
	dark.set("/cannot_see/-", R"({"what":"the window","why":"idle","essential":true})");
	CHECK(Exposition(metrics_of(dark)).value("rxaqm_doctor_sees_enough") == 0);
}

TEST_CASE("doctor: promtool finds nothing to say about --metrics", "[doctor][metrics]")
{
	const std::string promtool = prometheus_program("promtool");
	Bundle well, bad;

	for (const std::string &text : { metrics_of(well), metrics_of(ill(bad)) }) {
		RunOptions options;

		options.input = text;
		Result result = run({ promtool, "check", "metrics" }, options);
		CAPTURE(text);
		CHECK(result.out + result.err == "");
		CHECK(result.exit_code == 0);
	}
}
