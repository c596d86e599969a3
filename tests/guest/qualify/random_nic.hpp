/* SPDX-License-Identifier: GPL-2.0-only */
/* Random simulated NICs: what "rxaqm qualify" says of them, and what they are. */
#ifndef RXAQM_TESTS_RANDOM_NIC_HPP
#define RXAQM_TESTS_RANDOM_NIC_HPP

#include <map>
#include <string>
#include <vector>

#include "qualify_lab.hpp"

/* The settings of the NIC; what is not drawn is as after loading. */
struct RandomNic {
	unsigned seed;
	std::string rows; /* to be measured */
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
	bool steered = false; /* all to the last queue, against the hash */

	explicit RandomNic(unsigned seed);
	void apply(Lab &lab) const;
	std::string text() const;
	bool has(const std::string &row) const;
	bool stamps_all() const
	{
		return coverage == "all";
	}
};

/* Count right, unknown and wrong answers, and the errors of figures. */
class Score
{
    public:
	/* Compare @record with @nic. A wrong answer fails the test. */
	void judge(const RandomNic &nic, const Record &record);
	/* A Markdown table: median and worst error of each figure. */
	std::string table() const;

	unsigned right = 0, unknown = 0,
		 needless = 0; /* unknown, although the NIC lets it be known */

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

	/* False if @record does not know the figure. It is counted, as needless if it @may know it.
	 */
	bool knows(const Record &record, const std::string &row, const std::string &figure,
		   bool may);
	/* The figure's words must begin with @truth. */
	void word(const Record &record, const std::string &row, const std::string &figure,
		  const std::string &truth);
	void fails(const Record &record, const std::string &row, bool truth);
	/* The figure must be within @tolerance of @truth. */
	void figure(const Record &record, const std::string &row, const std::string &name,
		    double truth, double tolerance);
	/* A pause must be within its error of the truth: the error is the interval between frames.
	 */
	void pause(const Record &record, const std::string &row, const std::string &name,
		   double truth_ms);
	void count(const std::string &what, bool is_right);

	struct Errors {
		std::vector<double> relative; /* where the truth is not 0 */
		unsigned exact = 0; /* the truth is 0, and the figure, too */
	};
	std::map<std::string, Errors> errors_; /* keys: "Q9 depth" */
};

#endif /* RXAQM_TESTS_RANDOM_NIC_HPP */
