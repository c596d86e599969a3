// SPDX-License-Identifier: GPL-2.0-only
/* What was measured of a random NIC, against what it is. */
#include "random_nic.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

void Score::count(const std::string &what, bool is_right)
{
	INFO(what);
	CHECK(is_right);
	right += is_right;
}

bool Score::knows(const Record &record, const std::string &row, const std::string &name, bool may)
{
	const bool there = record.has(row, name);
	const std::string words = there ? record.words(row, name) : "unknown";

	INFO(row << " " << name << ": " << (there ? words : "not there"));
	if (words.rfind("unknown", 0) != 0)
		return true;
	CHECK((there || !record.why(row).empty())); /* the reason */
	unknown++;
	needless += may;
	return false;
}

void Score::word(const Record &record, const std::string &row, const std::string &name,
		 const std::string &truth)
{
	if (knows(record, row, name, true))
		count(row + " " + name + ": " + record.words(row, name) + ", not " + truth,
		      record.words(row, name).rfind(truth, 0) == 0);
}

void Score::fails(const Record &record, const std::string &row, bool truth)
{
	count(row + (truth ? " must fail" : " must not fail: ") + record.why(row),
	      (record.verdict(row) == FAIL) == truth);
}

void Score::figure(const Record &record, const std::string &row, const std::string &name,
		   double truth, double tolerance)
{
	if (!knows(record, row, name, true))
		return;
	const double is = record.median(row, name);

	printf("  %s %s: %.9g, told to be %.9g\n", row.c_str(), name.c_str(), is, truth);
	count(row + " " + name + ": " + std::to_string(is) + ", not " + std::to_string(truth) +
		      " +- " + std::to_string(tolerance),
	      std::abs(is - truth) <= tolerance);
	if (truth != 0)
		errors_[row + " " + name].relative.push_back(std::abs(is / truth - 1));
	else
		errors_[row + " " + name].exact += is == 0;
}

void Score::pause(const Record &record, const std::string &row, const std::string &name,
		  double truth_ms)
{
	/* The driver refuses to remove a queue that a table set by hand uses. */
	if (truth_ms <= 0 || !knows(record, row, name, true) ||
	    record.words(row, name).rfind("refused", 0) == 0)
		return;
	/* The kernel itself takes some time as well, as it waits for other CPUs (RCU). */
	figure(record, row, name, truth_ms * 1e6, record.error(row, name) + 5e8);
}

void Score::design(const RandomNic &nic, const Record &record)
{
	word(record, "Q1", "design", nic.shared ? "shared" : "split");
	word(record, "Q1", "napi", "joint");
}

void Score::coverage(const RandomNic &nic, const Record &record)
{
	const bool all = nic.stamps_all();

	word(record, "Q2", "filter", nic.coverage);
	word(record, "Q2", "coverage", !all || nic.stamp_one_in == 1 ? nic.coverage : "some");
	/* Other packets get some of the stamps. */
	figure(record, "Q2", "stamped", all ? 1.0 / nic.stamp_one_in : 0,
	       nic.stamp_one_in > 1 ? 0.02 : 0);
}

void Score::stamps(const RandomNic &nic, const Record &record)
{
	if (!knows(record, "Q3", "duplicates", nic.stamps_all()))
		return;
	figure(record, "Q3", "duplicates", nic.repeat_one_in ? 1.0 / nic.repeat_one_in : 0,
	       nic.repeat_one_in ? 0.01 : 0);
	figure(record, "Q3", "backward", 0, 0);
	figure(record, "Q3", "wrap_errors", 0, 0);
	fails(record, "Q3", nic.repeat_one_in > 0);
}

void Score::arrival(const RandomNic &nic, const Record &record)
{
	const double late_ns = nic.late_us * 1e3, free_ns = nic.usecs * 1e3 + nic.cost_us * 1e3;
	const bool may = nic.stamps_all() && !nic.step_us;

	if (!knows(record, "Q4", "stamp_point", may))
		return;
	word(record, "Q4", "stamp_point", nic.at_poll ? "later" : "arrival");
	if (nic.at_poll) {
		fails(record, "Q4", true);
		return;
	}
	if (!knows(record, "Q4", "after_xdp", may))
		return;
	figure(record, "Q4", "stamp_late", late_ns, 1e6);
	if (late_ns > free_ns + 1e6) {
		figure(record, "Q4", "after_xdp", 1, 0.1);
		fails(record, "Q4", true);
	} else if (late_ns == 0) {
		figure(record, "Q4", "after_xdp", 0, 0);
		/* With moderation alone the row may fail. */
		if (free_ns < 1e6)
			fails(record, "Q4", false);
	}
}

