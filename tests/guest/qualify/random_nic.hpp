/* SPDX-License-Identifier: GPL-2.0-only */
/* Simulated NICs at random: what "rxaqm qualify" says of them, and what they are. */
#ifndef RXAQM_TESTS_RANDOM_NIC_HPP
#define RXAQM_TESTS_RANDOM_NIC_HPP

#include <map>
#include <string>
#include <vector>

#include "qualify_lab.hpp"

/* What it was told to be; what is not drawn is as after loading. */
struct RandomNic {
	unsigned seed;
	std::string rows; /* that have to find it out */
	bool shared = false;
	std::string coverage = "all";
	unsigned stamp_one_in = 1, repeat_one_in = 0, late_us = 0;
	bool at_poll = false;
	int drift_ppb = 0;
	int64_t step_us = 0; /* each second; 0: never */
	unsigned usecs = 0; /* moderation */
	unsigned ring = SimNic::RING, cost_us = 0;
	unsigned missed_one_in = 1, reset_ms = 0;
	std::vector<unsigned> weights; /* of the queues; one: no choice */
	bool steered = false; /* all to the last queue, whatever the hash */

	explicit RandomNic(unsigned seed);
	void apply(Lab &lab) const;
	std::string text() const;
	bool has(const std::string &row) const;
	bool stamps_all() const
	{
		return coverage == "all";
	}
};

/* Right, unknown and wrong answers, and by how much figures are off. */
class Score
{
    public:
	/* Compare what @record says with @nic. A wrong answer is a failure of the test. */
	void judge(const RandomNic &nic, const Record &record);
	/* A Markdown table: median and worst error of each figure. */
	std::string table() const;

	unsigned right = 0, unknown = 0,
		 needless = 0; /* unknown without a stated reason to be so */

    private:
	void design(const RandomNic &nic, const Record &record);
	void coverage(const RandomNic &nic, const Record &record);
	void stamps(const RandomNic &nic, const Record &record);
	void arrival(const RandomNic &nic, const Record &record);
	void clock(const RandomNic &nic, const Record &record);
	void moderation(const RandomNic &nic, const Record &record);
	void ring(const RandomNic &nic, const Record &record);
	void counters(const RandomNic &nic, const Record &record);
	void spread(const RandomNic &nic, const Record &record);
	void reset(const RandomNic &nic, const Record &record);
	void burst(const RandomNic &nic, const Record &record);
	void standing(const RandomNic &nic, const Record &record);
	void tx(const RandomNic &nic, const Record &record);
	void xdp(const RandomNic &nic, const Record &record);
	void gro(const RandomNic &nic, const Record &record);
	void truesize(const RandomNic &nic, const Record &record);

	/* False, and counted, if @record does not know; it must not, if @may. */
	bool knows(const Record &record, const std::string &row, const std::string &figure,
		   bool may);
	/* Begins with @truth? */
	void word(const Record &record, const std::string &row, const std::string &figure,
		  const std::string &truth);
	void fails(const Record &record, const std::string &row, bool truth);
	/* No farther from @truth than @tolerance. */
	void figure(const Record &record, const std::string &row, const std::string &name,
		    double truth, double tolerance);
	/* Its interval, as the figure's error says: down by it. */
	void pause(const Record &record, const std::string &row, const std::string &name,
		   double truth_ms);
	void count(const std::string &what, bool is_right);

	struct Errors {
		std::vector<double> relative; /* where the truth is not 0 */
		unsigned exact = 0; /* where it is 0, and was found to be */
	};
	std::map<std::string, Errors> errors_; /* by "Q9 depth" */
};

#endif /* RXAQM_TESTS_RANDOM_NIC_HPP */
