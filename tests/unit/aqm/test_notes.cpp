// SPDX-License-Identifier: GPL-2.0-only
/* What status says in words: why there are no stamps, or none any more. */
#include <catch2/catch_test_macros.hpp>

#include <linux/net_tstamp.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

extern "C" {
#include "figures/figures.h"
#include "attach/hint.h"
#include "report/status_notes.h"
#include "attach/stamps.h"
}

namespace
{

/* A NIC that stamps all packets and does so, for queues with signal=auto. */
rxaqm_note_facts healthy()
{
	rxaqm_note_facts facts = {};

	facts.ifname = "eth7";
	snprintf(facts.iface.profile, sizeof(facts.iface.profile), "some");
	facts.iface.stamp = RXAQM_STAMP_HWTSTAMP;
	facts.lenient = true;
	facts.coverage = RXAQM_COVERAGE_ALL;
	facts.config = { 0, HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_ALL };
	return facts;
}

std::vector<std::string> written(const rxaqm_note_facts &facts)
{
	const std::string begin = "  note: ";
	std::vector<std::string> notes;
	std::string line;
	char *text = nullptr;
	size_t size = 0;
	rxaqm_out out;

	rxaqm_out_open(&out, open_memstream(&text, &size), false);
	rxaqm_notes_write(&facts, &out);
	fclose(out.file);
	std::istringstream lines(std::string(text, size));
	free(text);
	while (std::getline(lines, line)) {
		REQUIRE(line.find(begin) == 0);
		notes.push_back(line.substr(begin.size()));
	}
	return notes;
}

/* All of @words are in the one note there is. */
void check_says(const rxaqm_note_facts &facts, const std::vector<std::string> &words)
{
	std::vector<std::string> notes = written(facts);

	REQUIRE(notes.size() == 1);
	CAPTURE(notes[0]);
	for (const std::string &word : words) {
		CAPTURE(word);
		CHECK(notes[0].find(word) != std::string::npos);
	}
}

} // namespace

TEST_CASE("notes: none where all is well, or stamps are not wanted", "[notes]")
{
	rxaqm_note_facts facts = healthy();

	CHECK(written(facts).empty());
	facts.lenient = false;
	facts.config.rx_filter = HWTSTAMP_FILTER_NONE;
	facts.missing = true;
	CHECK(written(facts).empty());
	facts.iface.stamp = RXAQM_STAMP_NONE;
	CHECK(written(facts).empty());
	/* A software device has none, and nobody expects any. */
	facts = healthy();
	facts.iface.stamp = RXAQM_STAMP_NONE;
	facts.config.rx_filter = -1;
	facts.coverage = RXAQM_COVERAGE_NONE;
	CHECK(written(facts).empty());
}

TEST_CASE("notes: queues that go to sockets", "[notes]")
{
	rxaqm_note_facts facts = healthy();

	facts.sockets = true;
	CHECK(written(facts).empty());
	facts.strict_sockets = { 1, 5 };
	check_says(facts, { "queue 5:", "signal=stamp", "consumer's wait", "signal=auto" });
	facts.strict_sockets.nr = 2;
	check_says(facts, { "queue 5, and 1 more:" });
	facts.strict_sockets.nr = 0;
	facts.iface.flags = RXAQM_IFACE_BARE;
	check_says(facts, { "no metadata", "1.5.5", "detach, then attach",
			    "LIBXDP_SKIP_DISPATCHER=1", "no other program" });
	facts.sockets = false;
	CHECK(written(facts).empty());
	facts.no_sockets = true;
	check_says(facts, { "no AF_XDP", "CONFIG_XDP_SOCKETS" });
}

TEST_CASE("notes: what an older kernel lacks", "[notes]")
{
	rxaqm_note_facts facts = healthy();

	facts.no_fragments = true;
	check_says(facts, { "older than 5.18", "fragments", "all else works" });
	facts.no_stamps = true;
	facts.iface.stamp = RXAQM_STAMP_NONE; /* that there are none is said once */
	check_says(facts, { "older than 5.13", "timestamps", "generic mode", "dispatcher", "plain",
			    "exempt" });
}