void Score::clock(const RandomNic &nic, const Record &record)
{
	if (!knows(record, "Q7", "drift", true))
		return;
	figure(record, "Q7", "drift", nic.drift_ppb / 1e3,
	       record.error("Q7", "drift") + (nic.step_us ? 5 : 0.5));
	if (nic.step_us) {
		count("Q7 steps, one a second for 5 s",
		      record.median("Q7", "steps") >= 2 && record.median("Q7", "steps") <= 6);
		figure(record, "Q7", "step_largest", double(nic.step_us) * 1e3, 2e5);
	} else {
		figure(record, "Q7", "steps", 0, 0);
	}
	fails(record, "Q7", nic.step_us > 0);
}

void Score::moderation(const RandomNic &nic, const Record &record)
{
	if (!knows(record, "Q8", "latency_idle", !nic.step_us))
		return;
	figure(record, "Q8", "moderation", nic.usecs * 1e3, 0);
	if (nic.usecs)
		figure(record, "Q8", "latency_idle", nic.usecs * 1e3 + nic.cost_us * 1e3,
		       record.error("Q8", "latency_idle") + 5e5);
	if (knows(record, "Q8", "floor", !nic.step_us))
		fails(record, "Q8", false);
}

void Score::ring(const RandomNic &nic, const Record &record)
{
	figure(record, "Q9", "depth", nic.ring, 1);
	figure(record, "Q9", "ring_entries", nic.ring, 0);
	if (nic.cost_us)
		figure(record, "Q9", "drain_drop", 1e6 / nic.cost_us, 0.4e6 / nic.cost_us);
	pause(record, "Q9", "gap_ring", nic.reset_ms);
	pause(record, "Q9", "gap_channels", nic.reset_ms);
}

void Score::counters(const RandomNic &nic, const Record &record)
{
	const double truth = nic.missed_one_in ? 1.0 / nic.missed_one_in : 0;

	if (!knows(record, "Q16", "lost_counted", true))
		return;
	figure(record, "Q16", "lost_counted", truth, 2 / record.median("Q16", "lost"));
	count("Q16 counter: " + record.words("Q16", "counter"),
	      (record.words("Q16", "counter").find("missed") != std::string::npos) == (truth > 0));
	fails(record, "Q16", truth < 0.5);
}

void Score::spread(const RandomNic &nic, const Record &record)
{
	const auto n = double(nic.weights.size());
	double sum = 0, most = 0;

	if (!knows(record, "Q13", "spread", nic.weights.size() > 1))
		return;
	for (unsigned each : nic.weights) {
		sum += each;
		most = std::max(most, double(each));
	}
	word(record, "Q13", "known_answer", nic.steered ? "mismatch" : "match");
	figure(record, "Q13", "queues", n, 0);
	figure(record, "Q13", "table_size", 128, 0);
	/* The tolerance is for chance: 1024 flows. */
	figure(record, "Q13", "spread", nic.steered ? n : most / sum * n,
	       nic.steered ? 0 : 0.2 * n);
}

void Score::reset(const RandomNic &nic, const Record &record)
{
	word(record, "Q18", "after_flap", "yes");
	word(record, "Q18", "after_reset", "yes");
	word(record, "Q18", "stats_kept", "yes");
	pause(record, "Q18", "gap_flap", nic.reset_ms ? nic.reset_ms + 50 : 0);
	pause(record, "Q18", "gap_reset", nic.reset_ms);
	fails(record, "Q18", false);
}

/* While a packet is polled the ring is shorter, until the end of the poll. */
void Score::burst(const RandomNic &nic, const Record &record)
{
	if (!knows(record, "Q10", "burst_queue", true))
		return;
	const double one = record.median("Q10", "burst_queue");

	count("Q10 burst_queue " + std::to_string(one) + " of " + std::to_string(nic.ring),
	      one >= nic.ring * 0.9 - 1);
	if (knows(record, "Q10", "buffer_queue", true))
		figure(record, "Q10", "buffer_queue", nic.ring,
		       SimNic::BUDGET + record.error("Q10", "buffer_queue"));
	/* Only if both lost packets; the share that is taken meanwhile differs from burst to burst.
	 */
	if (nic.weights.size() > 1 && knows(record, "Q10", "buffer_all", false) &&
	    knows(record, "Q10", "buffer_queue", false))
		count("Q10 buffer_all",
		      record.median("Q10", "buffer_all") + record.error("Q10", "buffer_all") >=
			      0.9 * record.median("Q10", "buffer_queue"));
	fails(record, "Q10", false);
}