TEST_CASE("notes: stamps turned off by someone else", "[notes]")
{
	rxaqm_note_facts facts = healthy();

	facts.config.rx_filter = HWTSTAMP_FILTER_NONE;
	check_says(facts, { "stamps missing: ", "\"eth7\" is off", "someone else", "acting on busy",
			    "rxaqm policy set eth7 signal=auto\"" });
	facts.missing = true;
	facts.missing_ns = 12 * RXAQM_NSEC_PER_SEC;
	check_says(facts, { "stamps missing for 12s: ", "\"eth7\" is off" });
	facts.lenient = false;
	facts.strict = true;
	check_says(facts, { "everything passes", "signal=stamp\" turns it on" });
	facts.lenient = true;
	check_says(facts, { "signal=auto act on busy", "others let everything pass" });
	facts.config.rx_filter = HWTSTAMP_FILTER_PTP_V2_EVENT;
	check_says(facts, { "changed by someone else", "only PTP packets", "rx_filter 12" });
}

TEST_CASE("notes: what the driver granted is no one else's doing", "[notes]")
{
	rxaqm_note_facts facts = healthy();

	facts.config.rx_filter = HWTSTAMP_FILTER_NONE;
	facts.iface.hwtstamp_granted = HWTSTAMP_FILTER_NONE;
	facts.iface.flags = RXAQM_IFACE_HWTSTAMP_SAVED;
	check_says(facts, { "driver granted rx_filter 0", "acting on busy" });
}

TEST_CASE("notes: stamps missing though turned on", "[notes]")
{
	rxaqm_note_facts facts = healthy();

	facts.missing = true;
	facts.missing_ns = 1500 * RXAQM_NSEC_PER_MSEC;
	check_says(facts, { "stamps missing for 1.5s, although", "\"eth7\" is on" });
	/* Stamps of another kind cannot be asked for. */
	facts.iface.stamp = RXAQM_STAMP_TSTAMP;
	facts.config.rx_filter = -1;
	facts.coverage = RXAQM_COVERAGE_NONE;
	check_says(facts, { "stamps missing for 1.5s; acting on busy" });
}

TEST_CASE("notes: why there are no stamps from the start", "[notes]")
{
	rxaqm_note_facts facts = healthy();

	facts.iface.stamp = RXAQM_STAMP_NONE;
	facts.coverage = RXAQM_COVERAGE_PTP;
	check_says(facts, { "\"eth7\" can stamp some packets (PTP", "acting on busy" });
	facts.coverage = RXAQM_COVERAGE_ALL;
	check_says(facts, { "profile \"some\" has no TimestampField" });
	facts.coverage = RXAQM_COVERAGE_NONE;
	facts.lenient = false;
	facts.strict = true;
	check_says(facts, { "\"eth7\" has no Rx timestamps; everything passes" });
}

TEST_CASE("notes: a program that is bound to the interface", "[notes]")
{
	rxaqm_note_facts facts = healthy();

	facts.iface.flags = RXAQM_IFACE_HINT;
	check_says(facts, { "bound to \"eth7\"", "no other", "signal=stamp" });
	facts.config.rx_filter = -1;
	facts.coverage = RXAQM_COVERAGE_NONE;
	REQUIRE(written(facts).size() == 2);
	CHECK(written(facts)[1].find("does not say that it stamps all packets") !=
	      std::string::npos);
	/* What was never turned on was not turned off by anyone. */
	facts.coverage = RXAQM_COVERAGE_PTP;
	facts.config.rx_filter = HWTSTAMP_FILTER_NONE;
	REQUIRE(written(facts).size() == 2);
	CHECK(written(facts)[1].find("does not say that it stamps all packets") !=
	      std::string::npos);
}

TEST_CASE("notes: a queue of ACKs", "[notes]")
{
	rxaqm_note_facts facts = healthy();

	facts.acks = { 1, 3 };
	facts.ack_percent = 93;
	facts.ack_kept = true;
	check_says(facts, { "queue 3: 93 % of the packets over target are pure ACKs",
			    "law=auto with ack=thin" });
	facts.acks.nr = 5;
	facts.ack_kept = false;
	check_says(facts, { "queue 3, and 4 more: 93 %", "ACKs; ack=thin drops" });
}

TEST_CASE("notes: a queue that exempt traffic holds", "[notes]")
{
	rxaqm_note_facts facts = healthy();

	facts.exempt = { 1, 3 };
	facts.exempt_percent = 97;
	snprintf(facts.exempt_words, sizeof(facts.exempt_words), "ICMP, exempt_ports=22");
	check_says(facts, { "queue 3: exempt traffic holds it over target (97 % of its packets)",
			    "law=codel cannot help", "exempt are ICMP, exempt_ports=22" });
	facts.exempt.nr = 2;
	check_says(facts, { "queue 3, and 1 more: exempt traffic" });
}

static rxaqm_figures figures_of(rxaqm_queue &q, __u64 now_ns)
{
	rxaqm_state state = {};
	rxaqm_iface iface = {};
	rxaqm_figures figures;

	state.queue = &q;
	state.policy = &q.policy;
	rxaqm_figures_take(&state, &iface, 0, now_ns, &figures);
	return figures;
}

TEST_CASE("notes: a queue is unstamped when packets come without stamps for a second", "[notes]")
{
	rxaqm_queue q = {};
	const __u64 sec = RXAQM_NSEC_PER_SEC, now_ns = 1000 * sec;

	CHECK_FALSE(figures_of(q, now_ns).unstamped);
	q.flags = RXAQM_QUEUE_POLLED | RXAQM_QUEUE_SAMPLED;
	q.poll_end_ns = now_ns;
	q.sample_ns = now_ns - 2 * sec;
	CHECK_FALSE(figures_of(q, now_ns).unstamped);
	q.stat[RXAQM_STAT_STAMP_MISSING] = 1;
	CHECK(figures_of(q, now_ns).unstamped);
	q.sample_ns = now_ns - sec / 2;
	CHECK_FALSE(figures_of(q, now_ns).unstamped);
	/* Stamps that are not believed, or met no clock, have come. */
	q.sample_ns = now_ns - 2 * sec;
	q.distrust_until_ns = now_ns + sec / 2;
	CHECK_FALSE(figures_of(q, now_ns).unstamped);
	q.distrust_until_ns = 0;
	q.flags |= RXAQM_QUEUE_NO_CLOCK;
	CHECK_FALSE(figures_of(q, now_ns).unstamped);
	/* An idle queue misses nothing. */
	q.flags &= ~RXAQM_QUEUE_NO_CLOCK;
	q.poll_end_ns = q.sample_ns + 1000;
	CHECK_FALSE(figures_of(q, now_ns).unstamped);
}

TEST_CASE("notes: a queue that goes by hints says so", "[notes]")
{
	rxaqm_queue q = {};
	const __u64 now_ns = 1000 * RXAQM_NSEC_PER_SEC;

	q.flags = RXAQM_QUEUE_POLLED | RXAQM_QUEUE_SAMPLED;
	q.signal = RXAQM_SIGNAL_HINT;
	q.policy.signal = RXAQM_SIGNAL_HINT;
	q.sample_ns = now_ns - 1;
	CHECK(figures_of(q, now_ns).signal == RXAQM_SIGNAL_NOW_HINT);
	q.flags &= ~RXAQM_QUEUE_SAMPLED;
	CHECK(figures_of(q, now_ns).signal == RXAQM_SIGNAL_NOW_NONE);
	q.policy.signal = RXAQM_SIGNAL_AUTO;
	CHECK(figures_of(q, now_ns).signal == RXAQM_SIGNAL_NOW_BUSY);
}