void Score::standing(const RandomNic &nic, const Record &record)
{
	/* The cost of XDP adds to the cost that qualify sets for each packet. */
	if (nic.cost_us || !knows(record, "Q11", "lost_off_300", true))
		return;
	figure(record, "Q11", "lost_off_300", 2 / 3.0, 0.2);
	if (nic.ring < 512 || !nic.stamps_all() || nic.stamp_one_in > 1 || nic.repeat_one_in ||
	    nic.late_us || nic.at_poll || nic.step_us || nic.usecs)
		return;
	count("Q11 stands shorter with rxaqm",
	      record.median("Q11", "standing_on_300") < record.median("Q11", "standing_off_300"));
}

/* Before a completion come all waiting packets if completions are shared, else at most those of the
 * current poll.
 */
void Score::tx(const RandomNic &nic, const Record &record)
{
	const double polls = double(nic.ring) / SimNic::BUDGET;

	if (!knows(record, "Q12", "tx_load_polls", true))
		return;
	if (nic.shared)
		figure(record, "Q12", "tx_load_polls", polls, 1.5 + 0.2 * polls);
	else
		figure(record, "Q12", "tx_load_polls", 1, 1);
}

void Score::xdp(const RandomNic &, const Record &record)
{
	word(record, "Q14", "native", "yes");
	word(record, "Q14", "drop", "yes");
	word(record, "Q14", "advertised", "basic redirect ndo-xmit rx-sg");
	word(record, "Q14", "zero_copy", "copy");
	figure(record, "Q14", "missing", 0, 0);
	/* Programs are attached and detached between two packets. */
	if (knows(record, "Q14", "gap_attach", true))
		count("Q14 gap_attach", record.median("Q14", "gap_attach") < 100e6);
}

void Score::gro(const RandomNic &nic, const Record &record)
{
	if (!knows(record, "Q15", "merged_gro", true))
		return;
	count("Q15 merged_gro", record.median("Q15", "merged_gro") >= 1);
	if (record.has("Q15", "merged_stamps") && nic.stamp_one_in == 1)
		word(record, "Q15", "merged_stamps", "first");
	fails(record, "Q15", false);
}

/* A page for each packet, plus the skb. */
void Score::truesize(const RandomNic &, const Record &record)
{
	for (unsigned size : { 64, 200, 1500 })
		figure(record, "Q17", "truesize_" + std::to_string(size), 4352.0 / size,
		       4352.0 / size * 0.03);
	fails(record, "Q17", false);
}

void Score::judge(const RandomNic &nic, const Record &record)
{
	static const struct {
		const char *row;
		void (Score::*compare)(const RandomNic &, const Record &);
	} rows[] = { { "Q1", &Score::design },	{ "Q2", &Score::coverage },
		     { "Q3", &Score::stamps },	{ "Q4", &Score::arrival },
		     { "Q7", &Score::clock },	{ "Q8", &Score::moderation },
		     { "Q9", &Score::ring },	{ "Q16", &Score::counters },
		     { "Q13", &Score::spread }, { "Q18", &Score::reset },
		     { "Q10", &Score::burst },	{ "Q11", &Score::standing },
		     { "Q12", &Score::tx },	{ "Q14", &Score::xdp },
		     { "Q15", &Score::gro },	{ "Q17", &Score::truesize } };

	for (const auto &each : rows) {
		if (nic.has(each.row))
			(this->*each.compare)(nic, record);
	}
}

std::string Score::table() const
{
	std::string text = "| figure | NICs | median error | worst error |\n|---|---|---|---|\n";
	char line[160];

	for (const auto &[name, errors] : errors_) {
		std::vector<double> sorted = errors.relative;

		std::sort(sorted.begin(), sorted.end());
		if (sorted.empty())
			snprintf(line, sizeof(line), "| %s | %u of 0 | 0 | 0 |\n", name.c_str(),
				 errors.exact);
		else
			snprintf(line, sizeof(line), "| %s | %zu | %.2g %% | %.2g %% |\n",
				 name.c_str(), sorted.size(), 100 * sorted[(sorted.size() - 1) / 2],
				 100 * sorted.back());
		text += line;
	}
	return text;
}