TEST_CASE("hint: kernel releases are compared by number", "[hint]")
{
	CHECK(rxaqm_hint_release_reached("6.3.0", "6.3"));
	CHECK(rxaqm_hint_release_reached("6.12.95+deb13-amd64", "6.3"));
	CHECK(rxaqm_hint_release_reached("7.0", "6.12"));
	CHECK_FALSE(rxaqm_hint_release_reached("6.1.0-32-amd64", "6.3"));
	CHECK_FALSE(rxaqm_hint_release_reached("5.15.1", "6.3"));
	CHECK_FALSE(rxaqm_hint_release_reached("", "6.3"));
	CHECK_FALSE(rxaqm_hint_release_reached("6.3", ""));
}

TEST_CASE("notes: a clock that is too inexact for the target, and what that means", "[notes]")
{
	rxaqm_note_facts facts = healthy();

	facts.inexact = { 3, 5 };
	facts.inexact_ns = 2400123;
	facts.inexact_target_ns = 2000000;
	check_says(facts, { "queue 5, and 2 more", "2.4ms", "half the target of 2ms",
			    "acting on busy;", "rxaqm status eth7" });
	facts.strict = true;
	check_says(facts, { "busy with signal=auto, else on the sojourn less" });
	facts.lenient = false;
	check_says(facts, { "; acting on the sojourn less that error" });
}

TEST_CASE("notes: generic mode turns GRO off", "[notes]")
{
	rxaqm_note_facts facts = healthy();

	facts.iface.flags = RXAQM_IFACE_GENERIC;
	check_says(facts, { "no GRO", "eth7" });
	/* Whatever the signal. */
	facts.lenient = false;
	check_says(facts, { "no GRO" });
}

TEST_CASE("notes: frames that are lost, whatever the signal", "[notes]")
{
	rxaqm_note_facts facts = healthy();

	facts.lenient = false;
	snprintf(facts.lost, sizeof(facts.lost), "frames over an MTU of 3494 are lost");
	check_says(facts, { "frames over an MTU of 3494 are lost" });
}

TEST_CASE("notes: a queue that stands points to the doctor", "[notes]")
{
	rxaqm_note_facts facts = healthy();

	facts.standing = { 1, 3 };
	CHECK(written(facts) ==
	      std::vector<std::string>{
		      "queue 3: stands, and is only observed; \"rxaqm doctor eth7\" "
		      "looks for the cause" });
	facts.standing.nr = 3;
	CHECK(written(facts)[0].find("queue 3, and 2 more: ") == 0);
}

TEST_CASE("notes: why merge=on does nothing", "[notes]")
{
	rxaqm_note_facts facts = healthy();

	strcpy(facts.way_out, "this host forwards, so packets may leave it by \"eth1\"");
	CHECK(written(facts) ==
	      std::vector<std::string>{ "merge=on does nothing, so GRO merges less: this host "
					"forwards, so packets may leave it by \"eth1\"" });
}

TEST_CASE("notes: an interface that is no longer what it was, and how that is mended", "[notes]")
{
	rxaqm_note_facts facts = healthy();

	facts.outgrown = "its rings have another length";
	check_says(facts, { "its rings have another length, ", "\"rxaqm detach eth7\"",
			    "\"rxaqm attach eth7\"" });
	facts.iface.flags |= RXAQM_IFACE_GENERIC;
	facts.outgrown = "it has more queues now";
	REQUIRE(written(facts).size() == 2);
	CHECK(written(facts)[0].find("\"rxaqm attach --mode generic eth7\"") != std::string::npos);
}

TEST_CASE("notes: RPS behind native mode", "[notes]")
{
	rxaqm_note_facts facts = healthy();

	facts.before_rps = true;
	check_says(facts, { "RPS is on", "stand in the CPUs' backlogs",
			    "\"rxaqm attach --mode generic --key cpu eth7\"" });
}

TEST_CASE("notes: a driver that has lost the program", "[notes]")
{
	rxaqm_note_facts facts = healthy();

	facts.unseen = 1234;
	check_says(facts, { "received 1234 packets, of which the XDP program saw none", "detach" });
}
